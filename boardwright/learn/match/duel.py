"""Contests on the device: one net against several others at once, in role-swapped pairs from the same opening.

Every game has its own nets, which move by turns as in self-play (see `seating`). After a random opening
nothing is left to chance, so that play is each net's best; without one, moves are drawn as in self-play.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.games.batched import random_action, where_games, without_forced
from boardwright.learn.distributed import processes
from boardwright.learn.match.pairing import NetEvaluator, on_move, opponents_evaluate
from boardwright.learn.shared.match_config import SearchConfig
from boardwright.nets.network import Variables
from boardwright.search.split import split
from boardwright.search.tree import Evaluate
from boardwright.search.zero import gumbel_search, puct_search

Result = TypeVar("Result")

CHUNK = 4  # turns of both sides between two looks at whether all games are over
MOST_TURNS = 1 << 13  # of both sides; a game that goes on is a draw


@dataclasses.dataclass(frozen=True)
class Score:
    """What a challenger made of its games against one opponent, by its role."""

    wins: tuple[int, int]
    draws: tuple[int, int]
    losses: tuple[int, int]
    plies: tuple[int, int]  # of all games together
    pairs: tuple[int, ...] = ()  # of games from one opening: how many brought 0, ½, 1, 1½ and 2 points

    @property
    def games(self) -> int:
        """Of both roles."""
        return sum(self.wins) + sum(self.draws) + sum(self.losses)

    @property
    def points(self) -> float:
        """Share of the points, a draw being half a win."""
        return (sum(self.wins) + sum(self.draws) / 2) / self.games


# key, the challenger's folded variables, the opponents': yields which share of the games is over, returns scores
Contest = Callable[[Array, Variables, Sequence[Variables]], Generator[float, None, list[Score]]]


def make_duel(
    env: BatchEnv,
    evaluator: NetEvaluator,
    search: SearchConfig,
    *,
    opponents: int,
    games: int,
    simulations: int,
    slots: int,
    opening_plies: int,
    theirs: NetEvaluator | None = None,
) -> Contest:
    """A contest with `games` against each of so many opponents, half of them in each role.

    `theirs` is how the opponents are asked, where they are nets of another architecture than the challenger.
    """
    total, pairs = opponents * games, opponents * games // 2
    # Games lie as [opponent, role of the challenger, pair].
    seat = jnp.tile(jnp.repeat(jnp.arange(2, dtype=jnp.int8), games // 2), opponents)
    choices = without_forced(env, search.max_forced_plies)

    def begin(key: Array) -> Any:
        """Both games of a pair after the same random actions."""
        states = opened(env, key, pairs, opening_plies)

        def in_both_roles(leaf: Array) -> Array:
            by_opponent = leaf.reshape(opponents, 1, games // 2, *leaf.shape[1:])
            return jnp.concatenate([by_opponent, by_opponent], axis=1).reshape(total, *leaf.shape[1:])

        return split(jax.tree.map(in_both_roles, states))

    def advance(key: Array, states: Any, challenger: Variables, others: Sequence[Variables]) -> Any:
        """CHUNK steps of the challenger, and as many of the others."""
        turns = [evaluator(challenger), opponents_evaluate(theirs or evaluator, challenger, others, total)]
        noise = 0.0 if opening_plies else 1.0
        choosers = [make_chooser(env, evaluate, search, simulations, slots, noise=noise) for evaluate in turns]

        def act(number: Array, states: Any) -> Any:
            for turn, choose in enumerate(choosers):
                search_key, step_key = jax.random.split(jax.random.fold_in(key, 2 * number + turn))
                stepped = jax.vmap(choices.step)(states, choose(search_key, states), jax.random.split(step_key, total))
                states = where_games(on_move(states, seat, theirs=turn == 1), stepped, states)
            return states

        return split(jax.lax.fori_loop(0, CHUNK, act, states))

    begin, advance = jax.jit(begin), jax.jit(advance, donate_argnums=1)

    def contest(key: Array, challenger: Variables, others: Sequence[Variables]) -> Generator[float, None, list[Score]]:
        begin_key, play_key = jax.random.split(key)
        states = begin(begin_key)
        for number in range(MOST_TURNS // CHUNK):
            over = share_over(states)
            yield over
            if over == 1:
                break
            states = advance(jax.random.fold_in(play_key, number), states, challenger, tuple(others))
        return _scores(states, opponents)

    return contest


def opened(env: BatchEnv, key: Array, games: int, plies: Array | int) -> Any:
    """States of games after so many random actions each; of one that they would end, before its end."""
    state_key, opening_key = jax.random.split(key)
    states = jax.vmap(env.init)(jax.random.split(state_key, games))

    def at_random(number: Array, states: Any) -> Any:
        keys = jax.random.split(jax.random.fold_in(opening_key, number), games)
        actions = jax.vmap(random_action)(keys, states.legal_action_mask)
        after = jax.vmap(env.step)(states, actions, keys)
        return where_games(after.terminated, states, after)  # an opening does not decide a game

    return jax.lax.fori_loop(0, plies, at_random, states)


def share_over(states: Any) -> float:
    """Which share of games is over, 1 if and only if all are: counted, as a mean of ones may be rounded below 1."""
    return int(states.terminated.sum()) / states.terminated.size


def finished(contest: Generator[float, None, Result], heard: Callable[[float], None] | None = None) -> Result:
    """Plays a contest to its end, telling how far it is."""
    while True:
        try:
            share = next(contest)
        except StopIteration as stop:
            return stop.value
        if heard is not None:
            heard(share)


def make_chooser(
    env: BatchEnv, evaluate: Evaluate, config: SearchConfig, simulations: int, slots: int, *, noise: Array | float
) -> Callable[[Array, Any], Array]:
    """key, states -> actions, of the configured kind of search: the best for a `noise` of 0, drawn for 1."""
    common = {
        "env": without_forced(env, config.max_forced_plies),
        "evaluate": evaluate,
        "num_simulations": simulations,
        "num_slots": slots,
    }

    def choose(key: Array, states: Any) -> Array:
        if config.kind == "gumbel":
            scales: dict[str, Any] = {
                "c_visit": config.c_visit,
                "c_scale": config.c_scale,
                "relative": config.values == "relative",
                "gumbel_scale": noise,
            }
            result = gumbel_search(
                key, states, num_considered=min(config.max_considered_actions, slots), **scales, **common
            )
        else:
            scales = {"pb_c_init": config.pb_c_init, "relative": config.values == "relative"}
            result = puct_search(key, states, dirichlet_fraction=0.0, temperature=noise, **scales, **common)
        return jnp.maximum(result.action, 0)

    return choose


def _scores(states: Any, opponents: int) -> list[Score]:
    """Scores from games that are over, [opponent, role of the challenger, pair]."""
    result = processes.on_host(states.result).reshape(opponents, 2, -1)
    plies = processes.on_host(states.plies).reshape(result.shape)
    return [score_of(result[n], plies[n]) for n in range(opponents)]


def score_of(result: np.ndarray, plies: np.ndarray) -> Score:
    """The score of games [role of the challenger, pair], by who won; those that are not over are draws."""
    role = np.arange(2)[:, None]
    won, lost = (result == role).sum(axis=1), (result == 1 - role).sum(axis=1)
    drawn = result.shape[1] - won - lost
    by_role = [(int(numbers[0]), int(numbers[1])) for numbers in (won, drawn, lost, plies.sum(axis=1))]
    points = np.where(result == role, 2, np.where(result == 1 - role, 0, 1)).sum(axis=0)  # of a pair, in halves
    return Score(*by_role, pairs=tuple(np.bincount(points, minlength=5).tolist()))
