"""The tables of the Cathedral paper, read from `claims.toml`: what is trained and played, and what the paper reports.

Its environment is our rule set `paper` with the observation `paper`. All runs are made once for each of several seeds,
and runs of one seed play each other. Our own, by far the longest, use the first seeds only: their targets are about
nets, the paper's conclusions about methods. So does the longest of the paper's.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from boardwright.learn.run import settings

GAME, RULES = "cathedral", "paper"
SEEDS, QUICK_SEEDS = 5, 1
GAMES, QUICK_GAMES = 10_000, 200  # of a cell, for each seed
ARENA_GAMES, QUICK_ARENA_GAMES = 1_000, 20  # of a cell played one game after the other
RANDOM = "random"
OWN = "ours"  # the variant of our own runs
TRAINING_TIME = "15 minutes to 3 hours"  # of a DQN
UNSTABLE = "PPO with the VAE's frozen encoder is less stable than PPO with its own convolutions"
UNSTABLE_RUN, STABLE_RUN = "ppo-frozen", "ppo"


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
