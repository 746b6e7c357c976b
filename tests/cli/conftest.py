"""Commands in this process, as from a shell."""

import sys
from pathlib import Path
from typing import Any

import pytest

from boardwright.cli import main


@pytest.fixture
def boardwright(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The command line: (exit status, stdout, stderr)."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["boardwright", *map(str, arguments)])
        try:
            main.main()
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run
