"""Random keys that depend on what they are for, the iteration, the step and so on."""

import functools

import jax
from jax import Array


def fold_in(key: Array, *numbers: Array | int) -> Array:
    """A key that depends on several numbers."""
    return functools.reduce(jax.random.fold_in, numbers, key)
