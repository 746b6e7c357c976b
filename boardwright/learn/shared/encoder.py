"""A trained encoder in a plain net: replaces the net's own, and is trained further or kept frozen.

The encoder of a plain net is everything under `params/encoder`, see `nets.plain`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax import traverse_util
from jax.typing import ArrayLike

from boardwright.errors import RunError
from boardwright.nets.network import Variables

ENCODER = "encoder"


def with_encoder(variables: Variables, encoder: Mapping[str, ArrayLike] | None) -> Variables:
    """Variables with another encoder, its weights given by name, `params/encoder/...`; unchanged if it is None.

    Raises RunError if it does not fit.
    """
    if encoder is None:
        return variables
    flat: dict[str, Any] = traverse_util.flatten_dict(dict(variables["params"]), sep="/")  # type: ignore[assignment]
    expected = {f"params/{name}": weight.shape for name, weight in flat.items() if name.startswith(f"{ENCODER}/")}
    if not expected:
        raise RunError("setting encoder: a residual net has no encoder to replace: set plain, and net to none")
    given = {name: jnp.shape(weight) for name, weight in encoder.items()}
    for name in sorted({*expected, *given}):
        if expected.get(name) != given.get(name):
            theirs, ours = (shapes.get(name, "missing") for shapes in (given, expected))
            raise RunError(
                f"setting encoder: {name} is {theirs} in the file and {ours} in the net: set plain to what the encoder "
                "was trained with"
            )
    loaded = {name.removeprefix("params/"): jnp.asarray(weight, jnp.float32) for name, weight in encoder.items()}
    return {**variables, "params": traverse_util.unflatten_dict(flat | loaded, sep="/")}


def frozen_mask(params: Mapping[str, Any]) -> Any:
    """Whether each parameter belongs to the encoder, for `optax.masked`."""
    return {name: jax.tree.map(lambda _, frozen=name == ENCODER: frozen, tree) for name, tree in params.items()}
