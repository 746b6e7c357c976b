"""Settings for all tests.

Most programs that JAX compiles here run once or twice, on tiny nets, so compiling them takes most of the time. They are
compiled with few optimisations and kept in `.cache/xla` between test runs; a test whose programs run for long uses the
fixture `careful_compiler`. `--full` adds the tests marked `slow` and plays everything at full size (`make test-all`).
"""

import dataclasses
import functools
import gc
import hashlib
import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sizes
from hypothesis import settings

settings.register_profile("shared-machine", deadline=None)  # a busy machine is no failure
settings.load_profile("shared-machine")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a script's background, and programs under test inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

FASTER = (
    "--xla_cpu_use_fusion_emitters=false",  # the newer emitters take longer to compile
    "--xla_cpu_parallel_codegen_split_count=1",  # other tests use the other cores
)
CACHE = Path(__file__).parents[1] / ".cache" / "xla"
CACHE_BYTES = 2**30  # above this, the programs used least recently are deleted before the tests begin

# Tracing programs makes millions of objects that stay; looking for garbage among them took 15 % of the time.
gc.set_threshold(200_000, 20, 100)


def is_known(flag: str) -> bool:
    """Whether this version of XLA, which refuses to start with flags it does not know, has a flag."""
    command = [sys.executable, "-c", "import jax; jax.devices()"]
    environment = {**os.environ, "XLA_FLAGS": flag, "JAX_PLATFORMS": "cpu"}
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0


def delete_old_programs() -> None:
    """Keeps the size of the cache within `CACHE_BYTES`. JAX itself would read the whole folder for each new program."""
    found = [(path, path.stat()) for path in CACHE.glob("*/*-cache")]
    excess = sum(status.st_size for _, status in found) - CACHE_BYTES
    for path, status in sorted(found, key=lambda item: max(item[1].st_atime, item[1].st_mtime)):
        if excess <= 0:
            break
        path.unlink(missing_ok=True)
        excess -= status.st_size


def keep_compiled_programs() -> None:
    """Sets JAX's compilation cache for this process and its children: one folder for each set of versions."""
    versions = [importlib.metadata.version(name) for name in ("jax", "jaxlib", "flax", "optax")]
    folder = CACHE / hashlib.sha256(" ".join([sys.version, *versions]).encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    delete_old_programs()
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(folder)
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
    os.environ["JAX_TRACEBACK_IN_LOCATIONS_LIMIT"] = "0"  # which takes a quarter of the time to trace a program
    supported = folder / "fast-compilation"  # what `is_known` answered, which takes seconds to find out
    if not supported.exists():
        supported.write_text(" ".join(filter(is_known, FASTER)))
    os.environ.setdefault("XLA_FLAGS", supported.read_text())


if "JAX_COMPILATION_CACHE_DIR" not in os.environ:  # else this is a worker, which has it from the first process
    keep_compiled_programs()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--full`."""
    parser.addoption("--full", action="store_true", help="run the slow tests too, and everything at full size")


def pytest_configure(config: pytest.Config) -> None:
    """Passes `--full` to `sizes`, before test modules are imported."""
    if config.getoption("--full"):
        sizes.use_full_sizes()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out slow tests unless `--full` is given."""
    if not config.getoption("--full"):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


@pytest.fixture
def one_gpu() -> Any:
    """(sizes, names) -> mesh of a GPU that need not be there: what newer versions of JAX lower programs for."""
    from jax.sharding import AbstractDevice, AbstractMesh

    fields = {"device_kind": "NVIDIA H100", "num_cores": None, "platform": "gpu"}
    gpu = AbstractDevice(**{field.name: fields[field.name] for field in dataclasses.fields(AbstractDevice)})
    return functools.partial(AbstractMesh, abstract_device=gpu)


@pytest.fixture
def careful_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All optimisations that users get, for this test and the processes it starts."""
    import jax

    monkeypatch.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "0")
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", True)
