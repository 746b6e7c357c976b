"""For processes that another one started: none of them outlives it, even if it is killed."""

import multiprocessing
import os
import threading


def follow_the_parent() -> None:
    """From now on this process ends at once when its parent has."""
    threading.Thread(target=_end_with_it, daemon=True).start()


def _end_with_it() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
