"""The training loop of every learning method: iterations, metrics, nets and checkpoints in one folder.

    train(method, folder, observer)

A `Method` holds the algorithm; the loop does the rest. The folder holds `config.json`, `checkpoints/`, `nets/` (the
net after every iteration, and `best.net`), `metrics.sqlite` and the portable state; see docs/reference/files.md. A run
that was stopped or killed resumes from its last checkpoint and ends with the same results.
"""

import contextlib
import dataclasses
import math
import tempfile
import time
from pathlib import Path
from typing import Any

import jax

from boardwright import __version__
from boardwright.atomicfile import write_atomic
from boardwright.errors import RunError
from boardwright.learn.distributed import processes
from boardwright.learn.distributed.device import out_of_memory_hint
from boardwright.learn.run import checkpoint, config_file, league, lock, portable_state, run_folder, settings
from boardwright.learn.run.checkpoint import Saver
from boardwright.learn.run.method import Method, MethodContext, RunObserver, State
from boardwright.learn.run.metrics import Metrics
from boardwright.learn.run.progress import Clock, Progress
from boardwright.nets import netfile

SECONDS_BETWEEN_CHECKPOINTS = 60.0
SPEED = ("speed/seconds", "speed/frames_per_second")


def train(
    method: Method[State],
    folder: Path,
    observer: RunObserver | None = None,
    *,
    seconds_between_checkpoints: float = SECONDS_BETWEEN_CHECKPOINTS,
) -> Progress:
    """Trains to the end, or until `observer.stopped()`; the next call with the same config resumes.

    Of several processes all must call it. Only the first writes files and calls the observer; any of them may stop.
    """
    observer = observer or RunObserver()
    if not processes.is_first():
        observer = RunObserver(stopped=observer.stopped)
    with contextlib.ExitStack() as held:
        held.enter_context(method.on_devices())
        if (split := method.describe_devices()) is not None:
            observer.message(split)
        processes.check_same(f"settings {settings.to_json(method.config)}")
        with processes.all_or_none():
            metrics = _open_folder(method, folder, held)
        context = MethodContext(folder / "nets", metrics, observer)
        with out_of_memory_hint("the games at once, the replay or the net's size"):
            state, progress, has_checkpoint = _load_or_initialise(method, folder, context)
        saver = held.enter_context(Saver(folder / "checkpoints", seconds_between_checkpoints))
        clock = Clock()
        while progress.iteration < method.config.iterations:
            stop, due = processes.any_process(observer.stopped(), processes.is_first() and saver.due())
            if stop or due:
                saver.save(progress.number, state, {"progress": dataclasses.asdict(progress)})
            if stop:
                saver.finish()
                where = f"{'in' if progress.chunk else 'before'} iteration {progress.iteration + 1}"
                observer.message(f"stopped {where}; run the same command to resume")
                return progress
            if progress.chunk < method.chunks:
                state, progress = _work(method, state, progress, context)
            else:
                if not has_checkpoint:  # else a run killed after this would leave only metrics and nets
                    saver.save_first(progress.number, state, {"progress": dataclasses.asdict(progress)})
                    has_checkpoint = True
                state, progress = _end_iteration(method, state, progress, context, clock)
                _save_portable(method, state, progress, folder, saver)
        saver.save(progress.number, state, {"progress": dataclasses.asdict(progress)})
        saver.finish()
        net = context.nets / method.best_name
        observer.message(f"{progress.iteration} iterations, {progress.frames:,} frames: the net is {net}")
        return progress


def _work(method: Method[State], state: State, progress: Progress, context: MethodContext) -> tuple[State, Progress]:
    """The next chunk of an iteration."""
    iteration, chunk, begin = progress.iteration, progress.chunk, time.monotonic()
    if chunk == 0:
        what, _, total = method.progress_after(1)
        context.observer.progress(what, 0, total)
    state, arrays = method.work(state, iteration, chunk, context)
    losses = {name: float(loss) for name, loss in arrays.items()}
    for name, loss in losses.items():
        if not math.isfinite(loss):
            raise RunError(
                f"the {name} loss is {loss} in iteration {iteration + 1}, after {chunk} of {method.chunks} chunks: the "
                f"last checkpoint before it is kept; start a new run with a lower learning rate"
            )
    context.observer.progress(*method.progress_after(chunk + 1))
    sums = {name: progress.losses.get(name, 0.0) + loss for name, loss in losses.items()} or progress.losses
    learned = progress.learned + bool(losses)
    progress = dataclasses.replace(progress, chunk=chunk + 1, losses=sums, learned=learned)
    return state, _add_seconds(method, progress, time.monotonic() - begin)


def _end_iteration(
    method: Method[State], state: State, progress: Progress, context: MethodContext, clock: Clock
) -> tuple[State, Progress]:
    """Gates, saves and evaluates the net of an iteration, and logs its metrics."""
    done, begin = progress.iteration + 1, time.monotonic()
    metrics = method.collect_metrics(state)
    metrics |= {f"loss/{name}": total / progress.learned for name, total in progress.losses.items()}
    frames = progress.frames + int(metrics["selfplay/moves"])
    state, gating = method.gate(state, done, context)
    metrics |= gating
    at_its_end = dataclasses.replace(progress, iteration=done, frames=frames)
    _save_net(method, state, context.nets, at_its_end, is_best=method.best_metric is None)
    progress = _add_seconds(method, progress, time.monotonic() - begin)
    context.metrics.log(done, frames, metrics)  # before ratings, which look up the frames of an iteration
    begin = time.monotonic()
    evaluation = method.evaluate(state, done, context)
    progress = progress.next_iteration(frames, method.devices * (time.monotonic() - begin))
    seconds = clock.lap()
    speed = dict(zip(SPEED, (seconds, metrics["selfplay/moves"] / seconds), strict=True))
    context.metrics.log(done, frames, evaluation | speed | progress.costs())
    _update_best(method, state, context, at_its_end)
    context.observer.on_iteration(done, frames, metrics | evaluation | speed)
    return method.next_iteration(state), progress


def _add_seconds(method: Method[Any], progress: Progress, seconds: float) -> Progress:
    """Progress with more seconds spent on all devices of a method."""
    return progress.add_seconds(jax.devices()[0].device_kind, method.devices * seconds)


def _save_portable(method: Method[State], state: State, progress: Progress, folder: Path, saver: Saver) -> None:
    """Replaces the portable state of the run, from which it could resume on another machine."""
    if not method.portable_fields or not processes.is_first():
        return
    arrays, meta = portable_state.collect(state, method.portable_fields), {"progress": dataclasses.asdict(progress)}
    saver.write_in_thread(lambda: checkpoint.write(folder / portable_state.NAME, arrays, meta))


def _open_folder(method: Method[Any], folder: Path, held: contextlib.ExitStack) -> Metrics:
    """Makes the folder, locks it until `held` is closed, and opens its metrics; raises RunError for another run.

    Processes other than the first measure the same and get metrics that are thrown away.
    """
    if not processes.is_first():
        return held.enter_context(Metrics(Path(held.enter_context(tempfile.TemporaryDirectory()))))
    held.enter_context(lock.exclusive(folder))
    if run_folder.can_resume(folder):
        config_file.store(folder, method.name, method.config)
    metrics = held.enter_context(Metrics(folder))
    (folder / "nets").mkdir(exist_ok=True)
    return metrics


def _load_or_initialise(method: Method[State], folder: Path, context: MethodContext) -> tuple[State, Progress, bool]:
    """(state, progress, whether from a checkpoint): of the last checkpoint, an unpacked run or a new one.

    The settings of a new run are saved only now: until then they may be refused, and corrected.
    """
    with processes.all_or_none():
        restored = checkpoint.restore(folder / "checkpoints", jax.eval_shape(method.initialise))
    processes.check_same("checkpoint" if restored is None else f"checkpoint {restored.number}")
    if restored is None:
        state = method.initialise_from(method.initialise())
        is_unpacked = portable_state.path_in(folder, portable_state.UNPACKED).exists()
        if not is_unpacked and processes.is_first():
            config_file.write(folder, method.name, method.config)
        _save_net(method, state, context.nets, Progress())
        if is_unpacked:
            return *_restore_unpacked(method, state, folder, context), False
        context.metrics.truncate_after(-1)
        return state, Progress(), False
    for warning in restored.warnings:
        context.observer.message(warning)
    progress = Progress(**restored.meta["progress"])
    _resume_metrics(method, progress, context)
    return restored.tree, progress, True


def _restore_unpacked(
    method: Method[State], new: State, folder: Path, context: MethodContext
) -> tuple[State, Progress]:
    """A new state with the portable fields of an unpacked run; its games and its replay buffer are new."""
    with processes.all_or_none():
        file, before = portable_state.read(portable_state.path_in(folder, portable_state.UNPACKED))
        state = portable_state.restore_into(file, new, method.portable_fields)
    progress = dataclasses.replace(before, parts=before.parts + 1)
    _save_net(method, state, context.nets, progress)
    _resume_metrics(method, progress, context)
    _update_best(method, state, context, progress)
    context.observer.message("its games restart and its replay buffer is empty: a pack holds neither")
    return state, progress


def _resume_metrics(method: Method[Any], progress: Progress, context: MethodContext) -> None:
    """Deletes metrics newer than the progress, and reports where the run resumes."""
    context.metrics.truncate_after(progress.iteration)
    if progress.iteration >= method.config.iterations:
        context.observer.message("this run is complete")
        return
    current = f"iteration {progress.iteration + 1} of {method.config.iterations}"
    context.observer.message(f"resuming {current} after {progress.frames:,} frames")


def _save_net(method: Method[State], state: State, nets: Path, progress: Progress, *, is_best: bool = True) -> None:
    """Saves the net that plays between two iterations, with its provenance."""
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
    method.save_artifact(state, nets, progress.iteration, training, is_best=is_best)


def _update_best(method: Method[State], state: State, context: MethodContext, progress: Progress) -> None:
    """Of a method with a `best_metric`: saves the net with the highest value in the folder as the best."""
    series = None if method.best_metric is None else context.metrics.read().scalars.get(method.best_metric)
    if series is None or not processes.is_first():
        return
    saved = context.nets / method.best_name
    best = league.best_iteration(context.nets, dict(zip(series.iterations.tolist(), series.values, strict=True)))
    if best == progress.iteration:
        _save_net(method, state, context.nets, progress)
    elif best is not None and netfile.read(saved).training.get("iteration") != best:  # the run was unpacked
        write_atomic(saved, league.path_of(context.nets, best).read_bytes())
