"""Won endings: proven, quiet, not trivial, the same for a seed; and players who win, spoil or get nowhere."""

import json
import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

import boardwright
from boardwright.errors import BoardwrightError
from boardwright.games.draughts.endgames.conversion import (
    MIN_WIN_PLIES,
    Attempt,
    EndingProver,
    Task,
    WonEnding,
    attempt,
    conversion,
    count_pieces,
    random_ending,
    won_endings,
)
from boardwright.games.draughts.endgames.tablebase import Tablebase, build

GAME = boardwright.game("draughts")
MAIN = "from boardwright.cli.main import main; main()"
THREE_KINGS = WonEnding("B:WK4:BK1,K10,K14", 4, 0)


@pytest.mark.parametrize("pieces", [3, 4, 5])
def test_endings_are_won_quiet_and_balanced(pieces: int) -> None:
    prover, tables = EndingProver(GAME), Tablebase()
    endings = list(islice(won_endings(GAME, prover, pieces, seed=1), 8))
    assert len({ending.text for ending in endings}) == 8
    assert endings == list(islice(won_endings(GAME, EndingProver(GAME), pieces, seed=1), 8))
    assert endings != list(islice(won_endings(GAME, prover, pieces, seed=2), 8))
    assert {GAME.position(ending.text).role_to_move for ending in endings} == {0, 1}
    for ending in endings:
        position = GAME.position(ending.text)
        assert count_pieces(position) == ending.pieces == pieces
        assert abs(position.core.black.bit_count() - position.core.white.bit_count()) <= 1  # type: ignore[attr-defined]
        assert not any("x" in move for move in position.moves())
        assert MIN_WIN_PLIES <= ending.plies <= 80
        if pieces <= 4:
            probe = tables.probe_position(position)
            assert (probe.result, probe.plies) == ("win", ending.plies)


def test_endings_proven_by_alphabeta_are_won(tmp_path: Path) -> None:
    """With tables to 3 pieces it sees less of 4, but nothing that is not there, and nothing sooner than it comes.

    One prover is asked about positions of the same line, so that it remembers them from other distances.
    """
    build(3, tmp_path)
    truth, prover, chance, proven = Tablebase(), EndingProver(GAME, tmp_path), random.Random(1), 0
    while proven < 400:
        position = GAME.position(random_ending(chance, 4))
        for _ in range(3):
            if position.outcome is not None or count_pieces(position) < 4:
                break
            plies = prover.plies_to_win(position)
            if plies is not None:
                proven += 1
                probe = truth.probe_position(position)
                assert probe.result == "win"
                assert probe.plies is not None
                assert probe.plies <= plies
            position = position.play(chance.choice(position.legal_actions()))


def test_defender_resists_as_long_as_the_tables_say() -> None:
    """The quickest win is played against the longest defence."""
    for ending in islice(won_endings(GAME, EndingProver(GAME), 4, seed=5), 3):
        done = attempt(Task("alphabeta:depth=2", ending, 0, GAME.rules, None))
        assert (done.verdict, done.plies) == ("won", ending.plies)


def test_a_win_may_be_spoiled_or_lead_nowhere() -> None:
    endings = list(islice(won_endings(GAME, EndingProver(GAME), 4, seed=7), 6))
    verdicts = [attempt(Task("random", ending, 0, GAME.rules, None)).verdict for ending in endings]
    assert "spoiled" in verdicts
    assert attempt(Task("first-legal", THREE_KINGS, 0, GAME.rules, None)).verdict == "nowhere"


def test_conversion() -> None:
    ending = WonEnding("", 5, 20)
    done = [Attempt("p", ending, "won", 24), Attempt("p", ending, "won", 26), Attempt("p", ending, "spoiled", 3)]
    found = conversion(done)
    assert (found.won, found.spoiled, found.nowhere, found.endings) == (2, 1, 0, 3)
    assert (found.plies, found.best) == (25, 20)
    assert found.share.low < 2 / 3 == found.share.mean < found.share.high


def test_the_command() -> None:
    command = [sys.executable, "-c", MAIN, "endings", "alphabeta:depth=2", "random", "--pieces", "4,3"]
    asked = [*command, "--positions", "2", "--json"]
    report = json.loads(subprocess.run(asked, capture_output=True, check=True, timeout=100).stdout)
    assert [(one["pieces"], one["positions"], one["proven_by"]) for one in report["endings"]] == [
        (3, 2, "tables"),
        (4, 2, "tables"),
    ]
    assert [(one["player"], one["pieces"]) for one in report["players"]] == [
        ("alphabeta:depth=2", 3),
        ("alphabeta:depth=2", 4),
        ("random", 3),
        ("random", 4),
    ]
    assert report["players"][1]["won"] == 2
    bad = subprocess.run([*command, "--pieces", "five"], capture_output=True, text=True, timeout=100)
    assert bad.returncode != 0
    assert "--pieces 'five': expected numbers" in bad.stderr


def test_impossible_endings_are_refused() -> None:
    with pytest.raises(BoardwrightError, match="no won position with 2 pieces"):
        next(won_endings(GAME, EndingProver(GAME), 2, seed=0))
