"""States to search from, of any game, and compiling for tests. Not a test itself."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from boardwright.games import batched
from boardwright.games.base import BatchEnv

# Programs of tests run once: compiling them is what takes time.
quick_jit: Callable[..., Any] = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


def started(env: BatchEnv, games: int, seed: int = 0) -> Any:
    """First states of a number of games."""
    return quick_jit(jax.vmap(env.init))(jax.random.split(jax.random.key(seed), games))


def played(env: BatchEnv, games: int, plies: int, seed: int = 0) -> Any:
    """States of a number of games after random actions, more in each game than in the one before."""
    keys = jax.random.split(jax.random.key(seed), games)

    def advance(ply: jax.Array, states: Any) -> Any:
        step_keys = jax.vmap(jax.random.fold_in, (0, None))(keys, ply)
        actions = jax.vmap(batched.random_action)(step_keys, states.legal_action_mask)
        after = jax.vmap(env.step)(states, actions, step_keys)
        return batched.where_games(ply < jnp.arange(games) * plies // games, after, states)

    return quick_jit(lambda keys: jax.lax.fori_loop(0, plies, advance, jax.vmap(env.init)(keys)))(keys)
