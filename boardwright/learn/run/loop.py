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
from typing import Any, Generic

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
from boardwright.learn.run.progress import Progress
from boardwright.nets import netfile

SECONDS_BETWEEN_CHECKPOINTS = 60.0


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
        if (split := held.enter_context(method.on_devices())) is not None:
            observer.message(split)
        processes.check_same(f"settings {settings.to_json(method.config)}")
        with processes.all_or_none():
            if processes.is_first():
                held.enter_context(lock.exclusive(folder))
                if run_folder.can_resume(folder):
                    config_file.store(folder, method.name, method.config)
                (folder / "nets").mkdir(exist_ok=True)
                measured = folder
            else:  # the others measure the same, and throw it away
                measured = Path(held.enter_context(tempfile.TemporaryDirectory()))
            metrics = held.enter_context(Metrics(measured))
        run = _Run(method, folder, MethodContext(folder / "nets", metrics, observer))
        with out_of_memory_hint("the number of concurrent games, the replay size or the net size"):
            has_checkpoint = run.load_or_initialise()
        saver = held.enter_context(Saver(folder / "checkpoints", seconds_between_checkpoints))
        while not run.is_complete:
            stop, due = processes.any_process(observer.stopped(), processes.is_first() and saver.due())
            if stop or due:
                saver.save(run.progress.number, run.state, run.progress.meta())
            if stop:
                saver.finish()
                where = f"{'in' if run.progress.chunk else 'before'} iteration {run.progress.iteration + 1}"
                observer.message(f"stopped {where}; run the same command to resume")
                return run.progress
            if run.progress.chunk < method.chunks:
                run.work()
            else:
                if not has_checkpoint:  # else a run killed after this would leave only metrics and nets
                    saver.save_first(run.progress.number, run.state, run.progress.meta())
                    has_checkpoint = True
                run.end_iteration(saver)
        saver.save(run.progress.number, run.state, run.progress.meta())
        saver.finish()
        done = f"{run.progress.iteration} iterations, {run.progress.frames:,} frames"
        observer.message(f"finished: {done}; net saved as {run.context.nets / method.best_name}")
        return run.progress


class _Run(Generic[State]):
    """A run in progress: the state of its method, which the steps of an iteration change."""

    state: State

    def __init__(self, method: Method[State], folder: Path, context: MethodContext):
        self.method, self.folder, self.context = method, folder, context
        self.progress = Progress()
        self._lap = time.monotonic()  # when the iteration began, or was resumed

    @property
    def is_complete(self) -> bool:
        """Whether all iterations are done."""
        return self.progress.iteration >= self.method.config.iterations

    def load_or_initialise(self) -> bool:
        """Loads the last checkpoint, else an unpacked run, else starts a new one; returns whether from a checkpoint.

        The settings of a new run are saved only now: until then they may be refused, and corrected.
        """
        method, unpacked = self.method, portable_state.path_in(self.folder, portable_state.UNPACKED)
        with processes.all_or_none():
            restored = checkpoint.restore(self.folder / "checkpoints", jax.eval_shape(method.initialise))
        processes.check_same("checkpoint" if restored is None else f"checkpoint {restored.number}")
        if restored is not None:
            for warning in restored.warnings:
                self.context.observer.message(warning)
            self.state, self.progress = restored.tree, Progress(**restored.meta["progress"])
            self._resume_metrics()
            return True
        self.state = method.initialise_from(method.initialise())
        if unpacked.exists():
            self._save_net()
            self._restore_unpacked(unpacked)
            return False
        if processes.is_first():
            config_file.write(self.folder, method.name, method.config)
        self._save_net()
        self.context.metrics.truncate_after(-1)
        return False

    def work(self) -> None:
        """The next chunk of an iteration."""
        method, progress, observer, begin = self.method, self.progress, self.context.observer, time.monotonic()
        if progress.chunk == 0:
            what, _, total = method.progress_after(1)
            observer.progress(what, 0, total)
        self.state, arrays = method.work(self.state, progress.iteration, progress.chunk, self.context)
        losses = {name: float(loss) for name, loss in arrays.items()}
        for name, loss in losses.items():
            if not math.isfinite(loss):
                where = f"iteration {progress.iteration + 1}, after {progress.chunk} of {method.chunks} chunks"
                advice = "the last checkpoint before it is kept; start a new run with a lower learning rate"
                raise RunError(f"the {name} loss is {loss} in {where}: {advice}")
        observer.progress(*method.progress_after(progress.chunk + 1))
        sums = {name: progress.losses.get(name, 0.0) + loss for name, loss in losses.items()} or progress.losses
        learned = progress.learned + bool(losses)
        self.progress = dataclasses.replace(progress, chunk=progress.chunk + 1, losses=sums, learned=learned)
        self._add_device_seconds(begin)

    def end_iteration(self, saver: Saver) -> None:
        """Gates, saves and evaluates the net of an iteration, logs its metrics, and replaces the portable state."""
        method, progress, context, begin = self.method, self.progress, self.context, time.monotonic()
        done, metrics = progress.iteration + 1, method.collect_metrics(self.state)
        metrics |= {f"loss/{name}": total / progress.learned for name, total in progress.losses.items()}
        moves = metrics["selfplay/moves"]
        frames = progress.frames + int(moves)
        self.state, gating = method.gate(self.state, done, context)
        metrics |= gating
        self.progress = dataclasses.replace(progress, iteration=done, chunk=0, frames=frames, losses={}, learned=0)
        self._save_net(is_best=method.best_metric is None)
        self._add_device_seconds(begin)
        context.metrics.log(done, frames, metrics)  # before ratings, which look up the frames of an iteration
        begin = time.monotonic()
        evaluation = method.evaluate(self.state, done, context)
        now = time.monotonic()
        spent = self.progress.evaluation_seconds + method.devices * (now - begin)
        self.progress = dataclasses.replace(self.progress, evaluation_seconds=spent)
        seconds, self._lap = max(now - self._lap, 1e-9), now  # with compilation and checkpoints
        evaluation |= {"speed/seconds": seconds, "speed/frames_per_second": moves / seconds}
        context.metrics.log(done, frames, evaluation | self.progress.costs())
        self._update_best()
        context.observer.on_iteration(done, frames, metrics | evaluation)
        self.state = method.next_iteration(self.state)
        if method.portable_fields and processes.is_first():
            arrays, meta = portable_state.collect(self.state, method.portable_fields), self.progress.meta()
            saver.write_in_thread(lambda: checkpoint.write(self.folder / portable_state.NAME, arrays, meta))

    def _restore_unpacked(self, path: Path) -> None:
        """Replaces the portable fields of a new state by those of an unpacked run; games and replay buffer are new."""
        with processes.all_or_none():
            file, before = portable_state.read(path)
            self.state = portable_state.restore_into(file, self.state, self.method.portable_fields)
        self.progress = dataclasses.replace(before, parts=before.parts + 1)
        self._save_net()
        self._resume_metrics()
        self._update_best()
        self.context.observer.message("games restart and the replay buffer is empty: a packed run contains neither")

    def _resume_metrics(self) -> None:
        """Deletes metrics newer than the progress, and reports where the run resumes."""
        progress, observer = self.progress, self.context.observer
        self.context.metrics.truncate_after(progress.iteration)
        if self.is_complete:
            observer.message("this run is complete")
        else:
            current = f"iteration {progress.iteration + 1} of {self.method.config.iterations}"
            observer.message(f"resuming {current} after {progress.frames:,} frames")

    def _add_device_seconds(self, begin: float) -> None:
        """Adds the time since `begin` on all devices of the method to the costs."""
        kind, seconds = jax.devices()[0].device_kind, self.method.devices * (time.monotonic() - begin)
        spent = {**self.progress.device_seconds, kind: self.progress.device_seconds.get(kind, 0.0) + seconds}
        self.progress = dataclasses.replace(self.progress, device_seconds=spent)

    def _save_net(self, *, is_best: bool = True) -> None:
        """Saves the net that plays between two iterations, with its provenance."""
        method, progress = self.method, self.progress
        if processes.is_first():
            training: dict[str, Any] = {
                "method": method.name,
                "iteration": progress.iteration,
                "frames": progress.frames,
                "devices": sorted(progress.device_seconds),
                "boardwright": __version__,
                "config": settings.to_json(method.config),
            }
            method.save_artifact(self.state, self.context.nets, progress.iteration, training, is_best=is_best)

    def _update_best(self) -> None:
        """Of a method with a `best_metric`: saves the net with the highest value in the folder as the best."""
        method, nets = self.method, self.context.nets
        if method.best_metric is None or not processes.is_first():
            return
        scores = self.context.metrics.read().by_iteration(method.best_metric)
        rated = scores.keys() & league.iterations_in(nets)
        best = max(rated, key=lambda net: (scores[net], net), default=None)  # the latest of equals
        if best == self.progress.iteration:
            self._save_net()
        elif best is not None and netfile.read(nets / method.best_name).training.get("iteration") != best:
            write_atomic(nets / method.best_name, league.path_of(nets, best).read_bytes())  # the run was unpacked
