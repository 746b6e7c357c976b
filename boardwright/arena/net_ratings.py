"""Ratings of a run's nets by the games they played against each other, the untrained net being 0."""

import math
from collections.abc import Sequence

from boardwright.games.base import DRAW
from boardwright.learn.run.metrics import Match
from boardwright.stats.bayeselo import rate
from boardwright.stats.pairings import Encounter


def net_ratings(matches: Sequence[Match], *, fixed_parameters: bool = False) -> dict[int, tuple[float, float, float]]:
    """BayesElo over all evaluation games: (elo, low, high) by iteration, the net of iteration 0 being 0.

    All three are of the difference to iteration 0, or to the weakest net where iteration 0 did not play. Nets that
    no chain of games connects with it have no rating. `fixed_parameters` as in `bayeselo.rate`.
    """
    encounters = (
        Encounter(str(match.role0_net), str(match.role1_net), result)
        for match in matches
        for result, count in ((0, match.wins0), (1, match.wins1), (DRAW, match.draws))
        for _ in range(count)
    )
    found = rate(encounters, fixed_parameters=fixed_parameters)
    names = [rating.name for rating in found.ratings]
    if not names:
        return {}
    anchor = "0" if "0" in names else names[-1]
    differences = {int(name): found.difference(name, anchor) for name in names}
    return {iteration: figures for iteration, figures in differences.items() if not math.isnan(figures[0])}
