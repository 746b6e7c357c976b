"""Everything a run of AlphaZero can be told, as frozen records that are also its config file.

`presets.py` holds the ones with names. Every option is off or plain by default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from boardwright.errors import RunError
from boardwright.learn.run.settings import check_limits
from boardwright.nets.config import NetConfig


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """How moves are chosen in self-play."""

    kind: Literal["gumbel", "puct"] = "gumbel"
    # A move's simulations: one number, or several of which each holds for an equal share of the iterations.
    simulations: tuple[int, ...] = (32,)
    considered: int = 16  # gumbel: moves looked at in the root
    c_visit: float = 50.0  # gumbel: how much values count against priors
    c_scale: float = 0.1
    # relative: a value is scaled to [0, 1] between the lowest and the highest of its position. absolute: it is taken as
    # it is; gumbel then needs a `c_scale` of about 1, and puct is Q + c P sqrt(sum N) / (1 + N) with c = `pb_c_init`.
    values: Literal["relative", "absolute"] = "relative"
    pb_c_init: float = 1.25  # puct: weight of the exploration term
    dirichlet_fraction: float = 0.25  # puct: share of noise in the root's priors
    dirichlet_alpha: float = 0.3
    forced: int = 0  # simulations, and games, go on through at most so many positions with one legal action
    warm_plies: int = 30  # puct: plies in which moves are drawn by their visits; later the most visited is played

    def at(self, iteration: int, iterations: int) -> int:
        """The simulations of an iteration, counted from 0."""
        return self.simulations[min(iteration * len(self.simulations) // iterations, len(self.simulations) - 1)]


@dataclass(frozen=True, kw_only=True)
class SelfPlayConfig:
    """Games in flight, and what is learned of them."""

    games: int = 256  # at once
    steps: int = 64  # actions in each of them an iteration
    opening_plies: int = 0  # at most so many random actions begin a game; the number is drawn for each
    # Playout caps: all but this share of steps search with `quick_simulations` only, and are not learned from.
    full_share: float = 1.0
    quick_simulations: int = 8
    # What a position of a game still going on is worth: nothing is learned of it until the game has ended, or
    # the last search's value stands in until then.
    unfinished: Literal["wait", "bootstrap"] = "wait"
    resign_below: float = -1.0  # a mover whose root value is lower gives up; -1 is never
    audit_share: float = 0.1  # of games in which nobody gives up, to see how often giving up was wrong
    adjudicate: float = 0.0  # share of games that end where endgame tables know who wins; the others are played out

    @property
    def stops_games(self) -> bool:
        """Whether games may be over before their end."""
        return self.resign_below > -1 or self.adjudicate > 0


@dataclass(frozen=True, kw_only=True)
class LeagueConfig:
    """Games against past selves."""

    share: float = 0.0  # of the games
    nets: int = 2  # past selves in play at a time; one of them changes every iteration


@dataclass(frozen=True, kw_only=True)
class ReplayConfig:
    """What is remembered: whole iterations, so many or as many as hold so many states."""

    iterations: int = 16
    states: int | None = None  # takes the place of `iterations`


@dataclass(frozen=True, kw_only=True)
class LearnerConfig:
    """How the net learns."""

    batch: int = 256
    steps: int = 64  # an iteration
    optimiser: Literal["adamw", "adam"] = "adamw"
    peak: float = 2e-3  # learning rate after the warm-up; it falls along a cosine to `least`
    least: float = 1e-5
    warmup: int = 100  # steps
    weight_decay: float = 1e-4  # adamw: decoupled
    l2: float = 0.0  # added to the loss: this times the sum of squares of the kernels
    clip: float = 0.0  # greatest norm of a gradient; 0 is any
    averaging: float = 0.0  # decay a step of the averaged weights, which then play; 0 is none
    augment: Literal["none", "rotations", "all"] = "none"  # which of the game's symmetries a sample is seen under
    root_value: float = 0.0  # share of the search's value in the target of the value; the rest is the result
    tables: float = 0.0  # share of the truth in both, where endgame tables know a position
    surprise: float = 0.0  # share of a sample's weight that goes by how much the search changed the prior
    value_weight: float = 1.0
    ownership_weight: float = 0.15  # of auxiliary losses, where the net has such heads
    margin_weight: float = 0.1
    plies_weight: float = 0.05


@dataclass(frozen=True, kw_only=True)
class GatingConfig:
    """A candidate must beat the reference to take its place; the reference is the net that is exported."""

    games: int = 0  # of a contest, half in each role; 0 is no gating
    every: int = 1  # iterations
    threshold: float = 0.55  # score
    simulations: int = 32
    opening_plies: int = 2  # random actions, the same in both games of a pair
    selfplay: Literal["reference", "candidate"] = "reference"  # the net that generates games


@dataclass(frozen=True, kw_only=True)
class ContestConfig:
    """Contests with past selves, from which ratings are made."""

    first: int = 20  # iteration
    every: int = 5  # iterations; 0 is never
    opponents: int = 4  # drawn from the pool
    pool: int = 10  # past selves at most, iteration 0 always among them
    games: int = 128  # against each, half in each role
    simulations: int = 32
    opening_plies: int = 2  # random actions, the same in both games of a pair


@dataclass(frozen=True, kw_only=True)
class AlphaZeroConfig:
    """One run."""

    game: str
    rules: str | None = None  # name of a rule set; the game's default
    observation: str | None = None  # one of the game's ways to observe; its default
    tables: str | None = None  # folder of endgame tables for what asks for them; those that ship
    initial: str | None = None  # the net whose weights a run begins with, a file or one that ships; else random ones
    seed: int = 0
    iterations: int = 50
    net: NetConfig = field(default_factory=NetConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    league: LeagueConfig = field(default_factory=LeagueConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    gating: GatingConfig = field(default_factory=GatingConfig)
    evaluation: ContestConfig = field(default_factory=ContestConfig)

    def __post_init__(self) -> None:
        check(self)

    @property
    def league_games(self) -> int:
        """Games against past selves: the share of all, in equal parts for each of them."""
        if self.league.share == 0:
            return 0
        nets, games = self.league.nets, self.selfplay.games
        return max(1, min(round(self.league.share * games / nets), games // nets)) * nets

    @property
    def asks_tables(self) -> str | None:
        """The first setting that needs endgame tables."""
        shares = {"selfplay.adjudicate": self.selfplay.adjudicate, "learner.tables": self.learner.tables}
        return next((path for path, share in shares.items() if share > 0), None)

    @property
    def window(self) -> int:
        """Iterations that the replay holds."""
        if self.replay.states is None:
            return self.replay.iterations
        return max(1, self.replay.states // (self.selfplay.games * self.selfplay.steps))


MOST_STATES = 3 * 10**7  # of a replay, whose weights, 64 a state, are summed in 32 bits
LIMITS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "iterations": (1, 10**6),
    "search.considered": (2, 4096),
    "search.c_visit": (0, 1e6),
    "search.c_scale": (0, 1e6),
    "search.pb_c_init": (0, 1e3),
    "search.dirichlet_fraction": (0, 1),
    "search.dirichlet_alpha": (1e-3, 1e3),
    "search.forced": (0, 8),
    "search.warm_plies": (0, 10**6),
    "selfplay.games": (1, 2**20),
    "selfplay.steps": (1, 2**15),
    "selfplay.opening_plies": (0, 1000),
    "selfplay.full_share": (0.01, 1),
    "selfplay.quick_simulations": (1, 2**14),
    "selfplay.resign_below": (-1, 0),
    "selfplay.audit_share": (0, 1),
    "selfplay.adjudicate": (0, 1),
    "league.share": (0, 1),
    "league.nets": (1, 64),
    "replay.iterations": (1, 10**4),
    "replay.states": (1, MOST_STATES),
    "learner.batch": (2, 2**16),
    "learner.steps": (1, 10**6),
    "learner.peak": (0, 10),
    "learner.least": (0, 10),
    "learner.warmup": (0, 10**7),
    "learner.weight_decay": (0, 10),
    "learner.l2": (0, 10),
    "learner.clip": (0, 1e6),
    "learner.averaging": (0, 0.999999),
    "learner.root_value": (0, 1),
    "learner.tables": (0, 1),
    "learner.surprise": (0, 1),
    "learner.value_weight": (0, 100),
    "learner.ownership_weight": (0, 100),
    "learner.margin_weight": (0, 100),
    "learner.plies_weight": (0, 100),
    "gating.games": (0, 2**16),
    "gating.every": (1, 10**6),
    "gating.threshold": (0, 1),
    "gating.simulations": (1, 2**14),
    "gating.opening_plies": (0, 1000),
    "evaluation.first": (0, 10**6),
    "evaluation.every": (0, 10**6),
    "evaluation.opponents": (1, 64),
    "evaluation.pool": (1, 1000),
    "evaluation.games": (2, 2**16),
    "evaluation.simulations": (1, 2**14),
    "evaluation.opening_plies": (0, 1000),
}


def check(config: AlphaZeroConfig) -> None:
    """Raises RunError that names the first setting out of range."""
    check_limits(config, LIMITS)
    if not config.search.simulations or not all(1 <= count <= 2**14 for count in config.search.simulations):
        raise RunError("setting search.simulations: expected one number or several, each from 1 to 16384")
    if not config.net.foretells_results:
        raise RunError("setting net.value: a search needs results, from -1 to 1, not linear: set it to wdl or scalar")
    if config.league_games > config.selfplay.games:
        raise RunError(
            f"setting league.nets: {config.league.nets} past selves need as many games, {config.selfplay.games} are "
            f"played: lower it, or raise selfplay.games"
        )
    if config.league_games and config.selfplay.steps % 2:
        raise RunError(f"setting selfplay.steps: {config.selfplay.steps} is odd, and a league moves by turns")
    if config.tables is not None and config.asks_tables is None:
        raise RunError("setting tables: nothing asks for them: set selfplay.adjudicate or learner.tables too")
    states = config.selfplay.games * config.selfplay.steps
    if config.window * states > MOST_STATES:
        raise RunError(
            f"setting replay.iterations: {config.window} iterations of {states} states are more than {MOST_STATES}: "
            "lower it, selfplay.games or selfplay.steps"
        )
    for path, games in (("gating.games", config.gating.games), ("evaluation.games", config.evaluation.games)):
        if games % 2:
            raise RunError(f"setting {path}: {games} is odd, and half of the games are played in each role")
