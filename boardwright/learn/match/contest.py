"""Contests of policies on the device, without search: thousands of games at once, in role-swapped pairs.

    match = finished(play(key, env, judge(folded), at_random, games=10_000), heard)

Both sides move by turns, as in a duel of nets (see `seating`), so that hardly an answer is wasted; a side that is
on move nowhere is not asked.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import Partial

from boardwright.errors import RunError
from boardwright.games.base import BatchEnv
from boardwright.games.batched import after_chance, where_games, without_chance
from boardwright.learn.distributed import processes
from boardwright.learn.match.duel import Score, opened, score_of, share_over
from boardwright.learn.match.pairing import on_move
from boardwright.learn.match.rivals import Policy
from boardwright.search.split import split

AT_ONCE = 10_000  # games, unless somebody says so
CHUNK = 16  # turns of both sides between two looks at whether all games are over
MOST_TURNS = 1 << 13  # of both sides; a game that goes on is a draw


@dataclass(frozen=True)
class Match:
    """What became of the games of two sides, the first and the second."""

    score: Score  # the first's
    decisions: tuple[int, int]  # actions chosen by each side
    rewards: tuple[float, float]  # of the game, to each side, for what either of them did; openings are not counted
    # Standard errors of the mean reward a decision, games being independent of each other.
    reward_errors: tuple[float, float]

    @property
    def reward_a_decision(self) -> tuple[float, float]:
        """Mean of each side."""
        return self.rewards[0] / max(self.decisions[0], 1), self.rewards[1] / max(self.decisions[1], 1)

    @property
    def reward_a_game(self) -> tuple[float, float]:
        """Mean of each side."""
        return self.rewards[0] / self.score.games, self.rewards[1] / self.score.games


class _Table(NamedTuple):
    """B games, [role of the first side, pair], and what has happened in them so far."""

    states: Any
    decisions: Array  # [B, 2] int32 by side
    rewards: Array  # [B, 2] float32 by side


def play(
    key: Array,
    env: BatchEnv,
    first: Policy,
    second: Policy,
    *,
    games: int,
    at_once: int = AT_ONCE,
    opening_plies: int = 0,
) -> Generator[float, None, Match]:
    """Yields which share of the games is over, returns the match; `duel.finished` plays it to its end.

    Each side has either role in half of the games, and a pair begins alike: with what chance did, and with so many
    random actions. `env` may be any, with chance or without; one that is made anew is compiled anew. At most
    `at_once` games are on the device at a time.
    """
    if games < 2 or games % 2 or at_once < 2:
        raise RunError(f"a contest is of pairs of games: not of {games}, {at_once} at once")
    sides = [policy if isinstance(policy, Partial) else Partial(policy) for policy in (first, second)]
    rounds = math.ceil((games // 2) / (at_once // 2))
    pairs = math.ceil((games // 2) / rounds)
    played: list[tuple[np.ndarray, ...]] = []
    for number in range(rounds):
        begin_key, play_key = jax.random.split(jax.random.fold_in(key, number))
        table = _begin(begin_key, env=env, pairs=pairs, opening_plies=opening_plies)
        for chunk in range(MOST_TURNS // CHUNK):
            over = share_over(table.states)
            yield (number + over) / rounds
            if over == 1:
                break
            table = _advance(jax.random.fold_in(play_key, chunk), table, *sides, env=env)
        played.append(_by_role(table, min(pairs, games // 2 - number * pairs)))
    return _match(*(np.concatenate(parts, axis=1) for parts in zip(*played, strict=True)))


@functools.partial(jax.jit, static_argnames=("env", "pairs", "opening_plies"))
def _begin(key: Array, *, env: BatchEnv, pairs: int, opening_plies: int) -> _Table:
    states = opened(without_chance(env), key, pairs, opening_plies)
    states = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), states)
    return split(_Table(states, jnp.zeros((2 * pairs, 2), jnp.int32), jnp.zeros((2 * pairs, 2))))


@functools.partial(jax.jit, static_argnames="env", donate_argnums=1)
def _advance(key: Array, table: _Table, first: Policy, second: Policy, *, env: BatchEnv) -> _Table:
    """CHUNK turns of the first side, and as many of the second."""
    games = table.decisions.shape[0]
    seat = (jnp.arange(games) >= games // 2).astype(jnp.int8)  # the first side's role

    def turn(key: Array, table: _Table, side: int) -> _Table:
        states = table.states
        moves = on_move(states, seat, theirs=side == 1) & ~states.terminated

        def move(table: _Table) -> _Table:
            choose_key, step_key, chance_key = jax.random.split(key, 3)
            actions = (first, second)[side](choose_key, states)
            stepped = jax.vmap(env.step)(states, actions, jax.random.split(step_key, games))
            by_side = jnp.where(seat[:, None] == 1, stepped.rewards[:, ::-1], stepped.rewards)
            settle = functools.partial(after_chance, env)
            after = jax.vmap(settle)(stepped, jax.random.split(chance_key, games))
            return _Table(
                where_games(moves, after, states),
                table.decisions.at[:, side].add(moves),
                table.rewards + jnp.where(moves[:, None], by_side, 0),
            )

        return jax.lax.cond(moves.any(), move, lambda table: table, table)

    def both(number: Array, table: _Table) -> _Table:
        for side in (0, 1):
            table = turn(jax.random.fold_in(key, 2 * number + side), table, side)
        return table

    return split(jax.lax.fori_loop(0, CHUNK, both, table))


def _by_role(table: _Table, pairs: int) -> tuple[np.ndarray, ...]:
    """Result, plies, decisions and rewards of the first so many pairs, each [role of the first side, pair, ...]."""
    arrays = (table.states.result, table.states.plies, table.decisions, table.rewards)
    on_host = (processes.on_host(array) for array in arrays)
    return tuple(array.reshape(2, -1, *array.shape[1:])[:, :pairs] for array in on_host)


def _match(result: np.ndarray, plies: np.ndarray, decisions: np.ndarray, rewards: np.ndarray) -> Match:
    decided, gained = decisions.sum(axis=(0, 1)), rewards.astype(np.float64).sum(axis=(0, 1))
    # Of a ratio of sums over games: how far each game is from what its decisions would bring on average.
    strayed = rewards - decisions * (gained / np.maximum(decided, 1))
    errors = np.sqrt(np.square(strayed).sum(axis=(0, 1))) / np.maximum(decided, 1)
    return Match(
        score_of(result, plies),
        (int(decided[0]), int(decided[1])),
        (float(gained[0]), float(gained[1])),
        (float(errors[0]), float(errors[1])),
    )
