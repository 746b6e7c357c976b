"""The descent as one GPU kernel: every game descends to its own leaf and waits for no other.

In `tree.py` the descent is a loop over the whole batch, as long as the longest path of any game, and an accelerator
launches a dozen small kernels per iteration and returns to the host for the condition. Here a game is a program of one
kernel. It calls the same selection rules, on blocks of one game, so that the results are equal.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as pltriton

from boardwright.mcts.nodes import OVER, UNVISITED, Node, Tree, best_slot

Rule = Callable[[Node], Array]
WARPS = 2  # of a program: 64 threads for up to 256 slots


def descend(
    tree: Tree, scores: Rule, slot: Array, child: Array, going: Array, *, interpret: bool = False
) -> tuple[Array, Array, Array, Array, Array]:
    """(node, slot, child, path, depth), as `tree.Descent` has them, from the slots [B] chosen at the roots.

    child: [B] int32, what the slots lead to; going: [B] bool, whether there is something to choose there.
    """
    nodes, games, slots = tree.child.shape
    lanes, path_lanes = pl.next_power_of_2(slots), pl.next_power_of_2(nodes)

    def program(
        child_ref, prior_ref, total_ref, visits_ref, value_ref, raw_ref, mover_ref, slot_ref, first_ref, going_ref,
        node_out, slot_out, child_out, path_out, depth_out,
    ):  # fmt: skip
        game = pl.program_id(0)
        lane = jnp.arange(lanes, dtype=jnp.int32)
        inside = jnp.minimum(lane, slots - 1)
        row = jnp.arange(path_lanes, dtype=jnp.int32)

        def follow(at):
            _, _, node, _, path, depth = at
            children = child_ref[node, game, inside].astype(jnp.int32)
            visited = (children != UNVISITED) & (lane < slots)
            there = jnp.maximum(children, 0)
            side = 1.0 - 2.0 * (mover_ref[node, game].astype(jnp.int32) == 1).astype(jnp.float32)
            logits = prior_ref[node, game, inside].astype(jnp.float32)
            current = Node(
                logits=jnp.where(lane < slots, logits, -jnp.inf)[None],
                total=_one(total_ref[node, game]),
                child=children[None],
                visits=jnp.where(visited, visits_ref[there, game], 0)[None],
                q=jnp.where(visited, value_ref[there, game] * side, 0.0)[None],
                own_visits=_one(visits_ref[node, game].astype(jnp.float32)),
                value=_one(value_ref[node, game] * side),
                raw_value=_one(raw_ref[node, game] * side),
            )
            slot = best_slot(current.logits, scores(current))  # [1]
            following = jnp.where(lane == slot, children, 0).sum()
            mover = mover_ref[jnp.maximum(following, 0), game].astype(jnp.int32)
            continues = (following != UNVISITED) & (mover != OVER)
            path = path | (row == node).astype(jnp.int32)
            return continues, node, following, slot.sum(), path, depth + 1

        path = (row == 0).astype(jnp.int32)
        start = (going_ref[game] != 0, jnp.int32(0), first_ref[game], slot_ref[game], path, jnp.int32(1))
        _, node, following, slot, path, depth = jax.lax.while_loop(lambda at: at[0], follow, start)
        node_out[game], slot_out[game], child_out[game], depth_out[game] = node, slot, following, depth
        path_out[row, game] = path.astype(jnp.int8)

    number = jax.ShapeDtypeStruct((games,), jnp.int32)
    node, slot, child, path, depth = pl.pallas_call(
        program,
        out_shape=(number, number, number, jax.ShapeDtypeStruct((path_lanes, games), jnp.int8), number),
        grid=(games,),
        compiler_params=pltriton.CompilerParams(num_warps=WARPS),
        interpret=interpret,
    )(
        tree.child, tree.prior, tree.prior_total, tree.visits, tree.value, tree.raw_value, tree.mover,
        slot, child, going.astype(jnp.int32),
    )  # fmt: skip
    return node, slot, child, path[:nodes] != 0, depth


def _one(number: Array) -> Array:
    """[1, 1]: a number as a block."""
    return jnp.broadcast_to(number, (1, 1))
