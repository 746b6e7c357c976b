"""The compiled `shim.c`, and processes in which it is loaded."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
Run = Callable[..., dict[str, int]]


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library; skips where there is none."""
    if sys.platform != "linux":
        pytest.skip("faults are injected with LD_PRELOAD, which needs Linux")
    compiler = shlex.split(os.environ.get("CC", "")) or [shutil.which("cc") or "gcc"]
    library = tmp_path_factory.mktemp("shim") / "faults.so"
    command = [*compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", str(library), str(HERE / "shim.c")]
    subprocess.run([*command, "-lpthread"], check=True)
    return library


@pytest.fixture
def run_trials(shim: Path, tmp_path: Path) -> Run:
    """Runs a program of this folder with the library; returns the numbers that it prints."""

    def run(program: str, *arguments: str) -> dict[str, int]:
        folders = [HERE, *(TESTS / name for name in ("records", "learn")), TESTS]
        environment = {
            **os.environ,
            "LD_PRELOAD": str(shim),
            "BOARDWRIGHT_FAULTS_SHIM": str(shim),
            "JAX_PLATFORMS": "cpu",
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
        }
        command = [sys.executable, str(HERE / program), *arguments[:1], str(tmp_path), *arguments[1:]]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run
