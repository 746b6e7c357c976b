"""Play random games and report statistics: results by role, plies, branching."""

import time
from dataclasses import dataclass

from boardwright.cli.common import PositionOptions, in_range, print_json
from boardwright.cli.progress import track

PIECE = 500  # games between updates of the progress bar


@dataclass(frozen=True)
class Options(PositionOptions):
    """How many games, and from where."""

    games: int = 1000  # Number of games.
    seed: int = 0  # Seed of the games; the same seed gives the same games.


def run(options: Options) -> None:
    """Prints a summary, or JSON `{games, outcomes: {role: n, …, draw: n}, mean_plies, mean_branching}`."""
    games = in_range("--games", options.games, 1, 10**9)
    seed = in_range("--seed", options.seed, 0, 2**64 - 1)
    position = options.chosen_position()
    outcomes, plies, actions, choices = [0, 0, 0], 0, 0, 0
    begin = time.perf_counter()
    for first in track(range(0, games, PIECE), games, "games", weight=PIECE):
        tally = position.core.playouts(seed, first, min(PIECE, games - first))
        outcomes = [total + more for total, more in zip(outcomes, tally.outcomes, strict=True)]
        plies, actions, choices = plies + tally.plies, actions + tally.actions, choices + tally.choices
    seconds = time.perf_counter() - begin
    fields = {
        "games": games,
        "outcomes": dict(zip((*position.game.roles, "draw"), outcomes, strict=True)),
        "mean_plies": plies / games,
        "mean_branching": choices / actions if actions else 0.0,
    }
    if options.json:
        print_json(fields)
        return
    for name, count in fields["outcomes"].items():
        error = (count / games * (1 - count / games) / games) ** 0.5
        print(f"{name:<12} {count:>10,}  {100 * count / games:5.1f} % ± {100 * error:.1f}")
    print(f"{fields['mean_plies']:.1f} plies per game, {fields['mean_branching']:.1f} legal actions per ply")
    print(f"{games:,} games in {seconds:.2f} s ({games / max(seconds, 1e-9):,.0f}/s)")
