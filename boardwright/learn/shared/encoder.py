"""A trained encoder in a net: put in the place of its own, and kept as it is or learned on from there.

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


def with_encoder(variables: Variables, encoder: Mapping[str, ArrayLike]) -> Variables:
    """Variables with another encoder, whose weights are given by name, `params/encoder/...`; raises RunError where
    they do not fit.
    """
    flat: dict[str, Any] = traverse_util.flatten_dict(dict(variables["params"]), sep="/")  # type: ignore[assignment]
    wanted = {f"params/{name}": weight.shape for name, weight in flat.items() if name.startswith(f"{ENCODER}/")}
    if not wanted:
        raise RunError("setting encoder: a residual net has none to take the place of: set plain, and net to none")
    given = {name: jnp.shape(weight) for name, weight in encoder.items()}
    for name in sorted({*wanted, *given}):
        if wanted.get(name) != given.get(name):
            there, here = (found.get(name, "missing") for found in (given, wanted))
            raise RunError(
                f"setting encoder: {name} is {there} in the file and {here} in the net: set plain to what the encoder "
                "was trained with"
            )
    taken = {name.removeprefix("params/"): jnp.asarray(weight, jnp.float32) for name, weight in encoder.items()}
    return {**variables, "params": traverse_util.unflatten_dict(flat | taken, sep="/")}


def frozen_mask(params: Mapping[str, Any]) -> Any:
    """Parameters -> bool for each: whether it belongs to the encoder, for `optax.masked`."""
    return {name: jax.tree.map(lambda _, frozen=name == ENCODER: frozen, tree) for name, tree in params.items()}
