"""How fast and how deep the classical searches look, from a fixed set of positions.

The positions are the game's first and some of one seeded random game, the same on every machine. Speeds
are the best of several repetitions, since machines are shared and noise only slows; the gain of a second
thread is measured in turn with the first, so that noise hits both.
"""

import random
from collections.abc import Iterator
from statistics import mean

import boardwright
from boardwright._core import SearchReport
from boardwright.bench.engine import REPETITIONS, Figure
from boardwright.games.base import CHANCE, Game, Position

SECONDS = 1.0
MEGABYTES = 64
DISTANCES = (6, 12, 18, 24)  # whole moves from the start


def measure(game_name: str) -> Iterator[Figure]:
    """All figures of one game, as they come."""
    game = boardwright.game(game_name)
    positions = fixed_positions(game)
    start = positions[0]
    yield Figure("nodes", "alpha-beta, first position, one thread", _nodes_rate(game, start, 1), "nodes/s")
    ratio = max(_nodes_rate(game, start, 2, 1) / _nodes_rate(game, start, 1, 1) for _ in range(REPETITIONS))
    yield Figure("threads", "nodes of two threads over nodes of one", ratio, "times")
    for seconds in (1.0, 2.0):
        depth = max(_search(game, start, 1, seconds).depth for _ in range(REPETITIONS))
        yield Figure(f"depth_{seconds:.0f}s", f"depth in {seconds:.0f} s, first position", depth, "moves")
    depths = [_search(game, position, 1, SECONDS).depth for position in positions]
    yield Figure("mean_depth", f"mean depth in 1 s, {len(positions)} positions", mean(depths), "moves")
    rollouts = max(start.core.monte_carlo(1, 0, SECONDS).simulations for _ in range(REPETITIONS)) / SECONDS
    yield Figure("rollouts", "Monte Carlo, first position, one thread", rollouts, "simulations/s")


def fixed_positions(game: Game) -> list[Position]:
    """The first position, chance having played, and some of one seeded random game."""
    chance, position = random.Random(0), game.start()
    while position.role_to_move == CHANCE:
        position = position.play(chance.choice(position.legal_actions()))
    positions = [position]
    for distance in DISTANCES:
        while position.outcome is None and (position.plies < distance or position.core.continues):
            position = position.play(chance.choice(position.legal_actions()))
        if position.outcome is None:
            positions.append(position)
    return positions


def _search(game: Game, position: Position, threads: int, seconds: float) -> SearchReport:
    return game.alphabeta(MEGABYTES, threads).search(position.core, 0, 0, seconds)


def _nodes_rate(game: Game, position: Position, threads: int, repetitions: int = REPETITIONS) -> float:
    searches = (_search(game, position, threads, SECONDS) for _ in range(repetitions))
    return max(found.nodes / found.seconds for found in searches)
