"""Selection by PUCT, as AlphaZero and MuZero have it, with noise at the root and a temperature for the move.

`scores` is mctx's `muzero_policy`: values are scaled to [0, 1] between the lowest and the highest of a node and its
visited children, and a move without a visit counts as the lowest. `plain_scores` is AlphaZero's formula with values
from -1 to 1 as they are, as the DraughtsZero paper has it.
"""

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.mcts.nodes import MIN_RANGE, Node
from boardwright.mcts.slots import probabilities

SMALL_COUNT = 1e-8  # added to a sum of visits, so that priors decide where it is 0


def scores(node: Node, *, pb_c_init: float, pb_c_base: float) -> Array:
    """[B, K]: value plus exploration term."""
    visited = node.visits > 0
    known = jnp.where(visited, node.q, node.value)
    lowest = jnp.minimum(known.min(axis=1, keepdims=True), node.value)
    highest = jnp.maximum(known.max(axis=1, keepdims=True), node.value)
    value = jnp.where(visited, node.q - lowest, 0.0) / jnp.maximum(highest - lowest, MIN_RANGE)
    pb_c = pb_c_init + jnp.log((node.own_visits + pb_c_base + 1) / pb_c_base)
    return value + jnp.sqrt(node.own_visits) * pb_c * node.prior / (node.visits + 1)


def plain_scores(node: Node, *, c_puct: float) -> Array:
    """[B, K]: Q + c_puct * P * sqrt(sum of N) / (1 + N), Q being 0 for a move without a visit.

    At a node without visits every score of the formula is 0; the small constant makes the highest prior come first.
    """
    total = node.visits.sum(axis=1, keepdims=True).astype(jnp.float32)
    exploration = c_puct * node.prior * jnp.sqrt(total + SMALL_COUNT) / (node.visits + 1)
    return jnp.where(node.visits > 0, node.q, 0.0) + exploration


def with_dirichlet_noise(key: Array, logits: Array, *, fraction: float, alpha: float) -> Array:
    """[B, K]: logits mixed with noise over the filled slots, as logits whose highest is 0."""
    filled = logits > -jnp.inf
    noise = jax.random.loggamma(key, alpha, logits.shape)
    mixed = (1 - fraction) * probabilities(logits) + fraction * probabilities(jnp.where(filled, noise, -jnp.inf))
    noisy = jnp.where(filled, jnp.log(jnp.maximum(mixed, jnp.finfo(jnp.float32).tiny)), -jnp.inf)
    return noisy - jnp.where(filled.any(axis=1, keepdims=True), noisy.max(axis=1, keepdims=True), 0.0)


def temperature_by_ply(plies: Array, *, until: int) -> Array:
    """[B] float32: the temperature of games this many plies old: 1 before ply `until`, then 0."""
    return (plies < until).astype(jnp.float32)


def sharpen(policy: Array, temperature: Array | float) -> Array:
    """[B, K]: logits of policy^(1 / temperature), temperature a number or [B]; 0 leaves only the highest."""
    tiny = jnp.finfo(jnp.float32).tiny
    logits = jnp.log(jnp.maximum(policy, tiny))
    by_game = jnp.broadcast_to(jnp.asarray(temperature, jnp.float32), policy.shape[:1])[:, None]
    return (logits - logits.max(axis=1, keepdims=True)) / jnp.maximum(by_game, tiny)
