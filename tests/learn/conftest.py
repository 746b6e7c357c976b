"""What tests of learning share."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def hurried_compiler() -> Iterator[None]:
    """Programs of tests run once or twice: compiling them is what takes time."""
    import jax

    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
