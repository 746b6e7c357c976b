"""The C++ engine refuses bad arguments; `fuzz.py` tries many more, and `make sanitize` runs it under sanitizers."""

import subprocess
import sys
from pathlib import Path

import pytest
from sizes import size

import boardwright

FUZZ = Path(__file__).with_name("fuzz.py")


@pytest.mark.parametrize("seed", [1, 2])
def test_random_calls_return_or_raise(seed: int) -> None:
    """In a process of its own: a fault of the engine would end it."""
    command = [sys.executable, str(FUZZ), "--seed", str(seed), "--calls", str(size(3000, full=500_000))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=size(120, full=3600), check=False)
    assert done.returncode == 0, done.stderr
    assert "all returned or were refused" in done.stdout


def test_negative_depths_are_refused() -> None:
    core = boardwright.game("tablut").start().core
    with pytest.raises(ValueError, match="plies must not be negative"):
        core.forced_win(0, -1)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="threats must not be negative"):
        core.forced_escape(-1)  # type: ignore[attr-defined]


def test_under_refuses_another_board() -> None:
    small, large = (boardwright.game("cathedral", rules) for rules in ("paper", "official"))
    with pytest.raises(ValueError, match="other rules"):
        small.start().core.under(large.engine)
