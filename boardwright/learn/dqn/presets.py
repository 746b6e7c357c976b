"""Named settings of DQN: those of the Cathedral paper, and for every game our best and a tiny one.

`cathedral-paper` is the paper's longest run, the others that begin so are those its tables compare. The paper counts
in episodes, a run in actions: an iteration of these is 9,472 actions, or about 512 games of 18 to 19. As many samples
are learned from as in the paper, but 64 of its updates are made as one: a GPU makes small updates hardly faster.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from boardwright.learn.dqn.config import (
    ActingConfig,
    DQNConfig,
    QLearnerConfig,
    TransitionsConfig,
)
from boardwright.learn.shared.policy_config import RandomGamesConfig
from boardwright.nets.config import NetConfig, PlainConfig

_PAPER = DQNConfig(  # 10,000 episodes
    game="cathedral",
    rules="paper",
    observation="paper",
    rewards="shaped",
    iterations=20,
    plain=PlainConfig(convolutions=(32, 64, 64, 128), policy_hidden=(1024, 2048)),
    acting=ActingConfig(
        games=256, steps=37, exploration="boltzmann", exploration_start=1.0, exploration_end=0.1, exploration_decay=500
    ),
    transitions=TransitionsConfig(capacity=40_000, prioritised=True, alpha=0.6),
    learner=QLearnerConfig(
        batch_size=64, updates=10, merge=64, discount=0.95, target_every=30, lr_peak=1e-3, lr_final=1e-3
    ),
    evaluation=RandomGamesConfig(every=1, games=1000),
)
_SHORT = dataclasses.replace(  # 4,000 episodes
    _PAPER, iterations=8, transitions=dataclasses.replace(_PAPER.transitions, capacity=10_000)
)
_BASELINE = dataclasses.replace(_SHORT, iterations=5)  # 2,500 episodes
_FIRST_PHASE = 1500  # episodes against a random player, or with illegal actions allowed


def _acting(config: DQNConfig, **changes: Any) -> DQNConfig:
    return dataclasses.replace(config, acting=dataclasses.replace(config.acting, **changes))


def _best(game: str, *, heads: Literal["shared", "by-role"] = "shared", **changes: Any) -> DQNConfig:
    """For one large accelerator: the full observation, a residual dueling net, symmetries, a soft target net."""
    config = DQNConfig(
        game=game,
        iterations=24,
        net=NetConfig(blocks=4, width=64, pool_every=2, value="linear", heads=heads),
        acting=ActingConfig(
            games=256,
            steps=64,
            exploration="boltzmann",
            exploration_start=1.0,
            exploration_end=0.05,
            exploration_decay=2000,
        ),
        transitions=TransitionsConfig(capacity=200_000),
        learner=QLearnerConfig(
            batch_size=512,
            updates=0.125,
            min_replay_size=20_000,
            discount=0.99,
            target_every=0,
            target_share=0.005,
            loss="huber",
            lr_peak=1e-3,
            lr_final=1e-5,
            warmup_steps=500,
            gradient_clip=10.0,
            augment="all",
        ),
    )
    return dataclasses.replace(config, **changes)


def _tiny(game: str, **changes: Any) -> DQNConfig:
    """For tests: uses every feature and takes seconds."""
    config = DQNConfig(
        game=game,
        iterations=3,
        plain=PlainConfig(convolutions=(4,), policy_hidden=(8,)),
        acting=ActingConfig(games=4, steps=8, exploration_decay=4, random_episodes=1),
        transitions=TransitionsConfig(capacity=64),
        learner=QLearnerConfig(batch_size=8, updates=1, min_replay_size=8, target_every=2, augment="all"),
        evaluation=RandomGamesConfig(every=2, games=4),
    )
    return dataclasses.replace(config, **changes)


PRESETS: dict[str, DQNConfig] = {
    "cathedral-paper": _PAPER,
    "cathedral-paper-boltzmann": _SHORT,
    "cathedral-paper-epsilon": _acting(_SHORT, exploration="epsilon"),
    "cathedral-paper-prioritised": _SHORT,
    "cathedral-paper-uniform": dataclasses.replace(
        _SHORT, transitions=dataclasses.replace(_SHORT.transitions, prioritised=False)
    ),
    "cathedral-paper-baseline": _BASELINE,
    "cathedral-paper-random": _acting(_SHORT, random_episodes=_FIRST_PHASE),
    "cathedral-paper-illegal": dataclasses.replace(
        _acting(_SHORT, illegal_episodes=_FIRST_PHASE), iterations=5
    ),  # its first phase has short games
    "cathedral-best": _best("cathedral", rules="paper", rewards="shaped"),
    "draughts-best": _best("draughts"),
    "tablut-best": _best("tablut", heads="by-role"),
    "cathedral-tiny": _tiny("cathedral", rules="paper", observation="paper", rewards="shaped"),
    "draughts-tiny": _tiny("draughts"),
    "tablut-tiny": _tiny("tablut"),
}


def general(game: str) -> dict[str, DQNConfig]:
    """Presets of a game without presets of its own."""
    return {f"{game}-best": _best(game, heads="by-role"), f"{game}-tiny": _tiny(game)}
