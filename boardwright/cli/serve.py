"""Open the app in a browser: play, study, arena and training."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from boardwright.cli.common import FILE, TEXT, N, in_range, value
from boardwright.errors import BoardwrightError

MIN_TOKEN = 16  # characters


@dataclass(frozen=True)
class Options:
    """Where to listen, and where data is stored."""

    host: str = "127.0.0.1"  # Address to listen on; other machines need a token, printed at the start.
    port: N[int | None] = None  # Port to listen on; 0 for any free port. Default: 8000, or a free one if it is in use.
    db: FILE[Path | None] = None  # Database of games. Default: games.db in the user's data folder.
    runs: Annotated[Path | None, value("DIR")] = None  # Folder whose subfolders are training runs. Default: runs.
    workers: int = 0  # Worker processes for searches, at least two; 0: one per core, at least two.
    proxy: bool = False  # Accept requests that a reverse proxy on this machine forwards. Visitors need the token.
    token: TEXT[str | None] = None
    """Token that visitors must present, at least 16 characters. Default: $BOARDWRIGHT_TOKEN, else a random one where
    needed."""
    open: bool = False  # Open a browser.


def run(options: Options) -> None:
    """Serves until it is stopped."""
    from boardwright.processes import usable_cores
    from boardwright.web import running
    from boardwright.web.settings import Settings

    in_range("--port", options.port, 0, 65535)
    workers = in_range("--workers", options.workers, 0, 64) or max(2, usable_cores())
    if options.runs is not None and not options.runs.is_dir():
        raise BoardwrightError(f"--runs {options.runs}: there is no such folder")
    token = options.token or os.environ.get("BOARDWRIGHT_TOKEN") or None
    if token is not None and not re.fullmatch(rf"[A-Za-z0-9_-]{{{MIN_TOKEN},}}", token):
        raise BoardwrightError(
            f"--token (or $BOARDWRIGHT_TOKEN) must be at least {MIN_TOKEN} characters: letters, digits, - or _"
        )
    runs = options.runs or Path("runs").absolute()  # may be made later
    settings = Settings(db=options.db or _database(), runs=runs, workers=workers, token=token, proxy=options.proxy)
    running.serve(settings, options.host, options.port, open_browser=options.open)


def _database() -> Path:
    """The user's own database, in a folder made if missing."""
    base = os.environ.get("XDG_DATA_HOME", "")
    folder = (Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share") / "boardwright"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BoardwrightError(f"cannot make {folder}: {error.strerror}: give a database with --db") from error
    return folder / "games.db"
