"""The tree of a batched search: B games at once, one node per simulation, K slots per node.

Shaped for an accelerator. Arrays are node-major and every simulation writes its new node at the same index
for all games, so that a write is a slice. Statistics are kept once per node, [N, B], and a node's children are
looked up there, so that nothing of the size [N, B, K] changes but the new node's row and one link per game. The
nodes a simulation passed are a mask [N, B], so that backing up is elementwise. The descent is the only loop.

Values are kept from the side of role 0 for either mover, so that backing up needs no signs and nothing assumes
that the players alternate; a node sees its children's values with the sign of its own mover. A node where the
game is over has the result as its value and no moves; a simulation that comes to it again ends there, and the
row it would have filled stays unreachable. Shaped rewards are ignored: only results count.

Chance never moves in a tree: `boardwright.games.batched.without_chance` makes an environment whose steps
continue until a role is to move. Each link then holds the one outcome that was drawn when it was made.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.mcts import descent_kernel
from boardwright.mcts import slots as packed_moves
from boardwright.mcts.nodes import OVER, UNVISITED, Node, Tree, best_slot, side_of
from boardwright.mcts.slots import Slots
from boardwright.mcts.split import GAMES, NODES, SAME, by_game, is_whole
from boardwright.mcts.state_words import make_packing

# States of B games -> (logits [B, A], value [B] between -1 and 1 from the side of the role to move). Logits
# of legal actions must be finite, the others may be anything; outputs for finished games are not used.
# Game b of the batch is always the same game, so a closure may hold data by game, as a league's nets.
Evaluate = Callable[[Any], tuple[Array, Array]]


class Depth(PyTreeNode):
    """How far below the root simulations ended, in actions."""

    total: Array  # [B] int32: over all simulations
    deepest: Array  # [B] int32


class _Descent(PyTreeNode):
    """The state of a simulation in every game."""

    node: Array  # [B] int32
    slot: Array  # [B] int32: chosen at the node
    child: Array  # [B] int32: what the slot leads to
    path: Array  # [N, B] bool: the nodes passed, `node` among them
    depth: Array  # [B] int32: of what the slot leads to
    going: Array  # [B] bool: the child has moves to choose from


# The partition of a descent over devices.
_DESCENT = _Descent(GAMES, GAMES, GAMES, NODES, GAMES, GAMES)  # type: ignore[arg-type]


def grow(
    key: Array,
    root_states: Any,
    root: Slots,
    root_value: Array,
    *,
    env: BatchEnv,
    evaluate: Evaluate,
    num_simulations: int,
    root_scores: Callable[[Node, Array], Array],
    scores: Callable[[Node], Array],
) -> tuple[Tree, Depth]:
    """The tree after `num_simulations` from B states, whose slots and value [B] the caller has evaluated.

    A simulation takes the filled slot with the highest score [B, K]: of `root_scores(root, simulation)` at the
    root, of `scores(node)` below it.
    """
    if not 0 < num_simulations < 1 << 15:
        raise ValueError(f"simulations must be from 1 to {(1 << 15) - 1}, not {num_simulations}")
    pack_states, unpack_states = make_packing(root_states)
    games, num_slots = root.actions.shape

    def descend(tree: Tree, slot: Array) -> tuple[_Descent, Array, Any]:
        descent = _descend(tree, slot, scores)
        action = tree.action.at[descent.node, jnp.arange(slot.shape[0]), descent.slot].get(mode="promise_in_bounds")
        return descent, action, unpack_states(_of_node(tree.state, descent.node))

    def add(tree: Tree, descent: _Descent, index: Array, states: Any, moves: Slots, value: Array) -> Tree:
        adding = (descent.child == UNVISITED) & (tree.mover[0] != OVER)
        tree = _write(tree, index + 1, states, moves, value, pack_states)
        child = jnp.where(adding, index + 1, descent.child).astype(tree.child.dtype)
        links = tree.child.at[descent.node, jnp.arange(child.shape[0]), descent.slot].set(
            child, mode="promise_in_bounds", unique_indices=True
        )
        ended_at = jnp.where(adding, index + 1, jnp.maximum(descent.child, 0))
        return _back_up(tree.replace(child=links), descent.path | _row(tree, ended_at), ended_at)

    descend = by_game(descend, (NODES, GAMES), (_DESCENT, GAMES, GAMES), games)
    add = by_game(add, (NODES, _DESCENT, SAME, GAMES, GAMES, GAMES), NODES, games)

    def simulate(index: Array, carry: tuple[Tree, Depth]) -> tuple[Tree, Depth]:
        tree, depth = carry
        node = root_node(tree, root)
        descent, action, states = descend(tree, best_slot(node.logits, root_scores(node, index)))
        keys = jax.random.split(jax.random.fold_in(key, index), games)
        states = jax.vmap(env.step)(states, jnp.maximum(action, 0).astype(jnp.int32), keys)
        logits, value = evaluate(states)
        moves = packed_moves.pack(states.legal_action_mask, logits, num_slots)
        tree = add(tree, descent, index, states, moves, value)
        depth = Depth(depth.total + descent.depth, jnp.maximum(depth.deepest, descent.depth))
        return tree, depth

    new_tree = functools.partial(_new_tree, num_simulations + 1, pack_states)
    tree = by_game(new_tree, (GAMES, GAMES, GAMES), NODES, games)(root_states, root, root_value)
    nothing = jnp.zeros(games, jnp.int32)
    return jax.lax.fori_loop(0, num_simulations, simulate, (tree, Depth(nothing, nothing)))


def root_node(tree: Tree, root: Slots) -> Node:
    """The root, with its priors in full precision, which the tree does not keep."""
    total = jnp.exp(root.logits).sum(axis=1, keepdims=True)
    first = jnp.zeros_like(root.actions[:, 0], jnp.int32)
    node = by_game(_gather_nodes, (NODES, GAMES), GAMES, first.shape[0])(tree, first)
    return node.replace(logits=root.logits, total=total)


def _new_tree(num_nodes: int, pack_states: Callable[[Any], Array], states: Any, root: Slots, value: Array) -> Tree:
    """A tree of the root alone, visited once."""
    games, num_slots = root.actions.shape
    words = jax.eval_shape(pack_states, states).shape[1]
    empty = Tree(
        mover=jnp.full((num_nodes, games), OVER, jnp.int8),
        visits=jnp.zeros((num_nodes, games), jnp.int32),
        value=jnp.zeros((num_nodes, games), jnp.float32),
        raw_value=jnp.zeros((num_nodes, games), jnp.float32),
        prior=jnp.zeros((num_nodes, games, num_slots), jnp.bfloat16),
        prior_total=jnp.zeros((num_nodes, games), jnp.float32),
        action=jnp.zeros((num_nodes, games, num_slots), jnp.int16),
        child=jnp.full((num_nodes, games, num_slots), UNVISITED, jnp.int16),
        state=jnp.zeros((num_nodes, games, words), jnp.uint32),
    )
    tree = _write(empty, jnp.int32(0), states, root, value, pack_states)
    first = jnp.zeros(games, jnp.int32)
    return _back_up(tree, _row(tree, first), first)


def _write(
    tree: Tree, index: Array, states: Any, moves: Slots, value: Array, pack_states: Callable[[Any], Array]
) -> Tree:
    """The tree with a new node in row `index` of every game, not yet visited."""
    result_value = jnp.where(states.result == 0, 1.0, jnp.where(states.result == 1, -1.0, 0.0))
    value_of_0 = jnp.where(states.terminated, result_value, value.astype(jnp.float32) * side_of(states.current_role))
    prior = moves.logits.astype(jnp.bfloat16)
    put = functools.partial(jax.lax.dynamic_update_index_in_dim, index=index, axis=0)
    return tree.replace(
        mover=put(tree.mover, jnp.where(states.terminated, OVER, states.current_role).astype(jnp.int8)),
        raw_value=put(tree.raw_value, value_of_0),
        prior=put(tree.prior, prior),
        prior_total=put(tree.prior_total, jnp.exp(prior.astype(jnp.float32)).sum(axis=1)),
        action=put(tree.action, moves.actions),
        state=put(tree.state, pack_states(states)),
    )


def _descend(tree: Tree, slot: Array, scores: Callable[[Node], Array]) -> _Descent:
    """From a slot [B] of the root along the best ones to one that leads nowhere yet, or to the end of the game."""

    def beyond(children: Array, slot: Array) -> tuple[Array, Array]:
        """What slots lead to, and whether there are moves to choose from."""
        child = jnp.take_along_axis(children, slot[:, None], axis=1)[:, 0].astype(jnp.int32)
        return child, (child != UNVISITED) & (_of_node(tree.mover, jnp.maximum(child, 0)) != OVER)

    def follow(at: _Descent) -> _Descent:
        number = jnp.where(at.going, at.child, at.node)
        node = _gather_nodes(tree, number)
        slot = best_slot(node.logits, scores(node))
        child, going = beyond(node.child, slot)
        return _Descent(
            node=number,
            slot=jnp.where(at.going, slot, at.slot),
            child=jnp.where(at.going, child, at.child),
            path=at.path | _row(tree, number),
            depth=at.depth + at.going,
            going=at.going & going,
        )

    def together(slot: Array, child: Array, going: Array) -> _Descent:
        first = jnp.zeros_like(slot)
        start = _Descent(first, slot, child, _row(tree, first), jnp.ones_like(slot), going)
        # Two steps a turn: an accelerator returns the condition to the host after every turn, which takes longer
        # than a step. A step of a game that has arrived changes nothing.
        return jax.lax.while_loop(lambda at: at.going.any(), lambda at: follow(follow(at)), start)

    def apart(slot: Array, child: Array, going: Array) -> _Descent:
        node, slot, child, path, depth = descent_kernel.descend(tree, scores, slot, child, going)
        return _Descent(node, slot, child, path, depth, jnp.zeros_like(going))

    child, going = beyond(tree.child[0], slot)
    if not is_whole():  # the kernel does not support split batches
        return together(slot, child, going)
    return jax.lax.platform_dependent(slot, child, going, cuda=apart, default=together)


def _gather_nodes(tree: Tree, number: Array) -> Node:
    """The nodes with these numbers [B]."""
    child = _of_node(tree.child, number).astype(jnp.int32)
    visited = child != UNVISITED
    games = jnp.arange(number.shape[0])[:, None]
    children = jnp.maximum(child, 0)
    side = side_of(_of_node(tree.mover, number))[:, None]
    visits, value = (array.at[children, games].get(mode="promise_in_bounds") for array in (tree.visits, tree.value))
    return Node(
        logits=_of_node(tree.prior, number).astype(jnp.float32),
        total=_of_node(tree.prior_total, number)[:, None],
        child=child,
        visits=jnp.where(visited, visits, 0),
        q=jnp.where(visited, value * side, 0.0),
        own_visits=_of_node(tree.visits, number)[:, None].astype(jnp.float32),
        value=_of_node(tree.value, number)[:, None] * side,
        raw_value=_of_node(tree.raw_value, number)[:, None] * side,
    )


def _back_up(tree: Tree, path: Array, ended_at: Array) -> Tree:
    """The tree with the raw value of the nodes [B] where paths ended backed up along the paths [N, B]."""
    found = _of_node(tree.raw_value, ended_at)
    mean = (tree.value * tree.visits + found) / (tree.visits + 1.0)
    return tree.replace(visits=tree.visits + path, value=jnp.where(path, mean, tree.value))


def _of_node(array: Array, number: Array) -> Array:
    """[B, ...]: the entry of each game's node [B] in an array [N, B, ...]."""
    return array.at[number, jnp.arange(number.shape[0])].get(mode="promise_in_bounds")


def _row(tree: Tree, number: Array) -> Array:
    """[N, B] bool: only each game's node [B]."""
    return jnp.arange(tree.visits.shape[0])[:, None] == number
