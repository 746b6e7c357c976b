"""How a learner of Q-values tries what it does not believe in: the papers' two ways, and how they fade."""

from __future__ import annotations

from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array

Exploration = Literal["epsilon", "boltzmann"]
NEVER = -1e30  # instead of the value of an action that must not be chosen


def level(episodes: Array, first: float, last: float, decay: float) -> Array:
    """Epsilon or the temperature after so many episodes: from `first` to `last`, nearer by e every `decay`."""
    return last + (first - last) * jnp.exp(-episodes / decay)


def chosen(key: Array, q: Array, allowed: Array, level: Array, kind: Exploration) -> Array:
    """[B] int32: an action for each of B games from values and masks [B, A]. Boltzmann: in proportion to exp(Q / T);
    epsilon: the best but for a share epsilon of the choices, in which every allowed action is as likely as the next.
    """
    if kind == "boltzmann":
        return jax.random.categorical(key, jnp.where(allowed, q / level, NEVER)).astype(jnp.int32)
    try_key, random_key = jax.random.split(key)
    tries = jax.random.uniform(try_key, q.shape[:1]) < level
    at_random = jax.random.categorical(random_key, jnp.where(allowed, 0.0, NEVER))
    return jnp.where(tries, at_random, greedy(q, allowed)).astype(jnp.int32)


def greedy(q: Array, allowed: Array) -> Array:
    """[B] int32: the allowed action of the greatest value, the first of equals."""
    return jnp.where(allowed, q, NEVER).argmax(axis=-1).astype(jnp.int32)
