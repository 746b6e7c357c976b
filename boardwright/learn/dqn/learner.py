"""Adversarial double Q-learning: updates of a net with transitions drawn from the replay buffer.

The target of a transition is its reward plus, discounted, the value of the action that the learner's net prefers next,
as estimated by the target net. Both nets take the view of the next mover, so that value is added where the same role
acts again and subtracted where the other does. One number for both sides is enough: every reward that a move costs the
other side is also paid to the mover.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from boardwright.games.base import Game
from boardwright.learn.distributed.device import on_cpu
from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn.config import DQNConfig, QLearnerConfig
from boardwright.learn.dqn.replay import Replay, Transition
from boardwright.learn.dqn.selfplay import choose_greedily
from boardwright.learn.shared.encoder_file import frozen_mask
from boardwright.learn.shared.observation_codec import ObservationCodec, unpack_flags
from boardwright.learn.shared.schedules import warmup_cosine
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.nets.network import Network, Variables
from boardwright.nets.output import q_values

EVALUATED_AT_ONCE = 2048  # transitions in a batch of the target net where it evaluates the whole replay
Losses = dict[str, Array]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class LearnerState:
    """What learning changes."""

    variables: Any  # params and batch_stats, float32
    target: Any  # likewise, of the target net
    optimiser: Any
    updates: Array  # int32: so far


class Batch(NamedTuple):
    """N transitions as nets read them."""

    observation: Array  # [N, rows, columns, planes]
    legal: Array  # [N, A] bool
    role: Array  # [N] int8
    action: Array  # [N] int32
    reward: Array  # [N] float32
    side: Array  # [N] float32: 1 where the same role acts next, -1 the other, 0 if the game is over
    observation_after: Array  # [N, rows, columns, planes]
    legal_after: Array  # [N, A] bool
    role_after: Array  # [N] int8

    @property
    def after(self) -> tuple[Array, Array, Array]:
        """The next position, as `QLearner.evaluate` takes it."""
        return self.observation_after, self.role_after, self.legal_after


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
        self.optimiser = _optimiser(rates, self.schedule, config.frozen)
        self.images, self.codec = SymmetryImages.of(game, rates.augment), ObservationCodec.of(game)

    def init(self, variables: Variables) -> LearnerState:
        """The state before the first update; the target net is a copy."""
        copied = jax.tree.map(jnp.copy, variables)
        return LearnerState(variables, copied, self.optimiser.init(variables["params"]), jnp.int32(0))

    def learning_rate(self, updates: int) -> float:
        """The learning rate after a number of updates."""
        return float(jnp.asarray(self.schedule(updates)))

    def evaluate(self, variables: Variables, observation: Array, role: Array, legal: Array) -> Array:
        """[N, A]: Q-values."""
        return q_values(self.network.apply(variables, observation, role), legal, self.network.config.has_value)

    def batch_of(self, drawn: Transition, symmetry: Array) -> Batch:
        """Transitions [N] seen under symmetries [N]."""

        def see(words: Array, legal_words: Array) -> tuple[Array, Array, Array]:
            legal = self.images.apply_to_mask(symmetry, unpack_flags(legal_words, self.num_actions))
            return *self.images.apply(symmetry, self.codec.unpack(words), drawn.action[:, None]), legal

        observation, action, legal = see(drawn.before, drawn.legal)
        after, _, legal_after = see(drawn.after, drawn.legal_after)
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

    def learn(
        self, key: Array, state: LearnerState, replay: Replay, updates: int
    ) -> tuple[LearnerState, Replay, Losses]:
        """Both after a (static) number of updates, and the mean of every loss over them."""
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
            current = dataclasses.replace(replay, weight=weight, greatest=greatest)
            state, params, current, terms = self._update(state, params, current, drawn, table)
            return (state, params, current.weight, current.greatest), terms

        begin = (state, _cast(state.variables["params"], self.dtype), replay.weight, replay.greatest)
        unrolled = updates if on_cpu() else 1
        (state, _, weight, greatest), terms = jax.lax.scan(body, begin, drawn, unroll=unrolled)
        replay = dataclasses.replace(replay, weight=weight, greatest=greatest)
        return state, replay, {name: numbers.mean() for name, numbers in terms.items()}

    def _read(self, rows: Array, symmetry: Array) -> Batch:
        return self.batch_of(replay_buffer.unpack(rows, self.codec.words), symmetry)

    def _evaluate_all(self, variables: Variables, rows: Array) -> Array:
        """[C, A]: Q-values after every transition in a ring of rows [C, ...]."""
        capacity = rows.shape[0]
        size = min(EVALUATED_AT_ONCE, capacity)

        def evaluate(part: Array) -> Array:
            return self.evaluate(variables, *self._read(part, jnp.zeros(size, jnp.int32)).after)

        parts = jnp.pad(rows, ((0, -capacity % size), (0, 0))).reshape(-1, size, rows.shape[1])
        return jax.lax.map(evaluate, parts).reshape(-1, self.num_actions)

    def _draw(self, state: LearnerState, replay: Replay, uniform: Array) -> tuple[Array, Array]:
        """[N] each: places in the replay, and importance weights."""
        config = self.config.transitions
        if not config.prioritised:
            return replay_buffer.draw_uniformly(uniform, replay), jnp.ones(uniform.shape, jnp.float32)
        places = replay_buffer.draw_by_weight(uniform, replay.weight)
        share = jnp.minimum(state.updates / self.config.total_updates, 1.0)
        return places, replay_buffer.importance_weights(replay, places, config.beta + (1 - config.beta) * share)

    def _loss(
        self, params: Any, statistics: Any, batch: Batch, target: Array, counts: Array
    ) -> tuple[Array, tuple[Array, Any]]:
        """(loss, (errors [N], batch statistics))"""
        output, statistics = self.network.apply_train(
            {"params": params, "batch_stats": statistics}, batch.observation, batch.role
        )
        q = q_values(output, batch.legal, self.network.config.has_value)
        errors = target - jnp.take_along_axis(q, batch.action[:, None], axis=1)[:, 0]
        each = optax.losses.huber_loss(errors) if self.config.learner.loss == "huber" else jnp.square(errors)
        return (counts * each).mean(), (errors, statistics)

    def _update(
        self, state: LearnerState, params: Any, replay: Replay, drawn: tuple[Array, Array], table: Array | None
    ) -> tuple[LearnerState, Any, Replay, Losses]:
        """`params`: the learner's in the compute dtype; `table`: what `_evaluate_all` returned, if it was called."""
        uniform, symmetry = drawn
        places, counts = self._draw(state, replay, uniform)
        batch = self._read(replay.rows[places], symmetry)
        statistics = state.variables["batch_stats"]
        online = self.evaluate({"params": params, "batch_stats": statistics}, *batch.after)
        best = choose_greedily(online, batch.legal_after)
        if table is None:
            next_value = jnp.take_along_axis(self.evaluate(state.target, *batch.after), best[:, None], axis=1)[:, 0]
        else:
            next_value = table[places, best]
        target = targets(batch.reward, batch.side, self.config.learner.discount, next_value)
        (total, (errors, statistics)), gradients = jax.value_and_grad(self._loss, has_aux=True)(
            params, statistics, batch, target, counts
        )
        changes, optimiser = self.optimiser.update(_cast(gradients, jnp.float32), state.optimiser)
        changed = optax.apply_updates(state.variables["params"], changes)
        variables, target_net = {"params": changed, "batch_stats": statistics}, state.target
        share, priorities = self.config.learner.target_share, self.config.transitions
        if share:
            target_net = jax.tree.map(lambda old, new: old + share * (new - old), target_net, variables)
        if priorities.prioritised:
            replay = replay_buffer.update_weights(replay, places, errors, priorities.alpha, priorities.priority_epsilon)
        after = LearnerState(variables, target_net, optimiser, state.updates + 1)
        return after, _cast(changed, self.dtype), replay, {"total": total, "error": jnp.abs(errors).mean()}


def _optimiser(config: QLearnerConfig, schedule: optax.Schedule, frozen: bool) -> optax.GradientTransformation:
    """Adam with as few stages as possible: on a GPU each is a kernel in every update."""
    is_constant = config.lr_final >= config.lr_peak and config.warmup_steps == 0
    stages = [optax.masked(optax.set_to_zero(), frozen_mask)] if frozen else []
    stages += [optax.clip_by_global_norm(config.gradient_clip)] if config.gradient_clip else []
    return optax.chain(*stages, optax.adam(config.lr_peak if is_constant else schedule))


def _cast(tree: Any, dtype: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf.astype(dtype), tree)
