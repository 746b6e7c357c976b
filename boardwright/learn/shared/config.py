"""Settings that several methods have in common: of every run, searches on the device, evaluation games, DQN and PPO."""

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field
from typing import Literal

from boardwright.errors import RunError
from boardwright.nets.config import Architecture, NetConfig, PlainConfig
from boardwright.setting import out_of_range, setting

TOO_MANY_NETS = "{0} past checkpoints need at least {0} games, but {2} is {1}: lower it or raise {2}"


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Settings of every run, to which each method adds its own."""

    game: str = setting(MISSING, "name of the game")
    rules: str | None = setting(None, "rule set; none: the game's default")
    seed: int = setting(0, "seed of all random numbers", 0, 2**31 - 1)
    iterations: int = setting(50, "iterations of the run", 1, 10**6)

    def __post_init__(self) -> None:
        for path, value, bounds in out_of_range(self):
            raise RunError(f"setting {path}: {value} is not {bounds.range_text}")
        for contradiction in self.contradictions():
            raise RunError(f"setting {contradiction}")

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        return iter(())


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """The search that chooses moves."""

    kind: Literal["gumbel", "puct"] = setting("gumbel", "search of self-play: Gumbel AlphaZero or PUCT")
    simulations: tuple[int, ...] = setting(
        (32,), "simulations per move; a list divides the run into equal parts, one number each", 1, 2**14
    )
    max_considered_actions: int = setting(16, "gumbel: actions considered at the root", 2, 4096, was="considered")
    c_visit: float = setting(50.0, "gumbel: weight of values, (c_visit + highest visit count) * c_scale", 0, 1e6)
    c_scale: float = setting(0.1, "gumbel: factor in the weight of values", 0, 1e6)
    values: Literal["relative", "absolute"] = setting(
        "relative", "values scaled to [0, 1] within a position, or absolute (then gumbel needs a c_scale of about 1)"
    )
    pb_c_init: float = setting(1.25, "puct: weight of the exploration term", 0, 1e3)
    dirichlet_fraction: float = setting(0.25, "puct: share of Dirichlet noise at the root", 0, 1)
    dirichlet_alpha: float = setting(0.3, "puct: concentration of the Dirichlet noise", 1e-3, 1e3)
    max_forced_plies: int = setting(
        0,
        "maximum of consecutive forced actions (no other is legal) that a game or simulation plays in one step",
        0,
        8,
        was="forced",
    )
    temperature_plies: int = setting(
        30,
        "puct: plies in which moves are drawn by visits; later the most visited is played",
        0,
        10**6,
        was="warm_plies",
    )

    def at(self, iteration: int, iterations: int) -> int:
        """The simulations of an iteration, counted from 0."""
        return self.simulations[min(iteration * len(self.simulations) // iterations, len(self.simulations) - 1)]


@dataclass(frozen=True, kw_only=True)
class EvaluationMatchesConfig:
    """Evaluation matches against past checkpoints, from which ratings are made."""

    first: int = setting(20, "iteration of the first evaluation match", 0, 10**6)
    every: int = setting(5, "iterations between evaluation matches; 0: never", 0, 10**6)
    opponents: int = setting(4, "past checkpoints played in a match, drawn from the pool", 1, 64)
    pool: int = setting(10, "maximum number of past checkpoints in the pool, iteration 0 included", 1, 1000)
    games: int = setting(128, "games against each opponent, half in each role", 2, 2**16)
    simulations: int = setting(32, "simulations per move", 1, 2**14)
    opening_plies: int = setting(2, "random actions at the start, equal in both games of a pair", 0, 1000)


@dataclass(frozen=True, kw_only=True)
class RandomGamesConfig:
    """Games against a random player."""

    every: int = setting(5, "iterations between evaluation games against random moves; 0: never", 0, 10**6)
    games: int = setting(256, "games, half in each role", 2, 2**20)
    temperature: float = setting(0.0, "temperature of the policy; 0 plays its best action", 0, 1000)
    keep: Literal["last", "best"] = setting("last", "net saved as best.net: the last, or the best against random moves")


@dataclass(frozen=True, kw_only=True)
class PolicyConfig(RunConfig):
    """Settings of DQN and PPO, whose nets play without search. Exactly one of `net` and `plain` is given."""

    observation: str | None = setting(None, "observation of the game; none: its default")
    rewards: Literal["sparse", "shaped"] = setting(
        "sparse", "sparse: reward at the end only; shaped: also during the game"
    )
    net: NetConfig | None = None
    plain: PlainConfig | None = None
    encoder: str | None = setting(None, "file of an auto-encoder whose encoder the net starts with")
    frozen: bool = setting(False, "keep the weights of that encoder fixed")
    evaluation: RandomGamesConfig = field(default_factory=RandomGamesConfig)

    @property
    def architecture(self) -> Architecture:
        """The net's architecture; raises RunError unless exactly one is given."""
        given = [net for net in (self.net, self.plain) if net is not None]
        if len(given) != 1:
            raise RunError("setting net: give exactly one of net and plain, and set the other to none")
        return given[0]

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        _ = self.architecture
        yield from odd_games("evaluation.games", self.evaluation.games)
        if self.evaluation.keep == "best" and not self.evaluation.every:
            yield "evaluation.keep: best needs evaluation games: set evaluation.every to 1 or more"
        if self.frozen and self.encoder is None:
            yield "frozen: needs a pretrained encoder: set encoder"


def games_against(nets: int, share: float, games: int) -> int:
    """Number of games against past nets: a share of all games, equally many for each net."""
    return max(1, min(round(share * games / nets), games // nets)) * nets if share else 0


def odd_games(path: str, games: int) -> Iterator[str]:
    """The contradiction if a number of games is odd: half of them are to be played in each role."""
    if games % 2:
        yield f"{path}: must be even (half of the games in each role), not {games}"
