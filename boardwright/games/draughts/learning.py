"""How a learner stores draughts positions, and the material of finished games."""

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import Learning
from boardwright.games.batched import pack_numbers, unpack_numbers
from boardwright.games.draughts import batch
from boardwright.games.draughts import board as b
from boardwright.games.draughts.rules import Tables

COUNTER_BITS = 16
MAX_COUNTED = (1 << COUNTER_BITS) - 1
CELLS = b.SIZE * b.SIZE
PIECES_AT_FIRST = 12


@functools.lru_cache(maxsize=64)
def make_learning(tables: Tables) -> Learning:
    """For `Game.learning`. Black sees the board turned."""
    cells = np.arange(CELLS, dtype=np.int32)
    return Learning(
        pack=pack,
        unpack=functools.partial(unpack, tables),
        holders=holders,
        margin=margin,
        views=np.stack([cells[::-1], cells]),
    )


def pack(state: batch.State) -> Array:
    """[3 N + 4] uint32 with a history of N boards: the boards, which were seen before, the piece that must
    continue, who moves, the counters.
    """
    seen = pack_numbers(state.recent_seen >= 1, 1)
    counters = jnp.minimum(jnp.stack([state.plies, state.quiet]), MAX_COUNTED)
    small = jnp.stack([state.continuing, state.current_role.astype(jnp.uint32)])
    return jnp.concatenate([state.recent.reshape(-1), seen, small, pack_numbers(counters, COUNTER_BITS)])


def unpack(tables: Tables, words: Array) -> batch.State:
    """The inverse of `pack`: the position with its last boards, without earlier history."""
    boards = 3 * tables.history
    recent = words[:boards].reshape(tables.history, 3)
    seen, continuing, role, counters = words[boards], words[boards + 1], words[boards + 2], words[boards + 3 :]
    plies, quiet = unpack_numbers(counters, 2, COUNTER_BITS).astype(jnp.int32)
    state = batch.set_up(tables, recent[0], role.astype(jnp.int8), continuing, quiet, plies)
    recent_seen = unpack_numbers(seen[None], tables.history, 1).astype(jnp.int8)
    return dataclasses.replace(state, recent=recent, recent_seen=recent_seen)


def holders(state: batch.State) -> Array:
    """[64] int8: whose piece is where, light squares included."""
    black, white = batch.spread(state.board[:2]).T  # [64] each
    return (black + 2 * white).astype(jnp.int8)


def margin(state: batch.State) -> Array:
    """float32: by how many pieces Black is ahead, in twelfths."""
    held = holders(state)
    return ((held == 1).sum() - (held == 2).sum()) / jnp.float32(PIECES_AT_FIRST)
