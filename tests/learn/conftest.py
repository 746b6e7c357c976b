"""Compiled programs are kept between tests: whole runs are made again and again, and compiling is most of them."""

from collections.abc import Iterator

import jax
import pytest

KEPT = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")


@pytest.fixture(autouse=True, scope="session")
def _kept_programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = {name: getattr(jax.config, name) for name in KEPT}
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_compilation_cache_dir", str(tmp_path_factory.mktemp("compiled")))
    yield
    for name, value in before.items():
        jax.config.update(name, value)
