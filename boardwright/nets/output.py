"""The output of every kind of net, and how it is made from the outputs of its heads."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

Variables = Mapping[str, Any]  # {"params": ..., "batch_stats": ...}, the latter empty where nothing is normalised


class Output(NamedTuple):
    """The output of a net for a batch of positions, all float32, from the side of the role to move."""

    policy_logits: jax.Array  # [B, num_actions], illegal actions included
    # [B] from -1, lost, to 1, won; of a linear head any number; 0 where there is no head
    value: jax.Array
    wdl_logits: jax.Array | None  # [B, 3] win, draw, loss; None where the value is one number
    # ownership: [B, rows, columns, 3] logits of own, enemy, empty at the end, the board as observed;
    # margin, plies: [B], linear, in the unit of the learner's targets
    auxiliary: dict[str, jax.Array]


def expected_result(wdl_logits: jax.Array) -> jax.Array:
    """[..., 3] logits of win, draw and loss -> [...] the expected result, from -1 to 1."""
    chances = jax.nn.softmax(wdl_logits, axis=-1)
    return chances[..., 0] - chances[..., 2]


def of_mover(by_head: list[jax.Array], role: jax.Array) -> jax.Array:
    """[B, n] by head -> [B, n]: for each position the output of its mover's head."""
    return by_head[0] if len(by_head) == 1 else jnp.where(role[:, None] == 1, by_head[1], by_head[0])


def as_actions(policies: list[jax.Array], role: jax.Array, places: np.ndarray) -> jax.Array:
    """[B, policy outputs] by head -> [B, num_actions] in the order of the game's action numbers."""
    if np.array_equal(places[0], places[1]):
        return _take(of_mover(policies, role), places[0])
    return of_mover([_take(policies[0], places[0]), _take(policies[-1], places[1])], role)


def _take(outputs: jax.Array, places: np.ndarray) -> jax.Array:
    in_order = np.array_equal(places, np.arange(outputs.shape[1]))
    return outputs if in_order else outputs.at[:, places].get(mode="promise_in_bounds")


def flat(x: jax.Array) -> jax.Array:
    """Flattens all axes but the first, [B, ...] -> [B, n]."""
    return x.reshape(x.shape[0], -1)


def q_values(output: Output, legal_mask: jax.Array, dueling: bool) -> jax.Array:
    """[B, num_actions] float32, of illegal actions too, from the output for positions with these legal actions.

    Without a value head the policy's outputs are the Q-values. With one (dueling) they are advantages: the value,
    and by how much an action is better than the legal ones [B, num_actions] are on average.
    """
    if not dueling:
        return output.policy_logits
    legal = legal_mask.astype(output.policy_logits.dtype)
    count = legal.sum(axis=-1, keepdims=True).clip(min=1)  # a game that is over has none
    mean = (output.policy_logits * legal).sum(axis=-1, keepdims=True) / count
    return output.value[:, None] + output.policy_logits - mean
