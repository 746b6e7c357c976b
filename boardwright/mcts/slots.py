"""Legal moves packed into K slots, so that a tree holds K numbers per node and not one for every action.

Slots are filled in ascending order of action numbers, and what is left over is padding. A position with
more than K legal moves keeps the K that rank highest, by prior unless the caller ranks otherwise.

How: the mask becomes 32-bit words, few enough (81 for Tablut's 2,592 actions) that their
running count is one small matrix product; slot k then finds its word by counting how many words end at or
before k, and its bit inside the word by halving. Everything is elementwise or a short sum: no sort, no
scatter, no long prefix sum. That is for the accelerator, where `lax.top_k` of more than 16 sorts whole rows
and a running count over all actions is a dozen passes over memory.

The rank only matters where a position overflows, which one branch per batch decides; a batch that fits pays
nothing for it. In the branch the K-th highest rank is found two bits at a time, in 16 passes.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.batched import WORD, WORD_BITS, pack_numbers
from boardwright.mcts.split import GAMES, by_game

PADDING = -1  # instead of the action of an empty slot
RADIX_BITS = 2  # of a rank found in one pass
ACTION_BITS = 16  # of a rank, which order moves of equal prior


class Slots(PyTreeNode):
    """The legal moves of B positions in K slots."""

    actions: Array  # [B, K] int16: ascending; PADDING in empty slots
    logits: Array  # [B, K] float32, the highest of a position 0; -inf in empty slots

    @property
    def filled(self) -> Array:
        """[B, K] bool."""
        return self.actions != PADDING


def pack(mask: Array, logits: Array, num_slots: int, rank: Array | None = None) -> Slots:
    """The moves a mask [B, A] allows, with their logits [B, A].

    Where more than `num_slots` are legal, those with the highest `rank` [B, A] (by default the logits) are
    kept, compared as bfloat16, the precision in which the tree holds priors; among equals the lower action.
    """
    select = functools.partial(_select, num_slots=num_slots)
    actions = by_game(select, (GAMES, GAMES), GAMES, mask.shape[0])(mask, logits if rank is None else rank)
    filled = actions != PADDING
    chosen = jnp.take_along_axis(logits, jnp.maximum(actions, 0), axis=1).astype(jnp.float32)
    chosen = jnp.where(filled, chosen, -jnp.inf)
    highest = jnp.where(filled[:, :1], chosen.max(axis=1, keepdims=True), 0.0)  # the first slot fills first
    return Slots(actions=actions.astype(jnp.int16), logits=chosen - highest)


def at_slots(values: Array, slots: Slots) -> Array:
    """[B, K]: values [B, A] of the moves in the slots; undefined in empty ones."""
    return jnp.take_along_axis(values, jnp.maximum(slots.actions, 0).astype(jnp.int32), axis=1)


def probabilities(logits: Array) -> Array:
    """[B, K]: softmax over the filled slots of logits [B, K], -inf in empty ones; 0 in a game without moves."""
    filled = logits > -jnp.inf
    return jnp.where(filled, jax.nn.softmax(jnp.where(filled.any(axis=1, keepdims=True), logits, 0.0)), 0.0)


def _select(mask: Array, rank: Array, num_slots: int) -> Array:
    """[B, K] int32: the actions of a mask [B, A], all of them or the K that rank highest; see `pack`."""
    num_actions = mask.shape[1]
    if num_actions > 1 << (ACTION_BITS - 1):
        raise ValueError(f"{num_actions} actions do not fit the 16-bit numbers that slots hold")
    pack_bits = jax.vmap(functools.partial(pack_numbers, bits=1))
    words = pack_bits(mask)  # [B, W]
    if num_actions > num_slots:
        overflow = jax.lax.population_count(words).sum(axis=1, dtype=jnp.int32).max() > num_slots
        words = jax.lax.cond(overflow, lambda: pack_bits(_highest(mask, rank, num_slots)), lambda: words)
    return _positions(words, num_slots)


def _positions(words: Array, num_slots: int) -> Array:
    """[B, K] int32: where the set bits of words [B, W] are, ascending, then PADDING."""
    counts = jax.lax.population_count(words).astype(jnp.int32)  # [B, W]
    upto = np.triu(np.ones((words.shape[1], words.shape[1]), np.float32))
    # Exact in every precision a device may choose: whole numbers up to 32 go in and are summed in float32.
    ends = jnp.dot(counts.astype(jnp.float32), upto).astype(jnp.int32)  # [B, W]: set bits up to and in a word
    slot = jnp.arange(num_slots)
    index = (ends[:, None, :] <= slot[:, None]).sum(axis=2, dtype=jnp.int32)  # [B, K]: the word of each slot
    inside = jnp.minimum(index, words.shape[1] - 1)
    word, count, end = (jnp.take_along_axis(values, inside, axis=1) for values in (words, counts, ends))
    place = _nth_bit(word, slot - (end - count))
    return jnp.where(slot < ends[:, -1:], index * WORD_BITS + place, PADDING)


def _nth_bit(word: Array, nth: Array) -> Array:
    """int32: the place of the nth set bit (from 0) of each word."""
    place = jnp.zeros_like(nth)
    for width in (16, 8, 4, 2, 1):
        low = jax.lax.population_count(word & WORD((1 << width) - 1)).astype(jnp.int32)
        above = nth >= low
        nth = nth - jnp.where(above, low, 0)
        word = jnp.where(above, word >> width, word)
        place = place + jnp.where(above, width, 0)
    return place


def _highest(mask: Array, rank: Array, num_slots: int) -> Array:
    """[B, A] bool: the K legal moves that rank highest, or all where there are no more.

    Ranks become whole numbers in the same order, with the action in the lower half so that no two are equal.
    """
    bits = jax.lax.bitcast_convert_type(rank.astype(jnp.bfloat16), jnp.uint16).astype(WORD)
    sortable = jnp.where(bits >> 15 == 1, ~bits & 0xFFFF, bits | 0x8000)
    lower_first = WORD((1 << ACTION_BITS) - 1) - jnp.arange(mask.shape[1], dtype=WORD)
    number = jnp.where(mask, (sortable << ACTION_BITS) | lower_first, WORD(0))
    threshold = jnp.zeros((mask.shape[0], 1), WORD)  # the highest that at least K numbers reach
    for shift in range(WORD_BITS - RADIX_BITS, -1, -RADIX_BITS):
        digits = jnp.zeros_like(threshold)
        for digit in range(1, 1 << RADIX_BITS):
            reached = (number >= threshold + WORD(digit << shift)).sum(axis=1, dtype=jnp.int32, keepdims=True)
            digits += (reached >= num_slots).astype(WORD)
        threshold += digits << shift
    return mask & (number >= threshold)
