"""How a learner stores Cathedral positions, and the territory and score of finished games."""

import functools

import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import Learning
from boardwright.games.batched import pack_numbers, unpack_numbers, words_needed
from boardwright.games.cathedral import batch, pieces
from boardwright.games.cathedral.areas import belongs
from boardwright.games.cathedral.rules import DARK, LIGHT, Tables

PLACEMENT_BITS = 16
NO_PLACEMENT = 2  # added to placements, so that those of unplaced pieces are not negative
SMALL_BITS = 8
WHERE_WORDS = words_needed(2 * pieces.BUILDINGS + 1, PLACEMENT_BITS)


@functools.lru_cache(maxsize=64)
def make_learning(tables: Tables) -> Learning:
    """For `Game.learning`."""
    cells = np.arange(tables.size * tables.size, dtype=np.int32)
    return Learning(
        pack=pack,
        unpack=functools.partial(unpack, tables),
        holders=holders,
        margin=functools.partial(margin, tables),
        views=np.stack([cells, cells]),
    )


def pack(state: batch.State) -> Array:
    """[17] uint32."""
    placements = jnp.append(state.where.reshape(-1), state.cathedral) + NO_PLACEMENT
    small = jnp.concatenate([state.placed, jnp.stack([state.first_role, state.current_role, state.plies])])
    return jnp.concatenate([pack_numbers(placements, PLACEMENT_BITS), pack_numbers(small, SMALL_BITS)])


def unpack(tables: Tables, words: Array) -> batch.State:
    """The inverse of `pack`; recomputes territory and legal actions."""
    buildings = 2 * pieces.BUILDINGS
    placements = unpack_numbers(words[:WHERE_WORDS], buildings + 1, PLACEMENT_BITS).astype(jnp.int32) - NO_PLACEMENT
    small = unpack_numbers(words[WHERE_WORDS:], 5, SMALL_BITS).astype(jnp.int32)
    return batch.set_up(
        tables,
        where=placements[:buildings].reshape(2, pieces.BUILDINGS),
        cathedral=placements[buildings],
        placed=small[:2],
        role=small[3].astype(jnp.int8),
        first_role=small[2].astype(jnp.int8),
        plies=small[4],
    )


def holders(state: batch.State) -> Array:
    """[cells] int8: the role whose building or territory is on each cell; the cathedral belongs to neither."""
    light, dark = (belongs(state.board, role) | (state.territory == role + 1) for role in (LIGHT, DARK))
    return (light + 2 * dark).astype(jnp.int8)


def margin(tables: Tables, state: batch.State) -> Array:
    """float32: squares of buildings in dark's hand less those in light's, as a share of one side's total."""
    sizes = jnp.asarray(tables.piece_size)[: pieces.BUILDINGS]
    unplaced = (sizes * (state.where < 0)).sum(axis=1)
    return (unplaced[1] - unplaced[0]) / sizes.sum().astype(jnp.float32)
