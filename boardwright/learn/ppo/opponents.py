"""An opponent that is an older copy of the learner, and how it follows the learner by finished games."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.learn.ppo.config import OpponentConfig
from boardwright.nets.network import Variables


def times_due(every: int, before: Array, after: Array) -> Array:
    """int32: how often something due after `every` games (0: never) is due while they rise from `before` to `after`."""
    return after // every - before // every if every else jnp.int32(0)


def follow(config: OpponentConfig, opponent: Variables, learner: Variables, before: Array, after: Array) -> Variables:
    """The opponent after games `before` to `after`: moved part of the way to the learner for every soft update due
    among them, and all of it for a copy.
    """
    left = (1.0 - config.soft_share) ** times_due(config.soft_every, before, after).astype(jnp.float32)
    left = jnp.where(times_due(config.copy_every, before, after) > 0, 0.0, left)
    return jax.tree.map(lambda old, new: left * old + (1.0 - left) * new, opponent, learner)
