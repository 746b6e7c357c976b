"""Evaluation in training of nets that play without search: games against a random player."""

from __future__ import annotations

from collections.abc import Callable

import jax

from boardwright.games.base import BatchEnv
from boardwright.learn.distributed.device import out_of_memory_hint
from boardwright.learn.match.matches import finish, play_pairs
from boardwright.learn.match.pairing import make_net_evaluator
from boardwright.learn.match.policies import net_policy, random_policy
from boardwright.learn.run.method import MethodContext, State
from boardwright.learn.shared.policy_config import RandomGamesConfig
from boardwright.nets.network import Network, Variables

SCORE = "evaluation/random"
MEASURE = 16  # what random numbers are for, next to those of the methods


def make_evaluate(
    config: RandomGamesConfig, seed: int, network: Network, env: BatchEnv, variables_of: Callable[[State], Variables]
) -> Callable[[State, int, MethodContext], dict[str, float]]:
    """A `Method.evaluate` that returns the score and the mean reward of a game."""
    policy = net_policy(make_net_evaluator(network, env), config.temperature)
    fold = jax.jit(network.fold)

    def evaluate(state: State, done: int, context: MethodContext) -> dict[str, float]:
        games = config.games
        if not config.every or done % config.every:
            return {}
        key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seed), MEASURE), done)
        with out_of_memory_hint("evaluation.games"):
            match = play_pairs(key, env, policy(fold(variables_of(state))), random_policy, games=games)
            show = context.observer.progress
            result = finish(match, lambda share: show("evaluation", round(share * games), games))
        return {SCORE: result.points, f"{SCORE}_reward": result.reward_per_game[0]}

    return evaluate


def best_metric(config: RandomGamesConfig) -> str | None:
    """`Method.best_metric`: the score, if the best net is to be kept."""
    return SCORE if config.keep == "best" else None
