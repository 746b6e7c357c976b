"""What depends on the device: the compute dtype, the steps in one call, and errors about its memory."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from boardwright.errors import RunError

OUT_OF_MEMORY = "RESOURCE_EXHAUSTED"


def on_cpu() -> bool:
    """Whether JAX runs on a CPU, where gradients of convolutions are slow inside loops, so that steps are unrolled."""
    return jax.default_backend() == "cpu"


def compute_dtype() -> Any:
    """The default compute dtype of nets."""
    return jnp.float32 if on_cpu() else jnp.bfloat16


def chunk_of(steps: int, limit: int, multiple: int = 1) -> int:
    """The largest number of steps in one call that divides them all, a multiple of some number."""
    return max(size for size in range(multiple, min(steps, limit) + 1, multiple) if steps % size == 0)


@contextlib.contextmanager
def out_of_memory_hint(remedy: str) -> Iterator[None]:
    """Turns an out-of-memory error of a device into one that names the settings to lower."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if OUT_OF_MEMORY not in str(error):
            raise
        raise RunError(f"out of device memory: lower {remedy} with --set") from error
