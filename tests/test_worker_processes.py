"""Worker processes: Ctrl-C, exit reasons, memory limit."""

import subprocess
import sys
from pathlib import Path

import process_targets
import pytest

from boardwright import processes
from boardwright.processes import WorkerDiedError

STARTS_TWO = """
import multiprocessing, signal
from boardwright.processes import start_ignoring_sigint

def report():
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))

if __name__ == "__main__":
    for _ in range(2):
        process = multiprocessing.get_context("spawn").Process(target=report)
        start_ignoring_sigint(process)
        process.join()
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_sigint_is_blocked_in_all_processes_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "starts_two.py").write_text(STARTS_TWO)
    done = subprocess.run([sys.executable, tmp_path / "starts_two.py"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"]


def test_messages_go_both_ways() -> None:
    worker = processes.spawn(process_targets.double)
    try:
        worker.send(21)
        assert worker.receive() == 42
    finally:
        processes.stop([worker])


@pytest.mark.parametrize(("how", "reason"), [("exit", "ended with exit code 3"), ("kill", "was killed by signal 9")])
def test_dead_worker_reports_how_it_ended(how: str, reason: str) -> None:
    worker = processes.spawn(process_targets.die, how)
    with pytest.raises(WorkerDiedError, match=reason):
        worker.receive()
    worker.send("nothing happens")


def test_memory_limit_makes_allocations_fail() -> None:
    worker = processes.spawn(process_targets.allocate, 4 << 30, megabytes=1000)
    try:
        assert worker.receive() == "MemoryError"
    finally:
        processes.stop([worker])
