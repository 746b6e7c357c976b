"""Everything the learning of a net for alpha-beta can be told, as frozen records that are also its config file."""

from __future__ import annotations

from dataclasses import dataclass, field

from boardwright.errors import RunError
from boardwright.learn.run.settings import check_limits
from boardwright.nets.config import EvaluationConfig


@dataclass(frozen=True, kw_only=True)
class AlphaBetaGamesConfig:
    """Games that the search plays against itself."""

    games: int = 1000  # an iteration
    nodes: int = 1000  # positions looked at for a move
    # Random plies that a game begins with, so that games differ: any number from the least to the most is as likely.
    least_random: int = 4
    most_random: int = 12


@dataclass(frozen=True, kw_only=True)
class AlphaBetaLearnerConfig:
    """How the net learns: by Adam, from positions of the replay, each of which is as likely."""

    batch: int = 1024  # positions a step
    steps: int = 800  # an iteration
    peak: float = 2e-3  # learning rate at the beginning of the run; it falls along a cosine to `least` at its end
    least: float = 1e-5
    result_share: float = 0.5  # of the game's result in what is learned; the rest is what the search said


@dataclass(frozen=True, kw_only=True)
class AlphaBetaContestsConfig:
    """Contests with earlier nets, from which ratings are made."""

    every: int = 8  # iterations; 0 is never
    games: int = 200  # against each, half in each role
    nodes: int = 1000  # for a move
    opening_plies: int = 6  # random ones, the same in both games of a pair


@dataclass(frozen=True, kw_only=True)
class AlphaBetaConfig:
    """One run."""

    game: str
    rules: str | None = None  # name of a rule set; the game's default
    tables: str | None = None  # folder of endgame tables that searches ask, where the game has any; those that ship
    seed: int = 0
    iterations: int = 72
    net: EvaluationConfig = field(default_factory=EvaluationConfig)
    selfplay: AlphaBetaGamesConfig = field(default_factory=AlphaBetaGamesConfig)
    replay: int = 2_000_000  # the latest positions that are remembered
    learner: AlphaBetaLearnerConfig = field(default_factory=AlphaBetaLearnerConfig)
    evaluation: AlphaBetaContestsConfig = field(default_factory=AlphaBetaContestsConfig)

    def __post_init__(self) -> None:
        check(self)


LEAST_NODES = 50  # for a move: with fewer a search may not get through one move, and says nothing
LIMITS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "iterations": (1, 10**6),
    "selfplay.games": (1, 10**6),
    "selfplay.nodes": (LEAST_NODES, 10**9),
    "selfplay.least_random": (0, 1000),
    "selfplay.most_random": (0, 1000),
    "replay": (1, 10**8),
    "learner.batch": (1, 2**16),
    "learner.steps": (1, 10**6),
    "learner.peak": (0, 10),
    "learner.least": (0, 10),
    "learner.result_share": (0, 1),
    "evaluation.every": (0, 10**6),
    "evaluation.games": (2, 2**16),
    "evaluation.nodes": (LEAST_NODES, 10**9),
    "evaluation.opening_plies": (0, 1000),
}


def check(config: AlphaBetaConfig) -> None:
    """Raises RunError that names the first setting out of range."""
    check_limits(config, LIMITS)
    least, most = config.selfplay.least_random, config.selfplay.most_random
    if least > most:
        raise RunError(f"setting selfplay.least_random: {least} is more than selfplay.most_random, {most}: lower it")
    if config.evaluation.games % 2:
        raise RunError(
            f"setting evaluation.games: {config.evaluation.games} is odd, and half of the games are played in each role"
        )
