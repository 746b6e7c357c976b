"""Named settings of PPO: those of the Cathedral paper, and for every game our best and a tiny one.

`cathedral-paper` is the paper's run of 10,000 games as written; `cathedral-paper-vae` the same with a trained encoder,
frozen, in place of the convolutions: it reads `best.vae` in the current folder, or the file of `--set encoder=PATH`.
`cathedral-paper-kl` and `cathedral-paper-kl-vae` are our variants of both: an update stops once the policy has moved by
a limit, convolutions have stride 2, and the best of the nets measured is kept.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from boardwright.learn.ppo.config import (
    OpponentConfig,
    PPOConfig,
    PPOLearnerConfig,
    RolloutConfig,
)
from boardwright.learn.shared.policy_config import RandomGamesConfig
from boardwright.nets.config import NetConfig, PlainConfig

# A game of Cathedral takes the learner 9 to 10 decisions, with what follows the last row about as many rows. So an
# update plays about five games and passes over their 47 decisions as a whole, 20 times; an iteration is 500 games.
_PAPER = PPOConfig(
    game="cathedral",
    rules="paper",
    observation="paper",
    rewards="shaped",
    iterations=20,
    updates=100,
    plain=PlainConfig(convolutions=(32, 64, 64), stride=1, policy_hidden=(512,), value_hidden=(512,)),
    rollout=RolloutConfig(games=5, steps=10),
    opponent=OpponentConfig(kind="older", soft_every=10, soft_share=0.3, copy_every=100),
    learner=PPOLearnerConfig(
        discount=0.97,
        gae_lambda=0.95,
        clip=0.2,
        entropy=0.01,
        value_weight=0.5,
        epochs=20,
        minibatches=1,
        minibatch_size=47,
        actor_lr=5e-4,
        critic_lr=2e-4,
    ),
    evaluation=RandomGamesConfig(every=1, games=1000, temperature=1.0, keep="last"),
)
_PAPER_KL = dataclasses.replace(
    _PAPER,
    plain=PlainConfig(convolutions=(32, 64, 64), stride=2, policy_hidden=(512,), value_hidden=(512,)),
    learner=dataclasses.replace(_PAPER.learner, kl_limit=5e-4),
    evaluation=dataclasses.replace(_PAPER.evaluation, keep="best"),
)


def _with_frozen_encoder(config: PPOConfig) -> PPOConfig:
    encoder = PlainConfig(
        convolutions=(32, 64), stride=2, encoder_hidden=(128,), latent=32, policy_hidden=(512,), value_hidden=(512,)
    )
    return dataclasses.replace(config, plain=encoder, encoder="best.vae", frozen=True)


def _best(
    game: str, *, heads: Literal["shared", "by-role"] = "shared", rows: int, opening_plies: int, **changes: Any
) -> PPOConfig:
    """For one large accelerator: the full observation, a residual net, symmetries and random openings; the learner has
    both roles in most games and plays past checkpoints in the others.
    """
    config = PPOConfig(
        game=game,
        iterations=120,
        updates=10,
        net=NetConfig(blocks=4, width=64, pool_every=2, heads=heads),
        rollout=RolloutConfig(games=1024, steps=rows, opening_plies=opening_plies, augment="all"),
        opponent=OpponentConfig(kind="league", share=0.25, nets=2),
        learner=PPOLearnerConfig(
            discount=1.0,
            gae_lambda=0.9,
            entropy=0.02,
            epochs=3,
            minibatches=2 * rows,  # many small steps learn far more of the same games than a few large ones
            minibatch_size=512,
            actor_lr=1e-3,
            critic_lr=1e-3,
            lr_final_share=0.05,
            gradient_clip=1.0,
            kl_limit=0.03,
        ),
        evaluation=RandomGamesConfig(every=5, games=1000),
    )
    return dataclasses.replace(config, **changes)


def _tiny(game: str, **changes: Any) -> PPOConfig:
    """For tests: uses every feature and takes seconds."""
    config = PPOConfig(
        game=game,
        iterations=3,
        updates=2,
        plain=PlainConfig(convolutions=(4,), policy_hidden=(8,), value_hidden=(8,)),
        rollout=RolloutConfig(games=6, steps=6, opening_plies=2, augment="all"),
        opponent=OpponentConfig(kind="older", share=0.5, soft_every=1, copy_every=4),
        learner=PPOLearnerConfig(epochs=2, minibatches=2, minibatch_size=8),
        evaluation=RandomGamesConfig(every=2, games=4),
    )
    return dataclasses.replace(config, **changes)


PRESETS: dict[str, PPOConfig] = {
    "cathedral-paper": _PAPER,
    "cathedral-paper-vae": _with_frozen_encoder(_PAPER),
    "cathedral-paper-kl": _PAPER_KL,
    "cathedral-paper-kl-vae": _with_frozen_encoder(_PAPER_KL),
    "cathedral-best": _best("cathedral", rules="paper", rows=16, opening_plies=4),
    "draughts-best": _best("draughts", rows=64, opening_plies=6),
    "tablut-best": _best("tablut", heads="by-role", rows=64, opening_plies=4),
    "cathedral-tiny": _tiny("cathedral", rules="paper", observation="paper", rewards="shaped"),
    "draughts-tiny": _tiny("draughts"),
    "tablut-tiny": _tiny("tablut"),
}


def general(game: str) -> dict[str, PPOConfig]:
    """Presets of a game without presets of its own."""
    return {f"{game}-best": _best(game, heads="by-role", rows=64, opening_plies=2), f"{game}-tiny": _tiny(game)}
