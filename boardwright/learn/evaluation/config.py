"""Settings of the training of evaluation networks, as frozen dataclasses that are also its config file."""

from dataclasses import dataclass, field
from typing import Annotated

from boardwright.errors import RunError
from boardwright.learn.run.config_file import Presets
from boardwright.learn.run.settings import check_ranges
from boardwright.learn.shared.config import check_even_games
from boardwright.nets.config import EvaluationConfig
from boardwright.setting import Setting

MIN_NODES = 50  # of a search: with fewer it may not complete one move, and has no score


@dataclass(frozen=True, kw_only=True)
class AlphaBetaGamesConfig:
    """Games that the search plays against itself."""

    games: Annotated[int, Setting("games per iteration", 1, 10**6)] = 1000
    nodes: Annotated[int, Setting("nodes of a search", MIN_NODES, 10**9)] = 1000
    min_random_plies: Annotated[int, Setting("minimum of random plies at the start", 0, 1000, was="least_random")] = 4
    max_random_plies: Annotated[int, Setting("maximum of random plies at the start", 0, 1000, was="most_random")] = 12


@dataclass(frozen=True, kw_only=True)
class AlphaBetaLearnerConfig:
    """How the net learns: by Adam, from uniformly drawn positions of the replay."""

    batch_size: Annotated[int, Setting("positions of a step", 1, 2**16, was="batch")] = 1024
    steps: Annotated[int, Setting("steps per iteration", 1, 10**6)] = 800
    lr_peak: Annotated[float, Setting("learning rate at the start; cosine decay", 0, 10, was="peak")] = 2e-3
    lr_final: Annotated[float, Setting("learning rate at the end of the run", 0, 10, was="least")] = 1e-5
    result_share: Annotated[float, Setting("share of the result in the target, else the score", 0, 1)] = 0.5


@dataclass(frozen=True, kw_only=True)
class AlphaBetaMatchesConfig:
    """Evaluation matches against nets of earlier iterations, from which ratings are made."""

    every: Annotated[int, Setting("iterations between evaluation matches; 0 is never", 0, 10**6)] = 8
    games: Annotated[int, Setting("games against each opponent, half in each role", 2, 2**16)] = 200
    nodes: Annotated[int, Setting("nodes of a search", MIN_NODES, 10**9)] = 1000
    opening_plies: Annotated[int, Setting("random plies at the start, equal in both games of a pair", 0, 1000)] = 6


@dataclass(frozen=True, kw_only=True)
class AlphaBetaConfig:
    """One run."""

    game: Annotated[str, Setting("name of the game")]
    rules: Annotated[str | None, Setting("rule set; none is the game's default")] = None
    tablebase_dir: Annotated[
        str | None, Setting("folder of endgame tables for the search; none is those of the package", was="tables")
    ] = None
    seed: Annotated[int, Setting("seed of all random numbers", 0, 2**31 - 1)] = 0
    iterations: Annotated[int, Setting("iterations of the run", 1, 10**6)] = 72
    net: EvaluationConfig = field(default_factory=EvaluationConfig)
    selfplay: AlphaBetaGamesConfig = field(default_factory=AlphaBetaGamesConfig)
    replay: Annotated[int, Setting("latest positions in the replay buffer", 1, 10**8)] = 2_000_000
    learner: AlphaBetaLearnerConfig = field(default_factory=AlphaBetaLearnerConfig)
    evaluation: AlphaBetaMatchesConfig = field(default_factory=AlphaBetaMatchesConfig)

    def __post_init__(self) -> None:
        check(self)


def check(config: AlphaBetaConfig) -> None:
    """Raises RunError that names the first setting that is out of range or contradicts another."""
    check_ranges(config)
    low, high = config.selfplay.min_random_plies, config.selfplay.max_random_plies
    if low > high:
        raise RunError(
            f"setting selfplay.min_random_plies: {low} is more than selfplay.max_random_plies, {high}: lower it"
        )
    check_even_games("evaluation.games", config.evaluation.games)


PRESETS = Presets(AlphaBetaConfig, __file__)
