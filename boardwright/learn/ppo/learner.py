"""PPO's learner: the clipped objective, and passes over what was played in minibatches.

Norms of residual nets stay what they were when the decisions were made, so that nothing but the parameters moves
probabilities in an update; the running statistics are brought up to date afterwards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array

from boardwright.learn.ppo.actor import log_policy
from boardwright.learn.ppo.config import PPOLearnerConfig
from boardwright.learn.ppo.rollout import Decision
from boardwright.learn.shared.encoder import frozen_mask
from boardwright.nets.network import Network, Variables

MOST_REFRESHING = 16  # minibatches that running statistics are brought up to date with
LEAST_DEVIATION = 1e-8  # of advantages
Terms = dict[str, Array]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Learner:
    """What learning changes."""

    variables: Any  # float32
    optimiser: Any
    steps: Array  # int32: taken so far


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Batch:
    """What is learned from: N places, of which some hold decisions."""

    decision: Decision  # [N]
    advantage: Array  # [N] float32
    target: Array  # [N] float32: return the value is to foretell
    decided: Array  # [N] bool


@dataclasses.dataclass(frozen=True)
class LearnerFunctions:
    """Pure functions of one learner."""

    init: Callable[[Variables], Learner]
    minibatches: Callable[[Array, Array], Array]  # key, decided [N] -> [steps, minibatch] places for all epochs
    learn: Callable[[Learner, Batch, Array, int], tuple[Learner, Terms]]  # places [n, minibatch]; unrolled (static)
    refresh: Callable[[Learner, Batch, Array], Learner]  # with the running statistics of these places
    losses: Callable[[Variables, Batch], tuple[Array, Terms]]


def clipped_objective(ratio: Array, advantage: Array, clip: float) -> Array:
    """What is to be made larger: the gain of an action whose probability has moved by a ratio, as long as that is
    within the clip, or moved the wrong way.
    """
    return jnp.minimum(ratio * advantage, jnp.clip(ratio, 1.0 - clip, 1.0 + clip) * advantage)


def make_learner(config: PPOLearnerConfig, network: Network, *, total_steps: int, frozen: bool) -> LearnerFunctions:
    """The learner of a net; its learning rates come to their end after `total_steps`."""
    optimiser = _optimiser(config, total_steps, frozen)

    def init(variables: Variables) -> Learner:
        return Learner(variables, optimiser.init(variables["params"]), jnp.int32(0))

    def losses(variables: Variables, batch: Batch) -> tuple[Array, Terms]:
        decision, weight = batch.decision, batch.decided.astype(jnp.float32)
        weight = weight / jnp.maximum(weight.sum(), 1.0)

        def mean(numbers: Array) -> Array:
            return (weight * numbers).sum()

        output = network.apply(variables, decision.observation, decision.role)
        logs = log_policy(output.policy_logits, decision.legal)
        moved = jnp.take_along_axis(logs, decision.action[:, None], axis=1)[:, 0] - decision.log_probability
        ratio, advantage = jnp.exp(moved), batch.advantage
        if config.normalise:
            centred = advantage - mean(advantage)
            advantage = centred / jnp.maximum(jnp.sqrt(mean(jnp.square(centred))), LEAST_DEVIATION)
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
            "kl": mean(ratio - 1.0 - moved),
        }

    def one_step(learner: Learner, batch: Batch) -> tuple[Learner, Terms]:
        def of_params(params: Any) -> tuple[Array, Terms]:
            return losses({**learner.variables, "params": params}, batch)

        params = learner.variables["params"]
        gradients, terms = jax.grad(of_params, has_aux=True)(params)
        updates, state = optimiser.update(gradients, learner.optimiser, params)
        variables = {**learner.variables, "params": optax.apply_updates(params, updates)}
        learned = Learner(variables, state, learner.steps + 1)
        if config.kl_limit:
            far = terms["kl"] > config.kl_limit
            learned = jax.tree.map(lambda old, new: jnp.where(far, old, new), learner, learned)
        return learned, terms

    def places(key: Array, decided: Array) -> Array:
        """Every epoch goes through the decisions in an order of its own, and begins it again where it comes to its
        end before the epoch does.
        """
        count = jnp.maximum(decided.sum(), 1)
        drawn = jax.random.uniform(key, (config.epochs, *decided.shape))
        order = jnp.argsort(jnp.where(decided, drawn, 2.0), axis=1)  # those without a decision last
        which = jnp.arange(config.minibatches * config.minibatch) % count
        return order[:, which].reshape(-1, config.minibatch)

    def learn(learner: Learner, batch: Batch, chosen: Array, unrolled: int) -> tuple[Learner, Terms]:
        def body(learner: Learner, these: Array) -> tuple[Learner, Terms]:
            return one_step(learner, _taken(batch, these))

        learner, terms = jax.lax.scan(body, learner, chosen, unroll=unrolled)
        return learner, {name: values.mean() for name, values in terms.items()}

    def refresh(learner: Learner, batch: Batch, chosen: Array) -> Learner:
        if not jax.tree.leaves(learner.variables.get("batch_stats")):
            return learner

        def body(variables: Variables, these: Array) -> tuple[Variables, None]:
            seen = _taken(batch, these).decision
            _, statistics = network.apply_train(variables, seen.observation, seen.role)
            return {**variables, "batch_stats": statistics}, None

        variables, _ = jax.lax.scan(body, learner.variables, chosen[-MOST_REFRESHING:])
        return dataclasses.replace(learner, variables=variables)

    return LearnerFunctions(init, places, learn, refresh, losses)


def _taken(batch: Batch, places: Array) -> Batch:
    return jax.tree.map(lambda leaf: leaf[places], batch)


def _optimiser(config: PPOLearnerConfig, total_steps: int, frozen: bool) -> optax.GradientTransformation:
    """Adam with a rate for the value head, and one for all that the policy is made of."""

    def adam(rate: float) -> optax.GradientTransformation:
        return optax.adam(optax.linear_schedule(rate, rate * config.final_rate, max(total_steps, 1)))

    def sort_of(params: Any) -> Any:
        sorts = {name: "critic" if name.startswith("value") else "actor" for name in params}
        return {name: jax.tree.map(lambda _, sort=sorts[name]: sort, tree) for name, tree in params.items()}

    return optax.chain(
        optax.masked(optax.set_to_zero(), frozen_mask) if frozen else optax.identity(),
        optax.clip_by_global_norm(config.gradient_clip) if config.gradient_clip else optax.identity(),
        optax.multi_transform({"actor": adam(config.actor_rate), "critic": adam(config.critic_rate)}, sort_of),
    )
