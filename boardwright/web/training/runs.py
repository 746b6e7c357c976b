"""The training runs in the server's folder: their ids, progress and nets.

Clients name a run by an id that this module makes from the folders it finds; no path written by a client reaches the
file system. Nothing here imports JAX.
"""

import datetime
import functools
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardwright.atomicfile import read_bounded
from boardwright.errors import BoardwrightError
from boardwright.games.registry import GAMES, current_rule_name, game_class
from boardwright.learn.run import metrics
from boardwright.learn.run.lock import is_held
from boardwright.web.server.http import Json, NotFoundError
from boardwright.web.server.reports import report_once

CONFIG = "config.json"
MAX_CONFIG_BYTES = 1 << 20
MAX_DEPTH = 3  # levels of folders below the server's
MAX_RUNS = 500
WITH_PLAYERS = ("alphabeta", "alphazero", "dqn", "ppo")  # methods with a player of the same name


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run folder."""

    id: str
    name: str  # path of the folder relative to the server's
    folder: Path
    method: str
    game: str
    rules: str  # name of the rule set it learns
    iterations: int  # target


def find_runs(root: Path | None) -> list[Run]:
    """The runs under a folder, newest first."""
    if root is None:
        return []
    found = []
    for folder in _run_folders(root, MAX_DEPTH):
        try:
            run = _read_run(root, folder)
        except Exception as error:  # a folder may hold anything; it must not hide the other runs
            report_once(f"run {folder} is damaged and not shown: {type(error).__name__}: {error}")
            continue
        if run is not None:
            found.append(run)
        if len(found) == MAX_RUNS:
            break
    return sorted(found, key=lambda run: (-_changed(run.folder / CONFIG), run.name))


def _read_run(root: Path, folder: Path) -> Run | None:
    """The run in a folder; None if its config is not that of a run. May raise anything for a damaged one."""
    config = _config(folder / CONFIG)
    if config is None:
        return None
    name = folder.relative_to(root).as_posix() if folder != root else root.name
    name.encode()  # a name that is not UTF-8 text cannot be sent to pages
    rules = config.get("rules") or game_class(config["game"]).default_rules
    run = Run(
        id=hashlib.blake2b(os.fsencode(name), digest_size=8).hexdigest(),
        name=name,
        folder=folder,
        method=config["method"],
        game=config["game"],
        rules=str(current_rule_name(config["game"], str(rules))),
        iterations=config["iterations"],
    )
    (run.method + run.rules).encode()
    best_net(run)  # raises if it cannot be examined
    return run


def find_run(root: Path | None, run_id: str) -> Run:
    """The run with an id; raises NotFoundError. Reads all runs only to find an id for the first time."""
    missing = NotFoundError(f"there is no run {run_id!r}: it may have been moved, reload the list")
    try:
        folder = _folder_of(root, run_id)
        run = _read_run(root, folder) if root is not None else None
    except Exception as error:  # as in `find_runs`
        raise missing from error
    if run is None:
        raise missing
    return run


@functools.lru_cache(maxsize=MAX_RUNS)
def _folder_of(root: Path | None, run_id: str) -> Path:
    """The folder of the run with an id, which is made from the folder's path; raises StopIteration."""
    return next(run.folder for run in find_runs(root) if run.id == run_id)


def iteration_of(run: Run) -> tuple[int, int]:
    """The last iteration of a run, and its frames; 0 before the first metrics."""
    try:
        iteration, frames = metrics.progress(run.folder)
    except BoardwrightError:
        return 0, 0
    return int(iteration), int(frames)


def progress_of(run: Run) -> Json:
    """The fields of a run that change, as in `RunInfo`."""
    iteration, frames = iteration_of(run)
    files = (run.folder / name for name in (CONFIG, metrics.NAME, f"{metrics.NAME}-wal"))
    changed = datetime.datetime.fromtimestamp(max(map(_changed, files)), datetime.UTC)
    state = "running" if is_held(run.folder) else "done" if iteration >= run.iterations else "stopped"
    updated = changed.strftime("%Y-%m-%dT%H:%M:%SZ")
    has_player = run.method in WITH_PLAYERS and best_net(run) is not None
    player = f"{run.method}:net=run/{run.id}" if has_player else None  # see `players/specs.py`
    return {"iteration": iteration, "frames": frames, "updated": updated, "state": state, "player": player}


def newest_net(run: Run) -> tuple[Path, int] | None:
    """The newest net and its iteration; None before the first net, and for methods without nets."""
    nets = [path for path in (run.folder / "nets").glob("*.net") if path.stem.isascii() and path.stem.isdigit()]
    if not nets:
        return None
    newest = max(nets, key=lambda path: int(path.stem))
    return newest, int(newest.stem)


def best_net(run: Run) -> Path | None:
    """The best net of a run; None before the first, and if its path has a comma, which specs cannot hold."""
    path = run.folder / "nets" / "best.net"
    return path if path.is_file() and "," not in str(path.resolve()) else None


def _run_folders(folder: Path, depth: int) -> Iterator[Path]:
    """The folders of runs, without following links; runs are not nested."""
    try:
        inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    if any(entry.name == CONFIG for entry in inside):
        yield folder
    elif depth:
        for entry in inside:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from _run_folders(Path(entry.path), depth - 1)


def _config(path: Path) -> Mapping[str, Any] | None:
    """The config of a run; None if the file is not one."""
    try:
        config = json.loads(read_bounded(path, MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(config, dict) or not all(isinstance(config.get(name), str) for name in ("method", "game")):
        return None
    iterations = config.get("iterations")
    return config if config["game"] in GAMES and isinstance(iterations, int) and abs(iterations) < 2**53 else None


def _changed(path: Path) -> float:
    """When a file was last written, seconds since 1970; 0 if it does not exist."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
