"""The areas of a board as one GPU kernel: every cell floods its area separately.

`areas.py` labels areas in dozens of rounds, each a separate kernel launch on an accelerator. Here all rounds are one
kernel with one program per game, in which each cell has a lane and keeps the cells it has reached as bits. Both give
the same results.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as pltriton

from boardwright.games.batched import WORD, pack_numbers
from boardwright.games.batched import WORD_BITS as BITS

WARPS = 4  # of a program: a thread for each of up to 128 cells


def area_counts(size: int, rounds: int, open_cells: Array, marked: Array, *, interpret: bool = False) -> Array:
    """[2, C] int32: the number of marked cells, and of all cells, in the 8-connected area of each open cell.

    open_cells, marked: [C] bool of a board of size x size cells; `rounds` must suffice to cross any area. Results for
    cells that are not open are meaningless.
    """
    cells = size * size
    lanes = pl.next_power_of_2(cells)
    words = lanes // BITS

    def program(open_ref, marked_ref, counts_ref):
        lane = jnp.arange(lanes, dtype=jnp.int32)
        is_open = [open_ref[word] for word in range(words)]
        begin = tuple(
            jnp.where(lane // BITS == word, WORD(1) << (lane % BITS).astype(WORD), WORD(0)) & is_open[word]
            for word in range(words)
        )

        def spread(_, reached):
            along = [
                here | (ahead & WORD(not_first)) | (behind & WORD(not_last))
                for here, ahead, behind, not_first, not_last in zip(
                    reached, _moved(reached, 1), _moved(reached, -1), *_edges(size, words), strict=True
                )
            ]
            around = zip(along, _moved(along, size), _moved(along, -size), is_open, strict=True)
            return tuple((here | ahead | behind) & where for here, ahead, behind, where in around)

        reached = jax.lax.fori_loop(0, rounds, spread, begin)
        for row, of in enumerate((marked_ref, None)):
            counted = [here if of is None else here & of[word] for word, here in enumerate(reached)]
            counts_ref[row, lane] = sum(_ones(bits).astype(jnp.int32) for bits in counted)

    counts = pl.pallas_call(
        program,
        out_shape=jax.ShapeDtypeStruct((2, lanes), jnp.int32),
        compiler_params=pltriton.CompilerParams(num_warps=WARPS),
        interpret=interpret,
    )(*(pack_numbers(jnp.pad(flags, (0, lanes - cells)), 1) for flags in (open_cells, marked)))
    return counts[:, :cells]


def _moved(words: list[Array] | tuple[Array, ...], steps: int) -> list[Array]:
    """Bits moved to cells of higher numbers, or of lower ones by negative steps."""
    if steps > 0:
        before = [jnp.zeros_like(words[0]), *words[:-1]]
        return [(word << WORD(steps)) | (low >> WORD(BITS - steps)) for word, low in zip(words, before, strict=True)]
    after = [*words[1:], jnp.zeros_like(words[0])]
    return [(word >> WORD(-steps)) | (high << WORD(BITS + steps)) for word, high in zip(words, after, strict=True)]


def _ones(word: Array) -> Array:
    """Population count of each word, by sums of ever wider fields: Triton has no instruction for it."""
    word = word - ((word >> WORD(1)) & WORD(0x55555555))
    word = (word & WORD(0x33333333)) + ((word >> WORD(2)) & WORD(0x33333333))
    word = (word + (word >> WORD(4))) & WORD(0x0F0F0F0F)
    return (word * WORD(0x01010101)) >> WORD(24)


def _edges(size: int, words: int) -> tuple[list[int], list[int]]:
    """Words of all cells but those of the first column, and but those of the last."""
    column = np.arange(words * BITS) % size
    first, last = (np.packbits(column != edge, bitorder="little").view("<u4").tolist() for edge in (0, size - 1))
    return first, last
