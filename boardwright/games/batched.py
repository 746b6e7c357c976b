"""Generic play on the batched engine: random moves and perft, for tests, benchmarks and baselines."""

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import BatchEnv

GROUP = 64  # actions counted together when one is drawn
PERFT_CHUNK = 4096  # states expanded at once


def random_action(key: Array, mask: Array) -> Array:
    """One action of a mask [num_actions], each legal one as likely as the next; 0 if there is none.

    Counts groups first and looks inside one only, so the mask is read once and nothing its size is
    written.
    """
    padded = jnp.pad(mask, (0, -mask.shape[0] % GROUP)).reshape(-1, GROUP)
    upto = jnp.cumsum(padded.sum(axis=1, dtype=jnp.int32))
    wanted = jax.random.randint(key, (), 0, jnp.maximum(upto[-1], 1))
    group = jnp.argmax(upto > wanted)
    inside = wanted - jnp.where(group > 0, upto[group - 1], 0)
    place = jnp.argmax(jnp.cumsum(padded[group].astype(jnp.int32)) > inside)
    return jnp.where(upto[-1] > 0, group * GROUP + place, 0).astype(jnp.int32)


def perft(env: BatchEnv, state: Any, depth: int) -> int:
    """Number of lines of exactly `depth` plies from one state, counted breadth first."""
    if depth == 0:
        return 1
    key = jax.random.key(0)  # chance is enumerated like everybody else, never drawn
    masks = jax.jit(lambda states: states.legal_action_mask)

    @jax.jit
    def play(states: Any, rows: Array, actions: Array) -> Any:
        parents = jax.tree.map(lambda leaf: leaf[rows], states)
        return jax.vmap(env.step, (0, 0, None))(parents, actions, key)

    layer = jax.tree.map(lambda leaf: leaf[None], state)
    for _ in range(depth - 1):
        parents, actions = np.nonzero(np.asarray(masks(layer)))
        pieces = []
        for begin in range(0, len(parents), PERFT_CHUNK):
            rows, chosen = parents[begin : begin + PERFT_CHUNK], actions[begin : begin + PERFT_CHUNK]
            short = PERFT_CHUNK - len(rows) if len(parents) > PERFT_CHUNK else 0
            piece = play(layer, np.pad(rows, (0, short)), np.pad(chosen, (0, short)))
            pieces.append(jax.tree.map(operator.itemgetter(slice(len(rows))), piece))
        if not pieces:
            return 0
        layer = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *pieces)
    return int(np.asarray(masks(layer)).sum())
