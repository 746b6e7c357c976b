"""Slots hold every legal move while they can, and the best by prior when they cannot."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.mcts import slots


def masks(games: int, actions: int, counts: list[int], seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    mask = np.zeros((games, actions), bool)
    for row, count in zip(mask, counts, strict=True):
        row[random.choice(actions, count, replace=False)] = True
    return mask


@pytest.mark.parametrize("actions", [5, 70, 2592])
def test_every_move_is_kept_in_ascending_order(actions: int) -> None:
    counts = [0, 1, 3, min(actions, 20), min(actions, 24)]
    mask = masks(5, actions, counts)
    logits = np.random.default_rng(1).normal(size=mask.shape).astype(np.float32)
    packed = jax.jit(slots.pack, static_argnums=2)(jnp.asarray(mask), jnp.asarray(logits), 24)
    assert packed.actions.dtype == jnp.int16
    for row, count in enumerate(counts):
        legal = np.flatnonzero(mask[row])
        np.testing.assert_array_equal(packed.actions[row], [*legal, *[slots.PADDING] * (24 - count)])
        np.testing.assert_array_equal(packed.filled[row], np.arange(24) < count)
        highest = logits[row][legal].max() if count else 0
        np.testing.assert_allclose(packed.logits[row, :count], logits[row][legal] - highest, rtol=1e-6)
        assert (np.asarray(packed.logits[row, count:]) == -np.inf).all()


def test_positions_with_more_moves_keep_the_best_by_prior() -> None:
    mask = masks(6, 400, [8, 16, 17, 40, 200, 400])
    logits = np.random.default_rng(2).normal(size=mask.shape).astype(np.float32)
    logits[3] = 0  # all equal
    logits[4] = np.round(logits[4])  # many equal, on both sides of zero
    packed = jax.jit(slots.pack, static_argnums=2)(jnp.asarray(mask), jnp.asarray(logits), 16)
    rank = np.asarray(jnp.asarray(logits).astype(jnp.bfloat16).astype(jnp.float32))
    for row in range(6):
        best = sorted(np.flatnonzero(mask[row]), key=lambda action, row=row: (-rank[row, action], action))[:16]
        np.testing.assert_array_equal(packed.actions[row][: len(best)], sorted(best))


def test_caller_may_rank_moves() -> None:
    mask = jnp.ones((1, 40), bool)
    packed = jax.jit(slots.pack, static_argnums=2)(mask, jnp.zeros((1, 40)), 4, rank=jnp.arange(40.0)[None])
    np.testing.assert_array_equal(packed.actions[0], [36, 37, 38, 39])  # not the first, as among equals
    np.testing.assert_array_equal(slots.at_slots(jnp.arange(40)[None] * 10, packed)[0], [360, 370, 380, 390])


def test_action_numbers_must_fit() -> None:
    with pytest.raises(ValueError, match="40000 actions"):
        slots.pack(jnp.ones((1, 40_000), bool), jnp.zeros((1, 40_000)), 4)
