"""The processes of one run: each has some of the devices, and all do the same.

The first alone writes files and speaks. Whatever depends on a clock, a signal or a disk must be agreed on, or the
processes would wait for each other in different places for ever.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import jax
import numpy as np
from jax.experimental import multihost_utils

from boardwright.errors import RunError

SECONDS_TO_JOIN = 300  # of the processes' start apart from each other


def join(coordinator: str | None, processes: int | None, process: int | None) -> None:
    """Makes this process one of several, before anything else is asked of JAX.

    coordinator: HOST:PORT of the first process. What is None is found out where a cluster's scheduler tells it.
    """
    _check(coordinator, processes, process)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(coordinator, processes, process, initialization_timeout=SECONDS_TO_JOIN)
    except ValueError as error:  # something was not told, and could not be found out
        raise RunError(
            "no scheduler tells of other processes: give --coordinator HOST:PORT, --processes N and --process I"
        ) from error
    except (RuntimeError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise RunError(
            f"process {process} cannot join the others at {coordinator}: {first}: see that all of them start, with "
            f"the same --coordinator"
        ) from error


def is_first() -> bool:
    """Whether this process writes and speaks."""
    return jax.process_index() == 0


def are_several() -> bool:
    """Whether there are others."""
    return jax.process_count() > 1


def agreed(*, stop: bool, due: bool) -> tuple[bool, bool]:
    """(whether any process was told to stop, whether the first finds that a checkpoint is due), in all the same."""
    if jax.process_count() == 1:
        return stop, due
    said = np.asarray(multihost_utils.process_allgather(np.array([stop, due])))
    return bool(said[:, 0].any()), bool(said[0, 1])


@contextmanager
def together() -> Iterator[None]:
    """What is done inside, each process by itself, succeeds in all of them or raises RunError in all of them."""
    try:
        yield
    except BaseException:
        _all_well(False)
        raise
    if not _all_well(True):
        raise RunError("another process of this run cannot go on, and says why in its own line")


def check_same(text: str) -> None:
    """Raises RunError, in all processes, where they do not say the same."""
    said = np.uint32(zlib.crc32(text.encode()))
    if jax.process_count() > 1 and np.any(multihost_utils.process_allgather(said) != said):
        raise RunError(
            f"the processes of this run differ in their {text.split()[0]}: start all of them with the same command, on "
            f"a folder they share"
        )


def on_host(array: jax.Array | np.ndarray) -> np.ndarray:
    """An array of which other processes may have shards; all of them must ask for it."""
    if isinstance(array, jax.Array) and not (array.is_fully_addressable or array.is_fully_replicated):
        return np.asarray(multihost_utils.process_allgather(array, tiled=True))
    return np.asarray(array)


def wait() -> None:
    """Until all processes are here."""
    _all_well(True)


def _all_well(well: bool) -> bool:
    """Whether all processes are."""
    if jax.process_count() == 1:
        return well
    return bool(np.all(multihost_utils.process_allgather(np.array(well))))


def _check(coordinator: str | None, processes: int | None, process: int | None) -> None:
    if coordinator is not None:
        host, _, port = coordinator.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise RunError(f"--coordinator {coordinator}: expected HOST:PORT, such as node1:12355")
    if processes is not None and processes < 1:
        raise RunError(f"--processes {processes}: expected how many there are, from 1")
    if process is not None and not 0 <= process < (processes or 1 << 31):
        most = "below --processes" if processes is None else f"to {processes - 1}"
        raise RunError(f"--process {process}: expected a number from 0 {most}")
