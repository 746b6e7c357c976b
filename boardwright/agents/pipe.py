"""Pipes to a program that may hang, crash or write without end, and that ends with the process that started it."""

import collections
import contextlib
import os
import queue
import select
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import IO

from boardwright.agents.base import Watch
from boardwright.errors import BoardwrightError, printable

MAX_LINE_BYTES = 1 << 16  # longer lines arrive in pieces
MAX_WAITING_LINES = 1000  # lines not yet read; a program that writes more waits
PATIENCE = 10.0  # timeout in seconds for writing once the pipe is full
FAREWELL = 1.0  # seconds to exit after it was asked to
STDERR_LINES = 4  # kept for error messages, the last ones
STDERR_CHARACTERS = 200  # of them together
_LOOK = 0.02  # seconds between two checks whether to stop
_STDERR_DELAY = 0.1  # seconds for what a running program wrote just before its last line
# Reads a pipe that only we can write to, so it ends with us even if we are killed; then kills its process group.
_WATCHDOG = "trap '' HUP INT TERM; read -r line; kill -KILL 0"


class ProgramError(BoardwrightError):
    """An engine process failed or broke its protocol."""


class Pipe:
    """A running program with line-based input and output.

    It and the processes it starts are in the process group of a watchdog, which kills the group as soon as this process
    has ended, by SIGKILL too. (PR_SET_PDEATHSIG would act when the thread that started the program ends, is for Linux
    only, and does not reach the children of a shell script.)
    """

    def __init__(self, command: str):
        self.command = command
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        shell = ["/bin/sh", "-c", _WATCHDOG]
        watchdog = None
        try:
            watchdog = subprocess.Popen(shell, stdin=pipe, stdout=null, stderr=null, process_group=0)
            self._process = subprocess.Popen(
                shlex.split(command), stdin=pipe, stdout=pipe, stderr=pipe, process_group=watchdog.pid
            )
        except OSError as error:
            if watchdog is not None:
                _kill_group(watchdog)
            raise ProgramError(f"engine {command!r} cannot be started: {error.strerror}") from error
        self._watchdog = watchdog
        self._lines: queue.Queue[str | None] = queue.Queue(MAX_WAITING_LINES)
        self._stderr: collections.deque[str] = collections.deque(maxlen=STDERR_LINES)
        errors = filter(None, map(printable, _lines_of(self._process.stderr)))
        self._stderr_reader = threading.Thread(target=self._stderr.extend, args=(errors,), daemon=True)
        self._stderr_reader.start()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, line: str, patience: float = PATIENCE) -> None:
        """Sends a line; raises ProgramError if the program has ended or does not read for `patience` seconds."""
        assert self._process.stdin is not None
        left = f"{line}\n".encode()
        try:
            pipe = self._process.stdin.fileno()
            room = select.poll()
            room.register(pipe, select.POLLOUT)
            while left:
                if not room.poll(1000 * patience):
                    raise ProgramError(f"engine {self.command!r} hangs: it does not read its input")
                left = left[os.write(pipe, left[: select.PIPE_BUF]) :]  # never blocks
        except ProgramError:
            raise
        except (OSError, ValueError):
            raise self._exit_error() from None

    def receive(self, deadline: float, watch: Watch | None = None) -> str | None:
        """The next line, or None as soon as the watch is stopped; `deadline` by time.monotonic.

        Raises ProgramError if the deadline passes or the program has ended.
        """
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ProgramError(f"engine {self.command!r} hangs: no answer in time")
            if watch is not None and watch.stopped:
                return None
            try:
                line = self._lines.get(timeout=left if watch is None else min(left, _LOOK))
            except queue.Empty:
                continue
            if line is None:
                raise self._exit_error()
            return line

    def close(self, farewell: str) -> None:
        """Asks the program to exit; kills its process group if it does not."""
        with contextlib.suppress(ProgramError):
            self.send(farewell, FAREWELL)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        _kill_group(self._watchdog)
        self._process.wait()

    def _read(self) -> None:
        with contextlib.suppress(queue.Full):  # the player no longer reads
            for line in _lines_of(self._process.stdout):
                self._lines.put(line, timeout=60)
            self._lines.put(None, timeout=60)

    def last_stderr(self) -> str:
        """The end of what the program wrote to its stderr, as one line; empty if that is nothing."""
        self._stderr_reader.join(_STDERR_DELAY if self._process.poll() is None else FAREWELL)
        text = " | ".join(tuple(self._stderr))
        return text if len(text) <= STDERR_CHARACTERS else f"…{text[1 - STDERR_CHARACTERS :]}"

    def _exit_error(self) -> ProgramError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        code = self._process.returncode
        if code is None:
            return ProgramError(f"engine {self.command!r} closed its output")
        end = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return ProgramError(f"engine {self.command!r} {end}")


def _lines_of(output: IO[bytes] | None) -> Iterator[str]:
    """The lines that a program writes, until it closes its output."""
    assert output is not None
    with output:
        while piece := output.readline(MAX_LINE_BYTES):
            yield piece.decode(errors="replace").strip()


def _kill_group(leader: subprocess.Popen[bytes]) -> None:
    """Kills a process and its group; its number stays taken until here, so no other group can have it."""
    os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()
    assert leader.stdin is not None
    leader.stdin.close()
