"""Processes that another one starts."""

import subprocess
import sys
from pathlib import Path

STARTS_TWO = """
import multiprocessing, signal
from boardwright.lifeline import start_deaf

def tell():
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))

if __name__ == "__main__":
    for _ in range(2):
        process = multiprocessing.get_context("spawn").Process(target=tell)
        start_deaf(process)
        process.join()
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_ctrl_c_never_reaches_them_not_even_the_first(tmp_path: Path) -> None:
    (tmp_path / "starts_two.py").write_text(STARTS_TWO)
    done = subprocess.run([sys.executable, tmp_path / "starts_two.py"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"]
