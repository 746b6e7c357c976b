"""Benchmarks of draughts only: perft of another library, and building the endgame tables."""

import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

DEPTH = 5  # 7,361 lines, a fraction of a second in another library


def openspiel_perft_rate() -> float | None:
    """Perft nodes per second of OpenSpiel's checkers, driven from Python; None if it is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        return None
    start = importlib.import_module("pyspiel").load_game("checkers").new_initial_state()
    begin = time.perf_counter()
    nodes = _perft(start, DEPTH)
    return nodes / (time.perf_counter() - begin)


_BUILD = """
import resource, sys
from boardwright.games.draughts.endgames.tablebase import build
build(int(sys.argv[1]), sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def table_builds() -> Iterator[tuple[str, str, float, str]]:
    """Time, and on Linux memory, to build the endgame tables, each in a process of its own."""
    for pieces in (4, 5):
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            command = [sys.executable, "-c", _BUILD, str(pieces), folder]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds = time.perf_counter() - begin
        yield f"tables_{pieces}_s", f"endgame tables to {pieces} pieces, {os.cpu_count()} cores", seconds, "s"
        if sys.platform == "linux":  # elsewhere it is not in KiB
            yield f"tables_{pieces}_mib", "the same, peak memory", int(done.stdout) / 1024, "MiB"


def _perft(state: Any, depth: int) -> int:
    """Counts whole moves: the depth does not change while the same player continues a capture."""
    if depth == 0:
        return 1
    leaves = 0
    for action in state.legal_actions():
        after = state.child(action)
        continues = not after.is_terminal() and after.current_player() == state.current_player()
        leaves += _perft(after, depth if continues else depth - 1)
    return leaves
