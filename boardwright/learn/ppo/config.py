"""Settings of PPO, as frozen dataclasses that are also its config file; defaults are those of the Cathedral paper."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from boardwright.errors import RunError
from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import PolicyConfig
from boardwright.setting import Setting


@dataclass(frozen=True, kw_only=True)
class RolloutConfig:
    """Concurrent games, and how far they are played between two updates."""

    games: Annotated[int, Setting("concurrent games", 1, 2**20)] = 5
    steps: Annotated[
        int,
        Setting("decisions of the learner, with the opponent's reply, in each game per update", 1, 2**15, was="rows"),
    ] = 10
    opening_plies: Annotated[
        int, Setting("maximum of random actions at the start of a game, which are not learned from", 0, 100)
    ] = 0
    augment: Annotated[Literal["none", "rotations", "all"], Setting("symmetries used for decisions")] = "none"


@dataclass(frozen=True, kw_only=True)
class OpponentConfig:
    """Whom the learner plays against."""

    kind: Annotated[
        Literal["older", "league", "random"],
        Setting("opponent: an older copy of the learner, past checkpoints, or random moves"),
    ] = "older"
    share: Annotated[
        float, Setting("share of games against the opponent; in the others the learner has both roles", 0, 1)
    ] = 1.0
    soft_every: Annotated[int, Setting("games between soft updates of an older copy; 0: never", 0, 10**9)] = 10
    soft_share: Annotated[float, Setting("share of the learner in a soft update", 0, 1)] = 0.3
    copy_every: Annotated[int, Setting("games between copies to an older copy; 0: never", 0, 10**9)] = 100
    nets: Annotated[int, Setting("league: past checkpoints in play; one changes every iteration", 1, 64)] = 2


@dataclass(frozen=True, kw_only=True)
class PPOLearnerConfig:
    """How the net learns from what was played."""

    discount: Annotated[float, Setting("discount of a decision", 0, 1)] = 0.97
    gae_lambda: Annotated[float, Setting("lambda of generalised advantage estimation", 0, 1, was="trace")] = 0.95
    clip: Annotated[float, Setting("clip range of the probability ratio", 1e-6, 100)] = 0.2
    entropy: Annotated[float, Setting("weight of the entropy bonus", 0, 100)] = 0.01
    value_weight: Annotated[float, Setting("weight of the value loss", 0, 100)] = 0.5
    epochs: Annotated[int, Setting("epochs of an update", 1, 1000)] = 20
    minibatches: Annotated[int, Setting("minibatches of an epoch", 1, 10**5)] = 1
    minibatch_size: Annotated[int, Setting("decisions of a minibatch", 2, 2**20, was="minibatch")] = 47
    actor_lr: Annotated[float, Setting("learning rate of all but the value head", 0, 10, was="actor_rate")] = 5e-4
    critic_lr: Annotated[float, Setting("learning rate of the value head", 0, 10, was="critic_rate")] = 2e-4
    lr_final_share: Annotated[
        float, Setting("share of the learning rates at the end of the run; they fall linearly", 0, 1, was="final_rate")
    ] = 1.0
    normalise: Annotated[bool, Setting("normalise the advantages of a minibatch")] = True
    gradient_clip: Annotated[float, Setting("maximum norm of a gradient; 0 is no limit", 0, 1e6)] = 0.0
    kl_limit: Annotated[
        float, Setting("KL divergence, in nats, after which minibatches are skipped; 0 is no limit", 0, 1e6)
    ] = 0.0


@dataclass(frozen=True, kw_only=True)
class PPOConfig(PolicyConfig):
    """One run."""

    iterations: Annotated[int, Setting("iterations of the run", 1, 10**6)] = 25
    updates: Annotated[int, Setting("updates per iteration", 1, 10**5)] = 10
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    opponent: OpponentConfig = field(default_factory=OpponentConfig)
    learner: PPOLearnerConfig = field(default_factory=PPOLearnerConfig)

    def __post_init__(self) -> None:
        check(self)

    @property
    def opponent_games(self) -> int:
        """Games against opponents: the share of all, in a league in equal parts for each past checkpoint."""
        nets = self.opponent.nets if self.opponent.kind == "league" else 1
        games = self.rollout.games
        if self.opponent.share == 0:
            return 0
        return max(1, min(round(self.opponent.share * games / nets), games // nets)) * nets


def check(config: PPOConfig) -> None:
    """Raises RunError that names the first setting that is out of range or contradicts another."""
    config.check_policy()
    if not config.architecture.has_value:
        raise RunError("setting plain.value_hidden: none, but PPO needs a value: set it to a list such as [512]")
    if config.architecture.predicts_results and config.rewards == "shaped":
        raise RunError("setting net.value: shaped rewards add up to more than a result: set it to linear")
    if config.opponent.kind == "league" and config.opponent_games > config.rollout.games:
        raise RunError(
            f"setting opponent.nets: {config.opponent.nets} past checkpoints need as many games, rollout.games is "
            f"{config.rollout.games}: lower it, or raise rollout.games"
        )
    room, learner = config.rollout.games * config.rollout.steps, config.learner
    if learner.minibatches * learner.minibatch_size > room:
        raise RunError(
            f"setting learner.minibatches: {learner.minibatches} of {learner.minibatch_size} decisions are more than "
            f"the {room} that {config.rollout.games} games of {config.rollout.steps} steps have room for: lower it"
        )


PRESETS = Presets(PPOConfig, __file__)
