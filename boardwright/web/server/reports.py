"""Reports damaged files and rows to the terminal, each once, so that the log cannot grow without bound."""

import sys

from boardwright.errors import printable

MAX_REPORTS = 1000
MAX_LENGTH = 300  # characters of a report

_reported: set[str] = set()


def report_once(text: str) -> None:
    """Prints a warning unless it was printed before."""
    line = printable(" ".join(text.split()))[:MAX_LENGTH]
    if line not in _reported and len(_reported) < MAX_REPORTS:
        _reported.add(line)
        print(f"boardwright: warning: {line}", file=sys.stderr, flush=True)
