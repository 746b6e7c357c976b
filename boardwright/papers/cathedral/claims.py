"""The tables of the Cathedral paper, read from `claims.toml`, and the verdicts that follow from what was measured.

Its environment is our rule set `paper` with the observation `paper`. All runs are made once for each of several seeds,
and runs of one seed play each other. Our own, by far the longest, use the first seeds only: their targets are about
nets, the paper's conclusions about methods. So does the longest of the paper's.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from boardwright.learn.run import settings
from boardwright.learn.run.metrics import History
from boardwright.papers.report import OPEN, is_more, is_no_gain
from boardwright.stats.score import Interval, Score, over_seeds

GAME, RULES = "cathedral", "paper"
SEEDS, QUICK_SEEDS = 5, 1
GAMES, QUICK_GAMES = 10_000, 200  # of a cell, for each seed
ARENA_GAMES, QUICK_ARENA_GAMES = 1_000, 20  # of a cell played one game after the other
RANDOM = "random"
OWN = "ours"  # the variant of our own runs
TRAINING_TIME = "15 minutes to 3 hours"  # of a DQN
UNSTABLE = "PPO with the VAE's frozen encoder is less stable than PPO with its own convolutions"
UNSTABLE_RUN, STABLE_RUN = "ppo-frozen", "ppo"
STRENGTH = "evaluation/random"  # score of a net under training against a random player


@dataclass(frozen=True, kw_only=True)
class Training:
    """A run, for each seed."""

    name: str
    method: Literal["dqn", "ppo", "vae"]
    preset: str
    words: str
    variant: str | None = None  # where it departs from the paper's method, a key of VARIANTS, or OWN; None: nowhere
    settings: tuple[str, ...] = ()
    after: tuple[str, ...] = ()  # runs whose files it needs
    most_seeds: int | None = None  # made for at most that many, the first; None: for all
    quick: tuple[str, ...] = ()  # settings of a quick run: a small net

    def seeds(self, of: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the seeds that it is made for."""
        return of[: self.most_seeds]

    @property
    def label(self) -> str:
        """Whose method it is, as tables say it."""
        if self.variant is None:
            return "as published"
        return self.variant if self.variant == OWN else f"variant: {self.variant}"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One pairing of a table."""

    table: str
    first: str  # run
    second: str = RANDOM  # run, or a player's spec where `arena` says so
    temperature: float = 0.0  # of both
    opening_plies: int = 0  # random actions before a pair of games, for players that do not choose at random
    arena: bool = False  # the second is not a net: played in the scalar engine
    wins: tuple[float, ...] = ()  # published share of the games won by the first, or by each
    rewards: tuple[float, ...] = ()  # likewise the published mean reward

    @property
    def name(self) -> str:
        """Name of its file, without the ending."""
        return f"{self.first}--{self.second}--t{self.temperature:g}"

    def seeds(self, of: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the seeds that both sides have nets of."""
        for name in (self.first,) if self.arena or self.second == RANDOM else (self.first, self.second):
            of = TRAININGS[name].seeds(of)
        return of


@dataclass(frozen=True)
class Finding:
    """A conclusion of the paper, and the cell whose score decides on it."""

    claim: str
    first: str
    second: str
    kind: Literal["better", "no gain"]
    than: float = 0.5  # better: the score to exceed


@dataclass(frozen=True)
class Target:
    """A score our players must reach."""

    first: str
    second: str
    least: float  # the score, or with `surely` the lower end of its interval over games
    surely: bool = False


@dataclass(frozen=True)
class Curve:
    """A chart of a metric of some runs."""

    name: str  # of its file
    title: str
    metric: str
    axis: str
    runs: tuple[str, ...]


_TABLES = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
TRAININGS = {row["name"]: settings.from_json(Training, row) for row in _TABLES["trainings"]}
QUICK: dict[str, list[str]] = _TABLES["quick"]  # by method, settings of a quick run
VARIANTS: dict[str, dict[str, str]] = _TABLES["variants"]  # by name: `published` and `ours`
CURVES = tuple(settings.from_json(Curve, row) for row in _TABLES["curves"])
CELLS = tuple(settings.from_json(Cell, row) for row in _TABLES["games"]["cells"])
FINDINGS = tuple(settings.from_json(Finding, row) for row in _TABLES["games"]["findings"])
TARGETS = tuple(settings.from_json(Target, row) for row in _TABLES["games"]["targets"])


def cell_of(first: str, second: str) -> Cell:
    """The first cell of two players, which is the paper's where there are several."""
    return next(cell for cell in CELLS if (cell.first, cell.second) == (first, second))


def labels_of(*players: str) -> str:
    """Whose methods trained the runs among some players, in their order, each method once."""
    return " / ".join(dict.fromkeys(TRAININGS[player].label for player in players if player in TRAININGS))


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
        is_published = all(TRAININGS[run].variant is None for run in self.runs if run in TRAININGS)
        return "" if is_published else "for our variant; the paper's method was not run"


def verdicts(results: Results) -> list[Decided]:
    """The verdicts on all conclusions of the paper."""
    decided = []
    for finding in FINDINGS:
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
    for target in TARGETS:
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
        return Decided(UNSTABLE, None, words, OPEN, runs)
    difference = over_seeds(differences)
    verdict = is_more(difference, 0.0)
    return Decided(UNSTABLE, difference, words, verdict, runs, over_seeds(differences, further=1))
