"""Areas of a Cathedral board in JAX: what a role may claim. Functions of one game, for `jax.vmap`."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.cathedral import flood_kernel, pieces
from boardwright.games.cathedral.rules import Tables

WALL, NOWHERE = -1, -2  # instead of an area's label: a cell between areas, a piece not on the board


def claimable(
    tables: Tables, board: Array, where: Array, placed: Array, role: Array, foreign: Array, most_foreign: int
) -> Array:
    """[C] bool: the cells of all areas that `role` may claim, by the limit on foreign pieces in each.

    `foreign` is the result of `foreign_cells`. If the role has a building, every area touches one: the board is
    connected edge to edge, so some cell of the area has a neighbour outside, which can only be the role's. So it is
    enough to check that there is a building.
    """
    open_cells = ~belongs(board, role)
    may_claim = (where[role] >= 0).any()
    if not tables.first_building_claims:
        may_claim &= placed[role] >= 2
    foreign_pieces, *cells = _area_counts(tables, open_cells, foreign)
    claimed = open_cells & may_claim & (foreign_pieces <= most_foreign)
    return claimed & (cells[0] <= tables.claim_cap) if cells else claimed


def _area_counts(tables: Tables, open_cells: Array, foreign: Array) -> tuple[Array, ...]:
    """[C] int8: how many foreign pieces the area of each open cell holds; and how many cells, where that matters."""
    is_capped = tables.claim_cap < tables.size**2

    def by_labels(open_cells: Array, foreign: Array) -> tuple[Array, ...]:
        label = _labels(tables.size, open_cells)
        foreign_label = jnp.where(foreign >= 0, label[foreign], NOWHERE)  # a piece is in one area, being connected
        return _equals(label, foreign_label), *([_equals(label, label)] if is_capped else [])

    def by_kernel(open_cells: Array, foreign: Array) -> tuple[Array, ...]:
        marked = (foreign[:, None] == jnp.arange(tables.size**2)).any(axis=0)
        counts = flood_kernel.area_counts(tables.size, _rounds(tables.size), open_cells, marked).astype(jnp.int8)
        return tuple(counts) if is_capped else (counts[0],)

    if jax.device_count() > 1:  # the kernel does not support sharded batches
        return by_labels(open_cells, foreign)
    return jax.lax.platform_dependent(open_cells, foreign, cuda=by_kernel, default=by_labels)


def _equals(label: Array, among: Array) -> Array:
    """[C] int8: how many of `among` (at most 100) each label equals.

    Summed over the first axis in bytes, which a CPU does many times faster than in whole words or rows.
    """
    return (among[:, None] == label).sum(axis=0, dtype=jnp.int8)


def _labels(size: int, open_cells: Array) -> Array:
    """[C] int8: for each open cell [C] a label unique to its 8-connected area; WALL for the others.

    Every cell starts with its own number and takes the highest around it in each round, for a fixed number of rounds.
    Many cheap rounds are faster than fewer with a test or with pointer jumping: on a CPU they run in vector registers.
    """
    walls = jnp.where(open_cells, 0, WALL).astype(jnp.int8)  # WALL has all bits set
    column = np.arange(size * size) % size
    past_row_end, past_row_start = (
        jnp.asarray(np.where(column == edge, WALL, 0).astype(np.int8)) for edge in (size - 1, 0)
    )

    def ahead(label: Array, steps: int) -> Array:
        return jnp.concatenate([label[steps:], jnp.full(steps, WALL, jnp.int8)])

    def behind(label: Array, steps: int) -> Array:
        return jnp.concatenate([jnp.full(steps, WALL, jnp.int8), label[:-steps]])

    def spread(_: int, label: Array) -> Array:
        sides = jnp.maximum(ahead(label, 1) | past_row_end, behind(label, 1) | past_row_start)
        row = jnp.maximum(label, sides)
        return jnp.maximum(row, jnp.maximum(ahead(row, size), behind(row, size))) | walls

    return jax.lax.fori_loop(0, _rounds(size), spread, jnp.arange(size * size, dtype=jnp.int8) | walls)


def _rounds(size: int) -> int:
    """The most steps of a shortest path through an area.

    No 2 x 2 block holds more than two cells of such a path, since all four are neighbours and of three the middle one
    could be left out. ceil(N / 2)^2 blocks cover the board, so a path has at most twice that many cells, less one, in
    steps.
    """
    return 2 * ((size + 1) // 2) ** 2 - 1


def foreign_cells(tables: Tables, where: Array, cathedral: Array, owner: Array | int) -> Array:
    """[15] int32: a cell of each of the owner's buildings and of the cathedral; -1 if not on the board."""
    some_cell = jnp.asarray(tables.cells.argmax(axis=2).astype(np.int32))  # [2, A]
    placements = jnp.append(where[owner], cathedral)
    return jnp.where(placements >= 0, some_cell[owner, placements], -1)


def belongs(board: Array, role: Array | int) -> Array:
    """[C] bool: the cells of a role's buildings."""
    lowest = 1 + pieces.BUILDINGS * role
    return (board >= lowest) & (board < lowest + pieces.BUILDINGS)
