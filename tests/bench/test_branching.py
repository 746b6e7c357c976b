"""The count of legal actions says how many slots a search needs."""

import pytest

import boardwright
from boardwright.bench import branching


def test_slots_hold_all_legal_moves_of_played_positions() -> None:
    for name in ("draughts", "tablut"):
        game = boardwright.game(name)
        counts = dict(branching.measure(game, 1))
        assert list(counts) == list(branching.KINDS)
        assert max(found.max() for found in counts.values()) <= game.max_search_actions


def test_branching_command_prints_a_line_for_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    branching.main("draughts", games=1)
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "draughts wcdf: 1 games of each kind"
    assert [line.split()[0] for line in lines] == list(branching.KINDS)
    assert all("> 24: 0" in line for line in lines)
