"""Settings of AlphaZero, as frozen dataclasses that are also its config file; `presets.toml` has named ones."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from boardwright.errors import RunError
from boardwright.learn.run.config_file import Presets
from boardwright.learn.run.settings import check_ranges
from boardwright.learn.shared.config import EvaluationMatchesConfig, SearchConfig, check_even_games
from boardwright.nets.config import NetConfig
from boardwright.setting import Setting

MAX_STATES = 3 * 10**7  # of a replay, whose weights, 64 a state, are summed in 32 bits


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig:
    """Concurrent games, and what is learned from them."""

    games: Annotated[int, Setting("concurrent games", 1, 2**20)] = 256
    steps: Annotated[int, Setting("actions in each game per iteration", 1, 2**15)] = 64
    opening_plies: Annotated[int, Setting("maximum of random actions at the start of a game", 0, 1000)] = 0
    full_share: Annotated[
        float,
        Setting(
            "share of steps with the full search; the others use quick_simulations and are not learned from", 0.01, 1
        ),
    ] = 1.0
    quick_simulations: Annotated[int, Setting("simulations of the other steps", 1, 2**14)] = 8
    unfinished: Annotated[Literal["wait", "bootstrap"], Setting("value target of unfinished games")] = "wait"
    resign_below: Annotated[float, Setting("root value below which a player resigns; -1 is never", -1, 0)] = -1.0
    audit_share: Annotated[float, Setting("share of games without resignation, to find wrong ones", 0, 1)] = 0.1
    adjudicate: Annotated[float, Setting("share of games that end where endgame tables know the result", 0, 1)] = 0.0

    @property
    def stops_games(self) -> bool:
        """Whether games may be over before their end."""
        return self.resign_below > -1 or self.adjudicate > 0


@dataclass(frozen=True, kw_only=True)
class LeagueConfig:
    """Games against past checkpoints."""

    share: Annotated[float, Setting("share of games against past checkpoints", 0, 1)] = 0.0
    nets: Annotated[int, Setting("past checkpoints in play; one changes every iteration", 1, 64)] = 2


@dataclass(frozen=True, kw_only=True)
class ReplayConfig:
    """The size of the replay buffer, in whole iterations."""

    iterations: Annotated[int, Setting("iterations in the replay buffer", 1, 10**4)] = 16
    states: Annotated[int | None, Setting("states in the replay buffer, instead of iterations", 1, MAX_STATES)] = None


@dataclass(frozen=True, kw_only=True)
class LearnerConfig:
    """How the net learns."""

    batch_size: Annotated[int, Setting("samples of a step", 2, 2**16, was="batch")] = 256
    steps: Annotated[int, Setting("steps per iteration", 1, 10**6)] = 64
    optimiser: Annotated[Literal["adamw", "adam"], Setting("optimiser")] = "adamw"
    lr_peak: Annotated[float, Setting("learning rate after the warm-up; cosine decay", 0, 10, was="peak")] = 2e-3
    lr_final: Annotated[float, Setting("learning rate at the end of the run", 0, 10, was="least")] = 1e-5
    warmup_steps: Annotated[int, Setting("steps of the linear warm-up", 0, 10**7, was="warmup")] = 100
    weight_decay: Annotated[float, Setting("adamw: decoupled weight decay", 0, 10)] = 1e-4
    l2: Annotated[float, Setting("weight in the loss of the sum of squares of the kernels", 0, 10)] = 0.0
    gradient_clip: Annotated[float, Setting("maximum norm of a gradient; 0 is no limit", 0, 1e6, was="clip")] = 0.0
    ema_decay: Annotated[
        float,
        Setting("decay of the averaged weights that play; 0 is none", 0, 0.999999, was="averaging"),
    ] = 0.0
    augment: Annotated[Literal["none", "rotations", "all"], Setting("symmetries used for samples")] = "none"
    root_value: Annotated[float, Setting("share of the root value in the value target", 0, 1)] = 0.0
    tablebase_weight: Annotated[
        float, Setting("share of endgame tables in both targets, where they know a position", 0, 1, was="tables")
    ] = 0.0
    policy_surprise_weight: Annotated[
        float, Setting("share of a sample's weight that is proportional to the policy surprise", 0, 1, was="surprise")
    ] = 0.0
    value_weight: Annotated[float, Setting("weight of the value loss", 0, 100)] = 1.0
    ownership_weight: Annotated[float, Setting("weight of the ownership loss, of nets with that head", 0, 100)] = 0.15
    margin_weight: Annotated[float, Setting("weight of the margin loss, of nets with that head", 0, 100)] = 0.1
    plies_weight: Annotated[float, Setting("weight of the loss of remaining plies", 0, 100)] = 0.05


@dataclass(frozen=True, kw_only=True)
class GatingConfig:
    """A candidate must beat the reference to take its place; the reference is the net that is exported."""

    games: Annotated[int, Setting("games of a gating match, half in each role; 0 is no gating", 0, 2**16)] = 0
    every: Annotated[int, Setting("iterations between gating matches", 1, 10**6)] = 1
    threshold: Annotated[float, Setting("score that a candidate needs to replace the reference", 0, 1)] = 0.55
    simulations: Annotated[int, Setting("simulations of a move", 1, 2**14)] = 32
    opening_plies: Annotated[int, Setting("random actions at the start, equal in both games of a pair", 0, 1000)] = 2
    selfplay: Annotated[Literal["reference", "candidate"], Setting("net that generates games")] = "reference"


@dataclass(frozen=True, kw_only=True)
class AlphaZeroConfig:
    """One run."""

    game: Annotated[str, Setting("name of the game")]
    rules: Annotated[str | None, Setting("rule set; none is the game's default")] = None
    observation: Annotated[str | None, Setting("observation of the game; none is its default")] = None
    tablebase_dir: Annotated[
        str | None, Setting("folder of endgame tables; none is those of the package", was="tables")
    ] = None
    init_from: Annotated[
        str | None, Setting("net to start from, a file or a name of the package; none is random weights", was="initial")
    ] = None
    seed: Annotated[int, Setting("seed of all random numbers", 0, 2**31 - 1)] = 0
    iterations: Annotated[int, Setting("iterations of the run", 1, 10**6)] = 50
    net: NetConfig = field(default_factory=NetConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    gating: GatingConfig = field(default_factory=GatingConfig)
    evaluation: EvaluationMatchesConfig = field(default_factory=EvaluationMatchesConfig)

    def __post_init__(self) -> None:
        check(self)

    @property
    def league_games(self) -> int:
        """Games against past checkpoints: the share of all, in equal parts for each."""
        if self.league.share == 0:
            return 0
        nets, games = self.league.nets, self.selfplay.games
        return max(1, min(round(self.league.share * games / nets), games // nets)) * nets

    @property
    def needs_tables(self) -> str | None:
        """The first setting that needs endgame tables."""
        shares = {
            "selfplay.adjudicate": self.selfplay.adjudicate,
            "learner.tablebase_weight": self.learner.tablebase_weight,
        }
        return next((path for path, share in shares.items() if share > 0), None)

    @property
    def window(self) -> int:
        """Iterations that the replay holds."""
        if self.replay.states is None:
            return self.replay.iterations
        return max(1, self.replay.states // (self.selfplay.games * self.selfplay.steps))


def check(config: AlphaZeroConfig) -> None:
    """Raises RunError that names the first setting that is out of range or contradicts another."""
    check_ranges(config)
    if not config.search.simulations:
        raise RunError("setting search.simulations: expected at least one number")
    if not config.net.predicts_results:
        raise RunError("setting net.value: a search needs results, from -1 to 1, not linear: set it to wdl or scalar")
    if config.league_games > config.selfplay.games:
        raise RunError(
            f"setting league.nets: {config.league.nets} past checkpoints need as many games, selfplay.games is "
            f"{config.selfplay.games}: lower it, or raise selfplay.games"
        )
    if config.league_games and config.selfplay.steps % 2:
        raise RunError(f"setting selfplay.steps: {config.selfplay.steps} is odd, and a league moves by turns")
    if config.tablebase_dir is not None and config.needs_tables is None:
        raise RunError(
            "setting tablebase_dir: nothing uses them: set selfplay.adjudicate or learner.tablebase_weight too"
        )
    states = config.selfplay.games * config.selfplay.steps
    if config.window * states > MAX_STATES:
        raise RunError(
            f"setting replay.iterations: {config.window} iterations of {states} states are more than {MAX_STATES}: "
            "lower it, selfplay.games or selfplay.steps"
        )
    check_even_games("gating.games", config.gating.games)
    check_even_games("evaluation.games", config.evaluation.games)


PRESETS = Presets(AlphaZeroConfig, __file__)
