"""Training runs over HTTP: the list, what one has measured, and a game its newest net plays."""

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Path, Query

from boardwright.games.registry import game_class
from boardwright.learn.reporting.figures import FIGURES, Figure
from boardwright.learn.run.metrics import NAME, Series, read_metrics
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.server.schemas import Model
from boardwright.web.services import Services
from boardwright.web.training.runs import Run, find_run, find_runs, player_of_run, standing
from boardwright.web.training.samples import Sampler

MOST_POINTS = 4000  # of a curve in one answer; a longer one is thinned
LARGEST = 2**62

RunId = Annotated[str, Path(max_length=32)]
After = Annotated[int, Query(ge=-1, le=LARGEST, description="the last iteration that is known already")]
Seed = Annotated[int, Query(ge=0, lt=2**31, description="of the two random moves the game begins with")]


class RunInfo(Model):
    """A run, and how far it is."""

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
    player: str | None  # spec of its net as an opponent; null while there is none


class Curve(Model):
    """One scalar, in order of iterations; null is what is no number."""

    iterations: list[int]
    frames: list[int]
    values: list[float | None]


class FigureInfo(Model):
    """A figure: which scalars it shows and what it calls them."""

    name: str
    title: str
    y_label: str
    scalars: dict[str, str]
    band: list[str] | None  # scalars between which the truth lies
    rolling: bool  # whether it is noisy, and its mean over iterations around says more
    includes: list[float]  # values the y axis shows in any case


class Measured(Model):
    """What a run measured after an iteration. Ratings come whole: later games correct them."""

    iteration: int
    scalars: dict[str, Curve]
    figures: list[FigureInfo]  # all there are, whether the run has anything of them or not


class SampleGame(Model):
    """A game of the newest net against itself."""

    game: str
    rules: str
    start: str | None
    actions: list[int]
    opening: int  # how many of the actions were random
    iteration: int  # of the net
    seed: int
    result: int  # the role that won, 2 a draw
    reason: str


def make_router(services: Services) -> APIRouter:
    """The routes under /api/runs."""
    router = APIRouter(prefix="/api/runs", tags=["training"], responses=PROBLEMS)
    root, sampler = services.settings.runs, Sampler(services.settings.worker_megabytes)

    @router.get("")
    def runs() -> list[RunInfo]:
        """The runs under the server's folder, those begun last first."""
        return [_info(run) for run in find_runs(root)]

    @router.get("/{run}/metrics")
    def metrics(run: RunId, after: After = -1) -> Measured:
        """What was measured after an iteration."""
        found = find_run(root, run)
        roles = game_class(found.game).roles
        shown = {scalar for figure in FIGURES for scalar in (*figure.scalars, *(figure.band or ()))}
        begun = (found.folder / NAME).exists()
        iteration = standing(found).iteration  # before what was measured: who asks again from there misses nothing
        scalars = read_metrics(found.folder, after).scalars if begun else {}
        return Measured(
            iteration=iteration,
            scalars={name: _curve(series) for name, series in scalars.items() if name in shown},
            figures=[_figure(figure, roles) for figure in FIGURES],
        )

    @router.get("/{run}/sample")
    def sample(run: RunId, seed: Seed = 0) -> SampleGame | None:
        """A game of the newest net: two random moves, then always the move it holds best. Null while there is none."""
        drawn = sampler.sample(find_run(root, run), seed)
        if drawn is None:
            return None
        record = drawn.played.record
        return SampleGame(
            game=record.game,
            rules=record.rules.name,
            start=record.start,
            actions=list(record.actions),
            opening=drawn.played.opening,
            iteration=drawn.iteration,
            seed=seed,
            result=record.result,
            reason=record.reason,
        )

    return router


def _info(run: Run) -> RunInfo:
    now = standing(run)
    return RunInfo(
        id=run.id,
        name=run.name,
        method=run.method,
        game=run.game,
        rules=run.rules,
        iterations=run.iterations,
        iteration=now.iteration,
        frames=now.frames,
        updated=now.updated,
        state=now.state,
        player=player_of_run(run),
    )


def _curve(series: Series) -> Curve:
    """A curve of at most `MOST_POINTS`, its last point among them."""
    step = math.ceil(len(series.values) / MOST_POINTS)
    iterations, frames, values = (
        part[::-1][::step][::-1] for part in (series.iterations, series.frames, series.values)
    )
    finite = [float(value) if np.isfinite(value) else None for value in values]
    return Curve(iterations=iterations.tolist(), frames=frames.tolist(), values=finite)


def _figure(figure: Figure, roles: tuple[str, str]) -> FigureInfo:
    return FigureInfo(
        name=figure.name,
        title=figure.title,
        y_label=figure.y_label,
        scalars=_named(figure.scalars, roles),
        band=None if figure.band is None else list(figure.band),
        rolling=figure.rolling,
        includes=list(figure.includes),
    )


def _named(scalars: Mapping[str, str], roles: tuple[str, str]) -> dict[str, str]:
    """What the legend calls scalars, with the game's words for its roles."""
    return {scalar: words.replace("role 0", roles[0]).replace("role 1", roles[1]) for scalar, words in scalars.items()}
