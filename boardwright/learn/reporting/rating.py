"""Elo ratings of a run's nets (BayesElo), updated after every evaluation."""

import math
from collections import Counter
from collections.abc import Sequence

from boardwright.learn.run.metrics import Match, Metrics
from boardwright.stats.bayeselo import rate
from boardwright.stats.pairings import Encounter
from boardwright.stats.score import DRAW

NAMES: tuple[str, ...] = ("evaluation/elo", "evaluation/elo_low", "evaluation/elo_high")


def net_ratings(matches: Sequence[Match], *, fixed_parameters: bool = False) -> dict[int, tuple[float, float, float]]:
    """(elo, low, high) by iteration of the net, from all evaluation games; the net of iteration 0 has Elo 0.

    All three are of the difference to iteration 0, or to the weakest net if iteration 0 did not play. Nets that no
    chain of games connects with it are left out. `fixed_parameters` as in `bayeselo.rate`.
    """
    encounters: Counter[Encounter] = Counter()
    for match in matches:
        for result, games in ((0, match.wins0), (1, match.wins1), (DRAW, match.draws)):
            encounters[Encounter(str(match.role0_net), str(match.role1_net), result)] += games
    found = rate(encounters, fixed_parameters=fixed_parameters)
    names = [rating.name for rating in found.ratings]
    if not names:
        return {}
    anchor = "0" if "0" in names else names[-1]
    differences = {int(name): found.difference(name, anchor) for name in names}
    return {iteration: figures for iteration, figures in differences.items() if not math.isnan(figures[0])}


def update_ratings(metrics: Metrics, iteration: int) -> dict[str, float]:
    """The rating metrics of an iteration's net, empty if it has no rating; corrects those of earlier nets."""
    history = metrics.read()
    moves = history.scalars.get("selfplay/moves")  # missing in the throwaway metrics of a process that has resumed
    frames = {} if moves is None else dict(zip(moves.iterations.tolist(), moves.frames.tolist(), strict=True))
    found: dict[str, float] = {}
    for net, figures in net_ratings(history.matches).items():
        scalars = dict(zip(NAMES, figures, strict=True))
        if net == iteration:
            found = scalars
        else:
            metrics.correct(net, frames.get(net, 0), scalars)
    return found
