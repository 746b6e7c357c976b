"""Turns of two nets: each searches its own positions, none starves, little is wasted."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax import Array

from boardwright.learn.match.policies import BOTH, NetEvaluator, first_seats, on_move, opponents_evaluate

ALONE, AGAINST = 3, 16
GAMES = ALONE + AGAINST


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Standing:
    current_role: Array
    terminated: Array


def standing(role: Any) -> Standing:
    return Standing(jnp.asarray(role, jnp.int8), jnp.zeros(len(role), bool))


@given(games=st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, 1, BOTH])), min_size=1, max_size=9))
def test_role_to_move_by_seat(games: list[tuple[int, int]]) -> None:
    """In every step the games of one net; games against others move in exactly one of two steps."""
    role, seat = map(list, zip(*games, strict=True))
    ours, theirs = (
        np.asarray(on_move(standing(role), jnp.asarray(seat, jnp.int8), theirs=turn)) for turn in (False, True)
    )
    for number, (mover, own) in enumerate(games):
        assert ours[number] == (own == BOTH or mover == own)
        assert theirs[number] == (own == BOTH or mover != own)


def test_first_seats_are_of_both_roles() -> None:
    assert first_seats(GAMES, AGAINST).tolist() == [BOTH] * ALONE + [0, 1] * (AGAINST // 2)
    assert first_seats(4, 0).tolist() == [BOTH] * 4
    assert first_seats(3, 3).dtype == jnp.int8


@pytest.mark.parametrize(("again", "most_wasted"), [(0.0, 0.03), (0.2, 0.3)])
def test_few_searches_are_wasted(again: float, most_wasted: float) -> None:
    """Games of 20 to 40 actions that restart with roles swapped; `again` is the share of repeated movers."""
    rng = np.random.default_rng(5)
    seat = np.array(first_seats(GAMES, AGAINST))
    role, left, waited = np.zeros(GAMES, int), rng.integers(20, 41, GAMES), np.zeros(GAMES, int)
    moved, ended, longest = 0, np.zeros(GAMES, int), 0
    for step in range(400):
        moves = np.asarray(on_move(standing(role), jnp.asarray(seat), theirs=step % 2 == 1))
        assert moves[:ALONE].all()
        moved += moves[ALONE:].sum()
        waited = np.where(moves, 0, waited + 1)
        longest = max(longest, waited.max())
        role = np.where(moves & (rng.random(GAMES) >= again), 1 - role, role)
        left = left - moves
        over = left == 0
        seat = np.where(over & (seat != BOTH), 1 - seat, seat)
        role = np.where(over, 0, role)
        left = np.where(over, rng.integers(20, 41, GAMES), left)
        ended += over
    assert 1 - moved / (400 * AGAINST) < most_wasted
    assert ended.min() >= 5
    assert longest == 1


def said(name: Any, roles: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Outputs that encode which net was called, and for which role; a net is a number here."""
    return jnp.full((roles.shape[0], 2), name), name + roles.astype(jnp.float32) / 8


@pytest.mark.parametrize(
    ("nets", "against", "expected"),
    [
        (3, 3, [1.0] * 7 + [2.0, 3.0, 4.0]),
        (2, 4, [1.0] * 6 + [2.0] * 2 + [3.0] * 2),
        (1, 10, [2.0] * 10),
        (2, 10, [2.0] * 5 + [3.0] * 5),
    ],
)
def test_each_opponent_evaluates_its_own_games(nets: int, against: int, expected: list[float]) -> None:
    evaluator = NetEvaluator(observe=lambda states: states.current_role, evaluate=said)
    one: Any = 1.0
    others: Any = [2.0 + number for number in range(nets)]
    logits, value = opponents_evaluate(evaluator, one, others, against)(standing([0, 1] * 5))
    assert logits[:, 0].tolist() == expected
    assert value.tolist() == [name + row % 2 / 8 for row, name in enumerate(expected)]
