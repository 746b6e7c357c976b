"""States as rows of 32-bit words, so that a tree stores and fetches a position in one piece.

A state is a pytree of a dozen small arrays. Stored separately, each would cost a gather and a write per simulation,
and a kernel launch for either; as one row of words they cost one. Nothing is lost: what comes back is
bit for bit what went in.
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

WORD = jnp.uint32
WORD_BYTES = 4


def make_packing(example: Any) -> tuple[Callable[[Any], Array], Callable[[Array], Any]]:
    """(pack, unpack) for states like the example, whose arrays are all [B, ...].

    `pack` makes [B, W] uint32 of states, `unpack` states of words. Arrays of four-byte numbers are taken as
    they are; those of smaller ones are laid end to end, after the others.
    """
    leaves, structure = jax.tree.flatten(example)
    shapes = [leaf.shape[1:] for leaf in leaves]
    dtypes = [leaf.dtype for leaf in leaves]
    whole = [i for i, dtype in enumerate(dtypes) if dtype.itemsize == WORD_BYTES]
    small = [i for i, dtype in enumerate(dtypes) if dtype.itemsize < WORD_BYTES]
    if len(whole) + len(small) < len(leaves):
        raise ValueError("states must hold numbers of four bytes or fewer")

    def pack(states: Any) -> Array:
        arrays = jax.tree.leaves(states)
        batch = arrays[0].shape[0]
        rows = [jax.lax.bitcast_convert_type(arrays[i], WORD).reshape(batch, -1) for i in whole]
        if small:
            end_to_end = jnp.concatenate([_to_bytes(arrays[i]).reshape(batch, -1) for i in small], axis=1)
            padded = jnp.pad(end_to_end, ((0, 0), (0, -end_to_end.shape[1] % WORD_BYTES)))
            rows.append(jax.lax.bitcast_convert_type(padded.reshape(batch, -1, WORD_BYTES), WORD))
        return jnp.concatenate(rows, axis=1)

    def unpack(words: Array) -> Any:
        batch = words.shape[0]
        arrays: list[Array] = [words] * len(leaves)
        start = 0
        for i in whole:
            size = math.prod(shapes[i])
            arrays[i] = jax.lax.bitcast_convert_type(words[:, start : start + size], dtypes[i])
            start += size
        end_to_end = jax.lax.bitcast_convert_type(words[:, start:], jnp.uint8).reshape(batch, -1)
        start = 0
        for i in small:
            size = math.prod(shapes[i]) * dtypes[i].itemsize
            arrays[i] = _from_bytes(end_to_end[:, start : start + size], dtypes[i])
            start += size
        return structure.unflatten([a.reshape(batch, *shape) for a, shape in zip(arrays, shapes, strict=True)])

    return pack, unpack


def _to_bytes(array: Array) -> Array:
    return array.astype(jnp.uint8) if array.dtype.kind == "b" else jax.lax.bitcast_convert_type(array, jnp.uint8)


def _from_bytes(array: Array, dtype: Any) -> Array:
    """[B, n] of a type from its bytes [B, n * itemsize]."""
    if dtype.kind == "b":
        return array != 0
    if dtype.itemsize > 1:
        array = array.reshape(array.shape[0], -1, dtype.itemsize)
    return jax.lax.bitcast_convert_type(array, dtype)
