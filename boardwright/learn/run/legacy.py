"""Reads run files of older versions: portable state in `luggage.arrays` and `unpacked.arrays`, and packs with it."""

from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from boardwright.learn.run.arrayfile import ArrayFile, DamagedError

STATE_NAMES = {"state.safetensors": "luggage.arrays", "unpacked.safetensors": "unpacked.arrays"}


@dataclass(frozen=True)
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
    names, sizes = {old: new for new, old in STATE_NAMES.items()}, file.header.get("bytes")
    offsets = {names.get(name, name): place for name, place in file.offsets.items()}
    renamed = {names.get(name, name): size for name, size in sizes.items()} if isinstance(sizes, dict) else sizes
    return replace(file, header={**file.header, "bytes": renamed}, offsets=offsets)
