"""Settings of DQN, as frozen dataclasses that are also its config file; defaults are those of the Cathedral paper."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from boardwright.learn.run.config_file import Presets
from boardwright.learn.shared.config import PolicyConfig
from boardwright.nets.config import NetConfig
from boardwright.setting import setting

Exploration = Literal["epsilon", "boltzmann"]


@dataclass(frozen=True, kw_only=True)
class ActingConfig:
    """Concurrent games and exploration. Episodes are finished games, counted over all of them."""

    games: int = setting(64, "concurrent games", 1, 2**16)
    steps: int = setting(64, "actions in each game per iteration", 1, 2**15)
    exploration: Exploration = setting("boltzmann", "exploration: epsilon-greedy or Boltzmann")
    exploration_start: float = setting(1.0, "epsilon or temperature at the start", 1e-6, 1e6, was="first")
    exploration_end: float = setting(0.1, "final epsilon or temperature", 1e-6, 1e6, was="last")
    exploration_decay: float = setting(
        500.0, "time constant of the exponential decay, in episodes", 1e-3, 1e9, was="decay"
    )
    random_episodes: int = setting(0, "episodes at the start with a random opponent", 0, 10**9)
    illegal_episodes: int = setting(
        0, "episodes at the start without an action mask; an illegal one ends the game and costs the penalty", 0, 10**9
    )
    illegal_penalty: float = setting(10.0, "penalty of an illegal action", 0, 1e6)


@dataclass(frozen=True, kw_only=True)
class TransitionsConfig:
    """The replay buffer."""

    capacity: int = setting(10_000, "transitions in the replay buffer", 1, 10**7)
    prioritised: bool = setting(True, "prioritised replay, else uniform")
    alpha: float = setting(0.6, "exponent of priorities; 0: uniform", 0, 1)
    beta: float = setting(0.4, "exponent of importance weights at the start; it rises to 1", 0, 1)
    priority_epsilon: float = setting(1e-3, "constant added to absolute errors in priorities", 1e-9, 1e3, was="least")


@dataclass(frozen=True, kw_only=True)
class QLearnerConfig:
    """How the net learns."""

    batch_size: int = setting(64, "transitions per update", 1, 2**16, was="batch")
    updates: float = setting(10.0, "updates per action of every game", 0, 10**4)
    merge: int = setting(1, "updates merged into one gradient step on a larger batch", 1, 1024)
    min_replay_size: int = setting(64, "transitions before learning starts", 1, 10**7, was="begin")
    discount: float = setting(0.95, "discount per action", 0, 1)
    target_every: int = setting(30, "episodes between copies to the target net; 0: never", 0, 10**9)
    target_share: float = setting(0.0, "share of the net in a soft target update; 0: none", 0, 1)
    loss: Literal["squared", "huber"] = setting("squared", "loss of the temporal-difference error")
    lr_peak: float = setting(1e-3, "learning rate after the warm-up; cosine decay", 0, 10, was="peak")
    lr_final: float = setting(1e-3, "learning rate at the end of the run", 0, 10, was="least")
    warmup_steps: int = setting(0, "updates of the linear warm-up", 0, 10**9, was="warmup")
    gradient_clip: float = setting(0.0, "maximum norm of a gradient; 0: no limit", 0, 1e6, was="clip")
    augment: Literal["none", "rotations", "all"] = setting("none", "symmetries used for samples")


@dataclass(frozen=True, kw_only=True)
class DQNConfig(PolicyConfig):
    """One run. A net with a value head is dueling."""

    acting: ActingConfig = field(default_factory=ActingConfig)
    transitions: TransitionsConfig = field(default_factory=TransitionsConfig)
    learner: QLearnerConfig = field(default_factory=QLearnerConfig)

    @property
    def samples(self) -> int:
        """Transitions an update learns from, those merged into it included."""
        return self.learner.batch_size * self.learner.merge

    @property
    def updates_per_step(self) -> int:
        """Updates after one action in each game."""
        return round(self.learner.updates * self.acting.games) // self.learner.merge

    @property
    def total_updates(self) -> int:
        """Updates in the whole run."""
        return self.iterations * self.acting.steps * self.updates_per_step

    def contradictions(self) -> Iterator[str]:
        """Which settings contradict each other, and what to do."""
        yield from super().contradictions()
        acting, transitions, learner = self.acting, self.transitions, self.learner
        if isinstance(self.architecture, NetConfig) and self.architecture.predicts_results:
            yield "net.value: Q-values are sums of rewards, not results: set it to linear"
        levels = {"exploration_start": acting.exploration_start, "exploration_end": acting.exploration_end}
        for name, epsilon in levels.items():
            if acting.exploration == "epsilon" and epsilon > 1:
                yield f"acting.{name}: epsilon must be at most 1, not {epsilon:g}"
        capacity, need = transitions.capacity, max(acting.games, learner.min_replay_size)
        if capacity < need:
            larger = "the larger of acting.games and learner.min_replay_size"
            yield f"transitions.capacity: must be at least {need}, {larger}, not {capacity}"
        updates = learner.updates * acting.games / learner.merge
        if not math.isclose(updates, round(updates)) or updates < 0.5:
            product = "learner.updates x acting.games / learner.merge"
            yield f"learner.updates: {product} is {updates:g}, expected a whole number of at least 1"
        if (learner.target_every > 0) == (learner.target_share > 0):
            both = f"{learner.target_every} and {learner.target_share:g}"
            yield f"learner.target_every: exactly one of it and learner.target_share must be above 0, not {both}"


PRESETS = Presets(DQNConfig, __file__)
