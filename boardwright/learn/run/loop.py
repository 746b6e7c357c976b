"""The loop every way to learn runs in: iterations, measured and kept in a folder, until all are done.

    train(method, folder, watch)

A `Method` says what a run holds and how a piece of work moves it on; the loop does the rest. The folder holds
`config.json`, `checkpoints/`, `nets/` (the net after every iteration, and `best.net`), `metrics.sqlite` and what the
run takes along to another machine; see docs/run-folder.md. A run that was stopped or killed goes on from its last
checkpoint, and ends as if it never had been.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import jax

from boardwright import __version__
from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.learn.distributed import processes
from boardwright.learn.distributed.device import memory
from boardwright.learn.run import checkpoint, config_file, league, portable_state, run_folder, settings
from boardwright.learn.run.lock import alone_in
from boardwright.learn.run.metrics import Metrics
from boardwright.learn.run.progress import Clock, Progress
from boardwright.learn.run.rating import Rate
from boardwright.learn.run.saver import Saver
from boardwright.nets import netfile
from boardwright.nets.network import Variables
from boardwright.wholefile import write_whole

BEST = league.BEST
SECONDS_BETWEEN_CHECKPOINTS = 60.0
SPEED = ("speed/seconds", "speed/frames_per_second")


@dataclass(frozen=True)
class Watch:
    """Who looks on; everything may be left out."""

    phase: Callable[[str, int, int], None] = lambda what, done, total: None  # of an iteration
    iteration: Callable[[int, int, Mapping[str, float]], None] = lambda iteration, frames, told: None
    word: Callable[[str], None] = lambda text: None
    stopped: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Desk:
    """What the loop lends a method."""

    nets: Path  # folder of the nets by iteration, see `league`
    metrics: Metrics
    watch: Watch
    rate: Rate | None


R = TypeVar("R")  # all that changes in a run, as one pytree


def _unchanged(run: Any, done: int, desk: Desk) -> tuple[Any, dict[str, float]]:
    del done, desk
    return run, {}


def _nothing(run: Any, done: int, desk: Desk) -> dict[str, float]:
    del run, done, desk
    return {}


@dataclass(frozen=True, kw_only=True)
class Method(Generic[R]):
    """A way to learn. Random numbers must come from the seed, the iteration and the chunk alone."""

    name: str  # as `boardwright train` calls it
    config: Any  # a frozen dataclass with `iterations` among its settings
    game: Game  # that its nets are kept for
    init: Callable[[], R]  # jitted
    begun: Callable[[R], R] = lambda run: run  # a new run with what it was told to begin with
    chunks: int  # pieces of work in an iteration, below a million
    # run, iteration, chunk -> run, losses of what was learned in it; none where nothing was
    work: Callable[[R, int, int, Desk], tuple[R, Mapping[str, Any]]]
    phase: Callable[[int], tuple[str, int, int]]  # after so many chunks: what was done, how much of it, of how much
    scalars: Callable[[R], dict[str, float]]  # told of an iteration at its end, `selfplay/moves` among them
    player: Callable[[R], tuple[Any, Variables]]  # the net to keep: its config and variables
    judge: Callable[[R, int, Desk], tuple[R, dict[str, float]]] = _unchanged  # after an iteration, before that
    evaluate: Callable[[R, int, Desk], dict[str, float]] = _nothing  # and after it
    chosen_by: str | None = None  # a score of `evaluate`: the net with the highest is kept as the best; none: the last
    next_iteration: Callable[[R], R]  # the run with nothing counted yet
    carried: tuple[str, ...] = ()  # fields of a run that go along to another machine, see `luggage`; none: it stays
    devices: int = 1  # that it uses
    # Of what is no net for play: writes it as `best`, from run, folder of nets, iteration and provenance.
    keep: Callable[[R, Path, int, Mapping[str, Any]], None] | None = None
    best: str = BEST


def train(
    method: Method[R],
    folder: Path,
    watch: Watch | None = None,
    *,
    rate: Rate | None = None,
    seconds_between_checkpoints: float = SECONDS_BETWEEN_CHECKPOINTS,
) -> Progress:
    """Trains to the end, or until `watch` says to stop; then the next call with the same config goes on.

    Of several processes all must call it; the first writes and speaks, and any may stop.
    """
    watch = watch or Watch()
    if not processes.is_first():
        watch, rate = Watch(stopped=watch.stopped), None
    iterations = method.config.iterations
    with contextlib.ExitStack() as held:
        processes.check_same(f"settings {settings.to_json(method.config)}")
        with processes.together():
            metrics = _opened(method, folder, held)
        desk = Desk(folder / "nets", metrics, watch, rate)
        with memory("the games at once, the replay or the net's size"):
            run, progress, has_checkpoint = _begin(method, folder, desk)
        saver = held.enter_context(Saver(folder / "checkpoints", seconds_between_checkpoints))
        clock = Clock()
        while progress.iteration < iterations:
            stop, due = processes.agreed(stop=watch.stopped(), due=saver.due())
            if stop or due:
                saver.save(progress.number, run, {"progress": dataclasses.asdict(progress)})
            if stop:
                saver.finish()
                where = f"{'in' if progress.chunk else 'before'} iteration {progress.iteration + 1}"
                watch.word(f"stopped {where}; the same command goes on from here")
                return progress
            if progress.chunk < method.chunks:
                run, progress = _chunk(method, run, progress, desk)
            else:
                if not has_checkpoint:  # and is killed after this, the next call would find metrics and nets alone
                    saver.save_first(progress.number, run, {"progress": dataclasses.asdict(progress)})
                    has_checkpoint = True
                run, progress = _end_of_iteration(method, run, progress, desk, clock)
                _take_along(method, run, progress, folder, saver)
        saver.save(progress.number, run, {"progress": dataclasses.asdict(progress)})
        saver.finish()
        watch.word(f"{iterations} iterations, {progress.frames:,} frames: the net is {desk.nets / method.best}")
        return progress


def _chunk(method: Method[R], run: R, progress: Progress, desk: Desk) -> tuple[R, Progress]:
    """The next piece of work of an iteration."""
    iteration, chunk, begin = progress.iteration, progress.chunk, time.monotonic()
    if chunk == 0:
        what, _, total = method.phase(1)
        desk.watch.phase(what, 0, total)
    run, losses = method.work(run, iteration, chunk, desk)
    told = {name: float(loss) for name, loss in losses.items()}
    for name, loss in told.items():
        if not math.isfinite(loss):
            raise RunError(
                f"the {name} loss is {loss} in iteration {iteration + 1}, after {chunk} of {method.chunks} pieces of "
                f"work: the last checkpoint before it is kept; train anew with a lower learning rate"
            )
    desk.watch.phase(*method.phase(chunk + 1))
    sums = {name: progress.losses.get(name, 0.0) + loss for name, loss in told.items()} or progress.losses
    learned = progress.learned + bool(told)
    progress = dataclasses.replace(progress, chunk=chunk + 1, losses=sums, learned=learned)
    return run, _worked(method, progress, time.monotonic() - begin)


def _end_of_iteration(method: Method[R], run: R, progress: Progress, desk: Desk, clock: Clock) -> tuple[R, Progress]:
    """Judges, keeps and measures the net of an iteration, and tells what happened in it."""
    done, begin = progress.iteration + 1, time.monotonic()
    told = method.scalars(run)
    told |= {f"loss/{name}": total / progress.learned for name, total in progress.losses.items()}
    frames = progress.frames + int(told["selfplay/moves"])
    run, judged = method.judge(run, done, desk)
    told |= judged
    at_its_end = dataclasses.replace(progress, iteration=done, frames=frames)
    _keep_net(method, run, desk.nets, at_its_end, is_best=method.chosen_by is None)
    progress = _worked(method, progress, time.monotonic() - begin)
    desk.metrics.log(done, frames, told)  # before ratings, which look up the frames of an iteration
    begin = time.monotonic()
    measured = method.evaluate(run, done, desk)
    progress = progress.next_iteration(frames, method.devices * (time.monotonic() - begin))
    seconds = clock.lap()
    speed = dict(zip(SPEED, (seconds, told["selfplay/moves"] / seconds), strict=True))
    desk.metrics.log(done, frames, measured | speed | progress.costs())
    _keep_best(method, run, desk, at_its_end)
    desk.watch.iteration(done, frames, told | measured | speed)
    return method.next_iteration(run), progress


def _worked(method: Method[Any], progress: Progress, seconds: float) -> Progress:
    """After so many seconds more on all devices of a method."""
    return progress.worked(jax.devices()[0].device_kind, method.devices * seconds)


def _take_along(method: Method[R], run: R, progress: Progress, folder: Path, saver: Saver) -> None:
    """Has what the run would take along to another machine written, in the place of what it would have before."""
    if not method.carried or not processes.is_first():
        return
    arrays, at = portable_state.taken(run, method.carried), dataclasses.asdict(progress)
    told = config_file.told(method.name, method.config)
    saver.write_beside(lambda: portable_state.write(folder / portable_state.NAME, arrays, at, told))


def _opened(method: Method[Any], folder: Path, held: contextlib.ExitStack) -> Metrics:
    """The folder, made where there is none and locked until `held` is closed, and its metrics; those of processes
    other than the first, which measure the same, are thrown away. Raises RunError where another run is there.
    """
    if not processes.is_first():
        return held.enter_context(Metrics(Path(held.enter_context(tempfile.TemporaryDirectory()))))
    held.enter_context(alone_in(folder))
    if run_folder.can_go_on(folder):
        config_file.keep(folder, method.name, method.config)
    metrics = held.enter_context(Metrics(folder))
    (folder / "nets").mkdir(exist_ok=True)
    return metrics


def _begin(method: Method[R], folder: Path, desk: Desk) -> tuple[R, Progress, bool]:
    """The run at its last checkpoint, at what was unpacked into its folder, or at its beginning; whether at the first.

    Settings of a new run are kept when it has been begun with them: until then they may be refused, and corrected.
    """
    with processes.together():
        restored = checkpoint.restore(folder / "checkpoints", jax.eval_shape(method.init))
    processes.check_same("checkpoint" if restored is None else f"checkpoint {restored.number}")
    if restored is None:
        run, is_unpacked = method.begun(method.init()), (folder / portable_state.UNPACKED).exists()
        if not is_unpacked and processes.is_first():
            config_file.write(folder, method.name, method.config)
        _keep_net(method, run, desk.nets, Progress())
        if is_unpacked:
            return *_unpacked(method, run, folder, desk), False
        desk.metrics.truncate_after(-1)
        return run, Progress(), False
    for warning in restored.warnings:
        desk.watch.word(warning)
    progress = Progress(**restored.meta["progress"])
    _goes_on(method, progress, desk)
    return restored.tree, progress, True


def _unpacked(method: Method[R], new: R, folder: Path, desk: Desk) -> tuple[R, Progress]:
    """A new run with what was brought from another folder in its place: its games begin anew, its replay is empty."""
    with processes.together():
        file = portable_state.read(folder / portable_state.UNPACKED)
        run, before = portable_state.put_into(file, new, method.carried), portable_state.progress_of(file)
    progress = dataclasses.replace(before, parts=before.parts + 1)
    _keep_net(method, run, desk.nets, progress)
    _goes_on(method, progress, desk)
    _keep_best(method, run, desk, progress)
    desk.watch.word("its games are new and fill the replay again: those before stayed where it was packed")
    return run, progress


def _goes_on(method: Method[Any], progress: Progress, desk: Desk) -> None:
    """Forgets what was measured after a moment, and tells when that is."""
    desk.metrics.truncate_after(progress.iteration)
    if progress.iteration >= method.config.iterations:
        desk.watch.word("this run has ended")
        return
    under_way = f"iteration {progress.iteration + 1} of {method.config.iterations}"
    desk.watch.word(f"goes on with {under_way}, after {progress.frames:,} frames")


def _keep_net(method: Method[R], run: R, nets: Path, progress: Progress, *, is_best: bool = True) -> None:
    """Keeps the net that plays between two iterations: shortened among the past ones, whole if it is the best."""
    if not processes.is_first():
        return
    training: dict[str, Any] = {
        "method": method.name,
        "iteration": progress.iteration,
        "frames": progress.frames,
        "devices": sorted(progress.device_seconds),
        "boardwright": __version__,
        "config": settings.to_json(method.config),
    }
    if method.keep is not None:
        method.keep(run, nets, progress.iteration, training)
        return
    config, variables = method.player(run)
    kept: dict[str, Any] = {"config": config, "game": method.game, "training": training}
    league.keep(league.path_of(nets, progress.iteration), variables, **kept)
    if is_best:
        league.keep(nets / BEST, variables, whole=True, **kept)


def _keep_best(method: Method[R], run: R, desk: Desk, progress: Progress) -> None:
    """Of a method whose best net is chosen by a score: keeps the one with the highest of those in the folder as the
    best, where it is not yet.
    """
    measured = None if method.chosen_by is None else desk.metrics.read().scalars.get(method.chosen_by)
    if measured is None or not processes.is_first():
        return
    best = league.highest_kept(desk.nets, dict(zip(measured.iterations.tolist(), measured.values, strict=True)))
    if best == progress.iteration:
        _keep_net(method, run, desk.nets, progress)
    elif best is not None and netfile.read(desk.nets / BEST).training.get("iteration") != best:  # it was unpacked
        write_whole(desk.nets / BEST, league.path_of(desk.nets, best).read_bytes())
