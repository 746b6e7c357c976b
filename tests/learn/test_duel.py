"""Contests of which every game is foretold in plain Python: who won in which role against whom."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from climb import LONGEST, evaluator, foretold, make_climb

from boardwright.games.base import DRAW
from boardwright.learn.match import duel
from boardwright.learn.match.duel import Contest, Score, finished, make_duel
from boardwright.learn.match.pairing import NetEvaluator
from boardwright.learn.shared.match_config import SearchConfig

FREE, OPPONENTS = 2, 4
STRONG, IDLE = (np.tile(np.float32(5 * (np.arange(3) == liked)), (2, 2, 1)) for liked in (2, 0))


def tastes(count: int, seed: int) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).permuted(np.tile([0.0, 4.0, 8.0], (count, 2, 2, 1)), axis=3))


@functools.cache
def compiled(free: int, kind: Any, opponents: int, games: int, opening_plies: int) -> Contest:
    return make_duel(
        make_climb(free),
        evaluator,
        SearchConfig(kind=kind),
        opponents=opponents,
        games=games,
        simulations=1,
        slots=3,
        opening_plies=opening_plies,
    )


def contest(
    challenger: np.ndarray, others: list[np.ndarray], *, kind: str = "gumbel", heard: Any = None
) -> list[Score]:
    """From an opening that changes nothing."""
    variables: list[Any] = [jnp.asarray(taste, jnp.float32) for taste in (challenger, *others)]
    play = compiled(FREE, kind, OPPONENTS, 4, FREE)
    return finished(play(jax.random.key(0), variables[0], variables[1:]), heard)


@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_every_opponent_and_role_has_its_own_result(kind: Any) -> None:
    outcomes = set()
    for seed in range(6):
        challenger, *others = tastes(1 + OPPONENTS, seed)
        for other, score in zip(others, contest(challenger, others, kind=kind), strict=True):
            for role in (0, 1):
                result, plies = foretold((challenger, other) if role == 0 else (other, challenger), FREE)
                expected = (2 * (result == role), 2 * (result == DRAW), 2 * (result == 1 - role), 2 * plies)
                assert (score.wins[role], score.draws[role], score.losses[role], score.plies[role]) == expected
                outcomes.add((role, expected[:3]))
    assert len(outcomes) == 6  # wins, draws and losses, in both roles


def test_the_better_net_wins() -> None:
    """Two steps at a time against standing still."""
    won, drawn, *_ = contest(STRONG, [IDLE, STRONG, IDLE, IDLE])
    assert (won.wins, won.points, won.games) == ((2, 2), 1.0, 4)
    assert (drawn.wins, drawn.losses, drawn.points) == ((2, 0), (0, 2), 0.5)  # who climbs first is first
    lost, drawn, *_ = contest(IDLE, [STRONG, IDLE, IDLE, IDLE])
    assert (lost.losses, lost.points) == ((2, 2), 0.0)
    assert (drawn.draws, drawn.points, drawn.plies) == ((2, 2), 0.5, (2 * LONGEST, 2 * LONGEST))


def test_opponents_may_be_asked_otherwise() -> None:
    """Nets that say the opposite of what they like."""

    def opposite(taste: Any, states: Any) -> tuple[jax.Array, jax.Array]:
        return evaluator.evaluate(-taste, states)

    contrary = NetEvaluator(observe=evaluator.observe, evaluate=opposite)
    sizes: dict[str, Any] = {"opponents": 2, "games": 4, "simulations": 1, "slots": 3, "opening_plies": FREE}
    play = make_duel(make_climb(FREE), evaluator, SearchConfig(), theirs=contrary, **sizes)
    challenger, *others = tastes(3, seed=2)
    variables: list[Any] = [jnp.asarray(taste, jnp.float32) for taste in (challenger, *others)]
    scores = finished(play(jax.random.key(0), variables[0], variables[1:]))
    changed = False
    for other, score in zip(others, scores, strict=True):
        results = [foretold((challenger, -other) if role == 0 else (-other, challenger), FREE)[0] for role in (0, 1)]
        assert [score.wins[role] for role in (0, 1)] == [2 * (results[role] == role) for role in (0, 1)]
        points = sum(2 if result == role else 0 if result == 1 - role else 1 for role, result in enumerate(results))
        assert score.pairs == tuple(2 * (points == halves) for halves in range(5))
        changed |= results != [foretold((challenger, other), FREE)[0], foretold((other, challenger), FREE)[0]]
    assert changed


def test_pairs_are_counted_by_their_points() -> None:
    result = np.array([[0, 1, DRAW, 0, 0, DRAW], [1, 0, DRAW, 0, DRAW, 0]])  # [role of the challenger, pair]
    score = duel.score_of(result, np.ones_like(result))
    assert score.pairs == (1, 1, 2, 1, 1)
    assert sum(halves * count for halves, count in enumerate(score.pairs)) == 2 * score.points * score.games


def test_both_games_of_a_pair_begin_alike() -> None:
    """A net against itself: game b is game a again, so what role 0 wins in one, role 1 loses in the other."""
    taste = tastes(1, seed=1)[0]
    net: Any = jnp.asarray(taste, jnp.float32)
    score, other = finished(compiled(0, "gumbel", 2, 48, 5)(jax.random.key(1), net, [net, net]))
    assert score != other  # openings differ between pairs
    for each in (score, other):
        assert each.games == 48
        assert each.wins == each.losses[::-1]
        assert each.draws[0] == each.draws[1]
        assert each.plies[0] == each.plies[1]
        assert 0 < each.wins[0] < 24


def test_without_an_opening_moves_are_drawn() -> None:
    net: Any = jnp.zeros((2, 2, 3))
    (score,) = finished(compiled(0, "gumbel", 1, 64, 0)(jax.random.key(1), net, [net]))
    assert 4 < score.wins[0] < 28
    assert score.wins != score.losses[::-1] or score.plies[0] != score.plies[1]


def test_a_game_without_end_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "MOST_TURNS", 4)
    scores = contest(IDLE, [STRONG, IDLE, IDLE, IDLE])
    assert [score.draws for score in scores] == [(2, 2)] * OPPONENTS


def test_a_contest_tells_how_far_it_is() -> None:
    """Against nets that climb and nets that do not: half of the games are over early."""
    heard: list[float] = []
    contest(IDLE, [STRONG, IDLE, STRONG, IDLE], heard=heard.append)
    assert heard[0] == 0.0
    assert heard[-1] == 1.0
    assert 0.5 in heard
    assert heard == sorted(heard)
