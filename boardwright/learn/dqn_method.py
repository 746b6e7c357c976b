"""DQN as a method of the loop: when it acts, learns and is measured.

An iteration is `acting.steps` actions in each game, however many games that ends; a run counts episodes as it goes
(`selfplay/episodes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

from boardwright.games.registry import game as make_game
from boardwright.learn import contest
from boardwright.learn.dqn import Run, make_dqn, player, stepped
from boardwright.learn.dqn_config import DQNConfig
from boardwright.learn.duel import finished
from boardwright.learn.encoder_file import encoder_for
from boardwright.learn.loop import Desk, Method, memory
from boardwright.learn.rivals import at_random, by_net
from boardwright.learn.seating import make_asking

MEASURE = 16  # what random numbers are for, beside those of `dqn`


def dqn_method(config: DQNConfig) -> Method[Run]:
    """What the loop runs."""
    game = make_game(config.game, config.rules, config.observation)
    dqn = make_dqn(config, encoder=encoder_for(config.encoder, config.architecture, game))
    policy = by_net(make_asking(dqn.network, dqn.env), temperature=0)
    fold = jax.jit(dqn.network.fold)

    def work(run: Run, iteration: int, chunk: int, desk: Desk) -> tuple[Run, Mapping[str, Any]]:
        del desk
        with memory("acting.games, transitions.capacity, learner.batch or learner.merge"):
            return jax.block_until_ready(stepped(dqn, run, iteration, chunk))

    def evaluate(run: Run, done: int, desk: Desk) -> dict[str, float]:
        """Score and mean reward of a game against a random player, with the best action at every move."""
        every, games = config.evaluation.every, config.evaluation.games
        if not every or done % every:
            return {}
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(config.seed), MEASURE), done)
        with memory("evaluation.games"):
            played = contest.play(key, dqn.env, policy(fold(player(run))), at_random, games=games)
            match = finished(played, lambda share: desk.watch.phase("evaluation", round(share * games), games))
        return {"evaluation/random": match.score.points, "evaluation/random_reward": match.reward_a_game[0]}

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
        evaluate=evaluate,
        next_iteration=dqn.next_iteration,
    )
