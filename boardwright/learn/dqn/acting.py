"""Games that DQN learns from: all of them move at once, and every action becomes a transition.

Games go on from iteration to iteration and begin anew when they end. What a random player does is learned from too:
Q-learning asks what an action led to, not who thought of it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import DRAW, BatchEnv
from boardwright.games.batched import random_action, where_games
from boardwright.learn.dqn import exploration
from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn.config import ActingConfig
from boardwright.learn.dqn.replay import Transition
from boardwright.learn.match.pairing import BOTH
from boardwright.learn.shared.observation_codec import Sights, packed_flags


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Games:
    """B games in flight."""

    states: Any  # [B]
    seat: Array  # [B] int8: the role of the net, or BOTH
    unmasked: Array  # [B] bool: illegal actions may be chosen, and end the game
    paid: Array  # [B] float32: rewards of the game so far, of whoever acted


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Tally:
    """Sums over what happened in an iteration so far; float32 but for counts."""

    moves: Array  # int32: actions
    ended: Array  # [4] int32: games that role 0 won, role 1 won, were drawn, were ended by an illegal action
    plies: Array  # of ended games
    paid: Array  # in ended games
    value: Array  # that the net saw in its best legal action


def new_games(key: Array, env: BatchEnv, config: ActingConfig) -> Games:
    """All games at their beginning."""
    state_key, seat_key = jax.random.split(key)
    seat, unmasked = _first_phase(seat_key, jnp.int32(0), config)
    states = jax.vmap(env.init)(jax.random.split(state_key, config.games))
    return Games(states, seat, unmasked, jnp.zeros(config.games, jnp.float32))


def new_tally() -> Tally:
    """Nothing has happened yet."""
    total = jnp.float32(0)
    return Tally(jnp.int32(0), jnp.zeros(4, jnp.int32), total, total, total)


def exploration_level(episodes: Array, config: ActingConfig) -> Array:
    """Epsilon or the temperature after so many episodes; they are counted anew after a first phase."""
    phase = max(config.random_episodes, config.illegal_episodes)
    since = jnp.where(episodes >= phase, episodes - phase, episodes)
    return exploration.level(since, config.first, config.last, config.decay)


def step(
    key: Array,
    games: Games,
    tally: Tally,
    episodes: Array,
    q: Array,
    *,
    env: BatchEnv,
    sights: Sights,
    config: ActingConfig,
) -> tuple[Games, Tally, Array, Transition]:
    """One action of every game, from Q-values [B, A]: the games after it, the tally and the number of episodes,
    and what is to be remembered, [B].
    """
    choose_key, random_key, step_key, begin_key = jax.random.split(key, 4)
    before, role, legal = games.states, games.states.current_role, games.states.legal_action_mask
    level = exploration_level(episodes, config)
    allowed = legal | games.unmasked[:, None]
    own = exploration.chosen(choose_key, q, allowed, level, config.exploration)
    at_random = jax.vmap(random_action)(jax.random.split(random_key, config.games), legal)
    action = jnp.where((games.seat == BOTH) | (games.seat == role), own, at_random)
    illegal = ~jnp.take_along_axis(legal, action[:, None], axis=1)[:, 0]
    after = jax.vmap(env.step)(
        before, jnp.where(illegal, at_random, action), jax.random.split(step_key, config.games)
    )  # that of a game which an illegal action has ended is never looked at
    over = after.terminated | illegal
    reward = jnp.take_along_axis(after.rewards, role[:, None].astype(jnp.int32), axis=1)[:, 0]
    reward = jnp.where(illegal, -config.illegal_penalty, reward)
    goes_on = jnp.where(after.current_role == role, replay_buffer.SAME_ROLE, replay_buffer.OTHER_ROLE)
    observed = [jax.vmap(env.observe)(states, states.current_role) for states in (before, after)]
    row = Transition(
        before=jax.vmap(sights.pack)(observed[0]),
        legal=jax.vmap(packed_flags)(legal),
        role=role,
        action=action,
        reward=reward,
        side=jnp.where(over, replay_buffer.NOBODY, goes_on).astype(jnp.int8),
        after=jax.vmap(sights.pack)(observed[1]),
        legal_after=jax.vmap(packed_flags)(after.legal_action_mask),
    )
    paid = games.paid + reward
    outcome = jnp.where(illegal, 3, jnp.where(after.result == DRAW, 2, after.result))
    best = jnp.where(legal, q, exploration.NEVER).max(axis=1)
    tally = Tally(
        moves=tally.moves + config.games,
        ended=tally.ended + jnp.stack([(over & (outcome == what)).sum(dtype=jnp.int32) for what in range(4)]),
        plies=tally.plies + jnp.where(over, jnp.where(illegal, before.plies, after.plies), 0).sum().astype(jnp.float32),
        paid=tally.paid + jnp.where(over, paid, 0.0).sum(),
        value=tally.value + best.sum(),
    )
    episodes += over.sum(dtype=jnp.int32)
    following = Games(after, games.seat, games.unmasked, paid)
    return _begun_anew(begin_key, following, over, episodes, env, config), tally, episodes, row


def _begun_anew(key: Array, games: Games, over: Array, episodes: Array, env: BatchEnv, config: ActingConfig) -> Games:
    """Games, those that are over at a new beginning."""
    state_key, seat_key = jax.random.split(key)
    seat, unmasked = _first_phase(seat_key, episodes, config)
    fresh = jax.vmap(env.init)(jax.random.split(state_key, config.games))
    return Games(
        states=where_games(over, fresh, games.states),
        seat=jnp.where(over, seat, games.seat),
        unmasked=jnp.where(over, unmasked, games.unmasked),
        paid=jnp.where(over, 0.0, games.paid),
    )


def _first_phase(key: Array, episodes: Array, config: ActingConfig) -> tuple[Array, Array]:
    """[B] each: the seats of games that begin after so many episodes, and whether illegal actions may be chosen."""
    roles = jax.random.randint(key, (config.games,), 0, 2)
    seat = jnp.where(episodes < config.random_episodes, roles, BOTH).astype(jnp.int8)
    return seat, jnp.full(config.games, episodes < config.illegal_episodes)
