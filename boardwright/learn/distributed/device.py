"""What a run takes from the device it is on: the numbers nets compute in, how much is done in one call, and what to do
where its memory is too small.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from boardwright.errors import RunError

OUT_OF_MEMORY = "RESOURCE_EXHAUSTED"


def on_cpu() -> bool:
    """Where the gradients of convolutions are dozens of times slower inside a loop, so that steps are unrolled."""
    return jax.default_backend() == "cpu"


def compute_dtype() -> Any:
    """What nets compute in unless somebody says so."""
    return jnp.float32 if on_cpu() else jnp.bfloat16


def chunk_of(steps: int, most: int, multiple: int = 1) -> int:
    """The largest number of steps in one call that divides them all, a multiple of some number."""
    return max(size for size in range(multiple, min(steps, most) + 1, multiple) if steps % size == 0)


@contextlib.contextmanager
def out_of_memory_hint(remedy: str) -> Iterator[None]:
    """Turns a device that is out of memory into an error that says which setting to lower."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if OUT_OF_MEMORY not in str(error):
            raise
        raise RunError(f"out of device memory: lower {remedy} with --set") from error
