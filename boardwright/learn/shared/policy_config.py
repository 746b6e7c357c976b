"""What runs of DQN and PPO, whose nets play at first sight, are told alike: the net, and games to measure it by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from boardwright.errors import RunError
from boardwright.nets.config import Architecture, NetConfig, PlainConfig


@dataclass(frozen=True, kw_only=True)
class RandomGamesConfig:
    """Games against a random player."""

    every: int = 5  # iterations; 0 is never
    games: int = 256  # half in each role
    temperature: float = 0.0  # of the net; at 0 it always plays its best action
    keep: Literal["last", "best"] = "last"  # what `best.net` is: the last net, or the one with the highest score


LIMITS: dict[str, tuple[float, float]] = {
    "evaluation.every": (0, 10**6),
    "evaluation.games": (2, 2**20),
    "evaluation.temperature": (0, 1000),
}


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
