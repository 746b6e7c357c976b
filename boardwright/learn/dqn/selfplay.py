"""Games that DQN learns from: each step makes one action in all of them, and every action becomes a transition.

Games continue from iteration to iteration and restart when they end. The actions of a random player are learned from
too: Q-learning needs what an action led to, not the policy that chose it.
"""

from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import DRAW, BatchEnv
from boardwright.games.batched import where_games
from boardwright.learn.dqn.config import ActingConfig, Exploration
from boardwright.learn.dqn.replay import GAME_OVER, OTHER_ROLE, SAME_ROLE, ObservationCodec, Transition, pack_flags
from boardwright.learn.match.policies import BOTH, random_policy
from boardwright.learn.shared.tally import count, game_metrics, total

NEVER = -1e30  # instead of the value of an action that must not be chosen


class Games(PyTreeNode):
    """B games in progress."""

    states: Any  # [B]
    seat: Array  # [B] int8: the role of the net, or BOTH
    unmasked: Array  # [B] bool: illegal actions may be chosen, and end the game
    paid: Array  # [B] float32: rewards of the game so far, of all movers


class Tally(PyTreeNode):
    """Sums over an iteration so far."""

    moves: Array = count()  # actions
    ended: Array = count(4)  # games that role 0 won, role 1 won, were drawn, were ended by an illegal action
    plies: Array = total()  # of ended games
    paid: Array = total()  # in ended games
    value: Array = total()  # Q-values of the best legal actions


def new_games(key: Array, env: BatchEnv, episodes: Array, config: ActingConfig) -> Games:
    """Games that start after a number of episodes, of which the first may have a random player or no mask."""
    state_key, seat_key = jax.random.split(key)
    roles = jax.random.randint(seat_key, (config.games,), 0, 2)
    return Games(
        states=jax.vmap(env.init)(jax.random.split(state_key, config.games)),
        seat=jnp.where(episodes < config.random_episodes, roles, BOTH).astype(jnp.int8),
        unmasked=jnp.full(config.games, episodes < config.illegal_episodes),
        paid=jnp.zeros(config.games, jnp.float32),
    )


def exploration_level(episodes: Array, config: ActingConfig) -> Array:
    """Epsilon or the temperature: falls by a factor e every `exploration_decay` episodes, again after a first phase."""
    phase = max(config.random_episodes, config.illegal_episodes)
    since = jnp.where(episodes >= phase, episodes - phase, episodes)
    start, end = config.exploration_start, config.exploration_end
    return end + (start - end) * jnp.exp(-since / config.exploration_decay)


def choose(key: Array, q: Array, allowed: Array, level: Array, kind: Exploration) -> Array:
    """[B] int32: an action for each of B games, from values and masks [B, A].

    Boltzmann draws in proportion to exp(Q / level); epsilon draws uniformly with probability `level`, else is greedy.
    """
    if kind == "boltzmann":
        return jax.random.categorical(key, jnp.where(allowed, q / level, NEVER)).astype(jnp.int32)
    try_key, random_key = jax.random.split(key)
    tries = jax.random.uniform(try_key, q.shape[:1]) < level
    at_random = jax.random.categorical(random_key, jnp.where(allowed, 0.0, NEVER))
    return jnp.where(tries, at_random, choose_greedily(q, allowed)).astype(jnp.int32)


def choose_greedily(q: Array, allowed: Array) -> Array:
    """[B] int32: the allowed action of the greatest value, the first of equals."""
    return jnp.where(allowed, q, NEVER).argmax(axis=-1).astype(jnp.int32)


def take_step(
    key: Array,
    games: Games,
    tally: Tally,
    episodes: Array,
    q: Array,
    *,
    env: BatchEnv,
    codec: ObservationCodec,
    config: ActingConfig,
) -> tuple[Games, Tally, Array, Transition]:
    """One action in every game, from Q-values [B, A]: (games, tally, number of episodes, transitions [B])."""
    choose_key, random_key, step_key, restart_key = jax.random.split(key, 4)
    before, role, legal = games.states, games.states.current_role, games.states.legal_action_mask
    allowed = legal | games.unmasked[:, None]
    own = choose(choose_key, q, allowed, exploration_level(episodes, config), config.exploration)
    at_random = random_policy(random_key, before)
    action = jnp.where((games.seat == BOTH) | (games.seat == role), own, at_random)
    illegal = ~jnp.take_along_axis(legal, action[:, None], axis=1)[:, 0]
    after = jax.vmap(env.step)(
        before, jnp.where(illegal, at_random, action), jax.random.split(step_key, config.games)
    )  # the state after an illegal action is never used
    over = after.terminated | illegal
    reward = jnp.take_along_axis(after.rewards, role[:, None].astype(jnp.int32), axis=1)[:, 0]
    reward = jnp.where(illegal, -config.illegal_penalty, reward)
    next_side = jnp.where(after.current_role == role, SAME_ROLE, OTHER_ROLE)
    observed = [jax.vmap(env.observe)(states, states.current_role) for states in (before, after)]
    transition = Transition(
        before=jax.vmap(codec.pack)(observed[0]),
        legal=jax.vmap(pack_flags)(legal),
        role=role,
        action=action,
        reward=reward,
        side=jnp.where(over, GAME_OVER, next_side).astype(jnp.int8),
        after=jax.vmap(codec.pack)(observed[1]),
        legal_after=jax.vmap(pack_flags)(after.legal_action_mask),
    )
    paid = games.paid + reward
    outcome = jnp.where(illegal, 3, jnp.where(after.result == DRAW, 2, after.result))
    best = jnp.where(legal, q, NEVER).max(axis=1)
    tally = Tally(
        moves=tally.moves + config.games,
        ended=tally.ended + jnp.stack([(over & (outcome == what)).sum(dtype=jnp.int32) for what in range(4)]),
        plies=tally.plies + jnp.where(over, jnp.where(illegal, before.plies, after.plies), 0).sum().astype(jnp.float32),
        paid=tally.paid + jnp.where(over, paid, 0.0).sum(),
        value=tally.value + best.sum(),
    )
    episodes += over.sum(dtype=jnp.int32)
    fresh, following = new_games(restart_key, env, episodes, config), games.replace(states=after, paid=paid)
    return where_games(over, fresh, following), tally, episodes, transition


def collect_metrics(tally: Tally) -> dict[str, float]:
    """Metrics of the games of an iteration."""
    counted: Any = jax.device_get(tally)
    ended = int(counted.ended.sum())
    metrics = game_metrics(counted) | {"selfplay/mean_q": float(counted.value) / max(int(counted.moves), 1)}
    if ended:
        metrics["selfplay/mean_reward"] = float(counted.paid) / ended
        metrics["selfplay/illegal"] = int(counted.ended[3]) / ended
    return metrics
