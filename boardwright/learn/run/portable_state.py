"""Portable run state: the arrays needed to resume on another machine (no replay buffer), as of the end of an iteration.

A run writes `state.safetensors`, with the fields that its method lists as portable, and `boardwright pack` takes it
from there. In a folder that `boardwright unpack` made, a run starts from `unpacked.safetensors`. Both have the format
of a checkpoint.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np

from boardwright.learn.run import arrayfile, checkpoint, legacy
from boardwright.learn.run.arrayfile import ArrayFile, DamagedError
from boardwright.learn.run.progress import Progress, progress_told

NAME = "state.safetensors"
UNPACKED = "unpacked.safetensors"


def path_in(folder: Path, name: str) -> Path:
    """A state file in a run's folder; where it exists only under the name of older versions, that."""
    path, old = folder / name, folder / legacy.STATE_NAMES[name]
    return old if old.exists() and not path.exists() else path


def collect(run: Any, fields: Sequence[str]) -> dict[str, np.ndarray]:
    """Copies on the host of the arrays in some fields of a run, by path.

    Moments of the optimiser are rounded to bfloat16, so that they compress to half their size.
    """
    arrays = checkpoint.copied(_within(checkpoint.named(run), fields))
    rounded = {name: array for name, array in arrays.items() if ".optimiser" in name and array.dtype == np.float32}
    return arrays | {name: array.astype(ml_dtypes.bfloat16).astype(np.float32) for name, array in rounded.items()}


def read(path: Path, data: bytes | None = None) -> tuple[ArrayFile, Progress]:
    """A state file, or its bytes where they were read already, and the progress of its run; raises RunError."""
    file = legacy.modern_state(arrayfile.read(path, data))
    try:
        return file, progress_told(file.header["meta"]["progress"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"{path} is damaged: it does not contain the progress of a run") from error


def restore_into(file: ArrayFile, run: Any, fields: Sequence[str]) -> Any:
    """A new run of the same settings with the arrays of a file in some fields; raises RunError where they differ."""
    leaves = checkpoint.named(run)
    leaves |= checkpoint.load(file, _within(leaves, fields))
    return jax.tree.unflatten(jax.tree.structure(run), leaves.values())


def _within(leaves: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """The leaves whose paths, such as `.learner.steps`, start with some fields."""
    return {name: leaf for name, leaf in leaves.items() if re.split(r"\W", name[1:])[0] in fields}
