"""Ratings of a run's nets by the games they played against each other, the untrained net being 0."""

from collections.abc import Sequence

from boardwright.arena.bayeselo import rate
from boardwright.arena.pairings import Encounter
from boardwright.games.base import DRAW
from boardwright.learn.run.metrics import Match


def net_ratings(matches: Sequence[Match]) -> dict[int, tuple[float, float, float]]:
    """BayesElo over all contests: (elo, low, high) by iteration, the net of iteration 0 being 0."""
    encounters = (
        Encounter(str(match.role0_net), str(match.role1_net), result)
        for match in matches
        for result, count in ((0, match.wins0), (1, match.wins1), (DRAW, match.draws))
        for _ in range(count)
    )
    rated = {int(rating.name): rating for rating in rate(encounters).ratings}
    if not rated:
        return {}
    anchor = rated[0].elo if 0 in rated else min(rating.elo for rating in rated.values())
    return {
        iteration: (rating.elo - anchor, rating.elo - anchor - rating.minus, rating.elo - anchor + rating.plus)
        for iteration, rating in rated.items()
    }
