"""Settings of PPO, as frozen dataclasses that are also its config file; defaults are those of the Cathedral paper."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import TOO_MANY_NETS, PolicyConfig, games_against
from boardwright.setting import setting


@dataclass(frozen=True, kw_only=True)
class RolloutConfig:
    """Concurrent games, and how far they are played between two updates."""

    games: int = setting(5, "concurrent games", 1, 2**20)
    steps: int = setting(
        10, "decisions of the learner, with the opponent's reply, in each game per update", 1, 2**15, was="rows"
    )
    opening_plies: int = setting(
        0, "maximum of random actions at the start of a game, which are not learned from", 0, 100
    )
    augment: Literal["none", "rotations", "all"] = setting("none", "symmetries used for decisions")


@dataclass(frozen=True, kw_only=True)
class OpponentConfig:
    """The learner's opponents."""

    kind: Literal["older", "league", "random"] = setting(
        "older", "opponent: an older copy of the learner, past checkpoints, or random moves"
    )
    share: float = setting(1.0, "share of games against the opponent; in the others the learner has both roles", 0, 1)
    soft_every: int = setting(10, "games between soft updates of the older copy; 0: never", 0, 10**9)
    soft_share: float = setting(0.3, "share of the learner in a soft update", 0, 1)
    copy_every: int = setting(100, "games between full copies of the learner to the older copy; 0: never", 0, 10**9)
    nets: int = setting(2, "league: past checkpoints in play; one changes every iteration", 1, 64)


@dataclass(frozen=True, kw_only=True)
class PPOLearnerConfig:
    """How the net learns from what was played."""

    discount: float = setting(0.97, "discount per decision", 0, 1)
    gae_lambda: float = setting(0.95, "lambda of generalised advantage estimation", 0, 1, was="trace")
    clip: float = setting(0.2, "clip range of the probability ratio", 1e-6, 100)
    entropy: float = setting(0.01, "weight of the entropy bonus", 0, 100)
    value_weight: float = setting(0.5, "weight of the value loss", 0, 100)
    epochs: int = setting(20, "epochs per update", 1, 1000)
    minibatches: int = setting(1, "minibatches per epoch", 1, 10**5)
    minibatch_size: int = setting(47, "decisions per minibatch", 2, 2**20, was="minibatch")
    actor_lr: float = setting(5e-4, "learning rate of all but the value head", 0, 10, was="actor_rate")
    critic_lr: float = setting(2e-4, "learning rate of the value head", 0, 10, was="critic_rate")
    lr_final_share: float = setting(
        1.0, "final learning rates as a share of the initial ones; linear decay", 0, 1, was="final_rate"
    )
    normalise: bool = setting(True, "normalise the advantages of a minibatch")
    gradient_clip: float = setting(0.0, "maximum norm of a gradient; 0: no limit", 0, 1e6)
    kl_limit: float = setting(0.0, "KL divergence, in nats, after which minibatches are skipped; 0: no limit", 0, 1e6)


@dataclass(frozen=True, kw_only=True)
class PPOConfig(PolicyConfig):
    """One run."""

    iterations: int = setting(25, "iterations of the run", 1, 10**6)
    updates: int = setting(10, "updates per iteration", 1, 10**5)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    opponent: OpponentConfig = field(default_factory=OpponentConfig)
    learner: PPOLearnerConfig = field(default_factory=PPOLearnerConfig)

    @property
    def opponent_games(self) -> int:
        """Games against opponents, in a league in equal parts for each past checkpoint."""
        nets = self.opponent.nets if self.opponent.kind == "league" else 1
        return games_against(nets, self.opponent.share, self.rollout.games)

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        yield from super().contradictions()
        games, learner = self.rollout.games, self.learner
        if not self.architecture.has_value:
            yield "plain.value_hidden: none, but PPO needs a value: set it to a list such as [512]"
        if self.architecture.predicts_results and self.rewards == "shaped":
            yield "net.value: shaped rewards add up to more than a result: set it to linear"
        if self.opponent.kind == "league" and self.opponent_games > games:
            yield f"opponent.nets: {TOO_MANY_NETS.format(self.opponent.nets, games, 'rollout.games')}"
        room = games * self.rollout.steps
        if learner.minibatches * learner.minibatch_size > room:
            yield (
                f"learner.minibatches: {learner.minibatches} of {learner.minibatch_size} decisions exceed the {room} "
                f"decisions of one update ({games} games x {self.rollout.steps} steps): lower it"
            )


PRESETS = Presets(PPOConfig, __file__)
