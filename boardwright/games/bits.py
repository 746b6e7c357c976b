"""Small whole numbers end to end in 32-bit words, for positions of which a replay keeps millions."""

import jax.numpy as jnp
from jax import Array

WORD = jnp.uint32
WORD_BITS = 32


def words_needed(count: int, bits: int) -> int:
    """How many words hold `count` numbers of so many bits; a number never spans two words."""
    return -(-count // (WORD_BITS // bits))


def pack_numbers(numbers: Array, bits: int) -> Array:
    """[W] uint32 of numbers [n], each from 0 to 2^bits - 1."""
    each = WORD_BITS // bits
    padded = jnp.pad(numbers.astype(WORD), (0, -numbers.shape[0] % each)).reshape(-1, each)
    return (padded << (bits * jnp.arange(each, dtype=WORD))).sum(axis=1, dtype=WORD)


def unpack_numbers(words: Array, count: int, bits: int) -> Array:
    """[count] uint32: what `pack_numbers` was given."""
    each = WORD_BITS // bits
    spread = (words[:, None] >> (bits * jnp.arange(each, dtype=WORD))) & WORD((1 << bits) - 1)
    return spread.reshape(-1)[:count]
