"""The learner's decisions: drawn from its policy among legal actions, of positions seen under drawn symmetries.

A position is seen turned already when the decision is made, not only when it is learned from. So what is learned is
exactly what was decided, and the probability it was decided with is known.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.learn.alphazero.learner import EMPTY, Images
from boardwright.learn.ppo.rollout import Choose, Decide, Decision
from boardwright.nets.network import Network, Variables
from boardwright.search.tree import Evaluate


def log_policy(logits: Array, legal: Array) -> Array:
    """[..., A] logarithms of probabilities of legal actions; those of others are out of sight and have no gradient."""
    return jax.nn.log_softmax(jnp.where(legal, logits, EMPTY))


def make_decide(network: Network, env: BatchEnv, images: Images, variables: Variables, dtype: Any) -> Decide:
    """What the learner does with its variables; observations are kept in `dtype`, which the net computes in."""
    backward = jnp.asarray(np.argsort(images.actions, axis=1).astype(np.int32))  # [G, A]: the action an image is of

    def decide(key: Array, states: Any) -> tuple[Array, Decision]:
        symmetry_key, action_key = jax.random.split(key)
        role, legal = states.current_role, states.legal_action_mask
        observation = jax.vmap(env.observe)(states, role).astype(dtype)
        symmetry = jax.random.randint(symmetry_key, role.shape, 0, images.count)
        if images.count > 1:
            observation, _ = images.applied(symmetry, observation, jnp.zeros((role.shape[0], 1), jnp.int32))
            legal = jnp.take_along_axis(legal, backward[symmetry], axis=1)
        output = network.apply(variables, observation, role)
        logs = log_policy(output.policy_logits, legal)
        action = jax.random.categorical(action_key, logs).astype(jnp.int32)
        chosen = jnp.take_along_axis(logs, action[:, None], axis=1)[:, 0]
        return backward[symmetry, action], Decision(observation, legal, action, chosen, output.value, role)

    return decide


def make_choose(ask: Evaluate) -> Choose:
    """A player that draws from a policy."""

    def choose(key: Array, states: Any) -> Array:
        logits, _ = ask(states)
        return jax.random.categorical(key, log_policy(logits, states.legal_action_mask)).astype(jnp.int32)

    return choose
