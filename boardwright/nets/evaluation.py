"""The net of an `EvaluationConfig` in JAX, to learn with; `src/core/games/draughts/net.hpp` computes the same for play.

    params = init(key, config, inputs)
    z = outputs(params, seen)

The hyperbolic tangent of an output is the expected result for the mover. Weights are float32, and named so that
`network.weights_of({"params": params})` is what net files hold and alpha-beta takes.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.nets.config import MAX_PIECES, EvaluationConfig

HALFWAY = 0.5  # biases of new units, between the limits of the clipped ReLU, so that they learn
SPREAD = 0.5  # standard deviation of the output of a new unit of the first layer for a full board
OUTPUT_SPREAD = 0.1  # the same of the outputs of a new net


def init(key: Array, config: EvaluationConfig, inputs: int) -> Any:
    """New parameters for observations of a number of inputs, drawn at random."""
    features, hidden, output = jax.random.split(key, 3)
    width, units, phases = config.width, config.hidden, config.phases
    return {
        "features": {
            "kernel": jax.random.normal(features, (inputs, width)) * (SPREAD / MAX_PIECES**0.5),
            "bias": jnp.full(width, HALFWAY),
        },
        "hidden": {
            "kernel": jax.random.normal(hidden, (phases, width, units)) / width**0.5,
            "bias": jnp.full((phases, units), HALFWAY),
        },
        "output": {
            "kernel": jax.random.normal(output, (phases, units)) * (OUTPUT_SPREAD / units**0.5),
            "bias": jnp.zeros(phases),
        },
    }


def outputs(params: Any, seen: Array) -> Array:
    """[B] float32, of observations [B, inputs] of zeros and ones as the mover sees them.

    The second layer is computed for all phases at once: one large product is quicker than a kernel for each board.
    """
    features, hidden, output = params["features"], params["hidden"], params["output"]
    phases, width, units = hidden["kernel"].shape
    first = jnp.clip(seen @ features["kernel"] + features["bias"], 0.0, 1.0)
    kernels = hidden["kernel"].transpose(1, 0, 2).reshape(width, phases * units)
    second = (first @ kernels).reshape(-1, phases, units) + hidden["bias"]
    second = (jnp.clip(second, 0.0, 1.0) * output["kernel"]).sum(axis=2) + output["bias"]  # [B, phases]
    pieces = jnp.maximum(seen.sum(axis=1).astype(jnp.int32), 1)
    phase = jnp.minimum((pieces - 1) * phases // MAX_PIECES, phases - 1)  # [B]
    now = jax.nn.one_hot(phase, phases)
    return (second * now).sum(axis=1)
