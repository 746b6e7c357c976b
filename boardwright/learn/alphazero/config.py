"""Settings of AlphaZero, as frozen dataclasses that are also its config file; `presets.toml` has named ones."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import (
    TOO_MANY_NETS,
    EvaluationMatchesConfig,
    RunConfig,
    SearchConfig,
    games_against,
    odd_games,
)
from boardwright.nets.config import NetConfig
from boardwright.setting import setting

MAX_STATES = 3 * 10**7  # of a replay, whose weights, 64 per state, are summed in 32 bits


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig:
    """Concurrent games, and what is learned from them."""

    games: int = setting(256, "concurrent games", 1, 2**20)
    steps: int = setting(64, "actions in each game per iteration", 1, 2**15)
    opening_plies: int = setting(0, "maximum of random actions at the start of a game", 0, 1000)
    full_share: float = setting(
        1.0, "share of steps with the full search; the others use quick_simulations and are not learned from", 0.01, 1
    )
    quick_simulations: int = setting(8, "simulations in the other steps", 1, 2**14)
    unfinished: Literal["wait", "bootstrap"] = setting(
        "wait", "value target of unfinished games: wait for the result, or bootstrap from the root value"
    )
    resign_below: float = setting(-1.0, "root value below which a player resigns; -1: never", -1, 0)
    audit_share: float = setting(0.1, "share of games with resignation disabled, to measure wrong resignations", 0, 1)
    adjudicate: float = setting(0.0, "share of games that end where endgame tables know the result", 0, 1)

    @property
    def stops_games(self) -> bool:
        """Whether games may be over before their end."""
        return self.resign_below > -1 or self.adjudicate > 0


@dataclass(frozen=True, kw_only=True)
class LeagueConfig:
    """Games against past checkpoints."""

    share: float = setting(0.0, "share of games against past checkpoints", 0, 1)
    nets: int = setting(2, "past checkpoints in play; one changes every iteration", 1, 64)


@dataclass(frozen=True, kw_only=True)
class ReplayConfig:
    """The size of the replay buffer, in whole iterations."""

    iterations: int = setting(16, "iterations in the replay buffer", 1, 10**4)
    states: int | None = setting(None, "states in the replay buffer, instead of iterations", 1, MAX_STATES)


@dataclass(frozen=True, kw_only=True)
class LearnerConfig:
    """How the net learns."""

    batch_size: int = setting(256, "samples per step", 2, 2**16, was="batch")
    steps: int = setting(64, "steps per iteration", 1, 10**6)
    optimiser: Literal["adamw", "adam"] = setting("adamw", "optimiser")
    lr_peak: float = setting(2e-3, "learning rate after the warm-up; cosine decay", 0, 10, was="peak")
    lr_final: float = setting(1e-5, "learning rate at the end of the run", 0, 10, was="least")
    warmup_steps: int = setting(100, "steps of the linear warm-up", 0, 10**7, was="warmup")
    weight_decay: float = setting(1e-4, "adamw: decoupled weight decay", 0, 10)
    l2: float = setting(0.0, "weight in the loss of the sum of squares of the kernels", 0, 10)
    gradient_clip: float = setting(0.0, "maximum norm of a gradient; 0: no limit", 0, 1e6, was="clip")
    ema_decay: float = setting(0.0, "decay of the averaged weights that play; 0: none", 0, 0.999999, was="averaging")
    augment: Literal["none", "rotations", "all"] = setting("none", "symmetries used for samples")
    root_value: float = setting(0.0, "share of the root value in the value target", 0, 1)
    tablebase_weight: float = setting(
        0.0, "share of the proven result in the value target, where endgame tables know a position", 0, 1, was="tables"
    )
    policy_surprise_weight: float = setting(
        0.0, "share of a sample's weight that is proportional to the policy surprise", 0, 1, was="surprise"
    )
    value_weight: float = setting(1.0, "weight of the value loss", 0, 100)
    ownership_weight: float = setting(0.15, "weight of the ownership loss, of nets with that head", 0, 100)
    margin_weight: float = setting(0.1, "weight of the margin loss, of nets with that head", 0, 100)
    plies_weight: float = setting(0.05, "weight of the loss of remaining plies", 0, 100)


@dataclass(frozen=True, kw_only=True)
class GatingConfig:
    """A candidate must beat the reference to take its place; the reference is the net that is exported."""

    games: int = setting(0, "games per gating match, half in each role; 0: no gating", 0, 2**16)
    every: int = setting(1, "iterations between gating matches", 1, 10**6)
    threshold: float = setting(0.55, "score that a candidate needs to replace the reference", 0, 1)
    simulations: int = setting(32, "simulations per move", 1, 2**14)
    opening_plies: int = setting(2, "random actions at the start, equal in both games of a pair", 0, 1000)
    selfplay: Literal["reference", "candidate"] = setting("reference", "net that generates games")


@dataclass(frozen=True, kw_only=True)
class AlphaZeroConfig(RunConfig):
    """One run."""

    observation: str | None = setting(None, "observation of the game; none: its default")
    tablebase_dir: str | None = setting(None, "folder of endgame tables; none: the shipped ones", was="tables")
    init_from: str | None = setting(
        None, "net to start from: a file or the name of a shipped net; none: random weights", was="initial"
    )
    net: NetConfig = field(default_factory=NetConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    gating: GatingConfig = field(default_factory=GatingConfig)
    evaluation: EvaluationMatchesConfig = field(default_factory=EvaluationMatchesConfig)

    @property
    def league_games(self) -> int:
        """Games against past checkpoints."""
        return games_against(self.league.nets, self.league.share, self.selfplay.games)

    @property
    def needs_tables(self) -> str | None:
        """The first setting that needs endgame tables."""
        if self.selfplay.adjudicate > 0:
            return "selfplay.adjudicate"
        return "learner.tablebase_weight" if self.learner.tablebase_weight > 0 else None

    @property
    def window(self) -> int:
        """Iterations that the replay holds."""
        if self.replay.states is None:
            return self.replay.iterations
        return max(1, self.replay.states // (self.selfplay.games * self.selfplay.steps))

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        if not self.search.simulations:
            yield "search.simulations: expected at least one number"
        if not self.net.predicts_results:
            yield "net.value: linear is unbounded, but a search needs values in [-1, 1]: set it to wdl or scalar"
        if self.league_games > self.selfplay.games:
            yield f"league.nets: {TOO_MANY_NETS.format(self.league.nets, self.selfplay.games, 'selfplay.games')}"
        if self.league_games and self.selfplay.steps % 2:
            steps = self.selfplay.steps
            yield f"selfplay.steps: must be even with a league (current and past nets alternate by step), not {steps}"
        if self.tablebase_dir is not None and self.needs_tables is None:
            yield "tablebase_dir: unused while selfplay.adjudicate and learner.tablebase_weight are 0: raise one"
        states = self.selfplay.games * self.selfplay.steps
        if self.window * states > MAX_STATES:
            yield (
                f"replay.iterations: {self.window} iterations of {states} states are more than {MAX_STATES}: lower it, "
                "selfplay.games or selfplay.steps"
            )
        yield from odd_games("gating.games", self.gating.games)
        yield from odd_games("evaluation.games", self.evaluation.games)


PRESETS = Presets(AlphaZeroConfig, __file__)
