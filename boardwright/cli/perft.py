"""Count the lines of play to a depth (perft): checks a move generator and measures its speed."""

import functools
import time
from dataclasses import dataclass
from typing import Literal

from boardwright.cli.common import PositionOptions, hops, in_range, print_json
from boardwright.cli.progress import track
from boardwright.games.base import Position

MAX_DEPTH = 64


@dataclass(frozen=True, kw_only=True)
class Options(PositionOptions):
    """How deep to count, and how to show it."""

    depth: int  # Depth in plies.
    divide: bool = False  # Show the count after each first move.
    count: Literal["routes", "moves"] = "routes"
    """Count every route of a capture, or routes to the same position as one move."""


def run(options: Options) -> None:
    """Prints the count, or JSON `{game, rules, depth, nodes}` (and `divide` with --divide)."""
    depth = in_range("--depth", options.depth, 0, MAX_DEPTH)
    position = options.chosen_position()
    begin = time.perf_counter()
    behind: dict[str, int] = {}
    if depth == 0:
        nodes = 1
    else:
        moves, routes = position.game.moves(position.core), position.core.routes()
        first_moves = [(move.text, move.actions) for move in moves]
        if options.count == "routes" and len(moves) != len(routes):
            first_moves = [(hops(position, route), tuple(route)) for route in routes]
        for name, actions in track(first_moves, len(first_moves), "first moves"):
            after = functools.reduce(Position.play, actions, position)
            behind[name] = after.perft(depth - 1, distinct=options.count == "moves")
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
