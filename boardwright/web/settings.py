"""Settings of a server: its files and its limits."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of one server; the defaults suit a few people on one machine."""

    db: Path  # live and finished games; created if missing
    runs: Path | None = None  # folder whose subfolders are training runs
    token: str | None = None  # required of clients; None if only this machine can connect
    proxy: bool = False  # whether a reverse proxy on this machine forwards requests
    workers: int = 2  # search processes
    worker_megabytes: int = 4096  # address space of each worker
    worker_threads: int = 2  # limit of one player
    table_megabytes: int = 256  # limit of a player's table or tree
    move_seconds: float = 60.0  # limit of one move
    analysis_seconds: float = 600.0
    queue: int = 512  # limit of waiting search requests
    open_games: int = 1000  # limit of unfinished games
    body_bytes: int = 2_000_000  # limit of a request; game files are the largest
    requests_per_second: float = 1000.0  # limit of one client address
    sockets: int = 500  # limit of open sockets
