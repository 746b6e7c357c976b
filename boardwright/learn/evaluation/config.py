"""Settings of the training of evaluation networks, as frozen dataclasses that are also its config file."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import RunConfig, odd_games
from boardwright.nets.config import EvaluationConfig
from boardwright.setting import setting

MIN_NODES = 50  # of a search: with fewer it may not complete one move, and has no score


@dataclass(frozen=True, kw_only=True)
class AlphaBetaGamesConfig:
    """Games that the search plays against itself."""

    games: int = setting(1000, "games per iteration", 1, 10**6)
    nodes: int = setting(1000, "nodes per search", MIN_NODES, 10**9)
    min_random_plies: int = setting(4, "minimum of random plies at the start", 0, 1000, was="least_random")
    max_random_plies: int = setting(12, "maximum of random plies at the start", 0, 1000, was="most_random")


@dataclass(frozen=True, kw_only=True)
class AlphaBetaLearnerConfig:
    """How the net learns: by Adam, from uniformly drawn positions of the replay."""

    batch_size: int = setting(1024, "positions per step", 1, 2**16, was="batch")
    steps: int = setting(800, "steps per iteration", 1, 10**6)
    lr_peak: float = setting(2e-3, "learning rate at the start; cosine decay", 0, 10, was="peak")
    lr_final: float = setting(1e-5, "learning rate at the end of the run", 0, 10, was="least")
    result_share: float = setting(0.5, "weight of the game result in the target; the rest is the search score", 0, 1)


@dataclass(frozen=True, kw_only=True)
class AlphaBetaMatchesConfig:
    """Evaluation matches against nets of earlier iterations, from which ratings are made."""

    every: int = setting(8, "iterations between evaluation matches; 0: never", 0, 10**6)
    games: int = setting(200, "games against each opponent, half in each role", 2, 2**16)
    nodes: int = setting(1000, "nodes per search", MIN_NODES, 10**9)
    opening_plies: int = setting(6, "random plies at the start, equal in both games of a pair", 0, 1000)


@dataclass(frozen=True, kw_only=True)
class AlphaBetaConfig(RunConfig):
    """One run."""

    tablebase_dir: str | None = setting(
        None, "folder of endgame tables for the search; none: the shipped ones", was="tables"
    )
    iterations: int = setting(72, "iterations of the run", 1, 10**6)
    net: EvaluationConfig = field(default_factory=EvaluationConfig)
    selfplay: AlphaBetaGamesConfig = field(default_factory=AlphaBetaGamesConfig)
    replay: int = setting(2_000_000, "latest positions in the replay buffer", 1, 10**8)
    learner: AlphaBetaLearnerConfig = field(default_factory=AlphaBetaLearnerConfig)
    evaluation: AlphaBetaMatchesConfig = field(default_factory=AlphaBetaMatchesConfig)

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        low, high = self.selfplay.min_random_plies, self.selfplay.max_random_plies
        if low > high:
            yield f"selfplay.min_random_plies: {low} is more than selfplay.max_random_plies, {high}: lower it"
        yield from odd_games("evaluation.games", self.evaluation.games)


PRESETS = Presets(AlphaBetaConfig, __file__)
