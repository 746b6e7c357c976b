"""A trained encoder in a net: put in the place of its own, and kept as it is or learned on from there.

The encoder of a plain net is everything under `params/encoder`, see `nets.plain`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from boardwright.errors import RunError
from boardwright.nets.network import Variables

ENCODER = "encoder"


def with_encoder(variables: Variables, encoder: Mapping[str, Any]) -> Variables:
    """Variables with the parameters of another net's encoder; raises RunError where those do not fit."""
    params = variables["params"]
    if ENCODER not in params:
        raise RunError("setting encoder: a residual net has none to take the place of: set plain, and net to none")
    wanted, given = (_shapes(tree) for tree in (params[ENCODER], encoder))
    for name in sorted({*wanted, *given}):
        if wanted.get(name) != given.get(name):
            there, here = (found.get(name, "missing") for found in (given, wanted))
            raise RunError(
                f"setting encoder: {name} is {there} in the file and {here} in the net: set plain to what the encoder "
                "was trained with"
            )
    taken = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), dict(encoder))
    return {**variables, "params": {**params, ENCODER: taken}}


def frozen_mask(params: Mapping[str, Any]) -> Any:
    """Parameters -> bool for each: whether it belongs to the encoder, for `optax.masked`."""
    return {name: jax.tree.map(lambda _, frozen=name == ENCODER: frozen, tree) for name, tree in params.items()}


def _shapes(tree: Any) -> dict[str, tuple[int, ...]]:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path, simple=True, separator="/"): tuple(leaf.shape) for path, leaf in leaves}
