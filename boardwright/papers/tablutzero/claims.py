"""The Tablut paper, TablutZero: what is trained, what it is measured by, and what the paper reports.

Its rules are our rule set `tablutzero`. The paper trained each run once, on two NVIDIA H200, and does not say how long
that took. Its figures are read off the text; those that only its plots show are not given here. Nor does it say which
command of BayesElo its rating is from. The authors' public code has `mm`; we rate by it and by our default, `mm 1 1`.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from boardwright.learn.run import settings
from boardwright.learn.shared.config import EvaluationMatchesConfig

GAME = "tablut"


@dataclass(frozen=True)
class Training:
    """A training run that the paper or the targets need."""

    name: str
    words: str
    preset: str  # also the name of its folder


@dataclass(frozen=True)
class Pairing:
    """Two runs whose nets play each other, in pairs of games from one random opening with the roles swapped."""

    first: str
    second: str
    at: Literal["equal minutes", "the end"]  # which net of each
    claim: str  # that the first is better

    @property
    def name(self) -> str:
        """Name of its file, without the ending."""
        return f"{self.first}--{self.second}"


@dataclass(frozen=True)
class RatingMode:
    """A command of BayesElo."""

    command: str
    words: str
    fixed_parameters: bool

    @property
    def label(self) -> str:
        """Text for tables and sentences."""
        return f"BayesElo `{self.command}` ({self.words})"


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How many games are played after the training."""

    protocol: EvaluationMatchesConfig
    games: int  # of a match, and of a line of the balance
    simulations: int  # for both
    opening_plies: int  # of a match
    balance_rules: tuple[str, ...]
    balance_openings: tuple[int, ...]  # plies


_TABLES = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
QUICK_SETTINGS: tuple[str, ...] = tuple(_TABLES["quick"].pop("settings"))
FULL, QUICK = (settings.from_json(Sizes, _TABLES[name]) for name in ("full", "quick"))
TRAININGS = {row["name"]: settings.from_json(Training, row) for row in _TABLES["trainings"]}
PAIRINGS = tuple(settings.from_json(Pairing, row) for row in _TABLES["pairings"])
RATING_MODES = tuple(settings.from_json(RatingMode, row) for row in _TABLES["rating_modes"])

# What the paper reports of its full run; `page.md` has all figures.
ELO, FRAMES = 1235.0, 26e6
ENTROPY, PIECES = (3.05, 1.47), (22.0, 15.0)  # at the beginning, at the end
SELFPLAY_ATTACKERS, ROLLING = 0.65, 10  # share of games won, mean of the last ROLLING iterations
TURN = 0.75  # share of the training up to which both roles won alike against past checkpoints
LATE_WINS = (0.86, 0.52)  # share of games won in each role at the end

MAX_MINUTES = 60.0  # that our run may take to be above the paper's Elo
