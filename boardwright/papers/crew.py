"""Jobs done at once, each in a process of its own: small trainings share one accelerator, which none of them fills.

    do_all(jobs, at_once=8, watch=watch)

Jobs keep what they have done themselves, so that one that was stopped or killed goes on when it is asked for again.
Processes live no longer than the one that hired them.
"""

import contextlib
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import jax

from boardwright.errors import BoardwrightError
from boardwright.learn.run.method import RunObserver
from boardwright.papers.stopping import StoppedError
from boardwright.processes import exit_with_parent, start_ignoring_sigint

LOOK_UP = 0.2  # seconds between looks at whether to stop


@dataclass(frozen=True)
class Job:
    """Something to do, by a function that can be pickled; it is told to stop through its watch."""

    name: str
    do: Callable[[RunObserver], object]
    after: tuple[str, ...] = ()  # jobs that must be done before


@dataclass(frozen=True)
class _Worker:
    process: BaseProcess
    job: Job


def do_all(jobs: Sequence[Job], *, at_once: int, watch: RunObserver) -> None:
    """Does all jobs, those given first sooner; raises StoppedError when `watch` says so.

    A job that fails stops the others, as `watch` does, and is told of in a BoardwrightError.
    """
    waiting, done = list(jobs), set[str]()
    crew: dict[Connection, _Worker] = {}
    end: Exception | None = None  # why no more is done
    try:
        while crew or (waiting and end is None):
            if end is None and watch.stopped():
                end = _told_to_stop(crew, StoppedError())
            while end is None and len(crew) < at_once and (job := _next(waiting, done)) is not None:
                waiting.remove(job)
                line, worker = _hire(job)
                crew[line] = worker
            watch.progress("runs", len(done), len(jobs))
            for line in wait(list(crew), LOOK_UP):
                assert isinstance(line, Connection)
                answer = _answer(line, crew[line])
                if isinstance(answer, str):
                    watch.message(answer)
                    continue
                job = crew.pop(line).job
                line.close()
                if answer is None:
                    done.add(job.name)
                    watch.message(f"{job.name}: done, {len(done)} of {len(jobs)}")
                elif end is None:
                    end = _told_to_stop(crew, answer)
    finally:
        for worker in crew.values():
            worker.process.kill()
    if end is not None:
        raise end


def _next(waiting: Sequence[Job], done: Collection[str]) -> Job | None:
    """The first job that need not wait for another."""
    return next((job for job in waiting if set(job.after) <= set(done)), None)


def _told_to_stop(lines: Collection[Connection], why: Exception) -> Exception:
    """Why, after all have been told: whatever a job reads from its line, it is to stop."""
    for line in lines:
        with contextlib.suppress(OSError):  # it has died, and reading from it will tell
            line.send(None)
    return why


def _hire(job: Job) -> tuple[Connection, _Worker]:
    """Starts a process on a job. Ctrl-C is for this process alone, which tells the others."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    programs = jax.config.jax_compilation_cache_dir  # pyright: ignore[reportAttributeAccessIssue]
    process = spawning.Process(target=_work, args=(theirs, job, programs), daemon=False)
    start_ignoring_sigint(process)
    theirs.close()
    return ours, _Worker(process, job)


def _answer(line: Connection, worker: _Worker) -> str | Exception | None:
    """What a process says: a word on the way, None when its job is done, or why it is not."""
    try:
        return line.recv()
    except (EOFError, OSError):
        worker.process.join()
        code = worker.process.exitcode or 0
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return BoardwrightError(
            f"{worker.job.name}: its process {ended}: see whether memory runs out, and do fewer at once; "
            "what was done is kept"
        )


def _work(line: Connection, job: Job, programs: str | None) -> None:
    """A process's life: one job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    exit_with_parent()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else the first takes most of a GPU's memory
    if programs is not None:
        jax.config.update("jax_compilation_cache_dir", programs)
    answer: Exception | None = None
    try:
        job.do(RunObserver(message=line.send, stopped=line.poll))
    except StoppedError as error:
        answer = error
    except BoardwrightError as error:
        answer = BoardwrightError(f"{job.name}: {error}")
    except Exception as error:
        traceback.print_exc()
        answer = BoardwrightError(f"{job.name} failed, {type(error).__name__}: {error}")
    line.send(answer)
