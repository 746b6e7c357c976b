"""PPO's learner: the clipped objective, optimised in epochs of minibatches over what was played.

Batch statistics of residual nets are fixed during an update, so that only the parameters change probabilities; the
running statistics are refreshed afterwards.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax.struct import PyTreeNode
from jax import Array

from boardwright.learn.ppo.config import PPOLearnerConfig
from boardwright.learn.ppo.selfplay import Decision, Row, Tail, log_policy
from boardwright.learn.shared.encoder_file import frozen_mask
from boardwright.nets.network import Network, Variables

MAX_REFRESH = 16  # minibatches that running statistics are refreshed with
MIN_DEVIATION = 1e-8  # of advantages
Losses = dict[str, Array]


class LearnerState(PyTreeNode):
    """What learning changes."""

    variables: Any  # float32
    optimiser: Any
    steps: Array  # int32: so far


class Batch(PyTreeNode):
    """N places to learn from, some of which hold decisions."""

    decision: Decision  # [N]
    advantage: Array  # [N] float32
    target: Array  # [N] float32: the return that the value learns
    decided: Array  # [N] bool

    def at(self, places: Array) -> Batch:
        """The batch at some places."""
        return jax.tree.map(lambda leaf: leaf[places], self)


def clipped_objective(ratio: Array, advantage: Array, clip: float) -> Array:
    """PPO's surrogate objective, to be maximised, from the ratio of new to old probability."""
    return jnp.minimum(ratio * advantage, jnp.clip(ratio, 1.0 - clip, 1.0 + clip) * advantage)


def explained_variance(batch: Batch) -> Array:
    """The share of the variance of returns that the values predicted; 0 or less is no better than a constant."""

    def variance(numbers: Array) -> Array:
        mean = numbers.mean(where=batch.decided)
        return jnp.square(numbers - mean).mean(where=batch.decided)

    return 1.0 - variance(batch.advantage) / jnp.maximum(variance(batch.target), 1e-8)


def advantages(
    rewards: Array, values: Array, decided: Array, over: Array, last_value: Array, *, discount: float, trace: float
) -> Array:
    """[T, B] generalised advantages of one player's decisions in B games over T rows; undefined where it made none.

    The state that follows a decision is that of the same player's next decision, after any number of moves of either
    player. Its reward is the sum of all rewards to the player until then. The discount applies once per decision.

    rewards: [T, B] to the player in a row, after its decision if it made one
    values: [T, B] the player's estimate when it decided; ignored elsewhere
    decided: [T, B] bool
    over: [T, B] bool: a game ended in the row, and the next row belongs to another game
    last_value: [B] the estimate at its next decision, after all rows
    trace: lambda; 0 is one step, 1 is Monte Carlo up to the last row

    An advantage plus its value is the return that the value learns.
    """

    def step_back(
        following: tuple[Array, Array, Array], row: tuple[Array, Array, Array, Array]
    ) -> tuple[tuple[Array, Array, Array], Array]:
        value, advantage, paid = following  # of the next decision in the game; rewards before it
        reward, here, decides, ends = row
        value, advantage, paid = (jnp.where(ends, 0.0, number) for number in (value, advantage, paid))
        paid = paid + reward
        estimate = paid + discount * value - here + discount * trace * advantage
        before = (
            jnp.where(decides, here, value),
            jnp.where(decides, estimate, advantage),
            jnp.where(decides, 0.0, paid),
        )
        return before, estimate

    zero = jnp.zeros_like(last_value)
    return jax.lax.scan(step_back, (last_value, zero, zero), (rewards, values, decided, over), reverse=True)[1]


def row_advantages(rows: Row, tail: Tail, *, discount: float, trace: float) -> Array:
    """[T, B]: advantages of all decisions in the rows [T, B], each role on its own."""
    values, role = rows.decision.value, rows.decision.role
    zero = jnp.zeros_like(values[:1])

    def of_role(which: int) -> Array:
        return advantages(
            jnp.concatenate([rows.rewards[..., which], tail.rewards[None, :, which]]),
            jnp.concatenate([values, zero]),
            jnp.concatenate([rows.decided & (role == which), zero.astype(bool)]),
            jnp.concatenate([rows.over, tail.over[None, :, which]]),
            tail.value[:, which],
            discount=discount,
            trace=trace,
        )[:-1]

    return jnp.where(role == 0, of_role(0), of_role(1))


class PPOLearner:
    """The learner of a net, its learning rates final after `total_steps`. Its methods are pure, for `jax.jit`."""

    def __init__(self, config: PPOLearnerConfig, network: Network, *, total_steps: int, frozen: bool):
        self.config, self.network = config, network

        def adam(rate: float) -> optax.GradientTransformation:
            return optax.adam(optax.linear_schedule(rate, rate * config.lr_final_share, max(total_steps, 1)))

        def label(params: Any) -> Any:
            """The value head has a learning rate of its own."""
            labels = {name: "critic" if name.startswith("value") else "actor" for name in params}
            return {name: jax.tree.map(lambda _, label=labels[name]: label, tree) for name, tree in params.items()}

        self.optimiser = optax.chain(
            optax.masked(optax.set_to_zero(), frozen_mask) if frozen else optax.identity(),
            optax.clip_by_global_norm(config.gradient_clip) if config.gradient_clip else optax.identity(),
            optax.multi_transform({"actor": adam(config.actor_lr), "critic": adam(config.critic_lr)}, label),
        )

    def init(self, variables: Variables) -> LearnerState:
        """The state before the first step."""
        return LearnerState(variables, self.optimiser.init(variables["params"]), jnp.int32(0))

    def draw_minibatches(self, key: Array, decided: Array) -> Array:
        """[steps, minibatch] places of decisions, from where they are [N], for all epochs.

        Every epoch has its own order of the decisions, repeated if the minibatches need more.
        """
        count = jnp.maximum(decided.sum(), 1)
        drawn = jax.random.uniform(key, (self.config.epochs, *decided.shape))
        order = jnp.argsort(jnp.where(decided, drawn, 2.0), axis=1)  # places without a decision last
        which = jnp.arange(self.config.minibatches * self.config.minibatch_size) % count
        return order[:, which].reshape(-1, self.config.minibatch_size)

    def losses(self, variables: Variables, batch: Batch) -> tuple[Array, Losses]:
        """The total loss of a batch and its terms, means over decisions."""
        config, decision = self.config, batch.decision
        weight = batch.decided.astype(jnp.float32)
        weight = weight / jnp.maximum(weight.sum(), 1.0)

        def mean(numbers: Array) -> Array:
            return (weight * numbers).sum()

        output = self.network.apply(variables, decision.observation, decision.role)
        logs = log_policy(output.policy_logits, decision.legal)
        log_ratio = jnp.take_along_axis(logs, decision.action[:, None], axis=1)[:, 0] - decision.log_probability
        ratio, advantage = jnp.exp(log_ratio), batch.advantage
        if config.normalise:
            centred = advantage - mean(advantage)
            advantage = centred / jnp.maximum(jnp.sqrt(mean(jnp.square(centred))), MIN_DEVIATION)
        policy = -mean(clipped_objective(ratio, advantage, config.clip))
        value = mean(jnp.square(output.value - batch.target))
        entropy = mean(-jnp.where(decision.legal, jnp.exp(logs) * logs, 0.0).sum(axis=1))
        total = policy + config.value_weight * value - config.entropy * entropy
        return total, {
            "policy": policy,
            "value": value,
            "entropy": entropy,
            "total": total,
            "clip_share": mean(jnp.abs(ratio - 1.0) > config.clip),
            "kl": mean(ratio - 1.0 - log_ratio),
        }

    def learn(self, state: LearnerState, batch: Batch, places: Array, unrolled: int) -> tuple[LearnerState, Losses]:
        """The state after a step for each of n minibatches, places [n, minibatch], and the mean of every loss.

        `unrolled`: steps of the loop to unroll (static).
        """
        state, terms = jax.lax.scan(lambda s, some: self._step(s, batch.at(some)), state, places, unroll=unrolled)
        return state, {name: values.mean() for name, values in terms.items()}

    def _step(self, state: LearnerState, batch: Batch) -> tuple[LearnerState, Losses]:
        def loss(params: Any) -> tuple[Array, Losses]:
            return self.losses({**state.variables, "params": params}, batch)

        params = state.variables["params"]
        gradients, terms = jax.grad(loss, has_aux=True)(params)
        updates, optimiser = self.optimiser.update(gradients, state.optimiser, params)
        variables = {**state.variables, "params": optax.apply_updates(params, updates)}
        after = LearnerState(variables, optimiser, state.steps + 1)
        if self.config.kl_limit:
            is_far = terms["kl"] > self.config.kl_limit
            after = jax.tree.map(lambda old, new: jnp.where(is_far, old, new), state, after)
        return after, terms

    def refresh(self, state: LearnerState, batch: Batch, places: Array) -> LearnerState:
        """The state with running statistics of the last minibatches, places [n, minibatch]."""
        if not jax.tree.leaves(state.variables.get("batch_stats")):
            return state

        def body(variables: Variables, some: Array) -> tuple[Variables, None]:
            seen = batch.at(some).decision
            _, statistics = self.network.apply_train(variables, seen.observation, seen.role)
            return {**variables, "batch_stats": statistics}, None

        variables, _ = jax.lax.scan(body, state.variables, places[-MAX_REFRESH:])
        return state.replace(variables=variables)
