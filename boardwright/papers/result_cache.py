"""What was played and measured for a page, in files of JSON: `told` says by which settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from boardwright.errors import BoardwrightError


def read_table(path: Path) -> dict[str, Any] | None:
    """A table of JSON, or None where there is none."""
    try:
        there = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return there if isinstance(there, dict) else None


def check_told(path: Path, there: Any, told: Any) -> None:
    """Raises BoardwrightError where a file keeps what was played or measured by other settings, maybe for hours."""
    if there != json.loads(json.dumps(told)):  # where tuples are lists
        raise BoardwrightError(
            f"{path} keeps what was played by other settings ({json.dumps(there)}, not {json.dumps(told)}): give the "
            "same ones, or take another folder, or move that file away"
        )
