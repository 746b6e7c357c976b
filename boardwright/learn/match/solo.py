"""A net against itself on the device, hundreds of games at once: what comes of the roles, and not of the players.

    play = make_solo(env, evaluator, games=512, simulations=128, slots=128)
    games = finished(play(key, folded, 4), heard)

Every game has an opening of its own, so many random actions drawn by themselves, so that games are independent of
each other. After it nothing is left to chance. From the start that would be one and the same game, so there moves are
drawn as in self-play.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.games.batched import where_games
from boardwright.learn.distributed import processes
from boardwright.learn.match.duel import make_chooser, opened, share_over
from boardwright.learn.match.pairing import NetEvaluator
from boardwright.learn.shared.match_config import SearchConfig
from boardwright.nets.network import Variables
from boardwright.search.split import split

CHUNK = 8  # actions in every game between two looks at whether all are over
MOST_ACTIONS = 1 << 14  # of a game; one that goes on has no result


@dataclass(frozen=True, eq=False)
class Solo:
    """N games that are over."""

    result: np.ndarray  # [N]: the role that won, DRAW, or ONGOING where it was broken off
    plies: np.ndarray  # [N], the opening's among them
    openings: np.ndarray  # [N, 2] uint32: hash of the position after the opening


# key, folded variables, plies of the openings: yields which share of the games is over, returns them
PlaySolo = Callable[[Array, Variables, int], Generator[float, None, Solo]]


def make_solo(env: BatchEnv, evaluator: NetEvaluator, *, games: int, simulations: int, slots: int) -> PlaySolo:
    """Play of so many games at once, by Gumbel search; `env` without chance. Compiled once for all openings."""

    def begin(key: Array, plies: Array) -> Any:
        return split(opened(env, key, games, plies))

    def advance(key: Array, states: Any, net: Variables, noise: Array) -> Any:
        choose = make_chooser(env, evaluator(net), SearchConfig(), simulations, slots, noise=noise)

        def act(number: Array, states: Any) -> Any:
            search_key, step_key = jax.random.split(jax.random.fold_in(key, number))
            stepped = jax.vmap(env.step)(states, choose(search_key, states), jax.random.split(step_key, games))
            return where_games(states.terminated, states, stepped)

        return split(jax.lax.fori_loop(0, CHUNK, act, states))

    begin, advance = jax.jit(begin), jax.jit(advance, donate_argnums=1)

    def play(key: Array, net: Variables, plies: int) -> Generator[float, None, Solo]:
        begin_key, play_key = jax.random.split(key)
        states, noise = begin(begin_key, jnp.int32(plies)), jnp.float32(0.0 if plies else 1.0)
        openings = processes.on_host(states.hash).copy()
        for number in range(MOST_ACTIONS // CHUNK):
            over = share_over(states)
            yield over
            if over == 1:
                break
            states = advance(jax.random.fold_in(play_key, number), states, net, noise)
        return Solo(processes.on_host(states.result), processes.on_host(states.plies), openings)

    return play
