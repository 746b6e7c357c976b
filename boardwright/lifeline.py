"""For processes that another one starts: Ctrl-C does not reach them, and none outlives its parent, even one killed."""

import multiprocessing
import os
import signal
import threading
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess


def start_deaf(process: BaseProcess) -> None:
    """Starts a process that Ctrl-C does not reach: it is for this one alone, which then ends the others.

    The signal is blocked before there is any code that could ignore it, else a process that is just being started
    would end with a traceback. Python's resource tracker, where it starts with the first of them, would unblock it.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_the_parent() -> None:
    """From now on this process ends at once when its parent has."""
    threading.Thread(target=_end_with_it, daemon=True).start()


def _end_with_it() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
