"""How large tests are: small enough for every commit, or full size with `pytest --full`."""

import os

_FULL = "BOARDWRIGHT_FULL_TESTS"  # in the environment, so that the worker processes of pytest-xdist have it too


def use_full_sizes() -> None:
    """Makes `size` return full sizes in this process and its children."""
    os.environ[_FULL] = "1"


def size(usual: int, *, full: int) -> int:
    """A number of games, positions or trials: `usual`, or `full` with `--full`."""
    return full if _FULL in os.environ else usual
