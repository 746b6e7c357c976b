"""Commands in this process, as from a shell: quick, since starting Python takes longer than most of them."""

import io
import json
import signal
import sys
from subprocess import CompletedProcess
from unittest import mock

from boardwright.cli import main


class Stream(io.TextIOWrapper):
    """What a command prints to; tests of terminals replace its `isatty`."""


def boardwright(*arguments: str, stdin: str | None = None) -> CompletedProcess[str]:
    """What a command prints and returns. An exception that a shell would show as a traceback is raised."""
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    out, error = (Stream(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    status = 0
    with mock.patch.multiple(sys, argv=["boardwright", *arguments], stdin=given, stdout=out, stderr=error):
        try:
            main.main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    printed, complaint = (stream.buffer.getvalue().decode(errors="replace") for stream in (out, error))  # type: ignore[attr-defined]
    return CompletedProcess(["boardwright", *arguments], status, printed, complaint)


def as_json(*arguments: str) -> dict:
    """What a command prints with `--json`: one line."""
    done = boardwright(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1
    return json.loads(done.stdout)


def refused(*arguments: str) -> str:
    """The one line of a command that refuses its arguments."""
    done = boardwright(*arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    return done.stderr
