"""The net in JAX, to train and to play thousands of games: `make_network(config, game)`.

Weights and outputs are float32; compute in bfloat16 on a GPU, in float32 on a CPU. Outputs are from the side of the
role to move, which the caller gives with each observation: it selects heads by role, and boards that are turned for a
role are turned back.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import traverse_util
from jax.typing import ArrayLike

from boardwright.games.base import Game
from boardwright.nets.config import Architecture, EvaluationConfig, NetConfig, PlainConfig, without_policy
from boardwright.nets.layout import EPSILON, Interface, Shape, interface_of, weight_shapes
from boardwright.nets.modules import Output, PlainNet, ResidualNet, Variables

LAST_LAYERS = ("logits", "output", "ownership", "margin", "plies")
LAST_VARIANCE = 0.1  # of the outputs of those layers, relative to that of features: a new net is nearly uniform
WITH_RELU = re.compile(r"(conv|hidden)_\d+")  # layers of plain nets, which are followed by a ReLU and no batch norm
TRUNCATED = 0.87962566103423978  # standard deviation of the normal distribution truncated at two


class Network:
    """Pure functions of one net, for `jax.jit`. B positions at a time.

    observation: [B, rows, columns, planes], float32 or bool; role: [B] int8, 0 or 1, whose turn it is.
    Outputs are undefined where chance is to move.
    """

    def __init__(self, config: NetConfig | PlainConfig, interface: Interface, dtype: Any):
        self.config, self.interface, self.dtype = config, interface, dtype
        if isinstance(config, PlainConfig):
            self._module = self._folded_module = PlainNet(config, interface, dtype)
        else:
            self._module = ResidualNet(config, interface, dtype)
            self._folded_module = ResidualNet(config, interface, dtype, folded=True)
        shapes = weight_shapes(config, interface)
        self.init: Callable[[jax.Array], Variables] = jax.jit(lambda key: variables_of(new_weights(shapes, key)))

    def apply(self, variables: Variables, observation: ArrayLike, role: ArrayLike) -> Output:
        """The output of the net with these variables."""
        return self._module.apply(variables, observation, role, train=False)  # type: ignore[return-value]

    def apply_train(self, variables: Variables, observation: ArrayLike, role: ArrayLike) -> tuple[Output, Any]:
        """The same with the batch's own statistics, and the next `batch_stats`."""
        output, changed = self._module.apply(variables, observation, role, train=True, mutable=["batch_stats"])
        return output, changed.get("batch_stats", {})  # type: ignore[return-value]

    def apply_folded(self, folded: Variables, observation: ArrayLike, role: ArrayLike) -> Output:
        """The same as `apply`, up to rounding, with variables that `fold` returned."""
        return self._folded_module.apply(folded, observation, role, train=False)  # type: ignore[return-value]

    def fold(self, variables: Variables) -> Variables:
        """Variables for many positions: faster on a GPU.

        Batch norms are folded into the convolutions before them, as bias and scale; kernels are in the compute dtype.
        """
        flat: dict[str, Any] = traverse_util.flatten_dict(dict(variables), sep="/")  # type: ignore[assignment]
        folded: dict[str, jax.Array] = {}
        for name, weight in flat.items():
            collection, _, path = name.partition("/")
            layer = path.rpartition("/")[0]
            if collection != "params" or layer.endswith("/norm"):
                continue
            if not layer.endswith("/conv"):
                in_float32 = layer.endswith("/output") or layer == "policy/logits"  # the last layers of heads
                folded[name] = weight if in_float32 else weight.astype(self.dtype)
                continue
            norm = f"{layer.removesuffix('conv')}norm"
            mean, variance = (flat[f"batch_stats/{norm}/{what}"] for what in ("mean", "var"))
            factor = flat[f"params/{norm}/scale"] * jax.lax.rsqrt(variance + EPSILON)
            folded[name] = (weight * factor).astype(self.dtype)
            folded[f"params/{layer}/bias"] = (flat[f"params/{norm}/bias"] - mean * factor).astype(self.dtype)
        return traverse_util.unflatten_dict(folded, sep="/")


def make_network(config: Architecture, game: Game, *, dtype: Any = jnp.float32) -> Network:
    """A net of an architecture for a game, computing in `dtype`; raises NetError for one that has no policy."""
    if isinstance(config, EvaluationConfig):
        raise without_policy(f"net {config.size}")
    return Network(config, interface_of(config, game), dtype)


def weights_of(variables: Variables) -> dict[str, np.ndarray]:
    """Variables as in net files: float32 arrays by name, see `layout.py`."""
    flat = traverse_util.flatten_dict(jax.device_get(dict(variables)), sep="/")
    return {name: np.asarray(weight, np.float32) for name, weight in flat.items()}


def variables_of(weights: Mapping[str, Any]) -> Variables:
    """Variables from the weights of a net file."""
    arrays = {name: jnp.asarray(weight) for name, weight in weights.items()}
    return {"batch_stats": {}, **traverse_util.unflatten_dict(arrays, sep="/")}


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
        layer = name.split("/")[-2]
        variance = LAST_VARIANCE if layer in LAST_LAYERS else 2.0 if WITH_RELU.fullmatch(layer) else 1.0
        variance /= math.prod(shapes[name][:-1])
        weights[name] = (numbers * math.sqrt(variance)).reshape(shapes[name])
    return weights
