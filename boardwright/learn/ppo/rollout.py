"""Rollouts: games in flight on the device, and every decision the learner makes in them.

The learner has one role in a game and an opponent the other, or both are the learner's. Games keep time in rows: the
learner decides in all games where it is on move, then the opponents reply where they are. A game in which somebody
moves twice running sits out a half of a row, so that a row costs the same whatever happens in it. Games that end begin
anew with the next row, the learner in the other role.

Games lie as [those with both roles | against the first opponent | against the second | ...].
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.games.batched import where_games
from boardwright.learn.match.pairing import BOTH, first_seats
from boardwright.learn.ppo.advantages import advantages

Choose = Callable[[Array, Any], Array]  # key, states -> actions


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Games:
    """B games in flight, none of them over."""

    states: Any  # [B]
    seat: Array  # [B] int8: the role of the learner, or BOTH
    paid: Array  # [B, 2] float32: rewards so far, by role


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Decision:
    """What the learner saw and did, [...] or [..., n]; as seen under the symmetry drawn for it."""

    observation: Any  # [..., rows, columns, planes]
    legal: Array  # [..., num_actions] bool
    action: Array  # int32
    log_probability: Array  # float32: of the action, among legal ones
    value: Array  # float32: what it expected
    role: Array  # int8


Decide = Callable[[Array, Any], tuple[Array, Decision]]  # key, states -> actions to play, decisions


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Row:
    """One row of B games."""

    decision: Decision  # [B]
    decided: Array  # [B] bool: whether the learner was on move
    rewards: Array  # [B, 2] float32: paid in the row, by role
    over: Array  # [B] bool: the game ended


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Tail:
    """What comes after the last row, for each role up to its next decision. [B, 2]"""

    rewards: Array  # float32
    over: Array  # bool
    value: Array  # float32: what the learner expects of that decision


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Tally:
    """Sums over what happened in an iteration so far."""

    moves: Array  # int32: of everybody
    ended: Array  # [3] int32: games that role 0 won, role 1 won, were drawn
    against: Array  # [2, 3] int32: games against opponents, by the learner's role: its wins, draws, losses
    plies: Array  # float32: of ended games
    paid: Array  # float32: to the learner in ended games; half of both roles' where it had both


def new_games(key: Array, env: BatchEnv, games: int, against: int) -> Games:
    """All games at their beginning."""
    states = jax.vmap(env.init)(jax.random.split(key, games))
    return Games(states, first_seats(games, against), jnp.zeros((games, 2), jnp.float32))


def new_tally() -> Tally:
    """Nothing has happened yet."""
    count, total = jnp.int32(0), jnp.float32(0)
    return Tally(count, jnp.zeros(3, jnp.int32), jnp.zeros((2, 3), jnp.int32), total, total)


def play_row(
    key: Array, games: Games, tally: Tally, *, env: BatchEnv, decide: Decide, reply: Choose | None, against: int
) -> tuple[Games, Tally, Row]:
    """A decision of the learner and a reply of the opponents, who play the last `against` games."""
    decide_key, reply_key, step_key, answer_key, begin_key = jax.random.split(key, 5)
    states = games.states
    decided = (games.seat == BOTH) | (states.current_role == games.seat)
    action, decision = decide(decide_key, states)
    after, rewards = _moved(step_key, env, states, action, decided)
    moves = decided.sum(dtype=jnp.int32)
    if reply is not None:
        ours, theirs = _parted(after, against)
        replying = ~theirs.terminated & (theirs.current_role != games.seat[-against:])
        answered, paid = _moved(answer_key, env, theirs, reply(reply_key, theirs), replying)
        after = _joined(ours, answered)
        rewards = rewards.at[-against:].add(paid)
        moves += replying.sum(dtype=jnp.int32)
    following = Games(after, games.seat, games.paid + rewards)
    tally = dataclasses.replace(_counted(tally, following), moves=tally.moves + moves)
    return _begun_anew(begin_key, following, env), tally, Row(decision, decided, rewards, after.terminated)


def play_tail(
    key: Array,
    games: Games,
    tally: Tally,
    *,
    env: BatchEnv,
    value: Callable[[Any], Array],
    own: Choose,
    reply: Choose | None,
    against: int,
) -> tuple[Games, Tally, Tail]:
    """Plays on until every decision in the rows has had its consequence: the learner's next one, or the game's end.

    `own` moves for the learner where it has both roles; what it decides here is not learned from. `value`: states
    -> what the learner expects, on move.
    """
    step_key, begin_key = jax.random.split(key)
    begun = games.states
    both = games.seat == BOTH
    waits = jnp.where(both, 1 - begun.current_role, games.seat)  # the role whose next decision is to come

    def is_awaited(states: Any) -> Array:
        return ~states.terminated & (states.current_role != waits)

    def choose(key: Array, states: Any) -> Array:
        if reply is None:
            return own(key, states)
        if against == both.shape[0]:
            return reply(key, states)
        own_key, reply_key = jax.random.split(key)
        ours, theirs = _parted(states, against)
        return jnp.concatenate([own(own_key, ours), reply(reply_key, theirs)])

    def move(going: tuple[Any, Array, Array, Array]) -> tuple[Any, Array, Array, Array]:
        states, rewards, moves, number = going
        choose_key, move_key = jax.random.split(jax.random.fold_in(step_key, number))
        moving = is_awaited(states)
        after, paid = _moved(move_key, env, states, choose(choose_key, states), moving)
        return after, rewards + paid, moves + moving.sum(dtype=jnp.int32), number + 1

    start = (begun, jnp.zeros_like(games.paid), tally.moves, jnp.int32(0))
    after, rewards, moves, _ = jax.lax.while_loop(lambda going: is_awaited(going[0]).any(), move, start)
    is_waiting = waits[:, None] == jnp.arange(2)  # [B, 2]; the learner's other role was on move after the last row
    expected = value(after)[:, None]
    tail = Tail(
        rewards=jnp.where(is_waiting, rewards, 0.0),
        over=is_waiting & after.terminated[:, None],
        value=jnp.where(is_waiting, expected, value(begun)[:, None] if against < both.shape[0] else expected),
    )
    following = Games(after, games.seat, games.paid + rewards)
    tally = dataclasses.replace(_counted(tally, following), moves=moves)
    return _begun_anew(begin_key, following, env), tally, tail


def row_advantages(rows: Row, tail: Tail, *, discount: float, trace: float) -> Array:
    """[T, B]: of every decision in the rows [T, B], each role's by itself."""
    values, role = rows.decision.value, rows.decision.role
    nothing = jnp.zeros_like(values[:1])

    def of_role(which: int) -> Array:
        return advantages(
            jnp.concatenate([rows.rewards[..., which], tail.rewards[None, :, which]]),
            jnp.concatenate([values, nothing]),
            jnp.concatenate([rows.decided & (role == which), nothing.astype(bool)]),
            jnp.concatenate([rows.over, tail.over[None, :, which]]),
            tail.value[:, which],
            discount=discount,
            trace=trace,
        )[:-1]

    return jnp.where(role == 0, of_role(0), of_role(1))


def _moved(key: Array, env: BatchEnv, states: Any, action: Array, moving: Array) -> tuple[Any, Array]:
    """Games after an action where somebody is moving, and what that paid, [B, 2]."""
    stepped = jax.vmap(env.step)(states, action, jax.random.split(key, action.shape[0]))
    return where_games(moving, stepped, states), jnp.where(moving[:, None], stepped.rewards, 0.0)


def _parted(states: Any, last: int) -> tuple[Any, Any]:
    return jax.tree.map(lambda leaf: leaf[:-last], states), jax.tree.map(lambda leaf: leaf[-last:], states)


def _joined(first: Any, last: Any) -> Any:
    return jax.tree.map(lambda a, z: jnp.concatenate([a, z]), first, last)


def _counted(tally: Tally, games: Games) -> Tally:
    """The tally with those games that are over."""
    states, over, seat = games.states, games.states.terminated, games.seat
    result = states.result.astype(jnp.int32)  # of those that are over: 0, 1 or DRAW, which is 2
    outcome = jnp.where(result == seat, 0, jnp.where(result == 1 - seat, 2, 1))
    both = seat == BOTH
    own = jnp.where(both, games.paid.mean(axis=1), jnp.where(seat == 1, games.paid[:, 1], games.paid[:, 0]))
    against = [[(over & (seat == role) & (outcome == what)).sum() for what in range(3)] for role in range(2)]
    return Tally(
        moves=tally.moves,
        ended=tally.ended + jnp.stack([(over & (result == what)).sum(dtype=jnp.int32) for what in range(3)]),
        against=tally.against + jnp.asarray(against, jnp.int32),
        plies=tally.plies + jnp.where(over, states.plies, 0).sum().astype(jnp.float32),
        paid=tally.paid + jnp.where(over, own, 0.0).sum(),
    )


def _begun_anew(key: Array, games: Games, env: BatchEnv) -> Games:
    """Games, those that are over at a new beginning, the learner in its other role."""
    over = games.states.terminated
    fresh = jax.vmap(env.init)(jax.random.split(key, over.shape[0]))
    other_seat = jnp.where(games.seat == BOTH, BOTH, 1 - games.seat)
    return Games(
        states=where_games(over, fresh, games.states),
        seat=jnp.where(over, other_seat, games.seat).astype(jnp.int8),
        paid=jnp.where(over[:, None], 0.0, games.paid),
    )
