"""Jobs run in parallel, each in its own process: small trainings share one accelerator that none of them fills.

    run_jobs(jobs, at_once=8, observer=observer)

Jobs save their own progress: one that was stopped or killed resumes when it is run again.
"""

import os
import signal
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

import jax

from boardwright import processes
from boardwright.errors import BoardwrightError
from boardwright.learn.run.method import RunObserver
from boardwright.papers.work_folder import StoppedError
from boardwright.processes import Worker, WorkerDiedError

POLL_SECONDS = 0.2  # between checks whether to stop


@dataclass(frozen=True)
class Job:
    """A function that can be pickled; its observer says when to stop."""

    name: str
    run: Callable[[RunObserver], object]
    after: tuple[str, ...] = ()  # jobs that must be done before


def run_jobs(jobs: Sequence[Job], *, at_once: int, observer: RunObserver) -> None:
    """Runs all jobs, in the given order where possible; raises StoppedError when the observer stops them.

    A job that fails stops the others like the observer; BoardwrightError says which job it was and why.
    """
    waiting, done = list(jobs), set[str]()
    running: dict[Any, tuple[Worker, Job]] = {}  # by connection
    failure: Exception | None = None
    is_stopping = False
    cache = jax.config.jax_compilation_cache_dir  # pyright: ignore[reportAttributeAccessIssue]
    try:
        while running or (waiting and failure is None):
            if failure is None and observer.stopped():
                failure = StoppedError()
            if failure is not None and not is_stopping:
                is_stopping = True
                for worker, _ in running.values():
                    worker.send(None)  # any message asks a job to save its progress and stop
            ready = [] if is_stopping else [job for job in waiting if done.issuperset(job.after)]
            for job in ready[: at_once - len(running)]:
                waiting.remove(job)
                worker = processes.spawn(_work, job, cache)
                running[worker.connection] = worker, job
            observer.progress("runs", len(done), len(jobs))
            for connection in wait(list(running), POLL_SECONDS):
                worker, job = running[connection]
                try:
                    answer = worker.receive()
                except WorkerDiedError as error:
                    advice = "check whether memory runs out, and run fewer at once; finished work is kept"
                    answer = BoardwrightError(f"{job.name}: its process {error}: {advice}")
                if isinstance(answer, str):
                    observer.message(answer)
                    continue
                del running[connection]
                worker.connection.close()
                if answer is None:
                    done.add(job.name)
                    observer.message(f"{job.name}: done, {len(done)} of {len(jobs)}")
                else:
                    failure = failure or answer
    finally:
        for worker, _ in running.values():
            worker.process.kill()
    if failure is not None:
        raise failure


def _work(connection: Connection, job: Job, cache: str | None) -> None:
    """What a process does: runs one job and sends how it ended."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else the first takes most of a GPU's memory
    if cache is not None:
        jax.config.update("jax_compilation_cache_dir", cache)
    answer: Exception | None = None
    try:
        job.run(RunObserver(message=connection.send, stopped=connection.poll))
    except StoppedError as error:
        answer = error
    except BoardwrightError as error:
        answer = BoardwrightError(f"{job.name}: {error}")
    except Exception as error:
        traceback.print_exc()
        answer = BoardwrightError(f"{job.name} failed, {type(error).__name__}: {error}")
    connection.send(answer)
