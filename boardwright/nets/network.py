"""The net in JAX, to train and to play thousands of games: `make_network(config, game)`.

Weights and outputs are float32; compute in bfloat16 on a GPU, in float32 on a CPU. Outputs are from the side of the
role to move, which the caller gives with each observation: it selects heads by role, and boards that are turned for a
role are turned back.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import traverse_util
from jax.typing import ArrayLike

from boardwright.games.base import Game
from boardwright.nets.config import Architecture, EvaluationConfig, PlainConfig, without_policy
from boardwright.nets.layout import EPSILON, Interface, Shape, interface_of, weight_shapes
from boardwright.nets.output import Output, Variables
from boardwright.nets.plain import PlainNet
from boardwright.nets.residual import ResidualNet

LAST_LAYERS = ("logits", "output", "ownership", "margin", "plies")
LAST_VARIANCE = 0.1  # of the outputs of those layers, relative to that of features: a new net is nearly uniform
WITH_RELU = re.compile(r"(conv|hidden)_\d+")  # layers of plain nets, which are followed by a ReLU and no batch norm
TRUNCATED = 0.87962566103423978  # standard deviation of the normal distribution truncated at two


@dataclass(frozen=True)
class Network:
    """Pure functions of one net, for `jax.jit`. B positions at a time.

    observation: [B, rows, columns, planes], float32 or bool; role: [B] int8, 0 or 1, whose turn it is.
    Outputs are undefined where chance is to move.
    """

    config: Architecture
    interface: Interface
    init: Callable[[jax.Array], Variables]  # key -> variables
    apply: Callable[[Variables, ArrayLike, ArrayLike], Output]  # variables, observation, role
    # The same with the batch's own statistics; also the next running statistics, to replace variables["batch_stats"].
    apply_train: Callable[[Variables, ArrayLike, ArrayLike], tuple[Output, Any]]
    # For many positions with the same variables: `apply_folded(fold(variables), ...)` is `apply` up to rounding, with
    # batch norms folded into the convolutions before them and kernels in the compute dtype: faster on a GPU.
    fold: Callable[[Variables], Variables]
    apply_folded: Callable[[Variables, ArrayLike, ArrayLike], Output]


def make_network(config: Architecture, game: Game, *, dtype: Any = jnp.float32) -> Network:
    """A net of an architecture for a game, computing in `dtype`; raises NetError for one that has no policy."""
    if isinstance(config, EvaluationConfig):
        raise without_policy(f"net {config.size}")
    interface = interface_of(config, game)
    if isinstance(config, PlainConfig):
        module = folded_module = PlainNet(config, interface, dtype)
    else:
        module = ResidualNet(config, interface, dtype)
        folded_module = ResidualNet(config, interface, dtype, folded=True)

    def apply(variables: Variables, observation: ArrayLike, role: ArrayLike) -> Output:
        return module.apply(variables, observation, role, train=False)  # type: ignore[return-value]

    def apply_train(variables: Variables, observation: ArrayLike, role: ArrayLike) -> tuple[Output, Any]:
        output, changed = module.apply(variables, observation, role, train=True, mutable=["batch_stats"])
        return output, changed.get("batch_stats", {})  # type: ignore[return-value]

    def init(key: jax.Array) -> Variables:
        return variables_of(new_weights(weight_shapes(config, interface), key))

    def fold(variables: Variables) -> Variables:
        return _folded(variables, dtype)

    def apply_folded(variables: Variables, observation: ArrayLike, role: ArrayLike) -> Output:
        return folded_module.apply(variables, observation, role, train=False)  # type: ignore[return-value]

    return Network(config, interface, jax.jit(init), apply, apply_train, fold, apply_folded)


def weights_of(variables: Variables) -> dict[str, np.ndarray]:
    """Variables as in net files: float32 arrays by name, see `layout.py`."""
    flat = traverse_util.flatten_dict(jax.device_get(dict(variables)), sep="/")
    return {name: np.asarray(weight, np.float32) for name, weight in flat.items()}


def variables_of(weights: Mapping[str, Any]) -> Variables:
    """Variables from the weights of a net file."""
    arrays = {name: jnp.asarray(weight) for name, weight in weights.items()}
    return {"batch_stats": {}, **traverse_util.unflatten_dict(arrays, sep="/")}


def _folded(variables: Variables, dtype: Any) -> Variables:
    """Variables of the folded net: every norm has become its convolution's bias and scale."""
    flat: dict[str, Any] = traverse_util.flatten_dict(dict(variables), sep="/")  # type: ignore[assignment]
    folded: dict[str, jax.Array] = {}
    for name, weight in flat.items():
        collection, _, path = name.partition("/")
        layer = path.rpartition("/")[0]
        if collection != "params" or layer.endswith("/norm"):
            continue
        if not layer.endswith("/conv"):
            folded[name] = weight if _computes_in_float32(layer) else weight.astype(dtype)
            continue
        norm = f"{layer.removesuffix('conv')}norm"
        mean, variance = (flat[f"batch_stats/{norm}/{what}"] for what in ("mean", "var"))
        factor = flat[f"params/{norm}/scale"] * jax.lax.rsqrt(variance + EPSILON)
        folded[name] = (weight * factor).astype(dtype)
        folded[f"params/{layer}/bias"] = (flat[f"params/{norm}/bias"] - mean * factor).astype(dtype)
    return traverse_util.unflatten_dict(folded, sep="/")


def _computes_in_float32(layer: str) -> bool:
    """Whether a layer does so in any net: the last of a value head, and of a plain net's policy head."""
    return layer.endswith("/output") or layer == "policy/logits"


def new_weights(shapes: Mapping[str, Shape], key: jax.Array) -> dict[str, jax.Array]:
    """Random weights: kernels of variance 1 / inputs, biases of 0, batch norms that change nothing.

    A ReLU halves the variance: where no batch norm makes up for that, kernels have twice as much. All kernels are drawn
    at once rather than by the initialisers of flax, which take 15 seconds to compile instead of one.
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
    """Variance of the outputs of a layer, relative to that of its inputs."""
    if layer in LAST_LAYERS:
        return LAST_VARIANCE
    return 2.0 if WITH_RELU.fullmatch(layer) else 1.0
