"""The work folder of a paper: cached results as JSON files, and training runs that have ended.

A page can be made of a copy of the folder, or of one made elsewhere, in which little more than settings and metrics is
left of the runs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from boardwright.atomicfile import write_atomic
from boardwright.errors import BoardwrightError
from boardwright.learn.run import config_file
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.metrics import NAME as METRICS
from boardwright.learn.run.metrics import read_metrics

OTHER_RUN_FOLDER = re.compile(r"[^=]*(?=runs/[a-z-]+-\d+/nets/)")  # the folder before the name of another run's file


class StoppedError(Exception):
    """The work was stopped; what is done is saved, and the same command resumes."""


def read_table(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None without one."""
    try:
        table = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return table if isinstance(table, dict) else None


def write_table(path: Path, **fields: Any) -> None:
    """Writes a JSON file atomically, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(fields).encode())


def check_settings(path: Path, found: Any, expected: Any) -> None:
    """Raises BoardwrightError if a file has results of other settings, which may have taken hours."""
    if found != json.loads(json.dumps(expected)):  # where tuples are lists
        raise BoardwrightError(
            f"{path} keeps what was played by other settings ({json.dumps(found)}, not {json.dumps(expected)}): give "
            "the same ones, or take another folder, or move that file away"
        )


def has_ended(folder: Path, method: str, config: Any) -> bool:
    """Whether a folder holds a run of these settings with all its iterations."""
    if not ((folder / METRICS).exists() and is_same_run(folder, method, config)):
        return False  # the loop reports the reason
    done = read_metrics(folder).scalars.get("speed/seconds")
    return done is not None and int(done.iterations[-1]) >= config.iterations


def is_same_run(folder: Path, method: str, config: Any) -> bool:
    """Whether a run has these settings; its folder may have moved, and newer settings have their defaults."""
    if read_table(folder / CONFIG) is None:
        return False
    found = config_file.with_defaults(config_file.read(folder), config)
    return _without_folders(found) == _without_folders(config_file.contents(method, config))


def _without_folders(value: Any) -> Any:
    """Settings in which files of other runs are named relative to the work folder."""
    if isinstance(value, dict):
        return {name: _without_folders(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_folders(part) for part in value]
    return OTHER_RUN_FOLDER.sub("", value) if isinstance(value, str) else value
