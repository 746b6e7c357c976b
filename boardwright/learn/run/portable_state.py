"""What a run takes along to another machine: the arrays that cannot be made again, as of the end of an iteration.

`luggage.arrays` in a run's folder is written beside the work when an iteration ends; `boardwright pack` takes it from
there. What a method names as `carried` is in it: weights, optimiser, past selves in play, counters; not the replay and
the games, which are gigabytes. `unpacked.arrays` is the same file in a folder that `boardwright unpack` made, and what
a run there begins with.

Moments of the optimiser are rounded to bfloat16. Of other arrays no bit is lost: those whose numbers are bfloat16
already (past selves, which were kept so) are stored as such, and those that equal another are stored once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from boardwright.errors import RunError
from boardwright.learn.run import arrayfile, checkpoint
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError
from boardwright.learn.run.progress import Progress, progress_told

NAME = "luggage.arrays"
UNPACKED = "unpacked.arrays"
VERSION = 1
ROUNDED = ".optimiser"  # in the paths of arrays that may lose digits
SHORT = np.dtype(jnp.bfloat16)


def taken(run: Any, carried: Sequence[str]) -> dict[str, np.ndarray]:
    """Copies on the host of all arrays in some fields of a run, by their paths in it."""
    fields = {name: leaf for name, leaf in checkpoint.named(run).items() if _field(name) in carried}
    return checkpoint.copied(fields)


def write(path: Path, arrays: Mapping[str, np.ndarray], progress: Mapping[str, Any], told: Mapping[str, Any]) -> None:
    """Writes what was taken; `told` is JSON that says of which run. Raises RunError."""
    stored: dict[str, np.ndarray] = {}
    same: dict[str, str] = {}
    seen: dict[tuple[str, bytes], str] = {}
    for name, array in arrays.items():
        short = _shortened(name, array)
        known = (checkpoint.kind(short), hashlib.sha256(short.tobytes()).digest())
        first = seen.setdefault(known, name)
        if first == name:
            stored[name] = short
        else:
            same[name] = first
    kinds = {name: checkpoint.kind(array) for name, array in arrays.items()}
    short_names = [name for name, array in stored.items() if array.dtype != arrays[name].dtype]
    header = {
        "luggage": VERSION,
        "kinds": kinds,
        "same": same,
        "short": short_names,
        "progress": dict(progress),
        "told": dict(told),
    }
    arrayfile.write(path, stored, header)


def read(path: Path) -> ArrayFile:
    """A file that was written, looked at whole; raises RunError."""
    file = arrayfile.read(path)
    _check_version(path, file.header)
    return file


def progress_of(file: ArrayFile) -> Progress:
    """How far the run was; raises RunError."""
    return _progress(file.path, file.header)


def progress_within(data: bytes, path: Path) -> Progress:
    """How far the run was whose luggage is at hand, and how it was called, looked at whole; raises RunError."""
    header = arrayfile.header_in(data, path)
    _check_version(path, header)
    return _progress(path, header)


def progress_in(folder: Path) -> Progress | None:
    """How far the run of a folder was when it was last ready to be packed; None where it never was. Raises RunError."""
    for name in (NAME, UNPACKED):
        if (folder / name).exists():
            return progress_of(read(folder / name))
    return None


def put_into(file: ArrayFile, run: Any, carried: Sequence[str]) -> Any:
    """A new run of the same settings with what was carried in its place; raises RunError where that does not fit."""
    leaves = checkpoint.named(run)
    here = {name: checkpoint.kind(leaf) for name, leaf in leaves.items() if _field(name) in carried}
    there = file.header["kinds"]
    checkpoint.check_kinds(file.path, there, here)
    arrays = [_unpacked(file, name, leaf) if name in here else leaf for name, leaf in leaves.items()]
    return jax.tree.unflatten(jax.tree.structure(run), arrays)


def _check_version(path: Path, header: Mapping[str, Any]) -> None:
    version = header.get("luggage")
    if version != VERSION:
        raise RunError(f"{path} is of format {version!r:.20}, this version reads {VERSION}: update Boardwright")


def _progress(path: Path, header: Mapping[str, Any]) -> Progress:
    try:
        return progress_told(header.get("progress"))
    except ValueError as error:
        raise DamagedError(f"{path} is damaged: it does not tell how far the run was") from error


def _field(name: str) -> str:
    """The field of a run that a path such as `.learner.steps` begins with."""
    match = re.match(r"\.(\w+)", name)
    return match[1] if match else ""


def _shortened(name: str, array: np.ndarray) -> np.ndarray:
    if array.dtype != np.float32 or array.ndim == 0:
        return array
    short = array.astype(SHORT)
    return short if ROUNDED in name or np.array_equal(short.astype(np.float32), array) else array


def _unpacked(file: ArrayFile, name: str, like: jax.Array) -> jax.Array:
    source = file.header["same"].get(name, name)
    stored = np.empty(like.shape, SHORT if source in file.header["short"] else like.dtype)
    file.fill(source, stored)
    return checkpoint.placed(stored.astype(like.dtype), like)
