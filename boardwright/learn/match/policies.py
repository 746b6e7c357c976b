"""Policies that move many games at once: random, by a net without search, or by a search.

A policy is a function of a key and states. That of a net is a `Partial` with the net's weights as leaves, so that a
program compiled for one net also plays the next; a new function is compiled again, so make constructors once.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.tree_util import Partial

from boardwright.games.base import BatchEnv
from boardwright.games.batched import random_action, without_forced
from boardwright.learn.match.pairing import NetEvaluator, opponents_evaluate
from boardwright.learn.shared.config import SearchConfig
from boardwright.mcts.policies import SearchResult, gumbel_search, puct_search
from boardwright.mcts.puct import temperature_by_ply
from boardwright.mcts.tree import Evaluate
from boardwright.nets.network import Variables

Policy = Callable[[Array, Any], Array]  # key, states of B games -> legal actions [B]; any action in games that are over
Search = Callable[[Array, Any], SearchResult]  # key, states -> result without its tree


def random_policy(key: Array, states: Any) -> Array:
    """Each legal action with the same probability."""
    keys = jax.random.split(key, states.terminated.shape[0])
    return jax.vmap(random_action)(keys, states.legal_action_mask)


def net_policy(evaluator: Callable[[Variables], Evaluate], temperature: float) -> Callable[[Variables], Policy]:
    """Folded variables -> the policy of a net: drawn from e^(logit / temperature), at 0 the first of the highest.

    Likewise for Q-values, dueling ones included: they differ from the logits by a number that all actions share.
    """

    def choose(folded: Variables, key: Array, states: Any) -> Array:
        logits, _ = evaluator(folded)(states)
        legal = jnp.where(states.legal_action_mask, logits, -jnp.inf)
        if temperature == 0:
            return jnp.argmax(legal, axis=-1).astype(jnp.int32)
        return jax.random.categorical(key, legal / temperature, axis=-1).astype(jnp.int32)

    return lambda folded: Partial(choose, folded)


def search_policy(
    env: BatchEnv, evaluator: NetEvaluator, config: SearchConfig, *, simulations: int, slots: int
) -> Callable[[Sequence[Variables], int], Policy]:
    """Folded variables of some nets, each for an equal share of the games, and plies of the opening -> a policy.

    After a random opening it plays the best action. Without one that would be the same game again and again, so
    there actions are drawn as in self-play.
    """

    def choose(nets: tuple[Variables, ...], noise: Array, key: Array, states: Any) -> Array:
        evaluate = evaluator(nets[0])
        if len(nets) > 1:
            evaluate = opponents_evaluate(evaluator, nets[0], nets, states.terminated.shape[0])
        return make_search(env, config, evaluate, simulations, slots, noise=noise)(key, states).action

    return lambda nets, opening_plies: Partial(choose, tuple(nets), jnp.float32(0.0 if opening_plies else 1.0))


def make_search(
    env: BatchEnv,
    config: SearchConfig,
    evaluate: Evaluate,
    simulations: int,
    slots: int,
    *,
    noise: Array | float | None = None,
) -> Search:
    """A search of the configured kind.

    `noise`: None for that of self-play; else no Dirichlet noise, and the best action for 0, one drawn for 1.
    """
    common: dict[str, Any] = {
        "env": without_forced(env, config.max_forced_plies),
        "evaluate": evaluate,
        "num_simulations": simulations,
        "num_slots": slots,
        "relative": config.values == "relative",
    }

    def search(key: Array, states: Any) -> SearchResult:
        if config.kind == "gumbel":
            result = gumbel_search(
                key,
                states,
                num_considered=min(config.max_considered_actions, slots),
                c_visit=config.c_visit,
                c_scale=config.c_scale,
                gumbel_scale=1.0 if noise is None else noise,
                **common,
            )
        else:
            result = puct_search(
                key,
                states,
                pb_c_init=config.pb_c_init,
                dirichlet_fraction=config.dirichlet_fraction if noise is None else 0.0,
                dirichlet_alpha=config.dirichlet_alpha,
                temperature=temperature_by_ply(states.plies, until=config.temperature_plies)
                if noise is None
                else noise,
                **common,
            )
        return dataclasses.replace(result, action=jnp.maximum(result.action, 0), tree=None)

    return search
