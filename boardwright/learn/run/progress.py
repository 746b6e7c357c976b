"""How far a run is, and what that has cost: kept in checkpoints, so that it adds up over stops, kills and machines."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boardwright.learn.run.metrics import ON_DEVICE

MOST = 1 << 62  # of anything that is told


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    iteration: int = 0  # that is under way, counted from 0
    chunk: int = 0  # pieces of work done in it
    frames: int = 0  # moves played in the iterations before it
    losses: Mapping[str, float] = field(default_factory=dict)  # sums over the chunks learned in it
    learned: int = 0  # how many those are
    device_seconds: Mapping[str, float] = field(default_factory=dict)  # of self-play and learning, by kind of device
    evaluation_seconds: float = 0.0  # of contests that only measure, on the same devices
    parts: int = 1  # folders the run was in: it moves by `boardwright pack`, and begins each with an empty replay

    @property
    def number(self) -> int:
        """Of its checkpoint: rises with every chunk."""
        return self.iteration * 10**6 + self.chunk

    def worked(self, device: str, seconds: float) -> Progress:
        """After so many device-seconds more of self-play and learning."""
        spent = {**self.device_seconds, device: self.device_seconds.get(device, 0.0) + seconds}
        return dataclasses.replace(self, device_seconds=spent)

    def next_iteration(self, frames: int, evaluation_seconds: float) -> Progress:
        """At the beginning of the next iteration, after so many frames in all and seconds more of evaluation."""
        return dataclasses.replace(
            self,
            iteration=self.iteration + 1,
            chunk=0,
            frames=frames,
            losses={},
            learned=0,
            evaluation_seconds=self.evaluation_seconds + evaluation_seconds,
        )

    def costs(self) -> dict[str, float]:
        """As metrics tell them, each in all so far."""
        return {
            "time/device_seconds": sum(self.device_seconds.values()),
            **{f"{ON_DEVICE}{device}": seconds for device, seconds in self.device_seconds.items()},
            "time/evaluation_seconds": self.evaluation_seconds,
            "time/parts": float(self.parts),
        }


class Clock:
    """Seconds an iteration took, compiling and checkpoints included; of one that was resumed, since then."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    def lap(self) -> float:
        """Of the iteration that ends now."""
        before, self._begin = self._begin, time.monotonic()
        return max(self._begin - before, 1e-9)


def progress_told(told: Any) -> Progress:
    """What JSON has kept of `dataclasses.asdict`; raises ValueError where that cannot be."""
    if not isinstance(told, dict):
        raise ValueError("no progress")
    usual = dataclasses.asdict(Progress())
    for name, value in told.items():
        kind = type(usual.get(name))
        if kind is dict and isinstance(value, dict):
            fits = all(map(_is_amount, value.values()))
        else:
            fits = type(value) is kind and kind in (int, float) and _is_amount(value) and value >= 0
        if not fits:
            raise ValueError(f"no progress: {name[:60]!r}")
    return Progress(**told)


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < MOST  # which is false of NaN
