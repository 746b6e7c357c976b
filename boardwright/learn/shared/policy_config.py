"""Settings that DQN and PPO, whose nets play without search, have in common: the net and its evaluation games."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from boardwright.errors import RunError
from boardwright.learn.run.settings import check_ranges
from boardwright.nets.config import Architecture, NetConfig, PlainConfig
from boardwright.setting import Setting


@dataclass(frozen=True, kw_only=True)
class RandomGamesConfig:
    """Games against a random player."""

    every: Annotated[int, Setting("iterations between evaluation games against random moves; 0 is never", 0, 10**6)] = 5
    games: Annotated[int, Setting("games, half in each role", 2, 2**20)] = 256
    temperature: Annotated[float, Setting("temperature of the policy; 0 plays its best action", 0, 1000)] = 0.0
    keep: Annotated[
        Literal["last", "best"], Setting("net that is best.net: the last, or the one of the highest score")
    ] = "last"


@dataclass(frozen=True, kw_only=True)
class PolicyConfig:
    """Settings that both have. Exactly one of `net` and `plain` is given."""

    game: Annotated[str, Setting("name of the game")]
    rules: Annotated[str | None, Setting("rule set; none is the game's default")] = None
    observation: Annotated[str | None, Setting("observation of the game; none is its default")] = None
    rewards: Annotated[
        Literal["sparse", "shaped"], Setting("rewards at the end, or also during play where the game has such")
    ] = "sparse"
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
            raise RunError("setting net: exactly one of net and plain is to be given: set the other to none")
        return given[0]

    def check_policy(self) -> None:
        """Raises RunError that names the first of these settings that is out of range or contradicts another."""
        check_ranges(self)
        _ = self.architecture
        games = self.evaluation.games
        if games % 2:
            raise RunError(f"setting evaluation.games: {games} is odd, and half of the games are played in each role")
        if self.evaluation.keep == "best" and not self.evaluation.every:
            raise RunError(
                "setting evaluation.keep: without games no net is the best: set evaluation.every to 1 or more"
            )
        if self.frozen and self.encoder is None:
            raise RunError("setting frozen: there is no trained encoder to keep: set encoder")
