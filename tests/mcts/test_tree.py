"""What a tree holds is true of the game: moves, movers, ends, visits and values."""

import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from midgames import quick_jit, started
from toy_tree import evaluate_by_number, make_toy
from true_tree import check

import boardwright
from boardwright.games.base import CHANCE
from boardwright.games.batched import without_chance
from boardwright.mcts.nodes import OVER
from boardwright.mcts.policies import gumbel_search, puct_search


def test_evaluations_belong_to_the_mover_and_the_game() -> None:
    """A player who moves twice running is evaluated as himself both times, and each game has its own net."""
    env = make_toy(6, ends=1000, longest=30)
    states = started(env, 8)
    net = jnp.arange(1.0, 9.0)

    def by_role(states: Any) -> tuple[Array, Array]:
        first = states.current_role == 0
        logits = jnp.where(first[:, None], jnp.arange(6.0), -jnp.arange(6.0))
        return logits, jnp.where(first, 0.5, -0.25) / net

    run = functools.partial(puct_search, env=env, evaluate=by_role, num_simulations=40, num_slots=6)
    tree = quick_jit(lambda key, states: run(key, states).tree)(jax.random.key(7), states)
    check(tree, env, states)
    reached = np.asarray((tree.visits > 0) & (tree.mover != OVER))
    first = np.asarray(tree.mover) == 0
    assert min((reached & first).sum(), (reached & ~first).sum()) > 50
    value, prior = np.asarray(tree.raw_value) * np.asarray(net), np.asarray(tree.prior.astype(jnp.float32))
    np.testing.assert_allclose(value[reached & first], 0.5)
    np.testing.assert_allclose(value[reached & ~first], 0.25)  # from the side of role 0
    below_root, filled = reached & (np.arange(len(value)) > 0)[:, None], prior[..., 1:] > -np.inf
    rises = np.where(filled, prior[..., 1:], 0) > prior[..., :-1]
    np.testing.assert_array_equal(
        rises[below_root][filled[below_root]],
        np.broadcast_to(first[..., None], rises.shape)[below_root][filled[below_root]],
    )


def test_games_begin_after_chance_has_moved() -> None:
    game = boardwright.game("cathedral", {"name": "coin", "size": 6, "first": "coin"})
    assert quick_jit(game.batch().init)(jax.random.key(0)).current_role == CHANCE
    env = without_chance(game.batch())
    states = started(env, 16, seed=1)
    assert set(np.asarray(states.current_role).tolist()) == {0, 1}
    assert states.legal_action_mask.sum(axis=1).min() == 48  # places for the cathedral


def test_the_tree_is_updated_in_place() -> None:
    """No array with a row a node and slot, or a node and state, is ever copied."""
    env = make_toy(6)
    states = started(env, 7)
    run = functools.partial(gumbel_search, env=env, evaluate=evaluate_by_number(6), num_simulations=12, num_slots=5)
    compiled = quick_jit(lambda key, states: run(key, states).policy).lower(jax.random.key(0), states).compile()
    text = compiled.as_text()
    assert "[13,7,5]" in text
    assert not re.findall(r"\[13,7,\d+\]\S* copy\(", text)


@pytest.mark.parametrize("simulations", [0, 1 << 15])
def test_the_number_of_simulations_must_fit(simulations: int) -> None:
    env = make_toy(4)
    states = started(env, 2)
    run = functools.partial(puct_search, env=env, evaluate=evaluate_by_number(4), num_slots=4)
    with pytest.raises(ValueError, match=f"not {simulations}"):
        jax.eval_shape(functools.partial(run, num_simulations=simulations), jax.random.key(0), states)
