"""Positions of named players' games: the same again, whole games apart, and kept in a file."""

import dataclasses
import random
from pathlib import Path

import numpy as np
import pytest

from boardwright.arena import positions
from boardwright.arena.positions import boards_for, boards_of_games
from boardwright.errors import RunError
from boardwright.games.registry import game
from boardwright.learn.run import config_file, settings
from boardwright.learn.shared import boards
from boardwright.learn.shared.boards import Boards, pack, split_by_game, unpack
from boardwright.learn.vae.config import BOARDS_FILE, PRESETS

CATHEDRAL = game("cathedral", "paper-6", "paper")


@pytest.fixture(scope="module")
def some() -> Boards:
    return boards_of_games(CATHEDRAL, ("random", "largest-first"), 11, seed=5)


def same(one: Boards, other: Boards) -> bool:
    return one.shape == other.shape and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in boards.ARRAYS
    )


def test_the_same_seed_gives_the_same_positions(some: Boards) -> None:
    assert same(some, boards_of_games(CATHEDRAL, ("random", "largest-first"), 11, seed=5))
    assert not np.array_equal(some.bits, boards_of_games(CATHEDRAL, ("random", "largest-first"), 11, seed=6).bits)
    assert set(some.games.tolist()) == set(range(11))


def test_positions_are_observed_by_the_mover(some: Boards) -> None:
    seen = np.asarray(unpack(some.bits, some.shape))
    assert np.array_equal(pack(seen, CATHEDRAL), some.bits)
    for number in range(11):
        of_game = some.games == number
        plies, results = some.plies[of_game], some.results[of_game]
        assert plies[0] == 0
        assert (np.diff(plies) == 1).all()
        assert not seen[of_game][0].any()  # the empty board
        assert seen[of_game][1][..., 2].sum() == 6  # the cathedral has been placed
        squares = seen[of_game][..., :2].sum((1, 2, 3))
        assert (np.diff(squares) > 0).sum() > len(plies) // 2  # boards fill
        assert (set(results.tolist()) <= {1, -1}) or not results.any()  # won or drawn


def test_results_are_from_the_movers_side() -> None:
    draws = random.Random(3)
    position, movers = CATHEDRAL.start(), []
    while position.outcome is None:
        movers.append(position.role_to_move)
        position = position.play(draws.choice(position.legal_actions()))
    from boardwright.arena.event import PlayedGame
    from boardwright.games.record import GameRecord

    _, plies, results = positions._seen(
        PlayedGame(record=GameRecord.of(position), players=("random", "random")), CATHEDRAL
    )
    assert len(plies) == len(movers)
    winner = position.outcome.winner
    assert results.tolist() == [0 if winner is None else 1 if mover == winner else -1 for mover in movers]


def test_split_is_by_game(some: Boards) -> None:
    train, validation = split_by_game(some, share=0.3, seed=1)
    assert sorted([*train, *validation]) == list(range(len(some)))
    assert not set(some.games[train].tolist()) & set(some.games[validation].tolist())
    assert len(set(some.games[validation].tolist())) == 3
    again = split_by_game(some, share=0.3, seed=1)
    assert np.array_equal(again[1], validation)
    assert any(not np.array_equal(split_by_game(some, share=0.3, seed=seed)[1], validation) for seed in range(2, 6))
    assert len(set(some.games[split_by_game(some, share=0.0, seed=1)[1]].tolist())) == 1


def test_identical_games_are_refused() -> None:
    with pytest.raises(RunError, match="player first-legal: all 3 games are the same: give it a"):
        boards_of_games(CATHEDRAL, ("random", "first-legal"), 6, seed=0)


def test_held_out_positions_are_not_learned_from(some: Boards) -> None:
    twice = Boards(
        some.shape,
        bits=np.concatenate([some.bits] * 2),
        games=np.concatenate([some.games, some.games + 11]),
        plies=np.concatenate([some.plies] * 2),
        results=np.concatenate([some.results] * 2),
    )
    train, validation = split_by_game(twice, share=0.3, seed=1)
    assert not set((twice.games[train] % 11).tolist()) & set((twice.games[validation] % 11).tolist())
    assert len(set(twice.games[validation].tolist())) == 7
    alike = dataclasses.replace(some, bits=np.zeros_like(some.bits), games=some.plies * 0 + np.arange(len(some)))
    with pytest.raises(RunError, match="all games are identical"):
        split_by_game(alike, share=0.3, seed=1)


def test_one_game_cannot_be_split() -> None:
    with pytest.raises(RunError, match="one game cannot be split"):
        split_by_game(boards_of_games(CATHEDRAL, ("random",), 1, seed=0), share=0.5, seed=0)


def test_saved_positions_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report: list[tuple[str, int, int]] = []
    three, four = (settings.apply(PRESETS["cathedral-tiny"], [f"boards.games={games}"]) for games in (3, 4))
    first = boards_for(three, tmp_path, on_progress=lambda *what: report.append(what))
    assert report == [("games", number, 3) for number in (1, 2, 3)]
    with monkeypatch.context() as patched:
        patched.setattr(positions, "boards_of_games", None)
        assert same(first, boards_for(three, tmp_path))
    assert set(boards_for(four, tmp_path).games.tolist()) == {0, 1, 2, 3}  # others are made
    path = tmp_path / BOARDS_FILE
    path.write_bytes(path.read_bytes()[:-5])  # damaged: made again
    assert set(boards_for(four, tmp_path).games.tolist()) == {0, 1, 2, 3}


def test_positions_follow_from_the_config(tmp_path: Path) -> None:
    config = PRESETS["cathedral-tiny"]
    made = boards_for(config, tmp_path)
    assert same(made, boards_of_games(CATHEDRAL, config.boards.players, config.boards.games, config.seed))
    there = boards.load(tmp_path / BOARDS_FILE)
    assert there is not None
    assert same(made, there)


def test_positions_of_another_run_are_not_overwritten(tmp_path: Path) -> None:
    config = PRESETS["cathedral-tiny"]
    boards_for(config, tmp_path)
    config_file.store(tmp_path, "vae", config)
    before = (tmp_path / BOARDS_FILE).read_bytes()
    boards_for(config, tmp_path)
    with pytest.raises(RunError, match=r"boards\.games is 8 there and 9 here"):
        boards_for(settings.apply(config, ["boards.games=9"]), tmp_path)
    assert (tmp_path / BOARDS_FILE).read_bytes() == before


def test_unwritable_folder_is_refused_before_the_games(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot write into"):
        boards_for(settings.apply(PRESETS["cathedral-tiny"], ["boards.players=nobody"]), tmp_path / "file")


def test_observations_must_be_bits() -> None:
    draughts = game("draughts", None, "full")
    with pytest.raises(RunError, match=r"its plane 'inactivity / maximum' has values other than 0 and 1"):
        boards_of_games(draughts, ("random",), 1, seed=0)
