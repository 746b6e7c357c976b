"""The processes of one run: each has some of the devices, and all run the same program.

Only the first writes files and messages. The processes must agree on anything that depends on a clock, a signal or a
disk, or they would wait for each other in different places for ever.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import jax
import numpy as np
from jax.experimental import multihost_utils

from boardwright.errors import RunError

SECONDS_TO_JOIN = 300  # of the processes' start apart from each other


def join(coordinator: str | None, processes: int | None, process: int | None) -> None:
    """Makes this process one of several; call it before any other function of JAX.

    coordinator: HOST:PORT of the first process. Arguments that are None are taken from a cluster's scheduler.
    """
    if coordinator is not None:
        host, _, port = coordinator.rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
            raise RunError(f"--coordinator {coordinator}: expected HOST:PORT, such as node1:12355")
    if processes is not None and processes < 1:
        raise RunError(f"--processes {processes}: expected at least 1")
    if process is not None and not 0 <= process < (processes or 1 << 31):
        range_end = "below --processes" if processes is None else f"to {processes - 1}"
        raise RunError(f"--process {process}: expected a number from 0 {range_end}")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(coordinator, processes, process, initialization_timeout=SECONDS_TO_JOIN)
    except ValueError as error:  # an argument is missing, and no scheduler supplies it
        raise RunError("no scheduler found: give --coordinator HOST:PORT, --processes N and --process I") from error
    except (RuntimeError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise RunError(
            f"process {process} cannot join the others at {coordinator}: {first}: check that all processes start "
            f"with the same --coordinator"
        ) from error


def is_first() -> bool:
    """Whether this process is the one that writes files and messages."""
    return jax.process_index() == 0


def any_process(*flags: bool) -> list[bool]:
    """For each flag, whether it is set in any process: the same in all of them."""
    if jax.process_count() == 1:
        return [*flags]
    gathered = np.asarray(multihost_utils.process_allgather(np.array(flags)))
    return [bool(gathered[:, place].any()) for place in range(len(flags))]


@contextmanager
def all_or_none() -> Iterator[None]:
    """The body, which each process runs, succeeds in all processes or raises RunError in all of them."""
    try:
        yield
    except BaseException:
        any_process(True)
        raise
    if any_process(False)[0]:
        raise RunError("another process of this run failed: see its error message")


def check_same(text: str) -> None:
    """Raises RunError, in all processes, where their texts differ."""
    checksum = np.uint32(zlib.crc32(text.encode()))
    if jax.process_count() > 1 and np.any(multihost_utils.process_allgather(checksum) != checksum):
        raise RunError(
            f"the processes of this run differ in their {text.split()[0]}: start all of them with the same command, on "
            f"a folder they share"
        )


def on_host(array: jax.Array | np.ndarray) -> np.ndarray:
    """An array of which other processes may have shards; all processes must call it."""
    if isinstance(array, jax.Array) and not (array.is_fully_addressable or array.is_fully_replicated):
        return np.asarray(multihost_utils.process_allgather(array, tiled=True))
    return np.asarray(array)
