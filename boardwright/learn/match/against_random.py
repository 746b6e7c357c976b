"""How nets that play at first sight are measured in training: games against a random player."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import jax

from boardwright.games.base import BatchEnv
from boardwright.learn.distributed.device import out_of_memory_hint
from boardwright.learn.match import contest
from boardwright.learn.match.duel import finished
from boardwright.learn.match.pairing import make_net_evaluator
from boardwright.learn.match.rivals import at_random, by_net
from boardwright.learn.run.method import MethodContext
from boardwright.learn.shared.policy_config import RandomGamesConfig
from boardwright.nets.network import Network, Variables

SCORE = "evaluation/random"
MEASURE = 16  # what random numbers are for, beside those of the methods

R = TypeVar("R")


def make_evaluate(
    config: RandomGamesConfig, seed: int, network: Network, env: BatchEnv, variables_of: Callable[[R], Variables]
) -> Callable[[R, int, MethodContext], dict[str, float]]:
    """For `Method`: score and mean reward of a game."""
    policy = by_net(make_net_evaluator(network, env), config.temperature)
    fold = jax.jit(network.fold)

    def evaluate(run: R, done: int, context: MethodContext) -> dict[str, float]:
        games = config.games
        if not config.every or done % config.every:
            return {}
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), MEASURE), done)
        with out_of_memory_hint("evaluation.games"):
            played = contest.play(key, env, policy(fold(variables_of(run))), at_random, games=games)
            match = finished(played, lambda share: context.observer.progress("evaluation", round(share * games), games))
        return {SCORE: match.score.points, f"{SCORE}_reward": match.reward_a_game[0]}

    return evaluate


def chosen_by(config: RandomGamesConfig) -> str | None:
    """For `Method`: the score that says which net is the best, where one does."""
    return SCORE if config.keep == "best" else None
