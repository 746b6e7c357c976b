"""Matches of searching policies, every game of which is predicted in plain Python."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from climb import MAX_PLIES, evaluator, make_climb, predict

from boardwright.games.base import DRAW, BatchEnv
from boardwright.learn.match import matches
from boardwright.learn.match.matches import SEARCH_CHUNK, MatchResult, play_matches
from boardwright.learn.match.policies import NetEvaluator, search_policy
from boardwright.learn.shared.config import SearchConfig

FREE, OPPONENTS = 2, 4
STRONG, IDLE = (np.tile(np.float32(5 * (np.arange(3) == liked)), (2, 2, 1)) for liked in (2, 0))


def tastes(count: int, seed: int) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).permuted(np.tile([0.0, 4.0, 8.0], (count, 2, 2, 1)), axis=3))


@functools.cache
def searching(free: int, kind: Any, evaluator: NetEvaluator = evaluator) -> tuple[BatchEnv, Any]:
    """A climb and the policies of nets in it; compiled once."""
    env = make_climb(free)
    return env, search_policy(env, evaluator, SearchConfig(kind=kind), simulations=1, slots=3)


def match(
    challenger: Any,
    others: list[Any],
    *,
    free: int = FREE,
    kind: str = "gumbel",
    games: int = 4,
    opening_plies: int = FREE,
    seed: int = 0,
    theirs: NetEvaluator = evaluator,
    on_share: Any = None,
) -> list[MatchResult]:
    """By default from an opening that changes nothing."""
    env, first = searching(free, kind)
    second = first if theirs is evaluator else search_policy(env, theirs, SearchConfig(), simulations=1, slots=3)
    nets: list[Any] = [jnp.asarray(taste, jnp.float32) for taste in (challenger, *others)]
    policies = first(nets[:1], opening_plies), second(nets[1:], opening_plies)
    sizes: dict[str, Any] = {"openings": games // 2, "groups": len(others), "opening_plies": opening_plies}
    return play_matches(jax.random.key(seed), env, policies, **sizes, chunk=SEARCH_CHUNK, on_share=on_share).results()


@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_results_by_opponent_and_role(kind: Any) -> None:
    outcomes = set()
    for seed in range(6):
        challenger, *others = tastes(1 + OPPONENTS, seed)
        for other, score in zip(others, match(challenger, others, kind=kind), strict=True):
            for role in (0, 1):
                result, plies = predict((challenger, other) if role == 0 else (other, challenger), FREE)
                expected = (2 * (result == role), 2 * (result == DRAW), 2 * (result == 1 - role), 2 * plies)
                assert (score.wins[role], score.draws[role], score.losses[role], score.plies[role]) == expected
                outcomes.add((role, expected[:3]))
    assert len(outcomes) == 6  # wins, draws and losses, in both roles


def test_the_better_net_wins() -> None:
    """Two steps at a time against standing still."""
    won, drawn, *_ = match(STRONG, [IDLE, STRONG, IDLE, IDLE])
    assert (won.wins, won.points, won.games) == ((2, 2), 1.0, 4)
    assert (drawn.wins, drawn.losses, drawn.points) == ((2, 0), (0, 2), 0.5)  # who climbs first is first
    lost, drawn, *_ = match(IDLE, [STRONG, IDLE, IDLE, IDLE])
    assert (lost.losses, lost.points) == ((2, 2), 0.0)
    assert (drawn.draws, drawn.points, drawn.plies) == ((2, 2), 0.5, (2 * MAX_PLIES, 2 * MAX_PLIES))


def test_opponents_may_have_another_evaluator() -> None:
    """Nets that say the opposite of what they like."""

    def opposite(taste: Any, states: Any) -> tuple[jax.Array, jax.Array]:
        return evaluator.evaluate(-taste, states)

    contrary = NetEvaluator(observe=evaluator.observe, evaluate=opposite)
    challenger, *others = tastes(3, seed=2)
    scores = match(challenger, others, theirs=contrary)
    changed = False
    for other, score in zip(others, scores, strict=True):
        results = [predict((challenger, -other) if role == 0 else (-other, challenger), FREE)[0] for role in (0, 1)]
        assert [score.wins[role] for role in (0, 1)] == [2 * (results[role] == role) for role in (0, 1)]
        points = sum(2 if result == role else 0 if result == 1 - role else 1 for role, result in enumerate(results))
        assert score.pairs == tuple(2 * (points == halves) for halves in range(5))
        changed |= results != [predict((challenger, other), FREE)[0], predict((other, challenger), FREE)[0]]
    assert changed


def test_pairs_are_counted_by_their_points() -> None:
    result = np.array([[0, 1, DRAW, 0, 0, DRAW], [1, 0, DRAW, 0, DRAW, 0]])  # [role of the challenger, pair]
    nothing = np.zeros((*result.shape, 2))
    score = matches.count_games(result, np.ones_like(result), nothing, nothing)
    assert score.pairs == (1, 1, 2, 1, 1)
    assert sum(halves * count for halves, count in enumerate(score.pairs)) == 2 * score.points * score.games


def test_both_games_of_a_pair_start_alike() -> None:
    """A net against itself: game b is game a again, so what role 0 wins in one, role 1 loses in the other."""
    net = tastes(1, seed=1)[0]
    score, other = match(net, [net, net], free=0, games=48, opening_plies=5, seed=1)
    assert score != other  # openings differ between pairs
    for each in (score, other):
        assert each.games == 48
        assert each.wins == each.losses[::-1]
        assert each.draws[0] == each.draws[1]
        assert each.plies[0] == each.plies[1]
        assert 0 < each.wins[0] < 24


def test_without_an_opening_moves_are_drawn() -> None:
    net = np.zeros((2, 2, 3))
    (score,) = match(net, [net], free=0, games=64, opening_plies=0, seed=1)
    assert 4 < score.wins[0] < 28
    assert score.wins != score.losses[::-1] or score.plies[0] != score.plies[1]


def test_endless_game_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "MAX_TURNS", 8)
    scores = match(IDLE, [STRONG, IDLE, IDLE, IDLE])
    assert [score.draws for score in scores] == [(2, 2)] * OPPONENTS


def test_the_share_of_finished_games_is_reported() -> None:
    """Against nets that climb and nets that do not: half of the games are over early."""
    received: list[float] = []
    match(IDLE, [STRONG, IDLE, STRONG, IDLE], on_share=received.append)
    assert received[0] == 0.0
    assert received[-1] == 1.0
    assert 0.5 in received
    assert received == sorted(received)
