"""Worker processes: spawned with a pipe, limited in memory, not reached by Ctrl-C, ended with their parent."""

import contextlib
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

STOP_SECONDS = 5.0  # between SIGTERM and SIGKILL


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerDiedError(Exception):
    """A worker process has ended; the message says how, such as "was killed by signal 9"."""


@dataclass(frozen=True, eq=False)
class Worker:
    """A worker process and the parent's end of the pipe to it."""

    process: BaseProcess
    connection: Connection

    def send(self, message: object) -> None:
        """Sends a message. A worker that has died does not get it: `receive` will raise."""
        with contextlib.suppress(OSError):
            self.connection.send(message)

    def receive(self) -> Any:
        """Waits for the next message of the worker; raises WorkerDiedError."""
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.connection.close()
            self.process.join()
            code = self.process.exitcode or 0
            reason = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            raise WorkerDiedError(reason) from None


def spawn(target: Callable[..., None], *arguments: object, megabytes: int | None = None) -> Worker:
    """Starts a process that calls `target(connection, *arguments)` with its end of the pipe.

    Args:
        target: a function of a module, and arguments that can be pickled.
        megabytes: limit of the worker's address space; beyond it allocations fail.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_main, args=(theirs, target, arguments, megabytes), daemon=False)
    start_ignoring_sigint(process)
    theirs.close()
    return Worker(process, ours)


def stop(workers: Iterable[Worker]) -> None:
    """Ends workers: SIGTERM first, SIGKILL for those that need longer than `STOP_SECONDS`."""
    workers = list(workers)
    for worker in workers:
        worker.connection.close()
        worker.process.terminate()
    for worker in workers:
        worker.process.join(STOP_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.process.close()


def start_ignoring_sigint(process: BaseProcess) -> None:
    """Starts a process with SIGINT blocked: Ctrl-C reaches only the parent, which then stops the others.

    The signal is blocked before the process runs any code, else a process that is just starting would end with a
    traceback. Python's resource tracker would unblock it if it were started together with the first process.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _main(
    connection: Connection, target: Callable[..., None], arguments: tuple[object, ...], megabytes: int | None
) -> None:
    """What runs in the worker. It exits as soon as its parent has ended, even if that was killed."""
    if megabytes is not None:
        with contextlib.suppress(OSError, ValueError):  # where the system does not support it
            _, most = resource.getrlimit(resource.RLIMIT_AS)  # below zero: unlimited
            size = megabytes << 20
            resource.setrlimit(resource.RLIMIT_AS, (size if most < 0 else min(size, most), most))
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def exit_with_parent() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()
    target(connection, *arguments)
