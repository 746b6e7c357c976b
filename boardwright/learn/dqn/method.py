"""DQN as a method of the loop: when it acts, learns and is measured.

An iteration is `acting.steps` actions in each game, however many games that ends; a run counts episodes as it goes
(`selfplay/episodes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import memory
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.dqn.dqn import Run, make_dqn, player, stepped
from boardwright.learn.match.against_random import chosen_by, make_evaluate
from boardwright.learn.run.loop import Desk, Method
from boardwright.learn.shared.encoder_file import encoder_for


def dqn_method(config: DQNConfig) -> Method[Run]:
    """What the loop runs."""
    game = make_game(config.game, config.rules, config.observation)
    dqn = make_dqn(config, encoder=encoder_for(config.encoder, config.architecture, game))

    def work(run: Run, iteration: int, chunk: int, desk: Desk) -> tuple[Run, Mapping[str, Any]]:
        del desk
        with memory("acting.games, transitions.capacity, learner.batch or learner.merge"):
            return jax.block_until_ready(stepped(dqn, run, iteration, chunk))

    return Method(
        name="dqn",
        config=config,
        game=dqn.game,
        init=dqn.init,
        chunks=config.acting.steps,
        work=work,
        phase=lambda chunks: ("learning", chunks, config.acting.steps),
        scalars=dqn.scalars,
        player=lambda run: (config.architecture, player(run)),
        evaluate=make_evaluate(config.evaluation, config.seed, dqn.network, dqn.env, player),
        chosen_by=chosen_by(config.evaluation),
        next_iteration=dqn.next_iteration,
    )
