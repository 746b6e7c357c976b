"""The weights of a new net, drawn at random.

From the shapes alone rather than by flax's own initialisers: those draw every weight by itself, and
compiling that takes a quarter of a minute where this takes a second.
"""

import math
import re
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from boardwright.nets.layout import Shape

ANSWERS = ("logits", "output", "ownership", "margin", "plies")  # layers nothing comes after
RECTIFIED = re.compile(r"(conv|hidden)_\d+")  # layers of plain nets, which nothing but a rectifier comes after
CALM = 0.1  # variance of an answer beside that of a feature: a new net has no strong opinions
TRUNCATED = 0.87962566103423978  # standard deviation of the normal distribution cut off at two


def new_weights(shapes: Mapping[str, Shape], key: jax.Array) -> dict[str, jax.Array]:
    """Kernels of variance 1 / inputs, answers calmer; biases of 0; batch norms that change nothing.

    A rectifier halves what goes through it. Where no batch norm makes up for that, the variance is twice as large.
    """
    kernels = [name for name in shapes if name.endswith("/kernel")]
    ends = np.cumsum([math.prod(shapes[name]) for name in kernels])
    drawn = jax.random.truncated_normal(key, -2.0, 2.0, (int(ends[-1]),), jnp.float32) / TRUNCATED
    weights = {
        name: jnp.full(shape, 1 if name.endswith(("/scale", "/var")) else 0, jnp.float32)
        for name, shape in shapes.items()
    }
    for name, numbers in zip(kernels, jnp.split(drawn, ends[:-1]), strict=True):
        variance = _variance(name.split("/")[-2]) / math.prod(shapes[name][:-1])
        weights[name] = (numbers * math.sqrt(variance)).reshape(shapes[name])
    return weights


def _variance(layer: str) -> float:
    """Of what a layer says, beside that of what it reads."""
    if layer in ANSWERS:
        return CALM
    return 2.0 if RECTIFIED.fullmatch(layer) else 1.0
