"""The nodes of a batched search, and what a selection rule sees of one."""

import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

OVER = 2  # instead of the role to move
UNVISITED = -1  # instead of a child
MIN_RANGE = 1e-8  # of a node's values, where a selection rule scales them to [0, 1]


class Tree(PyTreeNode):
    """N = simulations + 1 nodes of B games; node 0 is the root, node s + 1 what simulation s added."""

    mover: Array  # [N, B] int8: the role to move, or OVER
    visits: Array  # [N, B] int32: simulations that passed it, its own included; 0 for a row never reached
    value: Array  # [N, B] float32: mean of their values, from the side of role 0
    raw_value: Array  # [N, B] float32: from `evaluate` or the result, from the side of role 0
    prior: Array  # [N, B, K] bfloat16: logits, the highest 0; -inf in empty slots
    prior_total: Array  # [N, B] float32: sum of exp(prior)
    action: Array  # [N, B, K] int16
    child: Array  # [N, B, K] int16: node, or UNVISITED
    state: Array  # [N, B, W] uint32: see `words`


class Node(PyTreeNode):
    """One node per game as a selection rule sees it, values from the side of its mover."""

    logits: Array  # [B, K] float32: the highest 0; -inf in empty slots
    total: Array  # [B, 1] float32: sum of exp(logits)
    child: Array  # [B, K] int32: node, or UNVISITED
    visits: Array  # [B, K] int32: of the children
    q: Array  # [B, K] float32: values of the children; 0 where unvisited
    own_visits: Array  # [B, 1] float32
    value: Array  # [B, 1] float32
    raw_value: Array  # [B, 1] float32

    @property
    def prior(self) -> Array:
        """[B, K] float32: the moves' probabilities."""
        return jnp.exp(self.logits) / self.total


def side_of(role: Array) -> Array:
    """float32: 1 for role 0, -1 for role 1: the sign between values of a role and values of role 0."""
    return jnp.where(role == 1, -1.0, 1.0)


def best_slot(logits: Array, scores: Array) -> Array:
    """[B] int32: the filled slot with the highest score, the first among equals."""
    return jnp.where(logits > -jnp.inf, scores, -jnp.inf).argmax(axis=1).astype(jnp.int32)
