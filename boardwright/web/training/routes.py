"""`/api/runs`: the training runs, their metrics, and sample games of their newest nets."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Path, Query

from boardwright.games.registry import game_class
from boardwright.learn.reporting.figures import FIGURES, Figure
from boardwright.learn.run.metrics import NAME, Series, read_metrics
from boardwright.web.server.http import MAX_ID, PROBLEMS, Model
from boardwright.web.server.reports import report_once
from boardwright.web.services import Services
from boardwright.web.study.schemas import RecordOfGame
from boardwright.web.training.runs import find_run, find_runs, iteration_of, newest_net, progress_of
from boardwright.web.training.samples import sample

MAX_POINTS = 4000  # of a curve in one response; a longer one is thinned

RunId = Annotated[str, Path(max_length=32)]
After = Annotated[int, Query(ge=-1, le=MAX_ID, description="the last iteration that the client has already")]
Seed = Annotated[int, Query(ge=0, lt=2**31, description="of the two random moves at the start of the game")]


class RunInfo(Model, extra="ignore"):
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


class RunMetrics(Model):
    """The metrics of a run after an iteration. Ratings are complete: later games correct them."""

    iteration: int
    scalars: dict[str, Curve]
    figures: list[Figure]  # every figure, also those without metrics in this run


class SampleGame(RecordOfGame):
    """A game of the newest net against itself."""

    game: str
    opening: int  # number of random actions at the start
    iteration: int  # of the net
    seed: int


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/runs", tags=["training"], responses=PROBLEMS)
    root = services.settings.runs

    @router.get("")
    def list_runs() -> list[RunInfo]:
        """The runs in the server's folder, newest first."""
        found = []
        for run in find_runs(root):
            try:
                found.append(RunInfo(**vars(run), **progress_of(run)))
            except Exception as error:  # its files may hold anything; it must not hide the other runs
                report_once(f"run {run.name} is damaged and not shown: {type(error).__name__}: {error}")
        return found

    @router.get("/{run}/metrics")
    def get_metrics(run: RunId, after: After = -1) -> RunMetrics:
        """The metrics after an iteration."""
        found = find_run(root, run)
        roles = game_class(found.game).roles
        shown = {scalar for figure in FIGURES for scalar in (*figure.scalars, *(figure.band or ()))}
        has_metrics = (found.folder / NAME).exists()
        iteration, _ = iteration_of(found)  # read before the metrics, so that the next request misses none
        scalars = read_metrics(found.folder, after).scalars if has_metrics else {}
        return RunMetrics(
            iteration=iteration,
            scalars={name: _curve(series) for name, series in scalars.items() if name in shown},
            figures=[replace(figure, scalars=_labels(figure.scalars, roles)) for figure in FIGURES],
        )

    @router.get("/{run}/sample")
    def get_sample(run: RunId, seed: Seed = 0) -> SampleGame | None:
        """A game of the newest net: two random moves, then its most likely moves. Null before the first net."""
        newest = newest_net(find_run(root, run))
        if newest is None:
            return None
        net, iteration = newest
        played = sample(net, seed, services.settings.worker_megabytes)
        fields = SampleGame.fields_of(played.record)
        return SampleGame(**fields, game=played.record.game, opening=played.opening, iteration=iteration, seed=seed)

    return router


def _curve(series: Series) -> Curve:
    """A curve thinned to at most `MAX_POINTS`, with its last point."""
    step = math.ceil(len(series.values) / MAX_POINTS)
    iterations, frames, values = (part[::-step][::-1] for part in (series.iterations, series.frames, series.values))
    finite = [float(value) if np.isfinite(value) else None for value in values]
    return Curve(iterations=iterations.tolist(), frames=frames.tolist(), values=finite)


def _labels(scalars: Mapping[str, str], roles: tuple[str, str]) -> dict[str, str]:
    """The labels of metrics, with the names of the game's roles."""
    return {scalar: label.replace("role 0", roles[0]).replace("role 1", roles[1]) for scalar, label in scalars.items()}
