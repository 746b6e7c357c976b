"""The progress of a run and its costs, stored in checkpoints so that they add up over stops, kills and machines."""

import dataclasses
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

    def meta(self) -> dict[str, Any]:
        """What checkpoints store of it."""
        return {"progress": dataclasses.asdict(self)}

    def costs(self) -> dict[str, float]:
        """The costs so far, as metrics."""
        return {
            "time/device_seconds": sum(self.device_seconds.values()),
            **{f"{ON_DEVICE}{device}": seconds for device, seconds in self.device_seconds.items()},
            "time/evaluation_seconds": self.evaluation_seconds,
            "time/parts": float(self.parts),
        }


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
