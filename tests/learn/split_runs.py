"""Runs of the command line on made-up devices, in processes of their own: a device count is fixed when JAX starts.

Programs are compiled once for each way to split them and kept for later runs, and with few optimisations.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  numpy then knows bfloat16
import numpy as np
from safetensors.numpy import load_file

from boardwright.learn.run.progress import Progress

ITERATIONS = 4
SETTINGS = {
    "iterations": ITERATIONS,
    "net.pool_every": 0,
    "net.auxiliary": "",
    "selfplay.games": 8,
    "selfplay.steps": 4,
    "selfplay.full_share": 1,
    "selfplay.unfinished": "bootstrap",
    "search.simulations": 6,
    "league.share": 0.5,
    "league.nets": 1,
    "learner.batch_size": 8,
    "learner.steps": 2,
    "learner.policy_surprise_weight": 0,  # rounds weights, so that rounding would show
    "evaluation.every": 0,
}
STOPPED = 130
LAST = f"{Progress(iteration=ITERATIONS).number:06d}.ckpt"  # checkpoint


def start(folder: Path, cache: Path | None, devices: int, *more: str, flags: str = "") -> subprocess.Popen[str]:
    """A running training in a folder, which prints a line per iteration; `flags` are more flags of XLA.

    Compiled programs are kept in `cache`, by default where those of all tests are.
    """
    command = [str(Path(sys.executable).parent / "boardwright"), "train", "alphazero", "draughts"]
    command += ["--preset", "draughts-tiny", "--out", str(folder), *more]
    command += [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
    surroundings = {
        **os.environ,
        "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices} {flags}",
        "JAX_PLATFORMS": "cpu",
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    }
    if cache is not None:
        surroundings["JAX_COMPILATION_CACHE_DIR"] = str(cache)
    return subprocess.Popen(
        command, env=surroundings, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=1
    )


def start_together(
    folder: Path, cache: Path, devices: int, seeds: Sequence[int] = (0, 0)
) -> list[subprocess.Popen[str]]:
    """Two processes of one run, each with a number of devices and a seed."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{found.getsockname()[1]}"
    joined = ("--distributed", "--coordinator", address, "--processes", "2")
    return [
        start(folder, cache, devices, *joined, "--process", str(process), "--seed", str(seed))
        for process, seed in enumerate(seeds)
    ]


def finish(*runs: subprocess.Popen[str], code: int = 0) -> list[str]:
    """What runs printed that ended as they should."""
    said = [run.communicate(timeout=600) for run in runs]
    for run, (out, error) in zip(runs, said, strict=True):
        assert run.returncode == code, (out, error)
    return [out for out, _ in said]


def stop_after_an_iteration(runs: Sequence[subprocess.Popen[str]], asked: int) -> list[str]:
    """Asks one of the processes of a run to stop once the first has reported an iteration."""
    for line in runs[0].stdout:  # type: ignore[union-attr]
        if line.startswith("iteration 1/"):
            break
    runs[asked].send_signal(signal.SIGTERM)
    return finish(*runs, code=STOPPED)


def end_of(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of the last checkpoint, which must be that of the end."""
    arrays = load_file(folder / "checkpoints" / LAST)
    del arrays["sha256"]
    return arrays


def assert_same(ours: dict[str, np.ndarray[Any, Any]], theirs: dict[str, np.ndarray[Any, Any]]) -> None:
    """Two runs went the same way: every move and result, and up to rounding every weight."""
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        if array.dtype.kind in "biu":
            np.testing.assert_array_equal(array, theirs[name], err_msg=name)
        else:
            is_short = array.dtype.name == "bfloat16" or name.startswith(
                ".league"
            )  # past checkpoints are stored in bfloat16
            digits = 2.0**-7 if is_short else 1e-4
            other = theirs[name].astype(np.float64)
            np.testing.assert_allclose(array.astype(np.float64), other, rtol=digits, atol=1e-5, err_msg=name)
