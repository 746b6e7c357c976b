"""A variational auto-encoder of boards: an encoder as plain nets have it, and its mirror image.

    vae = Vae(config, game.observation_shape)
    mean, log_variance = vae.encode(variables, boards)
    logits = vae.decode(variables, mean)

The encoder is that of a `PlainConfig`, whose other parts do not matter here: what it ends with is the mean of a
board's code, and a second linear layer, which only training needs, gives the logarithm of its variance.
`weights_of_vae` names its weights as a plain net does, so that they can be put in one's place.
"""

import dataclasses
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import traverse_util
from jax import Array

from boardwright.errors import NetError
from boardwright.nets.config import PlainConfig
from boardwright.nets.modules import Encoder
from boardwright.nets.network import Variables, new_weights, variables_of, weights_of

SIZE = 3  # of all kernels
ENCODER = "params/encoder/"  # what the names of an encoder's weights begin with, in a plain net too
_MEAN, _MEAN_IN_A_NET = "params/mean/", f"{ENCODER}latent/"


class Vae:
    """Pure functions of one auto-encoder, for `jax.jit`; B boards [rows, columns, planes], codes of L numbers.

    Raises NetError where the encoder ends in no code.
    """

    def __init__(self, config: PlainConfig, shape: tuple[int, int, int]):
        if not config.latent:
            raise NetError("net option latent: an auto-encoder's code needs at least 1 number, not 0")
        self.config, self.shape, self._module = config, shape, _Vae(config, shape)
        variables = jax.eval_shape(self._module.init, jax.random.key(0), jnp.zeros((1, *shape)))
        flat: dict[str, Any] = traverse_util.flatten_dict(variables, sep="/")  # type: ignore[assignment]
        self._shapes = {name: leaf.shape for name, leaf in flat.items()}

    def init(self, key: Array) -> Variables:
        """New variables."""
        return variables_of(new_weights(self._shapes, key))

    def encode(self, variables: Variables, boards: Array) -> tuple[Array, Array]:
        """Mean and logarithm of the variance of codes, [B, L] each."""
        return self._module.apply(variables, boards, method=self._module.encode)  # type: ignore[return-value]

    def decode(self, variables: Variables, codes: Array) -> Array:
        """Logits [B, rows, columns, planes] of codes [B, L]."""
        return self._module.apply(variables, codes, method=self._module.decode)  # type: ignore[return-value]


def weights_of_vae(variables: Variables) -> dict[str, np.ndarray]:
    """All weights by name, those of the encoder by the names they have in a plain net."""
    weights = weights_of(variables)
    return {name.replace(_MEAN, _MEAN_IN_A_NET): weight for name, weight in weights.items()}


class _Decoder(nn.Module):
    """[B, L] -> [B, rows, columns, planes]: the encoder's layers in the opposite order."""

    config: PlainConfig
    shape: tuple[int, int, int]

    @nn.compact
    def __call__(self, codes: Array) -> Array:
        rows, columns, planes = self.shape
        convolutions, stride = self.config.convolutions, self.config.stride
        sizes = [(rows, columns)]
        for _ in convolutions:
            sizes.append(((sizes[-1][0] - 1) // stride + 1, (sizes[-1][1] - 1) // stride + 1))
        x = codes
        for number, units in enumerate(reversed(self.config.encoder_hidden)):
            x = nn.relu(nn.Dense(units, name=f"hidden_{number}")(x))
        beginning = (*sizes[-1], convolutions[-1])
        x = nn.relu(nn.Dense(int(np.prod(beginning)), name=f"hidden_{len(self.config.encoder_hidden)}")(x))
        x = x.reshape(-1, *beginning)
        channels = [planes, *convolutions[:-1]]
        for number in reversed(range(len(convolutions))):
            size, name = sizes[number], "logits" if number == 0 else f"conv_{number}"
            padding = [(1, after - (before - 1) * stride) for before, after in zip(x.shape[1:3], size, strict=True)]
            layer = nn.ConvTranspose(channels[number], (SIZE, SIZE), (stride, stride), padding=padding, name=name)
            x = layer(x) if number == 0 else nn.relu(layer(x))
        return x


class _Vae(nn.Module):
    config: PlainConfig
    shape: tuple[int, int, int]

    def setup(self) -> None:
        self.encoder = Encoder(dataclasses.replace(self.config, latent=0), jnp.float32)
        self.mean = nn.Dense(self.config.latent)
        self.log_variance = nn.Dense(self.config.latent)
        self.decoder = _Decoder(self.config, self.shape)

    def encode(self, boards: Array) -> tuple[Array, Array]:
        features = self.encoder(boards)
        return self.mean(features), self.log_variance(features)

    def decode(self, codes: Array) -> Array:
        return self.decoder(codes)

    def __call__(self, boards: Array) -> Array:
        mean, _ = self.encode(boards)
        return self.decode(mean)
