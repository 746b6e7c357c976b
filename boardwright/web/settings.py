"""How a server is set up: what it keeps where, and how much it lets anybody use."""

import os
from dataclasses import dataclass
from pathlib import Path


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One server's settings; the defaults are meant for one person, or a few, on one machine."""

    db: Path  # games, live and finished; made where there is none
    runs: Path | None = None  # folder whose subfolders are training runs
    token: str | None = None  # what clients must show; None where only this machine can reach us
    workers: int = 2  # processes that think
    worker_megabytes: int = 4096  # address space of each
    worker_threads: int = 2  # that one player may have
    table_megabytes: int = 256  # of a player's table or tree
    move_seconds: float = 60.0  # the longest thought about a move
    analysis_seconds: float = 600.0
    queue: int = 512  # thoughts that may wait
    open_games: int = 1000  # unfinished ones
    body_bytes: int = 4_000_000  # of a request; game files are the largest
    requests_per_second: float = 1000.0  # by address, in the long run
    sockets: int = 500  # open at once
