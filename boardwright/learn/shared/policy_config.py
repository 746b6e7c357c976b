"""Settings that DQN and PPO, whose nets play without search, have in common: the net and its evaluation games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from boardwright.errors import RunError
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


class PolicyConfig(Protocol):
    """Settings that both have."""

    @property
    def net(self) -> NetConfig | None:
        """A residual net."""
        ...

    @property
    def plain(self) -> PlainConfig | None:
        """Or a plain one."""
        ...

    @property
    def encoder(self) -> str | None:
        """File of an autoencoder, whose encoder a plain net begins with."""
        ...

    @property
    def frozen(self) -> bool:
        """Whether the net keeps it as it is."""
        ...

    @property
    def evaluation(self) -> RandomGamesConfig:
        """What the net is measured by."""
        ...


def architecture_of(config: PolicyConfig) -> Architecture:
    """The one net of both that is given; raises RunError."""
    given = [net for net in (config.net, config.plain) if net is not None]
    if len(given) != 1:
        raise RunError("setting net: exactly one of net and plain is to be given: set the other to none")
    return given[0]


def check_policy(config: PolicyConfig) -> None:
    """Raises RunError that names the first of these settings that cannot be."""
    architecture_of(config)
    if config.evaluation.games % 2:
        raise RunError(
            f"setting evaluation.games: {config.evaluation.games} is odd, and half of the games are played in each role"
        )
    if config.evaluation.keep == "best" and not config.evaluation.every:
        raise RunError("setting evaluation.keep: without games no net is the best: set evaluation.every to 1 or more")
    if config.frozen and config.encoder is None:
        raise RunError("setting frozen: there is no trained encoder to keep: set encoder")
