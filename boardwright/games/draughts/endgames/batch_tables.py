"""Endgame tables for the batched engine: results of thousands of positions with few pieces at once.

A position is numbered as in `src/core/tablebase/index.hpp`, by arithmetic only, and its outcome, two bits, looked up
in one array. The caller passes that array as data: 1.6 MB to four pieces, 38 MB to five.
"""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.lax import population_count

from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW, ONGOING, ProvenResults
from boardwright.games.draughts import board as b
from boardwright.games.draughts.batch import WORD, State
from boardwright.games.draughts.endgames.tablebase import Tablebase

SQUARES_FOR_MEN = 28
POSITIONS_PER_WORD = 16
MAX_POSITIONS = 1 << 32
FOR_EVER = 2**31 - 1  # plies


class PackedTables(NamedTuple):
    """Tables to P pieces. A material is numbered by the mover's men and kings, then the enemy's, to the base P + 1."""

    words: Array  # [W] uint32: outcomes, two bits each
    firsts: Array  # [materials] uint32: number of the first position
    digits: Array  # [materials, 3] uint32: how many places the enemy's men, our kings and the enemy's kings have


@functools.lru_cache(maxsize=4)
def make_proven_results(folder: Path | None, max_quiet_plies: int | None) -> ProvenResults:
    """For `Game.proven_results`: the tables of a folder, or the shipped ones, under a limit of inactivity."""
    tables = Tablebase(folder)
    packed, base = tables.packed(), tables.pieces + 1
    if len(packed.words) * POSITIONS_PER_WORD >= MAX_POSITIONS:
        raise BoardwrightError(
            f"tables to {tables.pieces} pieces have too many positions for a device: use tables with fewer pieces"
        )
    firsts, digits = np.zeros(base**4, np.uint32), np.ones((base**4, 3), np.uint32)
    for part in packed.slices:
        (men, enemy_men), (kings, enemy_kings) = part.men, part.kings
        material = ((men * base + kings) * base + enemy_men) * base + enemy_kings
        left = b.SQUARES - men - enemy_men
        firsts[material] = part.first
        places = ((SQUARES_FOR_MEN, enemy_men), (left, kings), (left - kings, enemy_kings))
        digits[material] = [math.comb(*chosen) for chosen in places]
    longest = FOR_EVER if max_quiet_plies is None else max_quiet_plies // 2
    words = PackedTables(*map(jnp.asarray, (packed.words, firsts, digits)))
    return ProvenResults(words, functools.partial(result, tables.pieces, longest))


def result(pieces: int, longest_quiet: int, tables: PackedTables, state: State) -> Array:
    """int8: the role that wins a position with best play, or DRAW; ONGOING if tables to `pieces` do not cover it.

    They do not cover terminal positions and positions in the middle of a capture. They ignore inactivity, which may
    turn a win into a draw: after more than `longest_quiet` plies of it only their draws count.
    """
    board, black_moves = state.board, state.current_role == b.BLACK
    own = jnp.where(black_moves, board[0], rotate(board[1]))
    enemy = jnp.where(black_moves, board[1], rotate(board[0]))
    kings = jnp.where(black_moves, board[2], rotate(board[2]))
    known = (
        (population_count(own | enemy) <= pieces)
        & (own != 0)
        & (enemy != 0)
        & (state.continuing == 0)
        & jnp.logical_not(state.terminated)
    )
    most = pieces - 1  # of one kind
    men, enemy_men, own_kings, enemy_kings = own & ~kings, enemy & ~kings, own & kings, enemy & kings
    material = WORD(0)
    for group in (men, own_kings, enemy_men, enemy_kings):
        material = material * WORD(pieces + 1) + population_count(group)
    material = jnp.where(known, material, 0)
    digits = tables.digits[material]
    number = _number(men, WORD(0), most)
    number = number * digits[0] + _number(rotate(enemy_men), WORD(0), most)
    number = number * digits[1] + _number(own_kings, men | enemy_men, most)
    number = number * digits[2] + _number(enemy_kings, men | enemy_men | own_kings, most)
    number = jnp.where(known, tables.firsts[material] + number, 0)
    outcome = (tables.words[number // POSITIONS_PER_WORD] >> (2 * (number % POSITIONS_PER_WORD))) & 3
    known &= (outcome == 1) | (state.quiet <= longest_quiet)
    mover = state.current_role
    winner = jnp.where(outcome == 2, mover, jnp.where(outcome == 0, 1 - mover, DRAW))
    return jnp.where(known, winner, ONGOING).astype(jnp.int8)


def rotate(squares: Array) -> Array:
    """A set of squares [...] uint32 on the board rotated by 180 degrees: its bits in reverse."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        squares = ((squares >> shift) & WORD(mask)) | ((squares & WORD(mask)) << shift)
    return (squares >> 16) | (squares << 16)


def _number(squares: Array, taken: Array, most: int) -> Array:
    """uint32: the number of a set of at most `most` squares, counted among those that are not taken."""
    number = WORD(0)
    for size in range(1, most + 1):
        lowest = squares & (~squares + WORD(1))
        below = population_count((lowest - WORD(1)) & ~taken)
        number += jnp.where(squares != 0, _choose(below, size), 0)
        squares ^= lowest
    return number


def _choose(count: Array, size: int) -> Array:
    """uint32: binomial coefficient, `count` over `size`; 0 if `count` is too small."""
    ways = WORD(1)
    for place in range(size):
        ways = ways * (count - WORD(place))  # passes 0 before it would go below
    return ways // WORD(math.factorial(size))
