"""What was measured for the Cathedral paper's tables, and the verdicts that follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boardwright.learn.run.metrics import History
from boardwright.papers.cathedral import claims
from boardwright.papers.cathedral.claims import STABLE_RUN, UNSTABLE_RUN, Cell, Target, cell_of
from boardwright.papers.report import OPEN, is_more, is_no_gain
from boardwright.stats.score import Interval, Score, over_seeds

STRENGTH = "evaluation/random"  # score of a net under training against a random player


@dataclass(frozen=True)
class Played:
    """The games of a cell for one seed, from the first's side, by its role."""

    wins: tuple[int, int]
    draws: tuple[int, int]
    losses: tuple[int, int]
    rewards: tuple[float, float] | None = None  # mean shaped reward a decision, of each side; None: not measured
    device: str | None = None  # kind of the device that played them; None: games of the scalar engine

    @property
    def total(self) -> Score:
        """Score of the first in both roles."""
        return self.as_role(0) + self.as_role(1)

    def as_role(self, role: int) -> Score:
        """Score of the first in the games in which it has a role."""
        return Score(self.wins[role], self.draws[role], self.losses[role])


@dataclass(frozen=True)
class Results:
    """All that was measured, each for the seeds in order."""

    played: Mapping[str, tuple[Played, ...]]  # by name of a cell
    histories: Mapping[str, tuple[History, ...]]  # by name of a run

    def total(self, cell: Cell) -> Score:
        """The first's, of all games together."""
        return sum((one.total for one in self.played[cell.name]), Score())

    def shares(self, cell: Cell) -> list[float]:
        """The first's share of the points for each seed."""
        return [one.total.share for one in self.played[cell.name]]


@dataclass(frozen=True)
class Decided:
    """A verdict on a claim of the paper."""

    claim: str
    figure: Interval | None  # what it was decided by, over seeds; None where it was not measured
    words: str  # what the figure is
    verdict: str
    runs: tuple[str, str]  # the two that it compares
    single: Interval | None = None  # prediction interval of one more seed
    cell: Cell | None = None  # whose score the figure is

    @property
    def note(self) -> str:
        """What the verdict is restricted to; empty where both runs are of the paper's method."""
        is_published = all(claims.TRAININGS[run].variant is None for run in self.runs if run in claims.TRAININGS)
        return "" if is_published else "for our variant; the paper's method was not run"


def verdicts(results: Results) -> list[Decided]:
    """The verdicts on all conclusions of the paper."""
    decided = []
    for finding in claims.FINDINGS:
        runs = finding.first, finding.second
        cell = cell_of(*runs)
        shares = results.shares(cell)
        score = over_seeds(shares, is_share=True)
        verdict = is_more(score, finding.than) if finding.kind == "better" else is_no_gain(score)
        words = f"score of {finding.first} against {finding.second}"
        single = over_seeds(shares, is_share=True, further=1)
        decided.append(Decided(finding.claim, score, words, verdict, runs, single, cell))
    return [*decided, _on_stability(results)]


def targets(results: Results) -> list[tuple[Target, Interval, bool]]:
    """Every target with the score reached, and whether it is met."""
    found = []
    for target in claims.TARGETS:
        score = results.total(cell_of(target.first, target.second)).interval
        found.append((target, score, (score.low if target.surely else score.mean) >= target.least))
    return found


def fluctuation(history: History) -> float | None:
    """Standard deviation of a net's score against random over the second half of its training.

    Each point has the noise of its evaluation games, equal for all runs. None with fewer than two points.
    """
    series = history.scalars.get(STRENGTH)
    if series is None:
        return None
    late = series.values[2 * series.iterations > series.iterations.max()]
    late = late[np.isfinite(late)]
    return float(np.std(late, ddof=1)) if len(late) > 1 else None


def _on_stability(results: Results) -> Decided:
    runs = (UNSTABLE_RUN, STABLE_RUN)
    words = f"by how much the score of {UNSTABLE_RUN} against random fluctuates more than that of {STABLE_RUN}"
    pairs = zip(results.histories[UNSTABLE_RUN], results.histories[STABLE_RUN], strict=True)
    found = [(fluctuation(one), fluctuation(other)) for one, other in pairs]
    differences = [one - other for one, other in found if one is not None and other is not None]
    if len(differences) < len(found) or not found:
        return Decided(claims.UNSTABLE, None, words, OPEN, runs)
    difference = over_seeds(differences)
    verdict = is_more(difference, 0.0)
    return Decided(claims.UNSTABLE, difference, words, verdict, runs, over_seeds(differences, further=1))
