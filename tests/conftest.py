"""Settings for all tests.

Most programs that JAX compiles here run once or twice, on tiny nets: compiling them is what takes time. So they are
compiled in a hurry, once for all processes of a test run; a test whose programs run for long asks for
`careful_compiler`.
"""

import atexit
import dataclasses
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("shared-machine", deadline=None)  # noise of the machine is no failure
settings.load_profile("shared-machine")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a script's background, and programs under test inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

FASTER = "--xla_cpu_use_fusion_emitters=false"  # the newer emitters take longer to compile


def is_known(flag: str) -> bool:
    """Whether this version of XLA, which refuses to begin with flags it does not know, has a flag."""
    asking = [sys.executable, "-c", "import jax; jax.devices()"]
    told = {**os.environ, "XLA_FLAGS": flag, "JAX_PLATFORMS": "cpu"}
    return subprocess.run(asking, env=told, capture_output=True, check=False).returncode == 0


if "JAX_COMPILATION_CACHE_DIR" not in os.environ:  # else this is a worker, which has it from the first process
    programs = tempfile.mkdtemp(prefix="boardwright-programs-")
    atexit.register(shutil.rmtree, programs, ignore_errors=True)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = programs
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0.1"
    os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
    if "XLA_FLAGS" not in os.environ and is_known(FASTER):
        os.environ["XLA_FLAGS"] = FASTER


# Files that take longest, which therefore begin first: else one process is left with one of them at the end.
SLOWEST = ("test_split_runs", "test_docs", "test_engines_agree", "test_run", "test_zero", "test_ppo", "test_dqn")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Moves the slowest files to the front; the order is otherwise as it was."""
    items.sort(key=lambda item: item.path.stem not in SLOWEST)


@pytest.fixture
def one_gpu() -> Any:
    """(sizes, names) -> mesh of a GPU that need not be there: what newer versions of JAX lower programs for."""
    from jax.sharding import AbstractDevice, AbstractMesh

    told = {"device_kind": "NVIDIA H100", "num_cores": None, "platform": "gpu"}
    gpu = AbstractDevice(**{field.name: told[field.name] for field in dataclasses.fields(AbstractDevice)})
    return functools.partial(AbstractMesh, abstract_device=gpu)


@pytest.fixture
def careful_compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All optimisations that users get, for this test and the processes it starts."""
    import jax

    monkeypatch.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "0")
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", True)
