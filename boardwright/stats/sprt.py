"""Sequential probability ratio test (SPRT): is A stronger than B? Stops as soon as the games decide.

Two hypotheses about the strength of A, in logistic Elo points above B (score = 1 / (1 + 10^(-elo / 400))):
H0, it is `elo0`, and H1, it is `elo1`. Games are played in *pairs*, both from the same opening with the
roles changed, and the samples are A's points in a pair: 0, ½, 1, 1½ or 2 (hence "pentanomial"). The two
games of a pair are correlated, so counting them one by one would overstate or understate the evidence.

The test is the generalised sequential probability ratio test (Wald; Van den Bergh for matches): the
log-likelihood ratio `llr` compares the most probable distribution over the five outcomes whose mean is
the score of H1 with that of H0, and stops at Wald's bounds, log(beta / (1 - alpha)) and log((1 - beta) / alpha). So of
all tests where H0 is true about alpha end with H1, and of those where H1 is true about beta with H0. In between
either may happen.

    test = Sprt(elo0=0.0, elo1=10.0)
    verdict = test.judge((3, 10, 30, 18, 7))
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from boardwright.errors import BoardwrightError
from boardwright.stats.score import PAIR_SHARES, elo_of_score, interval_of_counts, score_of_elo

MIN_COUNT = 1e-3  # for an outcome that has not occurred yet
MAX_ELO = 1000.0  # of a hypothesis


@dataclass(frozen=True)
class Verdict:
    """State of a test after some pairs of games."""

    decision: Literal["continue", "H0", "H1"]  # which hypothesis is accepted
    llr: float  # log-likelihood ratio of H1 to H0
    lower: float  # at or below it H0 is accepted
    upper: float  # at or above it H1 is
    pairs: int
    score: float  # A's share of the points
    elo: float  # that corresponds to the score; infinite at 0 and 1
    elo_low: float  # 95 % interval; slightly too narrow for a test that has reached a bound
    elo_high: float


@dataclass(frozen=True)
class Sprt:
    """A test of two hypotheses with their error rates."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # share of tests that accept H1 though H0 is true
    beta: float = 0.05  # and H0 though H1 is true

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise BoardwrightError(
                f"elo0 {self.elo0:g} must be below elo1 {self.elo1:g}, both from {-MAX_ELO:g} to {MAX_ELO:g}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0 < rate < 0.5:
                raise BoardwrightError(f"{name} must be above 0 and below 0.5, not {rate:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios that end the test, in favour of H0 and of H1."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def judge(self, counts: Sequence[int]) -> Verdict:
        """The verdict after `counts` pairs with 0, ½, 1, 1½ and 2 points for A."""
        lower, upper = self.bounds
        llr = log_likelihood_ratio(counts, score_of_elo(self.elo0), score_of_elo(self.elo1))
        decision = "H1" if llr >= upper else "H0" if llr <= lower else "continue"
        score = interval_of_counts(PAIR_SHARES, counts)
        elos = (elo_of_score(score.mean), elo_of_score(score.low), elo_of_score(score.high))
        return Verdict(decision, llr, lower, upper, sum(counts), score.mean, *elos)


def count_pairs(pairs: Iterable[tuple[float, float]]) -> tuple[int, ...]:
    """How many pairs had each outcome, from A's points (0, ½ or 1) in the two games of each."""
    counts = Counter(round(2.0 * (one + other)) for one, other in pairs)
    return tuple(counts[halves] for halves in range(len(PAIR_SHARES)))


def log_likelihood_ratio(counts: Sequence[float], score0: float, score1: float) -> float:
    """Of the best explanation with mean score `score1` to the best with mean score `score0`.

    Exact, for any number of pairs: no normal distribution is assumed. Zero without any pair.
    """
    total = sum(counts)
    if not total:
        return 0.0
    counts = [max(float(count), MIN_COUNT) for count in counts]
    share = [count / sum(counts) for count in counts]
    tilt0, tilt1 = _tilt(share, score0), _tilt(share, score1)
    return sum(
        count * math.log((1.0 + tilt0 * (score - score0)) / (1.0 + tilt1 * (score - score1)))
        for count, score in zip(counts, PAIR_SHARES, strict=True)
    )


def _tilt(share: Sequence[float], mean: float) -> float:
    """The t for which share_i / (1 + t (score_i - mean)) is a distribution with this mean.

    That is the most probable distribution with this mean (by a Lagrange multiplier). What must vanish is
    Σ share_i (score_i - mean) / (1 + t (score_i - mean)), which falls as t rises between the two values at
    which a share would become infinite: bisection finds it.
    """
    gaps = [score - mean for score in PAIR_SHARES]
    low, high = -1.0 / gaps[-1], -1.0 / gaps[0]
    tilt = 0.0
    for _ in range(100):
        if sum(part * gap / (1.0 + tilt * gap) for part, gap in zip(share, gaps, strict=True)) > 0.0:
            low = tilt
        else:
            high = tilt
        tilt = (low + high) / 2.0
    return tilt
