"""Count the lines of play to a depth: the proof of a move generator, and its speed."""

import time
from dataclasses import dataclass

from boardwright.cli.choose import PositionOptions, in_range, print_json
from boardwright.cli.progress import track

DEEPEST = 64


@dataclass(frozen=True, kw_only=True)
class Options(PositionOptions):
    """How deep to count, and how to show it."""

    depth: int
    """Plies to look ahead."""
    divide: bool = False
    """Show the count behind every first move."""


def run(options: Options) -> None:
    """Prints the count, or JSON `{game, rules, depth, nodes}` (and `divide` when asked for)."""
    depth = in_range("--depth", options.depth, 0, DEEPEST)
    position = options.chosen_position()
    begin = time.perf_counter()
    behind: dict[str, int] = {}
    if depth == 0:
        nodes = 1
    else:
        actions = position.legal_actions()
        for action in track(actions, len(actions), "first moves"):
            behind[position.action_text(action)] = position.play(action).perft(depth - 1)
        nodes = sum(behind.values())
    seconds = time.perf_counter() - begin
    fields = {"game": position.game.name, "rules": position.game.rules.name, "depth": depth, "nodes": nodes}
    if options.json:
        print_json({**fields, "divide": behind} if options.divide else fields)
        return
    if options.divide:
        for move, count in behind.items():
            print(f"{move:<12} {count}")
    print(f"depth {depth}: {nodes:,} nodes in {seconds:.2f} s ({nodes / max(seconds, 1e-9) / 1e6:,.1f} million/s)")
