"""A net against itself: every game is predicted in plain Python."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from climb import MAX_PLIES, evaluator, make_climb, predict

from boardwright.games.base import DRAW, ONGOING
from boardwright.learn.match import matches
from boardwright.learn.match.matches import Games, play_matches
from boardwright.learn.match.policies import search_policy
from boardwright.learn.shared.config import SearchConfig

FREE, GAMES = 2, 32


CHUNK = 8
CLIMB = make_climb(FREE)
SEARCHING = search_policy(CLIMB, evaluator, SearchConfig(), simulations=1, slots=3)


def play(taste: Any, plies: int, *, seed: int = 0, on_share: Any = None) -> Games:
    policy = SEARCHING([jnp.asarray(taste, jnp.float32)], plies)  # type: ignore[list-item]
    sizes: Any = {"openings": GAMES, "opening_plies": plies, "chunk": CHUNK}
    games = play_matches(jax.random.key(seed), CLIMB, (policy,), **sizes, on_share=on_share)
    assert games.result.shape == (1, 1, GAMES)
    return Games(games.result[0, 0], games.plies[0, 0], games.openings[0, 0], games.decisions, games.rewards)


def test_every_game_after_an_opening_is_predicted() -> None:
    results = set()
    for seed in range(8):
        taste = np.random.default_rng(seed).permuted(np.tile([0.0, 4.0, 8.0], (2, 2, 1)), axis=2)
        result, plies = predict((taste, taste), FREE)  # the opening changes nothing
        games = play(taste, FREE)
        assert games.result.tolist() == [result] * GAMES
        assert games.plies.tolist() == [plies] * GAMES
        results.add(result)
    assert results == {0, 1, DRAW}


def test_every_game_has_its_own_opening() -> None:
    first = np.tile(np.float32(5 * (np.arange(3) == 2)), (2, 2, 1))  # who climbs first is first
    after = play(first, FREE + 4)
    assert len(np.unique(after.openings, axis=0)) > 5
    assert {0, 1} <= set(after.result.tolist())  # a random opening may turn it round
    again, other = play(first, FREE + 4), play(first, FREE + 4, seed=1)
    assert again.openings.tolist() == after.openings.tolist()
    assert other.openings.tolist() != after.openings.tolist()


def test_from_the_start_moves_are_drawn() -> None:
    games = play(np.zeros((2, 2, 3)), 0)
    assert len(np.unique(games.openings, axis=0)) == 1
    assert len(set(games.plies.tolist())) > 3


def test_overlong_games_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = np.tile(np.float32(5 * (np.arange(3) == 0)), (2, 2, 1))
    received: list[float] = []
    assert play(idle, FREE, on_share=received.append).plies.tolist() == [MAX_PLIES] * GAMES
    assert (received[0], received[-1]) == (0.0, 1.0)
    monkeypatch.setattr(matches, "MAX_TURNS", CHUNK)
    assert play(idle, FREE).result.tolist() == [ONGOING] * GAMES
