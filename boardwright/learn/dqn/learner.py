"""Adversarial double Q-learning: updates of a net by transitions drawn from the replay.

The target of a transition is its reward and, discounted, what comes next: the action that the learner's net thinks
best there, judged by the target net. Both judge from the side of whoever acts there, so that counts for the mover
where the same role acts again and against it where the other does. One number for both sides is enough, since
everything a game pays the other side for a move it pays the mover too, the other way round.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from boardwright.games.base import Game
from boardwright.learn.alphazero.learner import Images, Losses, rate_schedule
from boardwright.learn.distributed.device import on_cpu
from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn.config import DQNConfig, QLearnerConfig
from boardwright.learn.dqn.exploration import greedy
from boardwright.learn.dqn.replay import Replay, Transition
from boardwright.learn.shared.encoder import frozen_mask
from boardwright.learn.shared.observation_codec import Sights, unpacked_flags
from boardwright.nets.network import Network, Variables
from boardwright.nets.q import q_values

ASKED_AT_ONCE = 2048  # transitions the target net judges at once where it judges all of them


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class QLearner:
    """What learning changes."""

    variables: Any  # params and batch_stats, float32
    target: Any  # likewise, of the target net
    optimiser: Any
    updates: Array  # int32: made so far


class Batch(NamedTuple):
    """N transitions as nets read them."""

    observation: Array  # [N, rows, columns, planes]
    legal: Array  # [N, A] bool
    role: Array  # [N] int8
    action: Array  # [N] int32
    reward: Array  # [N] float32
    side: Array  # [N] float32: 1 where the same role acts next, -1 the other, 0 nobody
    observation_after: Array  # [N, rows, columns, planes]
    legal_after: Array  # [N, A] bool
    role_after: Array  # [N] int8


@dataclasses.dataclass(frozen=True)
class QLearnerFunctions:
    """Pure functions of one learner."""

    init: Callable[[Variables], QLearner]
    # key, learner, replay, updates (static): both after so many updates, and the mean of every loss over them
    learn: Callable[[Array, QLearner, Replay, int], tuple[QLearner, Replay, Losses]]
    batch_of: Callable[[Transition, Array], Batch]  # transitions [N] seen under symmetries [N]
    values: Callable[[Variables, Array, Array, Array], Array]  # variables, observation, role, legal -> Q [N, A]
    learning_rate: Callable[[Any], Any]  # after so many updates


def targets(reward: Array, side: Array, discount: float, judged: Array) -> Array:
    """[N]: what Q-values are to become, from what the best next action is judged to be worth to whoever makes it."""
    return reward + discount * side * judged


def make_q_learner(config: DQNConfig, game: Game, network: Network, dtype: Any) -> QLearnerFunctions:
    """The learner of a net that computes in `dtype`."""
    learner_config, replay_config = config.learner, config.transitions
    schedule = rate_schedule(learner_config, config.total_updates)
    optimiser = _optimiser(learner_config, schedule, config.frozen)
    images, sights = Images.of(game, learner_config.augment), Sights.of(game)
    action_sources = np.argsort(images.actions, axis=1)  # [G, A]: which action becomes this one
    dueling = network.config.has_value
    soft = learner_config.target_share

    def init(variables: Variables) -> QLearner:
        copied = jax.tree.map(jnp.copy, variables)
        return QLearner(variables, copied, optimiser.init(variables["params"]), jnp.int32(0))

    def values(variables: Variables, observation: Array, role: Array, legal: Array) -> Array:
        return q_values(network.apply(variables, observation, role), legal, dueling)

    def batch_of(drawn: Transition, symmetry: Array) -> Batch:
        def seen(words: Array, legal_words: Array, actions: Array) -> tuple[Array, Array, Array]:
            legal = unpacked_flags(legal_words, game.num_actions)
            if images.count > 1:
                legal = jnp.take_along_axis(legal, jnp.asarray(action_sources)[symmetry], axis=1)
            return *images.applied(symmetry, sights.unpack(words), actions[:, None]), legal

        observation, action, legal = seen(drawn.before, drawn.legal, drawn.action)
        after, _, legal_after = seen(drawn.after, drawn.legal_after, drawn.action)
        other = drawn.side == replay_buffer.OTHER_ROLE
        return Batch(
            observation=observation,
            legal=legal,
            role=drawn.role,
            action=action[:, 0],
            reward=drawn.reward,
            side=drawn.side.astype(jnp.float32),
            observation_after=after,
            legal_after=legal_after,
            role_after=jnp.where(other, 1 - drawn.role, drawn.role),
        )

    def loss(
        params: Any, statistics: Any, batch: Batch, wanted: Array, counts: Array
    ) -> tuple[Array, tuple[Array, Any]]:
        output, statistics = network.apply_train(
            {"params": params, "batch_stats": statistics}, batch.observation, batch.role
        )
        q = q_values(output, batch.legal, dueling)
        errors = wanted - jnp.take_along_axis(q, batch.action[:, None], axis=1)[:, 0]
        each = optax.losses.huber_loss(errors) if learner_config.loss == "huber" else jnp.square(errors)
        return (counts * each).mean(), (errors, statistics)

    def read(rows: Array, symmetry: Array) -> Batch:
        return batch_of(replay_buffer.unpacked(rows, sights.words), symmetry)

    def judged_by(variables: Variables, rows: Array) -> Array:
        """[C, A]: what a net says of the end of every transition in a ring of rows [C, ...]."""
        capacity = rows.shape[0]
        size = min(ASKED_AT_ONCE, capacity)

        def judged(part: Array) -> Array:
            batch = read(part, jnp.zeros(size, jnp.int32))
            return values(variables, batch.observation_after, batch.role_after, batch.legal_after)

        parts = jnp.pad(rows, ((0, -capacity % size), (0, 0))).reshape(-1, size, rows.shape[1])
        return jax.lax.map(judged, parts).reshape(-1, game.num_actions)

    def one_update(
        learner: QLearner, params: Any, replay: Replay, drawn: tuple[Array, Array], table: Array | None
    ) -> tuple[QLearner, Any, Replay, Losses]:
        """`params`: the learner's in the compute dtype; `table`: what the target net said, if it was asked before."""
        uniform, symmetry = drawn
        if replay_config.prioritised:
            places = replay_buffer.drawn_by_weight(uniform, replay.weight)
            share = jnp.minimum(learner.updates / config.total_updates, 1.0)
            counts = replay_buffer.importance(replay, places, replay_config.beta + (1 - replay_config.beta) * share)
        else:
            places = replay_buffer.drawn_evenly(uniform, replay)
            counts = jnp.ones(uniform.shape, jnp.float32)
        batch = read(replay.rows[places], symmetry)
        statistics = learner.variables["batch_stats"]
        after = (batch.observation_after, batch.role_after, batch.legal_after)
        best = greedy(values({"params": params, "batch_stats": statistics}, *after), batch.legal_after)
        if table is None:
            judged = jnp.take_along_axis(values(learner.target, *after), best[:, None], axis=1)[:, 0]
        else:
            judged = table[places, best]
        wanted = targets(batch.reward, batch.side, learner_config.discount, judged)
        (total, (errors, statistics)), gradients = jax.value_and_grad(loss, has_aux=True)(
            params, statistics, batch, wanted, counts
        )
        changes, state = optimiser.update(_cast(gradients, jnp.float32), learner.optimiser)
        kept = optax.apply_updates(learner.variables["params"], changes)
        variables, target = {"params": kept, "batch_stats": statistics}, learner.target
        if soft:
            target = jax.tree.map(lambda old, new: old + soft * (new - old), target, variables)
        if replay_config.prioritised:
            replay = replay_buffer.weighed(replay, places, errors, replay_config.alpha, replay_config.least)
        terms = {"total": total, "error": jnp.abs(errors).mean()}
        return QLearner(variables, target, state, learner.updates + 1), _cast(kept, dtype), replay, terms

    def learn(key: Array, learner: QLearner, replay: Replay, updates: int) -> tuple[QLearner, Replay, Losses]:
        draw_key, symmetry_key = jax.random.split(key)
        shape = (updates, config.samples)
        drawn = (jax.random.uniform(draw_key, shape), jax.random.randint(symmetry_key, shape, 0, images.count))
        # A target net that stays as it is until the end is asked about everything at once, where that is no more than
        # it would be asked about one batch after the other: a few large batches instead of many small ones.
        asked_before = not soft and images.count == 1 and replay.weight.shape[0] <= updates * config.samples
        table = judged_by(learner.target, replay.rows) if asked_before else None

        def body(carry: tuple[Any, ...], drawn: tuple[Array, Array]) -> tuple[tuple[Any, ...], Losses]:
            learner, params, weight, greatest = carry
            there = dataclasses.replace(replay, weight=weight, greatest=greatest)
            learner, params, there, terms = one_update(learner, params, there, drawn, table)
            return (learner, params, there.weight, there.greatest), terms

        begin = (learner, _cast(learner.variables["params"], dtype), replay.weight, replay.greatest)
        unrolled = updates if on_cpu() else 1
        (learner, _, weight, greatest), terms = jax.lax.scan(body, begin, drawn, unroll=unrolled)
        replay = dataclasses.replace(replay, weight=weight, greatest=greatest)
        return learner, replay, {name: numbers.mean() for name, numbers in terms.items()}

    return QLearnerFunctions(init, learn, batch_of, values, schedule)


def _optimiser(config: QLearnerConfig, schedule: optax.Schedule, frozen: bool) -> optax.GradientTransformation:
    """Adam, as few steps as will do: on a GPU each is a kernel in every update."""
    is_constant = config.least >= config.peak and config.warmup == 0
    parts = [optax.masked(optax.set_to_zero(), frozen_mask)] if frozen else []
    parts += [optax.clip_by_global_norm(config.clip)] if config.clip else []
    return optax.chain(*parts, optax.adam(config.peak if is_constant else schedule))


def _cast(tree: Any, dtype: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf.astype(dtype), tree)
