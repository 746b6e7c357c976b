"""Selection by Gumbel search: "Policy improvement by planning with Gumbel" (Danihelka et al., 2022).

At the root a few moves, drawn without replacement by Gumbel noise, are visited in rounds of sequential
halving; below it moves are visited in proportion to the improved policy, softmax(logits + sigma(q)). Moves
without a visit are completed with the mixed value, which weighs the node's own estimate against its visited
children.

Inside sigma q is scaled to [0, 1] in one of two ways. Relative, as in mctx: by its place between the lowest and the
highest of its position; the mixed value always counts among these, as it does in mctx wherever a position has an
illegal action. That needs no knowledge of values, but one losing move hides the
differences between the others, and where all are equal it amplifies noise. Absolute, as the paper has it for board
games: lost is 0, won is 1.
"""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.mcts.nodes import MIN_RANGE, Node

MIN_SCORE = -1e9  # of a considered move: above those that are not


def sigma_of_completed_q(node: Node, *, c_visit: float, c_scale: float, relative: bool = True) -> Array:
    """[B, K] float32: sigma(q), with the mixed value where a slot has no visit."""
    visited = node.visits > 0
    weight = jnp.where(visited, jnp.maximum(jnp.exp(node.logits), jnp.finfo(jnp.float32).tiny), 0.0)
    of_children = node.own_visits - 1
    mean = (weight * node.q).sum(axis=1, keepdims=True) / jnp.where(
        of_children > 0, weight.sum(axis=1, keepdims=True), 1.0
    )
    mixed = (node.raw_value + of_children * mean) / (of_children + 1)
    completed = jnp.where(visited, node.q, mixed)
    if relative:
        lowest = jnp.minimum(completed.min(axis=1, keepdims=True), mixed)
        highest = jnp.maximum(completed.max(axis=1, keepdims=True), mixed)
        scaled = (completed - lowest) / jnp.maximum(highest - lowest, MIN_RANGE)
    else:
        scaled = (completed + 1) / 2
    return (c_visit + node.visits.max(axis=1, keepdims=True)) * c_scale * scaled


def interior_scores(node: Node, **scales: Any) -> Array:
    """[B, K]: how far each move's share of visits is behind the improved policy."""
    improved = node.logits + sigma_of_completed_q(node, **scales)
    weight = jnp.exp(improved - improved.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True) - node.visits / node.own_visits


def root_scores(node: Node, noise: Array, considered_visits: Array, **scales: Any) -> Array:
    """[B, K]: noise + logits + sigma(q) of the moves with as many visits as are considered [B], others -inf."""
    score = noise + node.logits + sigma_of_completed_q(node, **scales)
    return jnp.where(node.visits == considered_visits[:, None], jnp.maximum(MIN_SCORE, score), -jnp.inf)


def considered_visits_table(num_considered: int, num_simulations: int) -> np.ndarray:
    """[num_considered + 1, num_simulations] int32, by how many moves are considered and by simulation:
    how many visits a move must have to be considered.
    """
    rows = [_considered_visits(moves, num_simulations) for moves in range(num_considered + 1)]
    return np.array(rows, np.int32)


def _considered_visits(moves: int, simulations: int) -> list[int]:
    """Sequential halving: all moves are visited equally often, then the better half, and so on."""
    if moves <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(moves))
    sequence: list[int] = []
    visits, left = 0, moves
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += [visits] * left
            visits += 1
        left = max(2, left // 2)
    return sequence[:simulations]
