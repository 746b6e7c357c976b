"""Presets of the papers, compared with the values that the papers and their authors' public code give.

Sources: [T] TablutZero paper, Table 2 and section 2; [T code] its public code, `src/model.py` and `src/train.py`;
[C] Cathedral paper, section III; [C code] its `PPO/models/ppo_cnn.py`; [D] DraughtsZero paper, sections 2.1 to 3.
"""

from __future__ import annotations

import operator
from typing import Any

import pytest

from boardwright.games.registry import game
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.ppo import config as ppo_config
from boardwright.nets.layout import interface_of, weight_shapes

TABLUT = {
    "game": "tablut",  # [T]
    "rules": "tablutzero",  # [T] A.1
    "net.blocks": 8,  # [T]
    "net.width": 128,  # [T]
    "net.heads": "by-role",  # [T] 2 policy heads, 2 value heads
    "net.policy": "planes",  # [T code] PolicyOutBlock: 1x1 convolution to 32 planes, batch norm
    "net.value": "scalar",  # [T code]
    "net.value_channels": 1,  # [T code]
    "net.value_hidden": 256,  # [T code]
    "net.pool_every": 0,  # [T code]
    "net.auxiliary": (),  # [T] value and policy only
    "search.kind": "gumbel",  # [T]
    "search.simulations": (128,),  # [T]
    "selfplay.games": 1024,  # [T]
    "selfplay.steps": 256,  # [T]
    "selfplay.unfinished": "bootstrap",  # [T code]
    "iterations": 100,  # [T]
    "learner.optimiser": "adamw",  # [T]
    "learner.weight_decay": 1e-4,  # [T]
    "learner.warmup_steps": 500,  # [T]
    "learner.lr_peak": 2e-3,  # [T]
    "learner.lr_final": 1e-5,  # [T]
    "learner.batch_size": 512,  # [T]
    "learner.steps": 102_400 // 100,  # [T] total training steps
    "learner.gradient_clip": 1.0,  # [T code]
    "learner.root_value": 0.0,  # [T] the outcome is the target
    "learner.policy_surprise_weight": 0.0,
    "learner.ema_decay": 0.0,
    "evaluation.first": 20,  # [T]
    "evaluation.every": 5,  # [T]
    "evaluation.opponents": 4,  # [T]
    "evaluation.pool": 10,  # [T]
    "gating.games": 0,  # [T]
}
LEAGUE = {"league.share": 0.25, "replay.iterations": 16, "learner.augment": "rotations"}  # [T]
AUGMENT = LEAGUE | {"league.share": 0.0}  # [T] A.2
BASELINE = AUGMENT | {"replay.iterations": 8, "learner.augment": "none"}  # [T] A.2
DRAUGHTS = {
    "game": "draughts",
    "observation": "paper",  # [D] four planes
    "net.blocks": 4,  # [D]
    "net.width": 64,  # [D]
    "net.value": "scalar",  # [D] tanh
    "net.value_hidden": 32,  # [D]
    "net.policy": "table",  # [D] 64 x 64 logits
    "search.kind": "puct",  # [D]
    "search.values": "absolute",  # [D] Q is the mean value, c_puct a constant
    "gating.selfplay": "candidate",  # [D] 2.5
    "learner.optimiser": "adam",  # [D]
    "learner.augment": "none",
    "learner.tablebase_weight": 0.0,
    "selfplay.adjudicate": 0.0,
    "league.share": 0.0,
}
CATHEDRAL_PPO = {
    "rules": "paper",
    "observation": "paper",  # [C] five planes of 8 x 8
    "rewards": "shaped",  # [C] continuous reward
    "plain.convolutions": (32, 64, 64),  # [C code]
    "plain.stride": 1,  # [C code]
    "plain.policy_hidden": (512,),  # [C]
    "plain.value_hidden": (512,),  # [C]
    "rollout.games": 5,  # [C] episodes before an update
    "opponent.kind": "older",  # [C]
    "opponent.soft_every": 10,  # [C]
    "opponent.soft_share": 0.3,  # [C]
    "opponent.copy_every": 100,  # [C]
    "learner.epochs": 20,  # [C]
    "learner.kl_limit": 0.0,  # [C] none
    "learner.actor_lr": 5e-4,  # [C]
    "learner.critic_lr": 2e-4,  # [C]
    "learner.clip": 0.2,  # [C]
    "learner.entropy": 0.01,  # [C]
    "learner.discount": 0.97,  # [C]
    "learner.gae_lambda": 0.95,  # [C]
    "learner.value_weight": 0.5,  # [C code]
    "evaluation.keep": "last",  # [C code] the final net
}
TABLES: dict[str, tuple[Any, dict[str, Any]]] = {
    "tablut-paper": (PRESETS["tablut-paper"], TABLUT | LEAGUE),
    "tablut-paper-augment": (PRESETS["tablut-paper-augment"], TABLUT | AUGMENT),
    "tablut-paper-baseline": (PRESETS["tablut-paper-baseline"], TABLUT | BASELINE),
    "draughts-paper": (PRESETS["draughts-paper"], DRAUGHTS),
    "draughts-paper-1000": (PRESETS["draughts-paper-1000"], DRAUGHTS),
    "ppo cathedral-paper": (ppo_config.PRESETS["cathedral-paper"], CATHEDRAL_PPO),
}


@pytest.mark.parametrize("name", TABLES)
def test_paper_preset_has_the_published_values(name: str) -> None:
    config, published = TABLES[name]
    assert {path: operator.attrgetter(path)(config) for path in published} == published


def test_tablut_paper_preset_has_published_frames_and_states() -> None:
    config = PRESETS["tablut-paper"]
    frames = config.iterations * config.selfplay.games * config.selfplay.steps
    assert round(frames / 1e6) == 26
    assert round(config.window * config.selfplay.games * config.selfplay.steps / 1e6, 1) == 4.2


def test_draughts_paper_has_4096_policy_logits() -> None:
    config = PRESETS["draughts-paper"].net
    shapes = weight_shapes(config, interface_of(config, game("draughts", "paper", "paper")))
    assert shapes["params/policy_0/logits/bias"] == (4096,)


@pytest.mark.parametrize(("name", "games"), [("draughts-paper", 100), ("draughts-paper-1000", 1000)])
def test_draughts_paper_plays_about_as_many_games_as_published(name: str, games: int) -> None:
    """About 96 plies a game, as in the runs made."""
    config = PRESETS[name]
    plies = config.iterations * config.selfplay.games * config.selfplay.steps
    assert plies / 96 == pytest.approx(games, rel=0.1)


def test_ppo_update_is_every_epoch_over_five_episodes() -> None:
    """10,000 episodes, about 47 decisions in the five of an update, all of them in each of the 20 epochs."""
    config = ppo_config.PRESETS["cathedral-paper"]
    assert config.iterations * config.updates * config.rollout.games == 10_000
    assert (config.learner.minibatches, config.learner.minibatch_size) == (1, 47)
