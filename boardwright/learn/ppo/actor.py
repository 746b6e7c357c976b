"""The learner's decisions: drawn from its policy among legal actions, of positions seen under random symmetries.

The symmetry is applied when the decision is made, not only when it is learned from, so that the observation that is
learned from is the one that was decided on, and the probability of the decision is known.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.learn.ppo.selfplay import Choose, Decide, Decision
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.mcts.tree import Evaluate
from boardwright.nets.network import Network, Variables

ILLEGAL = -1e9  # instead of the logit of an illegal action


def log_policy(logits: Array, legal: Array) -> Array:
    """[..., A] log probabilities of legal actions; illegal ones have probability 0 and no gradient."""
    return jax.nn.log_softmax(jnp.where(legal, logits, ILLEGAL))


def make_decide(network: Network, env: BatchEnv, images: SymmetryImages, variables: Variables, dtype: Any) -> Decide:
    """Decisions of a net; observations are kept in `dtype`, which the net computes in."""

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


def make_choose(evaluate: Evaluate) -> Choose:
    """Actions drawn from a policy."""

    def choose(key: Array, states: Any) -> Array:
        logits, _ = evaluate(states)
        return jax.random.categorical(key, log_policy(logits, states.legal_action_mask)).astype(jnp.int32)

    return choose
