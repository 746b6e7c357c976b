"""Schemas of training runs."""

from typing import Literal

from boardwright.web.server.schemas import Model


class RunInfo(Model):
    """A training run and its progress."""

    id: str
    name: str
    method: str
    game: str
    rules: str  # name of the rule set it learns
    iterations: int
    iteration: int
    frames: int
    updated: str  # UTC
    state: Literal["running", "stopped", "done"]
    player: str | None  # spec of its best net as an opponent; null before the first


class Curve(Model):
    """One metric by iteration; NaN is sent as null."""

    iterations: list[int]
    frames: list[int]
    values: list[float | None]


class FigureInfo(Model):
    """A figure: the metrics it shows, with their labels."""

    name: str
    title: str
    y_label: str
    scalars: dict[str, str]
    band: list[str] | None  # metrics that bound an interval
    rolling: bool  # whether to show a rolling mean because it is noisy
    includes: list[float]  # values that the y axis always includes


class RunMetrics(Model):
    """The metrics of a run after an iteration. Ratings are complete: later games correct them."""

    iteration: int
    scalars: dict[str, Curve]
    figures: list[FigureInfo]  # every figure, also those without metrics in this run


class SampleGame(Model):
    """A game of the newest net against itself."""

    game: str
    rules: str
    start: str | None
    actions: list[int]
    opening: int  # number of random actions at the start
    iteration: int  # of the net
    seed: int
    result: int  # the role that won, 2 a draw
    reason: str
