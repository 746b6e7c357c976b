"""The opponent of a learner that is an older self: how it follows, by finished games."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.learn.ppo.config import OpponentConfig
from boardwright.nets.network import Variables


def due(every: int, before: Array, after: Array) -> Array:
    """int32: how often something falls due that is to be done after every so many games, 0 being never, while their
    number rises from `before` to `after`.
    """
    return after // every - before // every if every else jnp.int32(0)


def followed(config: OpponentConfig, opponent: Variables, learner: Variables, before: Array, after: Array) -> Variables:
    """The opponent after games `before` to `after` have ended: moved a share of the way to the learner for every
    soft update that fell due among them, and all of it for a full one.
    """
    left = (1.0 - config.soft_share) ** due(config.soft_every, before, after).astype(jnp.float32)
    left = jnp.where(due(config.copy_every, before, after) > 0, 0.0, left)
    return jax.tree.map(lambda old, new: left * old + (1.0 - left) * new, opponent, learner)
