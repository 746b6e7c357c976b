"""Everything a run of DQN can be told, as frozen records that are also its config file.

`dqn_presets.py` holds the ones with names. Defaults are the Cathedral paper's where it says something.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from boardwright.errors import RunError
from boardwright.learn.dqn.exploration import Exploration
from boardwright.learn.run.settings import check_limits
from boardwright.learn.shared import policy_config
from boardwright.learn.shared.policy_config import RandomGamesConfig, architecture_of, check_policy
from boardwright.nets.config import Architecture, NetConfig, PlainConfig


@dataclass(frozen=True, kw_only=True)
class ActingConfig:
    """Games in flight, and how their actions are chosen. Episodes are games that have ended, of all together."""

    games: int = 64  # at once
    steps: int = 64  # actions in each of them an iteration
    exploration: Exploration = "boltzmann"
    first: float = 1.0  # epsilon or temperature at the beginning
    last: float = 0.1  # and what it comes to in time
    decay: float = 500.0  # episodes in which all but 1 / e of the way is gone
    # In so many episodes at first the other role moves at random; in so many no action is masked, and an illegal
    # one ends the game and costs the penalty. After either, exploration begins anew.
    random_episodes: int = 0
    illegal_episodes: int = 0
    illegal_penalty: float = 10.0


@dataclass(frozen=True, kw_only=True)
class TransitionsConfig:
    """What is remembered, and what of it is learned."""

    capacity: int = 10_000  # transitions
    prioritised: bool = True  # draw by how wrong each was when last learned, else evenly
    alpha: float = 0.6  # power of that; 0 is evenly
    beta: float = 0.4  # of importance weights at first; 1 at the end of the run
    least: float = 1e-3  # error that is added to every one, so that nothing is forgotten


@dataclass(frozen=True, kw_only=True)
class QLearnerConfig:
    """How the net learns."""

    batch: int = 64
    updates: float = 10.0  # for every action of every game
    # So many updates are made as one, of as many times the batch. What is learned from stays as much, but the net
    # changes fewer times.
    merge: int = 1
    begin: int = 64  # transitions that must be there before
    discount: float = 0.95  # an action
    target_every: int = 30  # episodes after which the target net becomes the learner's; 0 is never
    target_share: float = 0.0  # of the way to the learner's that the target net goes after every update
    loss: Literal["squared", "huber"] = "squared"
    peak: float = 1e-3  # learning rate after the warm-up; it falls along a cosine to `least`
    least: float = 1e-3
    warmup: int = 0  # updates
    clip: float = 0.0  # greatest norm of a gradient; 0 is any
    augment: Literal["none", "rotations", "all"] = "none"  # which of the game's symmetries a sample is seen under


@dataclass(frozen=True, kw_only=True)
class DQNConfig:
    """One run. Exactly one of `net` and `plain` is given; one with a value head is dueling."""

    game: str
    rules: str | None = None  # name of a rule set; the game's default
    observation: str | None = None  # one of the game's ways to observe; its default
    rewards: Literal["sparse", "shaped"] = "sparse"  # shaped: also paid during play, where the game offers that
    seed: int = 0
    iterations: int = 50
    net: NetConfig | None = None
    plain: PlainConfig | None = None
    encoder: str | None = None  # file of an autoencoder, whose encoder the net begins with
    frozen: bool = False  # and keeps as it is
    acting: ActingConfig = field(default_factory=ActingConfig)
    transitions: TransitionsConfig = field(default_factory=TransitionsConfig)
    learner: QLearnerConfig = field(default_factory=QLearnerConfig)
    evaluation: RandomGamesConfig = field(default_factory=RandomGamesConfig)

    def __post_init__(self) -> None:
        check(self)

    @property
    def architecture(self) -> Architecture:
        """The net's."""
        return architecture_of(self)

    @property
    def samples(self) -> int:
        """Transitions an update learns from, those merged into it included."""
        return self.learner.batch * self.learner.merge

    @property
    def updates_a_step(self) -> int:
        """Updates after one action in each game."""
        return round(self.learner.updates * self.acting.games) // self.learner.merge

    @property
    def total_updates(self) -> int:
        """Of the whole run."""
        return self.iterations * self.acting.steps * self.updates_a_step


LIMITS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "iterations": (1, 10**6),
    "acting.games": (1, 2**16),
    "acting.steps": (1, 2**15),
    "acting.first": (1e-6, 1e6),
    "acting.last": (1e-6, 1e6),
    "acting.decay": (1e-3, 1e9),
    "acting.random_episodes": (0, 10**9),
    "acting.illegal_episodes": (0, 10**9),
    "acting.illegal_penalty": (0, 1e6),
    "transitions.capacity": (1, 10**7),
    "transitions.alpha": (0, 1),
    "transitions.beta": (0, 1),
    "transitions.least": (1e-9, 1e3),
    "learner.batch": (1, 2**16),
    "learner.updates": (0, 10**4),
    "learner.merge": (1, 1024),
    "learner.begin": (1, 10**7),
    "learner.discount": (0, 1),
    "learner.target_every": (0, 10**9),
    "learner.target_share": (0, 1),
    "learner.peak": (0, 10),
    "learner.least": (0, 10),
    "learner.warmup": (0, 10**9),
    "learner.clip": (0, 1e6),
    **policy_config.LIMITS,
}


def check(config: DQNConfig) -> None:
    """Raises RunError that names the first setting out of range."""
    check_limits(config, LIMITS)
    acting, transitions, learner = config.acting, config.transitions, config.learner
    check_policy(config)
    if isinstance(config.architecture, NetConfig) and config.architecture.foretells_results:
        raise RunError("setting net.value: Q-values are sums of rewards, not results: set it to linear")
    if acting.exploration == "epsilon" and max(acting.first, acting.last) > 1:
        raise RunError(f"setting acting.first: epsilon {max(acting.first, acting.last):g} is no probability: lower it")
    if transitions.capacity < max(acting.games, learner.begin):
        raise RunError(
            f"setting transitions.capacity: {transitions.capacity} is less than acting.games or learner.begin: raise it"
        )
    updates = learner.updates * acting.games / learner.merge
    if not math.isclose(updates, round(updates)) or updates < 0.5:
        raise RunError(
            f"setting learner.updates: {learner.updates:g} for each of {acting.games} actions, {learner.merge} made as "
            f"one, are {updates:g} updates: set it so that they are a whole number"
        )
    if (learner.target_every > 0) == (learner.target_share > 0):
        raise RunError("setting learner.target_every: the target net moves by it or by target_share: set one to 0")
