"""What tests of learning share: programs that run once or twice, so that compiling them is what takes time."""

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(scope="module")
def hurried_compiler() -> Iterator[None]:
    """Less of it."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="module")
def kept_programs(hurried_compiler: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Each once, where whole runs are made again and again; the same for other processes, as their environment."""
    del hurried_compiler
    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")
    before = {name: getattr(jax.config, name) for name in names}
    folder = str(tmp_path_factory.mktemp("compiled"))
    for name, value in zip(names, (folder, 0.0), strict=True):
        jax.config.update(name, value)
    yield {
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        "JAX_COMPILATION_CACHE_DIR": folder,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    for name, value in before.items():
        jax.config.update(name, value)
