"""The progress of a run and its costs, stored in checkpoints so that they add up over stops, kills and machines."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boardwright.learn.run.metrics import ON_DEVICE

MAX_NUMBER = 1 << 62


@dataclass(frozen=True)
class Progress:
    """The progress of a run."""

    iteration: int = 0  # the current one, counted from 0
    chunk: int = 0  # pieces of work done in it
    frames: int = 0  # moves played in the iterations before it
    losses: Mapping[str, float] = field(default_factory=dict)  # sums over the chunks learned in it
    learned: int = 0  # number of these chunks
    device_seconds: Mapping[str, float] = field(default_factory=dict)  # of self-play and learning, by kind of device
    evaluation_seconds: float = 0.0  # of evaluation games, on the same devices
    parts: int = 1  # folders of the run: it moves by `boardwright pack`, and starts each with an empty replay

    @property
    def number(self) -> int:
        """Number of its checkpoint, which rises with every chunk."""
        return self.iteration * 10**6 + self.chunk

    def add_seconds(self, device: str, seconds: float) -> Progress:
        """Progress after more device-seconds of self-play and learning."""
        spent = {**self.device_seconds, device: self.device_seconds.get(device, 0.0) + seconds}
        return dataclasses.replace(self, device_seconds=spent)

    def next_iteration(self, frames: int, evaluation_seconds: float) -> Progress:
        """Progress at the start of the next iteration, with the total of frames and more seconds of evaluation."""
        return Progress(
            iteration=self.iteration + 1,
            frames=frames,
            device_seconds=self.device_seconds,
            evaluation_seconds=self.evaluation_seconds + evaluation_seconds,
            parts=self.parts,
        )

    def costs(self) -> dict[str, float]:
        """The costs so far, as metrics."""
        return {
            "time/device_seconds": sum(self.device_seconds.values()),
            **{f"{ON_DEVICE}{device}": seconds for device, seconds in self.device_seconds.items()},
            "time/evaluation_seconds": self.evaluation_seconds,
            "time/parts": float(self.parts),
        }


class Clock:
    """Measures iterations in seconds, with compilation and checkpoints; a resumed one from the resumption."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    def lap(self) -> float:
        """Seconds of the iteration that ends now."""
        before, self._begin = self._begin, time.monotonic()
        return max(self._begin - before, 1e-9)


def parse_progress(data: Any) -> Progress:
    """The progress that was stored as JSON by `dataclasses.asdict`; raises ValueError."""
    if not isinstance(data, dict):
        raise ValueError("not the progress of a run")
    usual = dataclasses.asdict(Progress())
    for name, value in data.items():
        kind = type(usual.get(name))
        if kind is dict and isinstance(value, dict):
            fits = all(map(_is_amount, value.values()))
        else:
            fits = type(value) is kind and kind in (int, float) and _is_amount(value) and value >= 0
        if not fits:
            raise ValueError(f"not the progress of a run: {name[:60]!r}")
    return Progress(**data)


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < MAX_NUMBER  # False for NaN
