"""Settings that several methods have in common: searches on the device, evaluation games, and those of DQN and PPO."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from boardwright.errors import RunError
from boardwright.learn.run.settings import check_ranges
from boardwright.nets.config import Architecture, NetConfig, PlainConfig
from boardwright.setting import Setting


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """The search that chooses moves."""

    kind: Annotated[Literal["gumbel", "puct"], Setting("search of self-play: Gumbel AlphaZero or PUCT")] = "gumbel"
    simulations: Annotated[
        tuple[int, ...],
        Setting("simulations of a move; of several numbers each applies to an equal share of the iterations", 1, 2**14),
    ] = (32,)
    max_considered_actions: Annotated[
        int, Setting("gumbel: actions considered at the root", 2, 4096, was="considered")
    ] = 16
    c_visit: Annotated[float, Setting("gumbel: weight of values, as an offset of visits", 0, 1e6)] = 50.0
    c_scale: Annotated[float, Setting("gumbel: weight of values, as a factor", 0, 1e6)] = 0.1
    values: Annotated[
        Literal["relative", "absolute"],
        Setting("values scaled to [0, 1] within a position, or absolute (then gumbel needs a c_scale of about 1)"),
    ] = "relative"
    pb_c_init: Annotated[float, Setting("puct: weight of the exploration term", 0, 1e3)] = 1.25
    dirichlet_fraction: Annotated[float, Setting("puct: share of Dirichlet noise at the root", 0, 1)] = 0.25
    dirichlet_alpha: Annotated[float, Setting("puct: concentration of the Dirichlet noise", 1e-3, 1e3)] = 0.3
    max_forced_plies: Annotated[
        int,
        Setting(
            "positions with one legal action that a simulation or a game passes through in one step", 0, 8, was="forced"
        ),
    ] = 0
    temperature_plies: Annotated[
        int,
        Setting(
            "puct: plies in which moves are drawn by visits; later the most visited is played",
            0,
            10**6,
            was="warm_plies",
        ),
    ] = 30

    def at(self, iteration: int, iterations: int) -> int:
        """The simulations of an iteration, counted from 0."""
        return self.simulations[min(iteration * len(self.simulations) // iterations, len(self.simulations) - 1)]


@dataclass(frozen=True, kw_only=True)
class EvaluationMatchesConfig:
    """Evaluation matches against past checkpoints, from which ratings are made."""

    first: Annotated[int, Setting("iteration of the first evaluation match", 0, 10**6)] = 20
    every: Annotated[int, Setting("iterations between evaluation matches; 0 is never", 0, 10**6)] = 5
    opponents: Annotated[int, Setting("past checkpoints played in a match, drawn from the pool", 1, 64)] = 4
    pool: Annotated[int, Setting("maximum of past checkpoints in the pool, iteration 0 included", 1, 1000)] = 10
    games: Annotated[int, Setting("games against each opponent, half in each role", 2, 2**16)] = 128
    simulations: Annotated[int, Setting("simulations of a move", 1, 2**14)] = 32
    opening_plies: Annotated[int, Setting("random actions at the start, equal in both games of a pair", 0, 1000)] = 2


@dataclass(frozen=True, kw_only=True)
class RandomGamesConfig:
    """Games against a random player."""

    every: Annotated[int, Setting("iterations between evaluation games against random moves; 0 is never", 0, 10**6)] = 5
    games: Annotated[int, Setting("games, half in each role", 2, 2**20)] = 256
    temperature: Annotated[float, Setting("temperature of the policy; 0 plays its best action", 0, 1000)] = 0.0
    keep: Annotated[Literal["last", "best"], Setting("net that becomes best.net")] = "last"


@dataclass(frozen=True, kw_only=True)
class PolicyConfig:
    """Settings of DQN and PPO, whose nets play without search. Exactly one of `net` and `plain` is given."""

    game: Annotated[str, Setting("name of the game")]
    rules: Annotated[str | None, Setting("rule set; none is the game's default")] = None
    observation: Annotated[str | None, Setting("observation of the game; none is its default")] = None
    rewards: Annotated[Literal["sparse", "shaped"], Setting("rewards at the end, or also in play")] = "sparse"
    seed: Annotated[int, Setting("seed of all random numbers", 0, 2**31 - 1)] = 0
    iterations: Annotated[int, Setting("iterations of the run", 1, 10**6)] = 50
    net: NetConfig | None = None
    plain: PlainConfig | None = None
    encoder: Annotated[str | None, Setting("file of an auto-encoder whose encoder the net starts with")] = None
    frozen: Annotated[bool, Setting("keep the weights of that encoder")] = False
    evaluation: RandomGamesConfig = field(default_factory=RandomGamesConfig)

    @property
    def architecture(self) -> Architecture:
        """The net's; raises RunError unless exactly one is given."""
        given = [net for net in (self.net, self.plain) if net is not None]
        if len(given) != 1:
            raise RunError("setting net: give exactly one of net and plain, and set the other to none")
        return given[0]

    def check_policy(self) -> None:
        """Raises RunError that names the first of these settings that is out of range or contradicts another."""
        check_ranges(self)
        _ = self.architecture
        check_even_games("evaluation.games", self.evaluation.games)
        if self.evaluation.keep == "best" and not self.evaluation.every:
            raise RunError(
                "setting evaluation.keep: without games no net is the best: set evaluation.every to 1 or more"
            )
        if self.frozen and self.encoder is None:
            raise RunError("setting frozen: there is no trained encoder to keep: set encoder")


def check_even_games(path: str, games: int) -> None:
    """Raises RunError for an odd number of games."""
    if games % 2:
        raise RunError(f"setting {path}: {games} is odd, and half of the games are played in each role")
