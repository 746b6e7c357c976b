"""A tree held against the rules of its game. Not a test itself."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from midgames import quick_jit

from boardwright.games.base import BatchEnv
from boardwright.mcts.nodes import OVER, UNVISITED, Tree
from boardwright.mcts.state_words import make_packing


def check(tree: Tree, env: BatchEnv, states: Any) -> tuple[int, int]:
    """(links, ends found) of a tree in which everything is as it should be.

    A link is a legal move of its node's state and leads to the state after it. Nothing else has a child.
    Movers, ends and their values are the game's; visits and values add up.
    """
    tree = jax.tree.map(np.asarray, tree)
    nodes, games, _ = tree.child.shape
    node, game, slot = np.nonzero(tree.child != UNVISITED)
    target, action = tree.child[node, game, slot], tree.action[node, game, slot]
    assert len(set(zip(target.tolist(), game.tolist(), strict=True))) == len(target)  # one parent each
    assert (target > node).all()

    words = tree.state.reshape(nodes * games, -1)
    _, unpack = make_packing(states)

    @quick_jit
    def by_the_rules(parent_words: Any, child_words: Any, actions: Any) -> Any:
        before = unpack(parent_words)
        after = jax.vmap(env.step, (0, 0, None))(before, actions, jax.random.key(0))
        same = jax.tree.map(lambda a, b: (a == b).all(), after, unpack(child_words))
        legal = jnp.take_along_axis(before.legal_action_mask, actions[:, None], axis=1)[:, 0]
        every = unpack(words)
        return legal, same, every.terminated, every.current_role, every.result

    legal, same, *every = by_the_rules(
        words[node * games + game], words[target * games + game], jnp.maximum(action, 0).astype(jnp.int32)
    )
    illegal = ~np.asarray(legal) | (action < 0)
    assert illegal.sum() == 0
    assert all(jax.tree.leaves(same))

    over, role, result = (np.asarray(array).reshape(nodes, games) for array in every)
    reached = tree.visits > 0
    assert reached[0].all()
    assert reached.sum() == games + len(target)
    np.testing.assert_array_equal(tree.mover[reached], np.where(over, OVER, role)[reached])
    won = np.where(result == 0, 1.0, np.where(result == 1, -1.0, 0.0))
    np.testing.assert_array_equal(tree.value[reached & over], won[reached & over])

    below, found = np.zeros((nodes, games)), np.asarray(tree.raw_value, np.float64).copy()
    np.add.at(below, (node, game), tree.visits[target, game])
    np.add.at(found, (node, game), tree.visits[target, game] * tree.value[target, game].astype(np.float64))
    inner = reached & ~over
    np.testing.assert_array_equal(tree.visits[inner], 1 + below[inner])
    np.testing.assert_array_equal(below[over], 0)
    np.testing.assert_allclose(tree.value[inner], (found / np.maximum(tree.visits, 1))[inner], atol=1e-5)
    np.testing.assert_array_equal(tree.visits[0], nodes)
    return len(target), int((reached & over).sum())
