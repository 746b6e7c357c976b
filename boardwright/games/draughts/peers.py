"""Another library's speed at the same work, measured beside ours when it is installed."""

import importlib
import importlib.util
import time
from typing import Any

DEPTH = 5  # 7,361 lines, a fraction of a second


def openspiel_perft_rate() -> float | None:
    """Perft nodes a second of OpenSpiel's checkers, driven from Python; None where it is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        return None
    start = importlib.import_module("pyspiel").load_game("checkers").new_initial_state()
    begin = time.perf_counter()
    nodes = _perft(start, DEPTH)
    return nodes / (time.perf_counter() - begin)


def _perft(state: Any, depth: int) -> int:
    """Whole moves: while the same player goes on capturing, the depth stays."""
    if depth == 0:
        return 1
    leaves = 0
    for action in state.legal_actions():
        after = state.child(action)
        goes_on = not after.is_terminal() and after.current_player() == state.current_player()
        leaves += _perft(after, depth if goes_on else depth - 1)
    return leaves
