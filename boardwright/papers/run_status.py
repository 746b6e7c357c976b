"""Whether a training run has come to its end, wherever its folder lies now, and without loading what it holds.

So a page can be made of runs that were made elsewhere, of which little more than settings and metrics are left.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from boardwright.learn.run import config_file
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.metrics import NAME as METRICS
from boardwright.learn.run.metrics import read_metrics
from boardwright.papers.result_cache import read_table

OTHERS_FILE = re.compile(r"[^=]*(?=runs/[a-z-]+-\d+/nets/)")  # the folder before the name of another run's file


def has_ended(folder: Path, method: str, config: Any) -> bool:
    """Whether the run in a folder was told the same and has made all its iterations."""
    if not ((folder / METRICS).exists() and is_same_run(folder, method, config)):
        return False  # the loop will say why
    done = read_metrics(folder).scalars.get("speed/seconds")
    return done is not None and int(done.iterations[-1]) >= config.iterations


def is_same_run(folder: Path, method: str, config: Any) -> bool:
    """Whether a run was told the same, but for where its folder lies and for settings that there were none of then."""
    if read_table(folder / CONFIG) is None:
        return False
    there = config_file.with_defaults(config_file.read(folder), config)
    return _without_places(there) == _without_places(config_file.contents(method, config))


def _without_places(value: Any) -> Any:
    """Settings in which files of other runs are named by where they lie in the folder, wherever that is."""
    if isinstance(value, dict):
        return {name: _without_places(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_places(part) for part in value]
    return OTHERS_FILE.sub("", value) if isinstance(value, str) else value
