"""How a learner stores Tablut positions, 178 bytes each, and the material of finished games."""

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import Learning
from boardwright.games.batched import pack_numbers, unpack_numbers, words_needed
from boardwright.games.tablut import batch
from boardwright.games.tablut import board as b
from boardwright.games.tablut.features import HISTORY
from boardwright.games.tablut.rules import Tables

PIECE_BITS = 2
SEEN_BITS = 2  # planes distinguish none, one and more earlier occurrences
COUNTER_BITS = 16
BOARD_WORDS = words_needed(HISTORY * b.SQUARES, PIECE_BITS)
MAX_SEEN = (1 << SEEN_BITS) - 1
MAX_COUNTED = (1 << COUNTER_BITS) - 1
ATTACKERS_AT_FIRST, DEFENDERS_AT_FIRST = 16, 9  # the king among them; only a scale, so others may be as many


@functools.lru_cache(maxsize=64)
def make_learning(tables: Tables) -> Learning:
    """For `Game.learning`."""
    cells = np.arange(b.SQUARES, dtype=np.int32)
    return Learning(
        pack=pack,
        unpack=functools.partial(unpack, tables),
        holders=holders,
        margin=margin,
        views=np.stack([cells, cells]),
    )


def pack(state: batch.State) -> Array:
    """[43] uint32."""
    seen = jnp.minimum(state.recent_seen, MAX_SEEN)
    counters = jnp.minimum(jnp.stack([state.plies, state.quiet]), MAX_COUNTED)
    role_and_seen = jnp.append(seen, state.current_role)
    return jnp.concatenate(
        [
            pack_numbers(state.recent.reshape(-1), PIECE_BITS),
            pack_numbers(role_and_seen, SEEN_BITS),
            pack_numbers(counters, COUNTER_BITS),
        ]
    )


def unpack(tables: Tables, words: Array) -> batch.State:
    """The inverse of `pack`: the position with its last boards, without earlier history."""
    recent = unpack_numbers(words[:BOARD_WORDS], HISTORY * b.SQUARES, PIECE_BITS)
    recent = recent.reshape(HISTORY, b.SQUARES).astype(jnp.int8)
    role_and_seen = unpack_numbers(words[BOARD_WORDS : BOARD_WORDS + 1], HISTORY + 1, SEEN_BITS).astype(jnp.int8)
    plies, quiet = unpack_numbers(words[BOARD_WORDS + 1 :], 2, COUNTER_BITS).astype(jnp.int32)
    state = batch.set_up(tables, recent[0], role_and_seen[HISTORY], quiet, plies)
    return dataclasses.replace(state, recent=recent, recent_seen=role_and_seen[:HISTORY])


def holders(state: batch.State) -> Array:
    """[81] int8: whose piece is where."""
    board = state.board
    return jnp.where(board == b.EMPTY, 0, jnp.where(board == b.ATTACKER, 1, 2)).astype(jnp.int8)


def margin(state: batch.State) -> Array:
    """float32: which share of their pieces the attackers have kept, less that of the defenders."""
    held = holders(state)
    attackers, defenders = (held == 1).sum(), (held == 2).sum()
    return attackers / jnp.float32(ATTACKERS_AT_FIRST) - defenders / jnp.float32(DEFENDERS_AT_FIRST)
