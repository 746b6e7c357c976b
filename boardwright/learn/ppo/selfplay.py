"""Rollouts: games played on the device, and every decision the learner makes in them.

The learner has one role in a game and an opponent the other, or the learner has both. Games advance in rows: the
learner decides in all games where it is to move, then the opponents reply where they are. A game in which one player
moves twice in a row skips half a row, so that every row costs the same. Games that end restart with the next row, the
learner in the other role.

Games are ordered as [learner in both roles | against the first opponent | against the second | ...].
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.games.batched import where_games
from boardwright.learn.match.policies import BOTH, Policy, count_outcomes, other_seats
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.learn.shared.tally import count, game_metrics, opponent_scores, total
from boardwright.mcts.tree import Evaluate
from boardwright.nets.network import Network, Variables

ILLEGAL = -1e9  # instead of the logit of an illegal action


class Games(PyTreeNode):
    """B games in progress."""

    states: Any  # [B]
    seat: Array  # [B] int8: the role of the learner, or BOTH
    paid: Array  # [B, 2] float32: rewards so far, by role


class Decision(PyTreeNode):
    """What the learner observed and chose, [...] or [..., n], under the symmetry drawn for it."""

    observation: Any  # [..., rows, columns, planes]
    legal: Array  # [..., num_actions] bool
    action: Array  # int32
    log_probability: Array  # float32: of the action
    value: Array  # float32: its estimate
    role: Array  # int8


Decide = Callable[[Array, Any], tuple[Array, Decision]]  # key, states -> actions to play, decisions


class Row(PyTreeNode):
    """One row of B games."""

    decision: Decision  # [B]
    decided: Array  # [B] bool: the learner was to move
    rewards: Array  # [B, 2] float32: in the row, by role
    over: Array  # [B] bool: the game ended


class Tail(PyTreeNode):
    """What follows the last row, for each role up to its next decision. [B, 2]"""

    rewards: Array  # float32
    over: Array  # bool
    value: Array  # float32: the learner's estimate at that decision


class Tally(PyTreeNode):
    """Sums over an iteration so far."""

    moves: Array = count()  # of both players
    ended: Array = count(3)  # games that role 0 won, role 1 won, were drawn
    against: Array = count(2, 3)  # games against opponents, by the learner's role: its wins, draws, losses
    plies: Array = total()  # of ended games
    paid: Array = total()  # to the learner in ended games; the mean of both roles where it had both


def new_games(key: Array, env: BatchEnv, seat: Array) -> Games:
    """Games at their start, with the learner's roles [B]."""
    states = jax.vmap(env.init)(jax.random.split(key, len(seat)))
    return Games(states, seat, jnp.zeros((len(seat), 2), jnp.float32))


def log_policy(logits: Array, legal: Array) -> Array:
    """[..., A] log probabilities of legal actions; illegal ones have probability 0 and no gradient."""
    return jax.nn.log_softmax(jnp.where(legal, logits, ILLEGAL))


def make_decide(network: Network, env: BatchEnv, images: SymmetryImages, variables: Variables, dtype: Any) -> Decide:
    """Decisions of a net, of positions seen under random symmetries; observations are kept in its `dtype`.

    The symmetry is applied when the decision is made, so that it is learned from the observation that it was made on.
    """

    def decide(key: Array, states: Any) -> tuple[Array, Decision]:
        symmetry_key, action_key = jax.random.split(key)
        role = states.current_role
        observation = jax.vmap(env.observe)(states, role).astype(dtype)
        symmetry = jax.random.randint(symmetry_key, role.shape, 0, images.count)
        observation, _ = images.apply(symmetry, observation, jnp.zeros((role.shape[0], 1), jnp.int32))
        legal = images.apply_to_mask(symmetry, states.legal_action_mask)
        output = network.apply(variables, observation, role)
        logs = log_policy(output.policy_logits, legal)
        action = jax.random.categorical(action_key, logs).astype(jnp.int32)
        log_probability = jnp.take_along_axis(logs, action[:, None], axis=1)[:, 0]
        decision = Decision(observation, legal, action, log_probability, output.value, role)
        return jnp.asarray(images.action_sources)[symmetry, action], decision

    return decide


def make_choose(evaluate: Evaluate) -> Policy:
    """Actions drawn from a policy."""

    def choose(key: Array, states: Any) -> Array:
        logits, _ = evaluate(states)
        return jax.random.categorical(key, log_policy(logits, states.legal_action_mask)).astype(jnp.int32)

    return choose


def play_row(
    key: Array, games: Games, tally: Tally, *, env: BatchEnv, decide: Decide, reply: Policy | None, against: int
) -> tuple[Games, Tally, Row]:
    """A decision of the learner and a reply of the opponents, who play in the last `against` games."""
    decide_key, reply_key, step_key, answer_key, restart_key = jax.random.split(key, 5)
    states = games.states
    decided = (games.seat == BOTH) | (states.current_role == games.seat)
    action, decision = decide(decide_key, states)
    after, rewards = _step_where(step_key, env, states, action, decided)
    moves = decided.sum(dtype=jnp.int32)
    if reply is not None:
        ours, theirs = _split(after, against)
        replying = ~theirs.terminated & (theirs.current_role != games.seat[-against:])
        answered, paid = _step_where(answer_key, env, theirs, reply(reply_key, theirs), replying)
        after = jax.tree.map(lambda a, z: jnp.concatenate([a, z]), ours, answered)
        rewards = rewards.at[-against:].add(paid)
        moves += replying.sum(dtype=jnp.int32)
    games, tally = _finish_step(restart_key, env, games, tally, after, rewards, moves)
    return games, tally, Row(decision, decided, rewards, after.terminated)


def play_tail(
    key: Array,
    games: Games,
    tally: Tally,
    *,
    env: BatchEnv,
    value: Callable[[Any], Array],
    own: Policy,
    reply: Policy | None,
    against: int,
) -> tuple[Games, Tally, Tail]:
    """Continues until every decision in the rows is followed by the learner's next one in that role or the game's end.

    `own` chooses for the learner where it has both roles, which is not learned from; `value` is the learner's estimate
    for the role to move.
    """
    step_key, restart_key = jax.random.split(key)
    start = games.states
    both = games.seat == BOTH
    waits = jnp.where(both, 1 - start.current_role, games.seat)  # the role whose next decision is awaited

    def continues(states: Any) -> Array:
        return ~states.terminated & (states.current_role != waits)

    def choose(key: Array, states: Any) -> Array:
        if reply is None:
            return own(key, states)
        if against == both.shape[0]:
            return reply(key, states)
        own_key, reply_key = jax.random.split(key)
        ours, theirs = _split(states, against)
        return jnp.concatenate([own(own_key, ours), reply(reply_key, theirs)])

    def move(carry: tuple[Any, Array, Array, Array]) -> tuple[Any, Array, Array, Array]:
        states, rewards, moves, number = carry
        choose_key, move_key = jax.random.split(jax.random.fold_in(step_key, number))
        moving = continues(states)
        after, paid = _step_where(move_key, env, states, choose(choose_key, states), moving)
        return after, rewards + paid, moves + moving.sum(dtype=jnp.int32), number + 1

    begin = (start, jnp.zeros_like(games.paid), jnp.int32(0), jnp.int32(0))
    after, rewards, moves, _ = jax.lax.while_loop(lambda carry: continues(carry[0]).any(), move, begin)
    is_waiting = waits[:, None] == jnp.arange(2)  # [B, 2]; the learner's other role was to move after the last row
    estimate = value(after)[:, None]
    tail = Tail(
        rewards=jnp.where(is_waiting, rewards, 0.0),
        over=is_waiting & after.terminated[:, None],
        value=jnp.where(is_waiting, estimate, value(start)[:, None] if against < both.shape[0] else estimate),
    )
    return *_finish_step(restart_key, env, games, tally, after, rewards, moves), tail


def collect_metrics(tally: Tally) -> dict[str, float]:
    """Metrics of the games of an iteration."""
    counted: Any = jax.device_get(tally)
    metrics = game_metrics(counted) | opponent_scores(counted.against)
    if ended := int(counted.ended.sum()):
        metrics["selfplay/mean_reward"] = float(counted.paid) / ended
    return metrics


def _step_where(key: Array, env: BatchEnv, states: Any, action: Array, moving: Array) -> tuple[Any, Array]:
    """Games after an action where one is made, and its rewards [B, 2]."""
    stepped = jax.vmap(env.step)(states, action, jax.random.split(key, action.shape[0]))
    return where_games(moving, stepped, states), jnp.where(moving[:, None], stepped.rewards, 0.0)


def _split(states: Any, last: int) -> tuple[Any, Any]:
    return jax.tree.map(lambda leaf: leaf[:-last], states), jax.tree.map(lambda leaf: leaf[-last:], states)


def _finish_step(
    key: Array, env: BatchEnv, games: Games, tally: Tally, states: Any, rewards: Array, moves: Array
) -> tuple[Games, Tally]:
    """The games with new states, rewards [B, 2] and moves, and their tally.

    Games that are over are back at the start, the learner in its other role.
    """
    over, seat, paid = states.terminated, games.seat, games.paid + rewards
    result = states.result.astype(jnp.int32)  # of games that are over: 0, 1 or DRAW, which is 2
    ended, against = count_outcomes(over, result, seat)
    both = seat == BOTH
    own = jnp.where(both, paid.mean(axis=1), jnp.where(seat == 1, paid[:, 1], paid[:, 0]))
    tally = Tally(
        moves=tally.moves + moves,
        ended=tally.ended + ended,
        against=tally.against + against,
        plies=tally.plies + jnp.where(over, states.plies, 0).sum().astype(jnp.float32),
        paid=tally.paid + jnp.where(over, own, 0.0).sum(),
    )
    return where_games(over, new_games(key, env, other_seats(seat)), Games(states, seat, paid)), tally
