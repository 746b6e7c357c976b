"""Exploration of a Q-learner: epsilon-greedy or Boltzmann, with a level that decays with the episodes."""

from __future__ import annotations

from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array

Exploration = Literal["epsilon", "boltzmann"]
NEVER = -1e30  # instead of the value of an action that must not be chosen


def decayed_level(episodes: Array, first: float, last: float, decay: float) -> Array:
    """Epsilon or the temperature: falls exponentially from `first` to `last`, by a factor e every `decay` episodes."""
    return last + (first - last) * jnp.exp(-episodes / decay)


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
