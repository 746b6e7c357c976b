"""Portable run state: the arrays needed to resume on another machine (no replay buffer), as of the end of an iteration.

A run writes `state.safetensors`, with the fields that its method lists as portable, and `boardwright pack` takes it
from there. In a folder that `boardwright unpack` made, a run starts from `unpacked.safetensors`. Both have the format
of a checkpoint. Files of older versions, `luggage.arrays` and `unpacked.arrays`, are read too.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np

from boardwright.learn.run import arrayfile, checkpoint
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError
from boardwright.learn.run.progress import Progress, parse_progress

NAME = "state.safetensors"
UNPACKED = "unpacked.safetensors"
OLD_NAMES = {"state.safetensors": "luggage.arrays", "unpacked.safetensors": "unpacked.arrays"}  # in older versions


def path_in(folder: Path, name: str) -> Path:
    """A state file in a run's folder; where it exists only under the name of older versions, that."""
    path, old = folder / name, folder / OLD_NAMES[name]
    return old if old.exists() and not path.exists() else path


def collect(run: Any, fields: Sequence[str]) -> dict[str, np.ndarray]:
    """Copies on the host of the arrays in some fields of a run, by path.

    Moments of the optimiser are rounded to bfloat16, so that they compress to half their size.
    """
    arrays = checkpoint.copy_to_host(_within(checkpoint.name_leaves(run), fields))
    rounded = {name: array for name, array in arrays.items() if ".optimiser" in name and array.dtype == np.float32}
    return arrays | {name: array.astype(ml_dtypes.bfloat16).astype(np.float32) for name, array in rounded.items()}


def read(path: Path, data: bytes | None = None) -> tuple[ArrayFile, Progress]:
    """A state file, or its bytes where they were read already, and the progress of its run; raises RunError."""
    file = modern_state(arrayfile.read(path, data))
    try:
        return file, parse_progress(file.header["meta"]["progress"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path} is damaged: it does not contain the progress of a run") from error


def restore_into(file: ArrayFile, run: Any, fields: Sequence[str]) -> Any:
    """A new run of the same settings with the arrays of a file in some fields; raises RunError where they differ."""
    leaves = checkpoint.name_leaves(run)
    leaves |= checkpoint.load(file, _within(leaves, fields))
    return jax.tree.unflatten(jax.tree.structure(run), leaves.values())


def _within(leaves: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """The leaves whose paths, such as `.learner.steps`, start with some fields."""
    return {name: leaf for name, leaf in leaves.items() if re.split(r"\W", name[1:])[0] in fields}


@dataclasses.dataclass(frozen=True)
class OldState(ArrayFile):
    """Portable state that stored equal arrays once, and those with numbers of bfloat16 in that type."""

    def load(self, name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Reads an array of a known shape and type; raises DamagedError."""
        source = self.header["same"].get(name, name)
        is_short = source in self.header["short"]
        return super().load(source, shape, ml_dtypes.bfloat16 if is_short else dtype).astype(dtype, copy=False)


def modern_state(file: ArrayFile) -> ArrayFile:
    """A state file of any format as readers of the present one expect it; raises DamagedError."""
    old = file.header
    if old.get("luggage") != 1:
        return file
    if not isinstance(old.get("same"), dict) or not isinstance(old.get("short"), list):
        raise DamagedError(f"{file.path} is damaged: its header is incomplete")
    header = {"version": 1, "leaves": old.get("kinds"), "meta": {"progress": old.get("progress")}}
    return OldState(file.path, {**header, "same": old["same"], "short": old["short"]}, file.offsets)


def modern_pack(file: ArrayFile) -> ArrayFile:
    """A pack of any version with its state under the present name."""
    names, sizes = {old: new for new, old in OLD_NAMES.items()}, file.header.get("bytes")
    offsets = {names.get(name, name): place for name, place in file.offsets.items()}
    renamed = {names.get(name, name): size for name, size in sizes.items()} if isinstance(sizes, dict) else sizes
    return dataclasses.replace(file, header={**file.header, "bytes": renamed}, offsets=offsets)
