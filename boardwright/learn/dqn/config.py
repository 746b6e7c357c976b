"""Settings of DQN, as frozen dataclasses that are also its config file; defaults are those of the Cathedral paper."""

import math
from dataclasses import dataclass, field
from typing import Annotated, Literal

from boardwright.errors import RunError
from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import PolicyConfig
from boardwright.nets.config import NetConfig
from boardwright.setting import Setting

Exploration = Literal["epsilon", "boltzmann"]


@dataclass(frozen=True, kw_only=True)
class ActingConfig:
    """Concurrent games and exploration. Episodes are finished games, counted over all of them."""

    games: Annotated[int, Setting("concurrent games", 1, 2**16)] = 64
    steps: Annotated[int, Setting("actions in each game per iteration", 1, 2**15)] = 64
    exploration: Annotated[Exploration, Setting("exploration: epsilon-greedy or Boltzmann")] = "boltzmann"
    exploration_start: Annotated[float, Setting("epsilon or temperature at the start", 1e-6, 1e6, was="first")] = 1.0
    exploration_end: Annotated[float, Setting("epsilon or temperature in the limit", 1e-6, 1e6, was="last")] = 0.1
    exploration_decay: Annotated[float, Setting("episodes for a decay by 1 / e", 1e-3, 1e9, was="decay")] = 500.0
    random_episodes: Annotated[int, Setting("first episodes in which the other role plays at random", 0, 10**9)] = 0
    illegal_episodes: Annotated[
        int, Setting("first episodes without a mask: an illegal action ends the game and costs the penalty", 0, 10**9)
    ] = 0
    illegal_penalty: Annotated[float, Setting("penalty of an illegal action", 0, 1e6)] = 10.0


@dataclass(frozen=True, kw_only=True)
class TransitionsConfig:
    """The replay buffer."""

    capacity: Annotated[int, Setting("transitions in the replay buffer", 1, 10**7)] = 10_000
    prioritised: Annotated[bool, Setting("prioritised replay, else uniform")] = True
    alpha: Annotated[float, Setting("exponent of priorities; 0 is uniform", 0, 1)] = 0.6
    beta: Annotated[float, Setting("exponent of importance weights at the start; it rises to 1", 0, 1)] = 0.4
    priority_epsilon: Annotated[float, Setting("constant added to every error", 1e-9, 1e3, was="least")] = 1e-3


@dataclass(frozen=True, kw_only=True)
class QLearnerConfig:
    """How the net learns."""

    batch_size: Annotated[int, Setting("transitions of an update", 1, 2**16, was="batch")] = 64
    updates: Annotated[float, Setting("updates per action of every game", 0, 10**4)] = 10.0
    merge: Annotated[int, Setting("updates made as one, with that many times the batch", 1, 1024)] = 1
    min_replay_size: Annotated[int, Setting("transitions before learning starts", 1, 10**7, was="begin")] = 64
    discount: Annotated[float, Setting("discount of an action", 0, 1)] = 0.95
    target_every: Annotated[int, Setting("episodes between copies to the target net; 0 is never", 0, 10**9)] = 30
    target_share: Annotated[float, Setting("share of the net in a soft target update; 0 is none", 0, 1)] = 0.0
    loss: Annotated[Literal["squared", "huber"], Setting("loss of the temporal-difference error")] = "squared"
    lr_peak: Annotated[float, Setting("learning rate after the warm-up; cosine decay", 0, 10, was="peak")] = 1e-3
    lr_final: Annotated[float, Setting("learning rate at the end of the run", 0, 10, was="least")] = 1e-3
    warmup_steps: Annotated[int, Setting("updates of the linear warm-up", 0, 10**9, was="warmup")] = 0
    gradient_clip: Annotated[float, Setting("maximum norm of a gradient; 0 is no limit", 0, 1e6, was="clip")] = 0.0
    augment: Annotated[Literal["none", "rotations", "all"], Setting("symmetries used for samples")] = "none"


@dataclass(frozen=True, kw_only=True)
class DQNConfig(PolicyConfig):
    """One run. A net with a value head is dueling."""

    acting: ActingConfig = field(default_factory=ActingConfig)
    transitions: TransitionsConfig = field(default_factory=TransitionsConfig)
    learner: QLearnerConfig = field(default_factory=QLearnerConfig)

    def __post_init__(self) -> None:
        check(self)

    @property
    def samples(self) -> int:
        """Transitions an update learns from, those merged into it included."""
        return self.learner.batch_size * self.learner.merge

    @property
    def updates_a_step(self) -> int:
        """Updates after one action in each game."""
        return round(self.learner.updates * self.acting.games) // self.learner.merge

    @property
    def total_updates(self) -> int:
        """Of the whole run."""
        return self.iterations * self.acting.steps * self.updates_a_step


def check(config: DQNConfig) -> None:
    """Raises RunError that names the first setting that is out of range or contradicts another."""
    config.check_policy()
    acting, transitions, learner = config.acting, config.transitions, config.learner
    if isinstance(config.architecture, NetConfig) and config.architecture.predicts_results:
        raise RunError("setting net.value: Q-values are sums of rewards, not results: set it to linear")
    level = max(acting.exploration_start, acting.exploration_end)
    if acting.exploration == "epsilon" and level > 1:
        raise RunError(f"setting acting.exploration_start: epsilon {level:g} is no probability: lower it")
    if transitions.capacity < max(acting.games, learner.min_replay_size):
        raise RunError(
            f"setting transitions.capacity: {transitions.capacity} is less than acting.games or "
            "learner.min_replay_size: raise it"
        )
    updates = learner.updates * acting.games / learner.merge
    if not math.isclose(updates, round(updates)) or updates < 0.5:
        raise RunError(
            f"setting learner.updates: {learner.updates:g} for each of {acting.games} actions, {learner.merge} made as "
            f"one, are {updates:g} updates: set it so that they are a whole number"
        )
    if (learner.target_every > 0) == (learner.target_share > 0):
        raise RunError("setting learner.target_every: the target net moves by it or by target_share: set one to 0")


PRESETS = Presets(DQNConfig, __file__)
