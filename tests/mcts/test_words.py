"""A state comes back from words as it went in."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from midgames import quick_jit, started

import boardwright
from boardwright.mcts.state_words import make_packing


@pytest.mark.parametrize(("game", "rules"), [("tablut", None), ("draughts", None), ("cathedral", "official-6")])
def test_states_survive(game: str, rules: str | None) -> None:
    states = started(boardwright.game(game, rules).batch(), 4)
    pack, unpack = make_packing(states)
    words = quick_jit(pack)(states)
    assert (words.shape[0], words.dtype) == (4, jnp.uint32)
    assert 4 * words.shape[1] - sum(leaf[0].nbytes for leaf in jax.tree.leaves(states)) < 4
    jax.tree.map(_same, states, quick_jit(unpack)(words))


def test_small_numbers_of_any_kind_survive() -> None:
    example = {
        "half": jnp.array([[1.5, -jnp.inf, 3], [0, -2, 4]], jnp.bfloat16),
        "flag": jnp.array([True, False]),
        "single": jnp.array([1.25, -7.0], jnp.float32),
        "short": jnp.array([[[-3], [4]], [[5], [-6]]], jnp.int16),
    }
    pack, unpack = make_packing(example)
    jax.tree.map(_same, example, unpack(pack(example)))


def test_wide_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="four bytes"):
        make_packing({"wide": np.zeros((2, 3), np.int64)})


def _same(before: jax.Array, after: jax.Array) -> None:
    assert before.dtype == after.dtype
    np.testing.assert_array_equal(before, after)
