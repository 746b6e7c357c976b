"""Everything a run of PPO can be told, as frozen records that are also its config file.

`ppo_presets.py` holds the ones with names. Defaults are the Cathedral paper's where it says something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from boardwright.errors import RunError
from boardwright.learn.run.settings import check_limits
from boardwright.learn.shared import policy_config
from boardwright.learn.shared.policy_config import RandomGamesConfig, architecture_of, check_policy
from boardwright.nets.config import Architecture, NetConfig, PlainConfig


@dataclass(frozen=True, kw_only=True)
class RolloutConfig:
    """Games in flight, and how far they are played between two updates."""

    games: int = 5  # at once
    rows: int = 10  # an update: a decision of the learner and the opponent's reply in each game, where they are on move
    opening_plies: int = 0  # most random actions a game begins with, which nobody learns from
    # Each decision is made of the position as seen under a drawn one of the game's symmetries.
    augment: Literal["none", "rotations", "all"] = "none"


@dataclass(frozen=True, kw_only=True)
class OpponentConfig:
    """Whom the learner plays against."""

    # An older self, which follows the learner by the schedule below; past selves, as the league of other methods; or
    # one that moves at random.
    kind: Literal["older", "league", "random"] = "older"
    share: float = 1.0  # of the games; in the others the learner has both roles, and learns from both
    soft_every: int = 10  # finished games after which an older self moves on; 0 is never
    soft_share: float = 0.3  # of the way to the learner
    copy_every: int = 100  # finished games after which it becomes the learner; 0 is never
    nets: int = 2  # past selves in play at a time, in a league; one of them changes every iteration


@dataclass(frozen=True, kw_only=True)
class PPOLearnerConfig:
    """How the net learns from what was played."""

    discount: float = 0.97  # a decision
    trace: float = 0.95  # lambda of generalised advantage estimation
    clip: float = 0.2  # how far, as a share, the probability of an action may move in an update
    entropy: float = 0.01  # weight of the policy's entropy, which is made larger
    value_weight: float = 0.5
    epochs: int = 20
    minibatches: int = 1  # an epoch
    minibatch: int = 47  # decisions; as five games of Cathedral have
    actor_rate: float = 5e-4  # of everything but the value head
    critic_rate: float = 2e-4
    # Share of the rates that is left at the end; they fall evenly with the steps, those passed over not counted.
    final_rate: float = 1.0
    normalise: bool = True  # advantages of a minibatch to mean 0 and deviation 1
    gradient_clip: float = 0.0  # greatest norm of a gradient; 0 is any
    # A minibatch is passed over once the policy has diverged so far, in nats, from the one that decided; 0 is never.
    kl_limit: float = 0.0


@dataclass(frozen=True, kw_only=True)
class PPOConfig:
    """One run. Exactly one of `net` and `plain` is given."""

    game: str
    rules: str | None = None  # name of a rule set; the game's default
    observation: str | None = None  # one of the game's ways to observe; its default
    rewards: Literal["sparse", "shaped"] = "sparse"  # shaped: also paid during play, where the game offers that
    seed: int = 0
    iterations: int = 25
    updates: int = 10  # an iteration
    net: NetConfig | None = None
    plain: PlainConfig | None = None
    encoder: str | None = None  # file of an autoencoder, whose encoder the net begins with
    frozen: bool = False  # and keeps as it is
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    opponent: OpponentConfig = field(default_factory=OpponentConfig)
    learner: PPOLearnerConfig = field(default_factory=PPOLearnerConfig)
    evaluation: RandomGamesConfig = field(default_factory=RandomGamesConfig)

    def __post_init__(self) -> None:
        check(self)

    @property
    def architecture(self) -> Architecture:
        """The net's."""
        return architecture_of(self)

    @property
    def opponent_games(self) -> int:
        """Games against opponents: the share of all, in a league in equal parts for each past self."""
        nets = self.opponent.nets if self.opponent.kind == "league" else 1
        games = self.rollout.games
        if self.opponent.share == 0:
            return 0
        return max(1, min(round(self.opponent.share * games / nets), games // nets)) * nets


LIMITS: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "iterations": (1, 10**6),
    "updates": (1, 10**5),
    "rollout.games": (1, 2**20),
    "rollout.rows": (1, 2**15),
    "rollout.opening_plies": (0, 100),
    "opponent.share": (0, 1),
    "opponent.soft_every": (0, 10**9),
    "opponent.soft_share": (0, 1),
    "opponent.copy_every": (0, 10**9),
    "opponent.nets": (1, 64),
    "learner.discount": (0, 1),
    "learner.trace": (0, 1),
    "learner.clip": (1e-6, 100),
    "learner.entropy": (0, 100),
    "learner.value_weight": (0, 100),
    "learner.epochs": (1, 1000),
    "learner.minibatches": (1, 10**5),
    "learner.minibatch": (2, 2**20),
    "learner.actor_rate": (0, 10),
    "learner.critic_rate": (0, 10),
    "learner.final_rate": (0, 1),
    "learner.gradient_clip": (0, 1e6),
    "learner.kl_limit": (0, 1e6),
    **policy_config.LIMITS,
}


def check(config: PPOConfig) -> None:
    """Raises RunError that names the first setting out of range."""
    check_limits(config, LIMITS)
    check_policy(config)
    if not config.architecture.has_value:
        raise RunError("setting plain.value_hidden: none, but PPO needs a value: set it to a list such as [512]")
    if config.architecture.foretells_results and config.rewards == "shaped":
        raise RunError("setting net.value: shaped rewards add up to more than a result: set it to linear")
    if config.opponent.kind == "league" and config.opponent_games > config.rollout.games:
        raise RunError(
            f"setting opponent.nets: {config.opponent.nets} past selves need as many games, {config.rollout.games} are "
            "played: lower it, or raise rollout.games"
        )
    room, learner = config.rollout.games * config.rollout.rows, config.learner
    if learner.minibatches * learner.minibatch > room:
        raise RunError(
            f"setting learner.minibatches: {learner.minibatches} of {learner.minibatch} decisions are more than the "
            f"{room} that {config.rollout.games} games of {config.rollout.rows} rows have room for: lower it"
        )
