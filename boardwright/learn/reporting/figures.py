"""The figures of a run, as the papers draw them: `figures.toml` has the metrics that each shows.

Runs are drawn over each other, by frames, iterations or GPU-minutes. A figure is left out if a run has none of its
metrics.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from boardwright.learn.run.metrics import History
from boardwright.views.chart import Chart, Line


@dataclass(frozen=True)
class Figure:
    """One figure."""

    name: str  # of its file
    title: str
    y_label: str
    scalars: Mapping[str, str]  # metrics, and their names in the legend
    includes: Sequence[float] = ()  # values that the y axis always shows
    rolling: bool = True  # the rolling mean over iterations, with the measured values faint behind it
    band: Sequence[str] | None = None  # metrics of the bounds of an interval, for figures of one scalar


FIGURES = tuple(
    Figure(name, **table)
    for name, table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
)
X_LABELS = {"frames": "frames", "iterations": "iterations", "minutes": "GPU-minutes of self-play and learning"}
_MIN_WINDOW, _WINDOW_SHARE = 5, 0.05  # of a rolling mean: iterations, share of the run


def chart(figure: Figure, runs: Mapping[str, History], x: str = "frames") -> Chart | None:
    """A figure of several runs by name over one of `X_LABELS`, or None if they have none of its metrics."""
    lines: list[Line] = []
    for place, (run, history) in enumerate(runs.items()):
        for part, (metric, words) in enumerate(figure.scalars.items()):
            if metric not in history.scalars:
                continue
            names = [run] * (len(runs) > 1) + [words] * (len(figure.scalars) > 1)
            # In one run a colour is a metric, in several it is a run.
            colour, dash = (part, 0) if len(runs) == 1 else (place, part)
            lines += _lines(figure, metric, history, x, ": ".join(names), colour, dash)
    if not lines:
        return None
    return Chart(
        figure.title, X_LABELS[x], figure.y_label, tuple(lines), x_includes=(0.0,), y_includes=tuple(figure.includes)
    )


def minutes(history: History, iterations: np.ndarray) -> list[float]:
    """[N] of iterations [N]: GPU-minutes used until the end of each; NaN where that was not measured."""
    seconds = {0: 0.0} | history.by_iteration("time/device_seconds")
    return [seconds.get(iteration, math.nan) / 60 for iteration in iterations.tolist()]


def rolling_mean(values: Sequence[float] | np.ndarray, window: int) -> np.ndarray:
    """[N] of [N]: the mean of the finite values among the `window`, an odd number, around each; NaN where none is."""
    padded = np.pad(np.asarray(values, np.float64), window // 2, constant_values=np.nan)
    near = np.ma.masked_invalid(np.lib.stride_tricks.sliding_window_view(padded, window))
    return near.mean(axis=1).filled(np.nan)


def _lines(figure: Figure, metric: str, history: History, x: str, name: str, colour: int, dash: int) -> list[Line]:
    series = history.scalars[metric]
    xs = {"frames": series.frames, "iterations": series.iterations}.get(x)
    xs = minutes(history, series.iterations) if xs is None else xs.tolist()
    ys = [y if np.isfinite(at) else math.nan for at, y in zip(xs, series.values.tolist(), strict=True)]
    if not np.isfinite(ys).any():
        return []
    if figure.rolling:
        window = max(_MIN_WINDOW, round(_WINDOW_SHARE * len(ys)) | 1)
        mean = rolling_mean(ys, window).tolist()
        raw = Line(name, xs, ys, colour=colour, dash=dash, faint=True)
        return [raw, Line(name, xs, mean, colour=colour, dash=dash)]
    if figure.band is None:
        return [Line(name, xs, ys, colour=colour, dash=dash)]
    bounds = [history.by_iteration(bound) for bound in figure.band]
    low, high = ([bound.get(at, math.nan) for at in series.iterations.tolist()] for bound in bounds)
    return [Line(name, xs, ys, low, high, colour=colour, dash=dash)]
