"""The Tablut paper, TablutZero: what is trained, what it is measured by, and what the paper reports.

Its rules are our rule set `tablutzero`. The paper trained each run once, on two NVIDIA H200, and does not say how long
that took. Its figures are read off the text; those that only its plots show are not given here. Nor does it say which
command of BayesElo its rating is from. The authors' public code has `mm`; we rate by it and by our default, `mm 1 1`.
"""

from dataclasses import dataclass
from typing import Literal

from boardwright.learn.shared.config import EvaluationMatchesConfig

GAME = "tablut"


@dataclass(frozen=True)
class Training:
    """A run."""

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
        """Of its file."""
        return f"{self.first}--{self.second}"


@dataclass(frozen=True)
class RatingMode:
    """A command of BayesElo."""

    command: str
    words: str
    fixed_parameters: bool

    @property
    def label(self) -> str:
        """In tables and sentences."""
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


TRAININGS = (
    Training("paper", "the paper's run", "tablut-paper"),
    Training("augment", "the same without past checkpoints", "tablut-paper-augment"),
    Training("baseline", "and also without rotations, with half the replay", "tablut-paper-baseline"),
    Training("fast", "ours", "tablut-fast"),
)
PAIRINGS = (
    Pairing("fast", "paper", "equal minutes", "our run is stronger at equal GPU-minutes"),
    Pairing("paper", "augment", "the end", "games against past checkpoints make it stronger"),
    Pairing("augment", "baseline", "the end", "rotations and a larger replay make it stronger"),
)
RATING_MODES = (
    RatingMode("mm", "advantage and draw fixed; the authors' script", fixed_parameters=True),
    RatingMode("mm 1 1", "both fitted", fixed_parameters=False),
)

# From iteration 20 on, every 5, against 4 drawn from a pool of up to 10, the untrained net among them. What the paper
# leaves open, and we took: 128 games an opponent, half in each role, after two random plies, with the simulations of
# its self-play.
FULL = Sizes(
    protocol=EvaluationMatchesConfig(
        first=20, every=5, opponents=4, pool=10, games=128, simulations=128, opening_plies=2
    ),
    games=1000,
    simulations=128,
    opening_plies=4,
    balance_rules=("tablutzero", "tablutzero-code", "mcgill", "saami"),
    balance_openings=(0, 2, 4, 8),
)
QUICK = Sizes(
    protocol=EvaluationMatchesConfig(first=1, every=1, opponents=2, pool=3, games=4, simulations=2, opening_plies=2),
    games=8,
    simulations=2,
    opening_plies=4,
    balance_rules=("tablutzero", "mcgill"),
    balance_openings=(0, 4),
)
QUICK_SETTINGS = (  # of every run: small nets, little training
    *("iterations=4", "net.blocks=1", "net.width=8", "net.policy_channels=2", "net.value_hidden=8"),
    *("search.simulations=2", "search.max_considered_actions=2", "selfplay.games=16", "selfplay.steps=48"),
    *("replay.iterations=2", "learner.batch_size=32", "learner.steps=8", "learner.warmup_steps=4"),
    *(
        f"evaluation.{name}={getattr(QUICK.protocol, name)}"
        for name in ("first", "every", "opponents", "pool", "games", "simulations")
    ),
)

# What the paper reports of its full run.
ELO, ITERATIONS, FRAMES = 1235.0, 100, 26e6
ENTROPY, PIECES = (3.05, 1.47), (22.0, 15.0)  # at the beginning, at the end
SELFPLAY_ATTACKERS, ROLLING = 0.65, 10  # share of games won, mean of the last ROLLING iterations
TURN = 0.75  # share of the training up to which both roles won alike against past checkpoints
EARLY_WINS, LATE_WINS = ((0.70, 0.80), (0.70, 0.80)), (0.86, 0.52)  # by role: from, to until then; at the end
DEVICES = "two H200"

MOST_MINUTES = 60.0  # that our run may take to be above the paper's Elo


def training_of(name: str) -> Training:
    """A run by its name."""
    return next(training for training in TRAININGS if training.name == name)
