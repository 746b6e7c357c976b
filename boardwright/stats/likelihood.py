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
MAX_NEWTON_STEPS = 200  # Newton steps; a dozen suffice as a rule
NEGLIGIBLE = 18.0  # log density below the maximum beyond which the tails are left out of intervals
GRID = 400  # points on each side of the maximum


class Evidence:
    """Games by who won and in which role, virtual ones included; a draw is a win of both. All arrays [R]."""

    def __init__(self, counts: np.ndarray):
        """From counts [n, n, 3] of first's wins, second's wins and draws."""
        first, second = np.nonzero(counts.sum(axis=2))
        won, lost, drawn = counts[first, second].T
        self.winner, self.loser = np.concatenate([first, second]), np.concatenate([second, first])  # player numbers
        self.sign = np.repeat([1.0, -1.0], len(first))  # 1 where the winner had the first role, else -1
        self.weight = np.concatenate([won + drawn, lost + drawn])  # games
        self.drawn = float(drawn.sum())  # games in all

    def log_odds(self, point: np.ndarray) -> np.ndarray:
        """[R] of each win, from ratings, advantage and d [n + 2]."""
        return point[self.winner] - point[self.loser] + self.sign * point[-2] - point[-1]


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
    for _ in range(MAX_NEWTON_STEPS):
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
    value = evidence.weight @ _log_sigmoid(evidence.log_odds(point))
    value -= (PRIOR_GAMES + DRAWN_PRIOR_GAMES) * math.log1p(math.exp(draw))
    return float(value + (evidence.drawn + DRAWN_PRIOR_GAMES) * (2.0 * draw + math.log(-math.expm1(-2.0 * draw))))


def _derivatives(evidence: Evidence, point: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The log posterior, its slope [n + 2], and minus its second derivative [n + 2, n + 2]."""
    draw = float(point[-1])
    chance = np.exp(_log_sigmoid(evidence.log_odds(point)))
    rise = evidence.weight * (1.0 - chance)  # by log-odds
    bend = rise * chance
    slope, curvature = np.zeros(len(point)), np.zeros((len(point), len(point)))
    advantage, parameter = (np.full_like(evidence.winner, len(point) - back) for back in (2, 1))
    # What changes the log-odds, and by how much.
    effects = ((evidence.winner, 1.0), (evidence.loser, -1.0), (advantage, evidence.sign), (parameter, -1.0))
    for one, effect in effects:
        np.add.at(slope, one, effect * rise)
        for other, its_effect in effects:
            np.add.at(curvature, (one, other), effect * its_effect * bend)
    drawn, odds = evidence.drawn + DRAWN_PRIOR_GAMES, -math.expm1(-2.0 * draw)
    prior, loses_even = PRIOR_GAMES + DRAWN_PRIOR_GAMES, 1.0 / (1.0 + math.exp(draw))
    slope[-1] += 2.0 * drawn / odds - prior * (1.0 - loses_even)
    curvature[-1, -1] += drawn * 4.0 * (1.0 - odds) / odds**2 + prior * loses_even * (1.0 - loses_even)
    return _log_posterior(evidence, point), slope, curvature


def exact_interval(evidence: Evidence, peak: Peak, player: int, confidence: float) -> tuple[float, float]:
    """The interval of a player's rating with this probability, all other parameters held fixed.

    The distribution is summed up on a grid, not taken to be normal, since it is lopsided for a player who
    won or lost nearly everything. A player that only met itself has an interval of length 0.
    """
    best = float(peak.ratings[player])
    own = (evidence.winner == player) != (evidence.loser == player)
    if not own.any():
        return best, best
    effect, weight = np.where(evidence.winner[own] == player, 1.0, -1.0), evidence.weight[own]
    log_odds = evidence.log_odds(np.append(peak.ratings, [peak.advantage, peak.draw]))[own]

    def density(ratings: np.ndarray) -> np.ndarray:
        """Its logarithm, up to a constant; [r] -> [r]."""
        return _log_sigmoid(log_odds + effect * (ratings[:, None] - best)) @ weight

    top = float(density(np.array([best]))[0])

    def reach(direction: float) -> float:
        """How far to go in a direction until the density is negligible."""
        distance = 2.0**-10
        while density(np.array([best + direction * distance]))[0] > top - NEGLIGIBLE:
            distance *= 2.0
        return distance

    below, above = best - reach(-1.0) * np.linspace(1.0, 0.0, GRID), best + reach(1.0) * np.linspace(0.0, 1.0, GRID)
    grid = np.concatenate([below, above[1:]])
    weight = np.exp(density(grid) - top)
    share = np.concatenate([[0.0], np.cumsum((weight[1:] + weight[:-1]) / 2.0 * np.diff(grid))])
    tail = (1.0 - confidence) / 2.0
    low, high = np.interp([tail, 1.0 - tail], share / share[-1], grid)
    return float(low), float(high)


def _log_sigmoid(z: np.ndarray) -> np.ndarray:
    return -np.logaddexp(0.0, -z)
