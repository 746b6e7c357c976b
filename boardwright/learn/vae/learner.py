"""The losses of a β-VAE, and its measurement on boards it has not learned from.

The loss of a board is the cross-entropy of its cells, decoded from a code drawn near its mean, plus β times the
divergence of the code's distribution from the standard normal one. Both are in nats, so that with β = 1 the loss is an
upper bound of the board's negative log-likelihood.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.learn.shared.boards import unpack
from boardwright.nets.network import Variables
from boardwright.nets.vae import Vae

MEASURED_AT_ONCE = 1024  # boards


def divergence(mean: Array, log_variance: Array) -> Array:
    """[B] nats: KL divergence of normal distributions, by means and variances [B, L], from the standard one."""
    return 0.5 * (jnp.exp(log_variance) + jnp.square(mean) - 1.0 - log_variance).sum(axis=-1)


def cross_entropy(logits: Array, boards: Array) -> Array:
    """[B] nats: cross-entropy of boards of zeros and ones [B, ...] with the logits of their cells."""
    each = jax.nn.softplus(logits) - boards * logits
    return each.reshape(len(boards), -1).sum(axis=1)


def draw_codes(key: Array, mean: Array, log_variance: Array) -> Array:
    """[B, L]: a code for each board, drawn from its normal distribution."""
    return mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape)


def measure(vae: Vae, variables: Variables, bits: Array, key: Array) -> dict[str, float]:
    """Metrics of an auto-encoder on N boards, bits [N, bytes].

    `bce` and `kl` as in training, from codes drawn with the key; from the mean codes `reconstruction`, the share of
    cells that are right when rounded, and `occupied`, the same for the cells that are not empty. `all_zeros` is the
    reconstruction of a decoder that leaves all cells empty.
    """
    sums: dict[str, float] = {}
    size = min(MEASURED_AT_ONCE, len(bits))
    for number, first in enumerate(range(0, len(bits), size)):
        block = bits[first : first + size]
        is_real = jnp.arange(size) < len(block)
        block = jnp.pad(block, ((0, size - len(block)), (0, 0)))
        for name, value in _count(vae, variables, block, is_real, jax.random.fold_in(key, number)).items():
            sums[name] = sums.get(name, 0.0) + float(value)
    boards, cells = len(bits), len(bits) * int(np.prod(vae.shape))
    return {
        "bce": sums["bce"] / boards,
        "kl": sums["kl"] / boards,
        "reconstruction": sums["right"] / cells,
        "all_zeros": 1 - sums["occupied"] / cells,
        "occupied": sums["occupied_right"] / max(sums["occupied"], 1.0),
    }


@functools.partial(jax.jit, static_argnums=0)
def _count(vae: Vae, variables: Variables, bits: Array, is_real: Array, key: Array) -> dict[str, Array]:
    """Sums over the boards of a block that are not padding."""
    seen = unpack(bits, vae.shape)
    mean, log_variance = vae.encode(variables, seen)
    logits = vae.decode(variables, draw_codes(key, mean, log_variance))
    right = ((vae.decode(variables, mean) > 0) == (seen > 0.5)) & is_real[:, None, None, None]
    occupied = seen * is_real[:, None, None, None]
    return {
        "bce": (cross_entropy(logits, seen) * is_real).sum(),
        "kl": (divergence(mean, log_variance) * is_real).sum(),
        "right": right.sum(),
        "occupied": occupied.sum(),
        "occupied_right": (occupied * right).sum(),
    }
