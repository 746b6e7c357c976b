"""Seats against a plain-Python twin: nobody searches for the wrong net, nobody starves, little is wasted."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import Array

from boardwright.learn.seating import BOTH, by_rows, first_seats, reordered, seated

ALONE, PAIRS = 3, 8
GAMES = ALONE + 2 * PAIRS


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Standing:
    current_role: Array
    terminated: Array


take_seats = jax.jit(lambda standing, seat: seated(standing, seat, PAIRS))


def standing(role: Any, over: Any) -> Standing:
    return Standing(jnp.asarray(role, jnp.int8), jnp.asarray(over, bool))


def who_moves(a: SimpleNamespace, b: SimpleNamespace) -> tuple[bool, bool]:
    """Whether games a and b of a pair move, by the words of the module's docstring."""
    if a.over or b.over:
        return not a.over, not b.over
    if a.waits_for_current != b.waits_for_current:
        return True, True
    return True, False


bits = st.lists(st.booleans(), min_size=GAMES, max_size=GAMES)


@given(role=bits, over=bits, seats=bits)
@settings(max_examples=150)
def test_every_game_that_can_move_sits_at_its_net(role: list[bool], over: list[bool], seats: list[bool]) -> None:
    seat = np.where(np.arange(GAMES) < ALONE, BOTH, np.array(seats, int))
    seating: Any = jax.device_get(take_seats(standing(role, over), jnp.asarray(seat, jnp.int8)))
    order, active = seating.order, seating.active
    assert order[order].tolist() == list(range(GAMES))
    assert order[:ALONE].tolist() == list(range(ALONE))
    assert active[:ALONE].all()
    moves = active[order]
    for pair in range(PAIRS):
        a, b = ALONE + pair, ALONE + PAIRS + pair
        assert {order[a], order[b]} == {a, b}
        games = [SimpleNamespace(over=over[game], waits_for_current=role[game] == seat[game]) for game in (a, b)]
        for game, state, expected in zip((a, b), games, who_moves(*games), strict=True):
            if state.over:
                continue
            assert moves[game] == expected
            if moves[game]:  # the current net's rows come before the others'
                assert (order[game] < ALONE + PAIRS) == state.waits_for_current


def test_first_seats_are_one_of_each_role_a_pair() -> None:
    assert first_seats(GAMES, PAIRS).tolist() == [BOTH] * ALONE + [0] * PAIRS + [1] * PAIRS
    assert first_seats(4, 0).tolist() == [BOTH] * 4


def test_alone_everybody_moves() -> None:
    seating = seated(standing([0, 1, 0], [False, False, False]), first_seats(3, 0), 0)
    assert seating.order.tolist() == [0, 1, 2]
    assert seating.active.all()


@pytest.mark.parametrize(("again", "most_wasted"), [(0.0, 0.03), (0.2, 0.3)])
def test_hardly_a_search_is_wasted(again: float, most_wasted: float) -> None:
    """Games of 20 to 40 actions that begin anew with roles exchanged; a mover moves `again` so often."""
    rng = np.random.default_rng(5)
    seat = np.array(first_seats(GAMES, PAIRS))
    role, left, waited = np.zeros(GAMES, int), rng.integers(20, 41, GAMES), np.zeros(GAMES, int)
    moved, ended, longest = 0, np.zeros(GAMES, int), 0
    for _ in range(400):
        seating: Any = jax.device_get(take_seats(standing(role, np.zeros(GAMES)), jnp.asarray(seat, jnp.int8)))
        moves = seating.active[seating.order]
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
    assert 1 - moved / (400 * 2 * PAIRS) < most_wasted
    assert ended.min() >= 5
    assert longest <= (2 if again == 0 else 12)


def test_a_finished_game_does_not_block_its_partner() -> None:
    """As in a contest, where nothing begins anew: the other game of a pair moves at every step."""
    for finished in (0, 1):
        for role in (0, 1):
            for finished_role in (-1, 0, 1):
                roles, over = np.full(2, role), np.zeros(2, bool)
                over[finished], roles[finished] = True, finished_role
                seating = seated(standing(roles, over), jnp.asarray([0, 1], jnp.int8), 1)
                row = int(seating.order[1 - finished])
                assert seating.active[row]
                assert (row == 0) == (role == 1 - finished)


def test_rows_are_asked_of_their_own_nets() -> None:
    """Ten rows: four alone, three of the current net against three others, one row each."""

    def net(name: float) -> Any:
        return lambda states: (
            jnp.full((states.current_role.shape[0], 2), name),
            name + states.current_role.astype(jnp.float32) / 8,
        )

    states = standing([0, 1] * 5, np.zeros(10))
    logits, value = by_rows(net(1.0), [net(2.0), net(3.0), net(4.0)], 3)(states)
    expected = [1.0] * 7 + [2.0, 3.0, 4.0]
    assert logits[:, 0].tolist() == expected
    assert value.tolist() == [name + row % 2 / 8 for row, name in enumerate(expected)]
    logits, _ = by_rows(net(1.0), [net(2.0), net(3.0)], 4)(states)
    assert logits[:, 1].tolist() == [1.0] * 6 + [2.0] * 2 + [3.0] * 2


def test_exchanging_twice_changes_nothing() -> None:
    order = jnp.asarray([0, 3, 2, 1])
    tree = {"a": jnp.arange(4), "b": jnp.arange(8).reshape(4, 2)}
    once = reordered(tree, order)
    assert once["a"].tolist() == [0, 3, 2, 1]
    assert once["b"][1].tolist() == [6, 7]
    assert jax.tree.all(jax.tree.map(lambda x, y: (x == y).all(), reordered(once, order), tree))
