"""The probability that BayesElo gives to games, its maximum, and how sharp that maximum is.

Ratings here are in natural units, log-odds; `ELO` of them is one Elo point. With x = first's rating -
second's + advantage, and draw parameter d > 0,

    P(first wins) = s(x - d)    P(second wins) = s(-x - d)    s(z) = 1 / (1 + e^-z)

and what remains is P(draw) = (e^2d - 1) s(x - d) s(-x - d). So a draw counts as a win and a loss, times a
factor of d alone, and the logarithm of all is

    Σ (won + drawn) log s(x - d) + (lost + drawn) log s(-x - d) + drawn log(e^2d - 1),

concave in ratings, advantage and d together: Newton's method finds the maximum from anywhere. There might be
none: where every game was drawn, or the stronger always won, the likelihood grows with d forever. So one
virtual game between equals is added, with the outcomes that are usual (`PRIOR_GAMES`, `USUAL_DRAW`).

Advantage and d may also be held at the values that the original program starts from (`USUAL_ADVANTAGE`,
`USUAL_DRAW`): then only the ratings are fitted, and only they are uncertain.
"""

import math
from dataclasses import dataclass

import numpy as np

ELO = math.log(10.0) / 400.0  # one Elo point in log-odds
PRIOR_GAMES = 1.0  # it does not show where there are many real games
USUAL_ADVANTAGE, USUAL_DRAW = 32.8 * ELO, 97.3 * ELO  # the original program's default parameters
DRAWN_PRIOR_GAMES = PRIOR_GAMES * (1.0 - 2.0 / (1.0 + math.exp(USUAL_DRAW)))  # how much of them is drawn
LONGEST_SEARCH = 200  # Newton steps; a dozen suffice as a rule
NEGLIGIBLE = 18.0  # log density below the maximum beyond which the tails are left out of intervals
GRID = 200  # points on each side of the maximum


@dataclass(frozen=True, eq=False)
class Evidence:
    """Games by pair and role, virtual ones included. All arrays [P], one row per ordered pair."""

    first: np.ndarray  # number of the player in the first role
    second: np.ndarray
    won: np.ndarray  # games that first won
    lost: np.ndarray
    drawn: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> "Evidence":
        """From counts [n, n, 3] of first's wins, second's wins and draws."""
        first, second = np.nonzero(counts.sum(axis=2))
        won, lost, drawn = counts[first, second].T
        return cls(first, second, won, lost, drawn)


@dataclass(frozen=True, eq=False)
class Peak:
    """The maximum, and how uncertain the ratings are by the normal approximation there."""

    ratings: np.ndarray  # [n]
    advantage: float
    draw: float
    covariance: np.ndarray  # [n, n] of the ratings, everything that was fitted being uncertain


def maximise(evidence: Evidence, players: int, flat: np.ndarray, *, fixed_parameters: bool = False) -> Peak:
    """The most probable ratings, advantage and draw parameter; or ratings alone, with `fixed_parameters`.

    `flat` [n + 2, k] spans the directions in which the probability does not change, such as adding the same
    to all ratings: the search never moves along them.
    """
    point = np.zeros(players + 2)
    point[-2:] = (USUAL_ADVANTAGE if fixed_parameters else 0.0), USUAL_DRAW
    if not players:
        return Peak(point[:-2], float(point[-2]), USUAL_DRAW, np.zeros((0, 0)))
    fitted = np.s_[:players] if fixed_parameters else np.s_[:]
    ridge = flat @ flat.T
    value, slope, curvature = _derivatives(evidence, point)
    for _ in range(LONGEST_SEARCH):
        step = np.zeros(players + 2)
        step[fitted] = np.linalg.solve((curvature + ridge)[fitted, fitted], slope[fitted])
        if np.abs(step).max() < 1e-10:
            break
        scale = 1.0
        while not _log_posterior(evidence, point + scale * step) >= value - 1e-12 * abs(value):
            scale /= 2.0
        point = point + scale * step
        value, slope, curvature = _derivatives(evidence, point)
    covariance = np.linalg.inv((curvature + ridge)[fitted, fitted])[:players, :players]
    return Peak(point[:-2], float(point[-2]), float(point[-1]), covariance)


def _log_posterior(evidence: Evidence, point: np.ndarray) -> float:
    draw = float(point[-1])
    if draw <= 0.0:
        return -math.inf
    x = point[evidence.first] - point[evidence.second] + point[-2]
    value = (evidence.won + evidence.drawn) @ _log_sigmoid(x - draw)
    value += (evidence.lost + evidence.drawn) @ _log_sigmoid(-x - draw)
    value -= (PRIOR_GAMES + DRAWN_PRIOR_GAMES) * math.log1p(math.exp(draw))
    return float(value + (evidence.drawn.sum() + DRAWN_PRIOR_GAMES) * (2.0 * draw + math.log(-math.expm1(-2.0 * draw))))


def _derivatives(evidence: Evidence, point: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The log posterior, its slope [n + 2], and minus its second derivative [n + 2, n + 2]."""
    first, second, draw = evidence.first, evidence.second, float(point[-1])
    x = point[first] - point[second] + point[-2]
    won, lost = evidence.won + evidence.drawn, evidence.lost + evidence.drawn
    wins, loses = np.exp(_log_sigmoid(x - draw)), np.exp(_log_sigmoid(-x - draw))
    up, down = won * (1.0 - wins), lost * (1.0 - loses)
    bend_up, bend_down = up * wins, down * loses
    drawn, odds = evidence.drawn.sum() + DRAWN_PRIOR_GAMES, -math.expm1(-2.0 * draw)
    prior, loses_even = PRIOR_GAMES + DRAWN_PRIOR_GAMES, 1.0 / (1.0 + math.exp(draw))

    slope = np.zeros(len(point))
    np.add.at(slope, first, up - down)
    np.add.at(slope, second, down - up)
    slope[-2] = (up - down).sum()
    slope[-1] = 2.0 * drawn / odds - (up + down).sum() - prior * (1.0 - loses_even)

    curvature = np.zeros((len(point), len(point)))
    bend, twist = bend_up + bend_down, bend_down - bend_up  # by x twice, and by x and d
    for row, sign in ((first, 1.0), (second, -1.0)):
        np.add.at(curvature, (row, row), bend)
        for parameter, amount in ((-2, bend), (-1, twist)):
            np.add.at(curvature[:, parameter], row, sign * amount)
            np.add.at(curvature[parameter], row, sign * amount)
    np.add.at(curvature, (first, second), -bend)
    np.add.at(curvature, (second, first), -bend)
    curvature[-2, -2] = bend.sum()
    curvature[-2, -1] = curvature[-1, -2] = twist.sum()
    curvature[-1, -1] = bend.sum() + drawn * 4.0 * (1.0 - odds) / odds**2 + prior * loses_even * (1.0 - loses_even)
    return _log_posterior(evidence, point), slope, curvature


def exact_interval(evidence: Evidence, peak: Peak, player: int, confidence: float) -> tuple[float, float]:
    """The interval of a player's rating with this probability, all other parameters held fixed.

    The distribution is summed up on a grid, not taken to be normal, since it is lopsided for a player who
    won or lost nearly everything. A player that only met itself has an interval of length 0.
    """
    as_first = (evidence.first == player) & (evidence.second != player)
    as_second = (evidence.second == player) & (evidence.first != player)
    if not as_first.any() and not as_second.any():
        return float(peak.ratings[player]), float(peak.ratings[player])
    others = np.concatenate([evidence.second[as_first], evidence.first[as_second]])
    won = np.concatenate([(evidence.won + evidence.drawn)[rows] for rows in (as_first, as_second)])
    lost = np.concatenate([(evidence.lost + evidence.drawn)[rows] for rows in (as_first, as_second)])
    sign = np.where(np.arange(len(others)) < as_first.sum(), 1.0, -1.0)
    offset = peak.advantage - sign * peak.ratings[others]

    def density(ratings: np.ndarray) -> np.ndarray:
        """Its logarithm, up to a constant; [r] -> [r]."""
        x = sign * ratings[:, None] + offset
        return _log_sigmoid(x - peak.draw) @ won + _log_sigmoid(-x - peak.draw) @ lost

    best = float(peak.ratings[player])
    top = float(density(np.array([best]))[0])

    def reach(direction: float) -> float:
        """How far to go in a direction until the density is negligible."""
        near, far = 0.0, 1.0
        while density(np.array([best + direction * far]))[0] > top - NEGLIGIBLE:
            near, far = far, 2.0 * far
        for _ in range(20):
            middle = (near + far) / 2.0
            if density(np.array([best + direction * middle]))[0] > top - NEGLIGIBLE:
                near = middle
            else:
                far = middle
        return far

    below, above = best - reach(-1.0) * np.linspace(1.0, 0.0, GRID), best + reach(1.0) * np.linspace(0.0, 1.0, GRID)
    grid = np.concatenate([below, above[1:]])
    weight = np.exp(density(grid) - top)
    share = np.concatenate([[0.0], np.cumsum((weight[1:] + weight[:-1]) / 2.0 * np.diff(grid))])
    tail = (1.0 - confidence) / 2.0
    low, high = np.interp([tail, 1.0 - tail], share / share[-1], grid)
    return float(low), float(high)


def _log_sigmoid(z: np.ndarray) -> np.ndarray:
    return -np.logaddexp(0.0, -z)
