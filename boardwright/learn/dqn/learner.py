"""Adversarial double Q-learning: updates of a net with transitions drawn from the replay buffer.

The target of a transition is its reward plus, discounted, the value of the action that the learner's net prefers next,
as estimated by the target net. Both nets take the view of the next mover, so that value is added where the same role
acts again and subtracted where the other does. One number for both sides is enough: every reward that a move costs the
other side is also paid to the mover.
"""

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import Game
from boardwright.learn.distributed.device import on_cpu
from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.dqn.replay import ObservationCodec, Replay, Transition, unpack_flags
from boardwright.learn.dqn.selfplay import choose_greedily
from boardwright.learn.shared.encoder_file import frozen_mask
from boardwright.learn.shared.schedules import warmup_cosine
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.nets.modules import q_values
from boardwright.nets.network import Network, Variables

EVALUATED_AT_ONCE = 2048  # transitions in a batch of the target net where it evaluates the whole replay
Losses = dict[str, Array]


class LearnerState(PyTreeNode):
    """What learning changes."""

    variables: Any  # params and batch_stats, float32
    target: Any  # likewise, of the target net
    optimiser: Any
    updates: Array  # int32: so far


def targets(reward: Array, side: Array, discount: float, next_value: Array) -> Array:
    """[N]: targets of Q-values, from the value of the best next action to the role that makes it."""
    return reward + discount * side * next_value


class QLearner:
    """The learner of a net that computes in `dtype`. Its methods are pure, for `jax.jit`."""

    def __init__(self, config: DQNConfig, game: Game, network: Network, dtype: Any):
        self.config, self.network, self.dtype = config, network, dtype
        self.num_actions = game.num_actions
        rates = config.learner
        self.schedule = warmup_cosine(rates.lr_peak, rates.lr_final, rates.warmup_steps, config.total_updates)
        # Adam with as few stages as possible: on a GPU each is a kernel in every update.
        is_constant = rates.lr_final >= rates.lr_peak and rates.warmup_steps == 0
        stages = [optax.masked(optax.set_to_zero(), frozen_mask)] if config.frozen else []
        stages += [optax.clip_by_global_norm(rates.gradient_clip)] if rates.gradient_clip else []
        self.optimiser = optax.chain(*stages, optax.adam(rates.lr_peak if is_constant else self.schedule))
        self.images, self.codec = SymmetryImages.of(game, rates.augment), ObservationCodec.of(game)

    def init(self, variables: Variables) -> LearnerState:
        """The state before the first update; the target net is a copy."""
        copied = jax.tree.map(jnp.copy, variables)
        return LearnerState(variables, copied, self.optimiser.init(variables["params"]), jnp.int32(0))

    def evaluate(self, variables: Variables, observation: Array, role: Array, legal: Array) -> Array:
        """[N, A]: Q-values."""
        return q_values(self.network.apply(variables, observation, role), legal, self.network.config.has_value)

    def batch_of(self, drawn: Transition, symmetry: Array) -> Transition:
        """Transitions [N] unpacked, as seen under symmetries [N]."""

        def see(words: Array, legal_words: Array) -> tuple[Array, Array, Array]:
            legal = self.images.apply_to_mask(symmetry, unpack_flags(legal_words, self.num_actions))
            return *self.images.apply(symmetry, self.codec.unpack(words), drawn.action[:, None]), legal

        before, action, legal = see(drawn.before, drawn.legal)
        after, _, legal_after = see(drawn.after, drawn.legal_after)
        return drawn._replace(before=before, legal=legal, action=action[:, 0], after=after, legal_after=legal_after)

    def evaluate_next(self, variables: Variables, batch: Transition) -> Array:
        """[N, A]: Q-values in the positions after unpacked transitions."""
        return self.evaluate(variables, batch.after, batch.role_after, batch.legal_after)

    def learn(
        self, key: Array, state: LearnerState, replay: Replay, updates: int
    ) -> tuple[LearnerState, Replay, Losses]:
        """(state, replay) after a (static) number of updates, and the mean of every loss over them."""
        config = self.config
        draw_key, symmetry_key = jax.random.split(key)
        shape = (updates, config.samples)
        drawn = (jax.random.uniform(draw_key, shape), jax.random.randint(symmetry_key, shape, 0, self.images.count))
        # A target net that is fixed during the call evaluates the whole replay first, if that is no more than the
        # batches together: a few large batches instead of many small ones.
        is_fixed = not config.learner.target_share and self.images.count == 1
        evaluates_all = is_fixed and replay.weight.shape[0] <= updates * config.samples
        table = self._evaluate_all(state.target, replay.rows) if evaluates_all else None

        def body(carry: tuple[Any, ...], drawn: tuple[Array, Array]) -> tuple[tuple[Any, ...], Losses]:
            state, params, weight, greatest = carry
            current = replay.replace(weight=weight, greatest=greatest)
            state, params, current, terms = self._update(state, params, current, drawn, table)
            return (state, params, current.weight, current.greatest), terms

        begin = (state, optax.tree.cast(state.variables["params"], self.dtype), replay.weight, replay.greatest)
        unrolled = updates if on_cpu() else 1
        (state, _, weight, greatest), terms = jax.lax.scan(body, begin, drawn, unroll=unrolled)
        replay = replay.replace(weight=weight, greatest=greatest)
        return state, replay, {name: numbers.mean() for name, numbers in terms.items()}

    def _read(self, rows: Array, symmetry: Array) -> Transition:
        return self.batch_of(replay_buffer.unpack(rows, self.codec.words), symmetry)

    def _evaluate_all(self, variables: Variables, rows: Array) -> Array:
        """[C, A]: Q-values after every transition in a ring of rows [C, ...]."""
        capacity = rows.shape[0]
        size = min(EVALUATED_AT_ONCE, capacity)

        def evaluate(part: Array) -> Array:
            return self.evaluate_next(variables, self._read(part, jnp.zeros(size, jnp.int32)))

        parts = jnp.pad(rows, ((0, -capacity % size), (0, 0))).reshape(-1, size, rows.shape[1])
        return jax.lax.map(evaluate, parts).reshape(-1, self.num_actions)

    def _loss(
        self, params: Any, statistics: Any, batch: Transition, target: Array, counts: Array
    ) -> tuple[Array, tuple[Array, Any]]:
        """(loss, (errors [N], batch statistics))"""
        output, statistics = self.network.apply_train(
            {"params": params, "batch_stats": statistics}, batch.before, batch.role
        )
        q = q_values(output, batch.legal, self.network.config.has_value)
        errors = target - jnp.take_along_axis(q, batch.action[:, None], axis=1)[:, 0]
        each = optax.losses.huber_loss(errors) if self.config.learner.loss == "huber" else jnp.square(errors)
        return (counts * each).mean(), (errors, statistics)

    def _update(
        self, state: LearnerState, params: Any, replay: Replay, drawn: tuple[Array, Array], table: Array | None
    ) -> tuple[LearnerState, Any, Replay, Losses]:
        """`params`: the learner's in the compute dtype; `table`: what `_evaluate_all` returned, if it was called."""
        (uniform, symmetry), config = drawn, self.config.transitions
        if config.prioritised:
            places = replay_buffer.draw_by_weight(uniform, replay.weight)
            done = jnp.minimum(state.updates / self.config.total_updates, 1.0)
            beta = config.beta + (1 - config.beta) * done
            counts = replay_buffer.importance_weights(replay, places, beta)
        else:
            places = replay_buffer.draw_uniformly(uniform, replay)
            counts = jnp.ones(uniform.shape, jnp.float32)
        batch = self._read(replay.rows[places], symmetry)
        statistics = state.variables["batch_stats"]
        online = self.evaluate_next({"params": params, "batch_stats": statistics}, batch)
        best = choose_greedily(online, batch.legal_after)
        if table is None:
            next_value = jnp.take_along_axis(self.evaluate_next(state.target, batch), best[:, None], axis=1)[:, 0]
        else:
            next_value = table[places, best]
        target = targets(batch.reward, batch.side.astype(jnp.float32), self.config.learner.discount, next_value)
        (total, (errors, statistics)), gradients = jax.value_and_grad(self._loss, has_aux=True)(
            params, statistics, batch, target, counts
        )
        changes, optimiser = self.optimiser.update(optax.tree.cast(gradients, jnp.float32), state.optimiser)
        changed = optax.apply_updates(state.variables["params"], changes)
        variables, target_net = {"params": changed, "batch_stats": statistics}, state.target
        share = self.config.learner.target_share
        if share:
            target_net = jax.tree.map(lambda old, new: old + share * (new - old), target_net, variables)
        if config.prioritised:
            replay = replay_buffer.update_weights(replay, places, errors, config.alpha, config.priority_epsilon)
        after = LearnerState(variables, target_net, optimiser, state.updates + 1)
        return after, optax.tree.cast(changed, self.dtype), replay, {"total": total, "error": jnp.abs(errors).mean()}
