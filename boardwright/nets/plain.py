"""The plain net of `PlainConfig` as a flax module: convolutions and dense layers, nothing normalised.

Heads compute their last layer in float32: values of actions are compared by small differences.
"""

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from boardwright.nets.config import PlainConfig
from boardwright.nets.layout import Interface
from boardwright.nets.output import Output, as_actions, flat


class Encoder(nn.Module):
    """[B, rows, columns, planes] -> [B, n]: what both heads read."""

    config: PlainConfig
    dtype: Any

    @nn.compact
    def __call__(self, planes: jax.Array) -> jax.Array:
        """The convolutions, flattened, then dense layers where there are any."""
        x, strides = planes, (self.config.stride, self.config.stride)
        for number, channels in enumerate(self.config.convolutions):
            # Padding by number: "SAME" would pad unevenly where strides are 2.
            conv = nn.Conv(channels, (3, 3), strides, padding=1, dtype=self.dtype, name=f"conv_{number}")
            x = nn.relu(conv(x))
        x = flat(x)
        for number, units in enumerate(self.config.encoder_hidden):
            x = nn.relu(nn.Dense(units, dtype=self.dtype, name=f"hidden_{number}")(x))
        return nn.Dense(self.config.latent, dtype=self.dtype, name="latent")(x) if self.config.latent else x


class _Head(nn.Module):
    """[B, n] -> [B, outputs]."""

    hidden: tuple[int, ...]
    outputs: int
    last: str  # name of the last layer
    dtype: Any

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for number, units in enumerate(self.hidden):
            x = nn.relu(nn.Dense(units, dtype=self.dtype, name=f"hidden_{number}")(x))
        return nn.Dense(self.outputs, dtype=jnp.float32, name=self.last)(x)


class PlainNet(nn.Module):
    """The whole net."""

    config: PlainConfig
    interface: Interface
    dtype: Any

    @nn.compact
    def __call__(self, observation: ArrayLike, role: ArrayLike, train: bool) -> Output:
        """The output of the net; the same in training."""
        del train
        config, dtype = self.config, self.dtype
        x = Encoder(config, dtype, name="encoder")(jnp.asarray(observation, dtype))
        policy = _Head(config.policy_hidden, self.interface.policy_outputs, "logits", dtype, name="policy")(x)
        if config.value_hidden is None:
            value = jnp.zeros(x.shape[0], jnp.float32)
        else:
            value = _Head(config.value_hidden, 1, "output", dtype, name="value")(x)[:, 0]
        return Output(
            policy_logits=as_actions([policy], jnp.asarray(role), self.interface.places),
            value=value,
            wdl_logits=None,
            auxiliary={},
        )
