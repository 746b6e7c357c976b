"""Commands in this process, as from a shell."""

from pathlib import Path
from typing import Any

import commands
import pytest


@pytest.fixture
def boardwright() -> Any:
    """The command line: (exit status, stdout, stderr)."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        done = commands.boardwright(*map(str, arguments))
        return done.returncode, done.stdout, done.stderr

    return run
