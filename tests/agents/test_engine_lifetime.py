"""Engines end with the process that started them, also when that is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from boardwright.agents.pipe import Pipe, ProgramError

OWNER = Path(__file__).parent / "engine_owner.py"


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie, which waits for its new parent to notice, does not."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip()) and not listed.startswith("Z")


def children() -> set[int]:
    """The processes that this one has started and that still run or are zombies."""
    command = ["ps", "-A", "-o", "pid=,ppid=,comm="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split(maxsplit=2) for line in listed]
    return {int(pid) for pid, parent, name in found if int(parent) == os.getpid() and Path(name).name != "ps"}


def wait_until(is_so: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_so()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda how: how.name)
@pytest.mark.parametrize("where", ["process", "worker", "thread"])
def test_engine_ends_with_the_process_that_started_it(how: signal.Signals, where: str, tmp_path: Path) -> None:
    log = tmp_path / "pids"
    log.touch()
    with subprocess.Popen([sys.executable, OWNER, where, log], stdout=subprocess.PIPE) as owner:
        assert wait_until(lambda: len(log.read_text().split()) == 2)
        pids = [int(pid) for pid in log.read_text().split()]
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"started\n"
        time.sleep(0.3)  # a thread that started an engine has ended
        assert all(map(is_alive, pids))
        owner.send_signal(how)
    try:
        assert wait_until(lambda: not any(map(is_alive, pids)))
    finally:
        for pid in filter(is_alive, pids):
            os.kill(pid, signal.SIGKILL)


def test_program_that_cannot_be_started_leaves_no_process() -> None:
    before = children()
    with pytest.raises(ProgramError) as refused:  # as long as that is kept, so is all that its traceback refers to
        Pipe("/no/such/program")
    assert children() <= before
    assert "cannot be started: No such file" in str(refused.value)
