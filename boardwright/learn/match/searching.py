"""The search of self-play: one of the configured kind for all games at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.games.batched import without_forced
from boardwright.learn.shared.match_config import SearchConfig
from boardwright.search.puct import temperature_by_ply
from boardwright.search.tree import Evaluate
from boardwright.search.zero import SearchResult, gumbel_search, puct_search

Search = Callable[[Array, Any], SearchResult]  # key, states -> result without its tree


def make_search(env: BatchEnv, config: SearchConfig, evaluate: Evaluate, simulations: int, slots: int) -> Search:
    """A search of the configured kind, without its tree."""
    common = {
        "env": without_forced(env, config.max_forced_plies),
        "evaluate": evaluate,
        "num_simulations": simulations,
        "num_slots": slots,
    }

    def search(key: Array, states: Any) -> SearchResult:
        if config.kind == "gumbel":
            result = gumbel_search(
                key,
                states,
                num_considered=min(config.max_considered_actions, slots),
                c_visit=config.c_visit,
                c_scale=config.c_scale,
                relative=config.values == "relative",
                **common,
            )
        else:
            result = puct_search(
                key,
                states,
                pb_c_init=config.pb_c_init,
                relative=config.values == "relative",
                dirichlet_fraction=config.dirichlet_fraction,
                dirichlet_alpha=config.dirichlet_alpha,
                temperature=temperature_by_ply(states.plies, until=config.temperature_plies),
                **common,
            )
        return dataclasses.replace(result, action=jnp.maximum(result.action, 0), tree=None)

    return search
