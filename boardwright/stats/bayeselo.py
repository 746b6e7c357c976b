"""Ratings by BayesElo, Rémi Coulom's model: strength, advantage of the first role and draws, fitted together.

Player A in the first role against player B, with f(x) = 1 / (1 + 10^(x / 400)):

    P(A wins) = f(elo B - elo A - advantage + draw)
    P(B wins) = f(elo A - elo B + advantage + draw)       and a draw is what remains.

`rate` finds the most probable ratings, `advantage` and `draw` parameter (the original's `mm 1 1`), or, with
`fixed_parameters`, the most probable ratings for the original's default advantage and draw parameter (its `mm`).
Every player gets virtual draws against the opponents it met (`PRIOR_DRAWS`, as in the original), so that a
player who won every game has a finite rating.

Ratings have mean 0: only differences mean something. They are reported as the original reports them, times
`scale(draw)`: the more draws there are, the less a difference of the model shows in the score, and so scaled
a small difference means the score that it means in any other Elo list. Advantage and draw parameter are
those of the formulas above. A player's own interval is exact with the others' differences held fixed (the
original's `exactdist`). It says nothing about the difference of two players: `Ratings.difference` gives
that interval, by the normal approximation with the covariance of everything that was fitted.
"""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from boardwright.stats.likelihood import ELO, Evidence, Peak, exact_interval, maximise
from boardwright.stats.pairings import Encounter, Pairings, condense, groups, identifies_advantage, split_roles
from boardwright.stats.score import DRAW

PRIOR_DRAWS = 2.0  # virtual draws of each player, half of them from its opponents' share
CONFIDENCE = 0.95
MIN_DEVIATION = 1e-4  # Elo points, where only rounding is left of a variance
MAX_NAMED = 8  # players, and groups of them, named in a warning


@dataclass(frozen=True)
class Rating:
    """One player's strength, in Elo points."""

    name: str
    elo: float
    plus: float  # the interval reaches from elo - minus to elo + plus
    minus: float
    games: int


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of all players of a set of games."""

    advantage: float  # of the first role, in Elo points of the model
    draw: float  # the larger, the more games are drawn between equals
    ratings: tuple[Rating, ...]  # the strongest first
    deviations: np.ndarray  # [n, n] standard deviation of the difference of two; nan where they cannot be compared
    warnings: tuple[str, ...]
    players: tuple[tuple[str, int], ...] = ()  # of ratings by role: the player and role of each

    @functools.cached_property
    def superiority(self) -> np.ndarray:
        """[n, n] probability that the row's player is stronger than the column's, like the original's `los`.

        nan for two that cannot be compared, and for a player and itself.
        """
        elos = np.array([rating.elo for rating in self.ratings])
        leads = (elos[:, None] - elos) / np.maximum(self.deviations, MIN_DEVIATION)
        chances = np.array([math.erfc(-lead / math.sqrt(2.0)) / 2.0 for lead in leads.flat]).reshape(leads.shape)
        np.fill_diagonal(chances, math.nan)
        return chances

    def of_role(self, role: int) -> list[Rating]:
        """The ratings of one role by `rate_by_role`, with the names of the players."""
        found = zip(self.ratings, self.players, strict=True)
        return [replace(rating, name=player) for rating, (player, of) in found if of == role]

    def difference(self, one: str, other: str) -> tuple[float, float, float]:
        """How many Elo points `one` is above `other`, and the interval of that; nan where games do not connect them.

        All ratings are uncertain, and so are advantage and draw parameter where they were fitted.
        """
        places = {rating.name: place for place, rating in enumerate(self.ratings)}
        lead = self.ratings[places[one]].elo - self.ratings[places[other]].elo
        reach = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0) * float(self.deviations[places[one], places[other]])
        if math.isnan(reach):
            return math.nan, math.nan, math.nan
        return lead, lead - reach, lead + reach


def rate(encounters: Iterable[Encounter] | Mapping[Encounter, int], *, fixed_parameters: bool = False) -> Ratings:
    """The rating of every player; `fixed_parameters` holds advantage and draw parameter at the original's defaults."""
    pairings = condense(encounters)
    connected = groups(pairings)
    counts = pairings.counts.copy()
    counts[:, :, DRAW] += PRIOR_DRAWS / 4.0 * _shares(pairings)  # in either role
    flat = _shifts_of_groups(pairings, connected)
    warnings = _warnings(pairings, connected)
    if pairings.names and not fixed_parameters and not identifies_advantage(pairings):
        warnings.append("the advantage of the first role is a guess: the players never changed roles")
    peak = maximise(Evidence(counts), len(pairings.names), flat, fixed_parameters=fixed_parameters)
    # Within a group of m the mean is fixed, so when one rises by 1 its opponents fall by 1 / (m - 1).
    spread = np.zeros(len(pairings.names))
    for group in connected:
        spread[group] = (len(group) - 1) / len(group)
    return _report(pairings, counts, peak, spread, connected, warnings)


def rate_by_role(encounters: Iterable[Encounter], roles: tuple[str, str]) -> Ratings:
    """The rating of every player in each role it had, as if they were two players named "A as attackers" and so on.

    "A as attackers" only ever meets others as defenders, so games cannot separate the strength of the
    attackers from the strength of their role: raising all attackers and lowering the advantage by the same
    amount changes no probability. Reported ratings have mean 0 within each role: an elo says how much better
    than the average player one is *in this role*, and the advantage what the average player gains from the
    first role. Two players alone form two groups: their games only show who is better overall.
    """
    pairings, players = split_roles(condense(encounters), roles)
    n, connected = len(pairings.names), groups(pairings)
    counts = pairings.counts.copy()
    is_first = counts.sum(axis=(1, 2)) > 0
    counts[is_first, :, DRAW] += PRIOR_DRAWS / 2.0 * _shares(pairings)[is_first]
    between_roles = np.zeros(n + 2)  # from the advantage to the first role's ratings, groups keeping their mean
    between_roles[n] = -1.0
    for group in connected:
        firsts = is_first[group].mean()
        between_roles[group] = np.where(is_first[group], 1.0 - firsts, -firsts)
    flat = np.column_stack([_shifts_of_groups(pairings, connected), between_roles / np.linalg.norm(between_roles)])
    peak = maximise(Evidence(counts), n, flat)
    if n:
        shift = -peak.ratings[is_first].mean() / between_roles[:n][is_first].mean() * between_roles
        peak = replace(peak, ratings=peak.ratings + shift[:n], advantage=peak.advantage + float(shift[n]))
    alike = [[one for one in group if is_first[one] == role] for group in connected for role in (True, False)]
    # When one rises, others of its own role fall; its opponents stay.
    found = _report(pairings, counts, peak, np.ones(n), alike, _warnings(pairings, connected))
    by_name = dict(zip(pairings.names, players, strict=True))
    return replace(found, players=tuple(by_name[rating.name] for rating in found.ratings))


def scale(draw: float) -> float:
    """How much the score changes with a small difference of the model, compared to Elo without draws."""
    odds = 10.0 ** (-draw / 400.0)
    return 4.0 * odds / (1.0 + odds) ** 2


def _shares(pairings: Pairings) -> np.ndarray:
    """[n, n] which part of each one's games were against which other, plus the same seen from the other side."""
    met = pairings.met
    share = met / np.maximum(met.sum(axis=1, keepdims=True), 1.0)
    return share + share.T


def _shifts_of_groups(pairings: Pairings, connected: Sequence[Sequence[int]]) -> np.ndarray:
    """[n + 2, groups] for each group, the direction that shifts all its ratings alike; orthonormal."""
    shifts = np.zeros((len(pairings.names) + 2, len(connected)))
    for column, group in enumerate(connected):
        shifts[group, column] = 1.0 / math.sqrt(len(group))
    return shifts


def _report(
    pairings: Pairings,
    counts: np.ndarray,
    peak: Peak,
    spread: np.ndarray,
    comparable: Sequence[Sequence[int]],
    warnings: list[str],
) -> Ratings:
    """The fit in Elo points; `spread` [n] is how far a rating moves when its difference to opponents moves by 1."""
    evidence, games, draw = Evidence(counts), pairings.games, peak.draw / ELO
    order = sorted(range(len(pairings.names)), key=lambda player: (-peak.ratings[player], pairings.names[player]))
    unit = scale(draw) / ELO
    ratings = []
    for player in order:
        elo, (low, high) = float(peak.ratings[player]), exact_interval(evidence, peak, player, CONFIDENCE)
        plus, minus = spread[player] * (high - elo) * unit, spread[player] * (elo - low) * unit
        ratings.append(Rating(pairings.names[player], elo * unit, float(plus), float(minus), int(games[player])))
    own = peak.covariance.diagonal()
    variance = own[:, None] + own - 2.0 * peak.covariance  # of the difference of two
    deviations = np.full(variance.shape, math.nan)
    for group in comparable:
        members = np.ix_(group, group)
        deviations[members] = unit * np.sqrt(np.maximum(variance[members], 0.0))
    deviations = deviations[np.ix_(order, order)]
    return Ratings(peak.advantage / ELO, draw, tuple(ratings), deviations, tuple(warnings))


def _warnings(pairings: Pairings, connected: Sequence[Sequence[int]]) -> list[str]:
    """Warnings for readers of the ratings."""
    warnings = []
    if len(connected) > 1:  # their ratings cannot be compared
        texts = []
        for group in connected[:MAX_NAMED]:
            names = ", ".join(pairings.names[player] for player in group[:MAX_NAMED])
            texts.append(names + (f" and {len(group) - MAX_NAMED} more" if len(group) > MAX_NAMED else ""))
        listed = "; ".join(texts) + ("; …" if len(connected) > MAX_NAMED else "")
        warnings.append(f"{len(connected)} groups never met, so only ratings within a group compare: {listed}")
    if pairings.names and not pairings.counts[:, :, :DRAW].any():
        warnings.append("no game was decided: strengths cannot be estimated")
    return warnings
