"""The net in JAX, to train and to play thousands of games with: `make_network(config, game)`.

Weights are float32 whatever the compute dtype, and so are the answers. On a GPU compute in bfloat16, on
a CPU in float32. Everything is said from the side of the role to move, which the caller names with
each observation: heads by role are chosen by it, and boards that are turned for a role are turned back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import traverse_util
from jax.typing import ArrayLike

from boardwright.games.base import Game
from boardwright.nets.config import NetConfig, pooled_channels
from boardwright.nets.initial import new_weights
from boardwright.nets.layout import EPSILON, Interface, interface_of, weight_shapes

MOMENTUM = 0.9  # of running statistics, a training step

Variables = Mapping[str, Any]  # {"params": ..., "batch_stats": ...}


class Output(NamedTuple):
    """What a net says of a batch of positions, all float32, from the side of the role to move."""

    policy_logits: jax.Array  # [B, num_actions], illegal actions included
    value: jax.Array  # [B] from -1, lost, to 1, won
    wdl_logits: jax.Array | None  # [B, 3] win, draw, loss; None for a scalar value
    # ownership: [B, rows, columns, 3] logits of own, enemy, empty at the end, the board as observed;
    # margin, plies: [B], linear, in whatever unit the learner's targets have
    auxiliary: dict[str, jax.Array]


@dataclass(frozen=True)
class Network:
    """Pure functions of one net, for `jax.jit`. B positions at a time.

    observation: [B, rows, columns, planes], float32 or bool; role: [B] int8, 0 or 1, whose turn it is.
    Where chance is to move there is nothing to ask: what is said then means nothing.
    """

    config: NetConfig
    interface: Interface
    init: Callable[[jax.Array], Variables]  # key -> variables
    apply: Callable[[Variables, ArrayLike, ArrayLike], Output]  # variables, observation, role
    # The same with the batch's own statistics; also the running statistics that are next, to be put in
    # the place of variables["batch_stats"].
    apply_train: Callable[[Variables, ArrayLike, ArrayLike], tuple[Output, Any]]
    # For a great many positions with the same variables: `apply_folded(fold(variables), ...)` says what
    # `apply` says up to rounding, with batch norms folded into the convolutions before them and kernels in
    # the compute dtype, which is faster on a GPU.
    fold: Callable[[Variables], Variables]
    apply_folded: Callable[[Variables, ArrayLike, ArrayLike], Output]


def make_network(config: NetConfig, game: Game, *, dtype: Any = jnp.float32) -> Network:
    """A net of an architecture for a game, computing in `dtype`."""
    interface = interface_of(config, game)
    module = _Net(config, interface, dtype)
    folded_module = _Net(config, interface, dtype, folded=True)

    def apply(variables: Variables, observation: ArrayLike, role: ArrayLike) -> Output:
        return module.apply(variables, observation, role, train=False)  # type: ignore[return-value]

    def apply_train(variables: Variables, observation: ArrayLike, role: ArrayLike) -> tuple[Output, Any]:
        output, changed = module.apply(variables, observation, role, train=True, mutable=["batch_stats"])
        return output, changed["batch_stats"]  # type: ignore[return-value]

    def init(key: jax.Array) -> Variables:
        return variables_of(new_weights(weight_shapes(config, interface), key))

    def fold(variables: Variables) -> Variables:
        return _folded(variables, dtype)

    def apply_folded(variables: Variables, observation: ArrayLike, role: ArrayLike) -> Output:
        return folded_module.apply(variables, observation, role, train=False)  # type: ignore[return-value]

    return Network(config, interface, jax.jit(init), apply, apply_train, fold, apply_folded)


def weights_of(variables: Variables) -> dict[str, np.ndarray]:
    """Variables as net files hold them: float32 arrays by name, see `layout.py`."""
    flat = traverse_util.flatten_dict(jax.device_get(dict(variables)), sep="/")
    return {name: np.asarray(weight, np.float32) for name, weight in flat.items()}


def variables_of(weights: Mapping[str, Any]) -> Variables:
    """Variables from what a net file holds."""
    return traverse_util.unflatten_dict({name: jnp.asarray(weight) for name, weight in weights.items()}, sep="/")


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
            folded[name] = weight if _is_last_of_value(layer) else weight.astype(dtype)
            continue
        norm = f"{layer.removesuffix('conv')}norm"
        mean, variance = (flat[f"batch_stats/{norm}/{what}"] for what in ("mean", "var"))
        factor = flat[f"params/{norm}/scale"] * jax.lax.rsqrt(variance + EPSILON)
        folded[name] = (weight * factor).astype(dtype)
        folded[f"params/{layer}/bias"] = (flat[f"params/{norm}/bias"] - mean * factor).astype(dtype)
    return traverse_util.unflatten_dict(folded, sep="/")


def _is_last_of_value(layer: str) -> bool:
    """Whether a layer is the last of a value head, which computes in float32."""
    return layer.startswith("value_") and layer.endswith("/output")


class _ConvNorm(nn.Module):
    """A convolution and batch norm: [B, rows, columns, any] -> [B, rows, columns, channels]."""

    channels: int
    size: int
    dtype: Any
    folded: bool = False

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        size = (self.size, self.size)
        x = nn.Conv(self.channels, size, use_bias=self.folded, dtype=self.dtype, name="conv")(x)
        if self.folded:
            return x
        norm = nn.BatchNorm(
            use_running_average=not train, momentum=MOMENTUM, epsilon=EPSILON, dtype=self.dtype, name="norm"
        )
        return norm(x)


class _Block(nn.Module):
    """A residual block, which pools globally or not."""

    pools: bool
    dtype: Any
    folded: bool

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        width = x.shape[-1]
        inner = _ConvNorm(width, 3, self.dtype, self.folded, name="conv_0")(x, train)
        inner = _pool_bias(inner, dtype=self.dtype) if self.pools else nn.relu(inner)
        inner = _ConvNorm(width, 3, self.dtype, self.folded, name="conv_1")(inner, train)
        return nn.relu(x + inner)


class _PolicyHead(nn.Module):
    """[B, rows, columns, width] -> [B, interface.policy_outputs]."""

    config: NetConfig
    interface: Interface
    dtype: Any
    folded: bool

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        x = _ConvNorm(self.config.policy_channels, 1, self.dtype, self.folded, name="project")(x, train)
        planes = self.interface.policy_planes
        if planes is None:
            outputs = self.interface.policy_outputs
            return nn.Dense(outputs, dtype=self.dtype, name="logits")(_flat(nn.relu(x)))
        x = _pool_bias(x, dtype=self.dtype) if self.config.pool_every else nn.relu(x)
        return _flat(nn.Conv(planes, (1, 1), dtype=self.dtype, name="logits")(x))


class _ValueHead(nn.Module):
    """[B, rows, columns, width] -> [B, config.value_outputs], the last step in float32 for near decisions."""

    config: NetConfig
    dtype: Any
    folded: bool

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        project = _ConvNorm(self.config.value_channels, 1, self.dtype, self.folded, name="project")
        x = _flat(nn.relu(project(x, train)))
        x = nn.relu(nn.Dense(self.config.value_hidden, dtype=self.dtype, name="hidden")(x))
        return nn.Dense(self.config.value_outputs, dtype=jnp.float32, name="output")(x)


class _Net(nn.Module):
    config: NetConfig
    interface: Interface
    dtype: Any
    folded: bool = False

    @nn.compact
    def __call__(self, observation: ArrayLike, role: ArrayLike, train: bool) -> Output:
        config, dtype, folded = self.config, self.dtype, self.folded
        planes, role = jnp.asarray(observation, dtype), jnp.asarray(role)
        x = nn.relu(_ConvNorm(config.width, 3, dtype, folded, name="stem")(planes, train))
        for block in range(config.blocks):
            x = _Block(config.pools(block), dtype, folded, name=f"block_{block}")(x, train)
        policies = [
            _PolicyHead(config, self.interface, dtype, folded, name=f"policy_{head}")(x, train)
            for head in range(config.head_count)
        ]
        values = [
            _ValueHead(config, dtype, folded, name=f"value_{head}")(x, train) for head in range(config.head_count)
        ]
        value = _of_mover(values, role)  # [B, value_outputs]
        wdl = value if config.value == "wdl" else None
        return Output(
            policy_logits=_as_actions(policies, role, self.interface.places).astype(jnp.float32),
            value=jnp.tanh(value[:, 0]) if wdl is None else expected_result(wdl),
            wdl_logits=wdl,
            auxiliary={name: self._auxiliary(name, x).astype(jnp.float32) for name in config.auxiliary},
        )

    def _auxiliary(self, name: str, x: jax.Array) -> jax.Array:
        if name == "ownership":
            return nn.Conv(3, (1, 1), dtype=self.dtype, name=name)(x)
        return nn.Dense(1, dtype=self.dtype, name=name)(_pooled(x))[:, 0]


def expected_result(wdl_logits: jax.Array) -> jax.Array:
    """[..., 3] logits of win, draw and loss -> [...] the expected result, from -1 to 1."""
    chances = jax.nn.softmax(wdl_logits, axis=-1)
    return chances[..., 0] - chances[..., 2]


def _of_mover(by_head: list[jax.Array], role: jax.Array) -> jax.Array:
    """[B, n] by head -> [B, n]: each position's own."""
    return by_head[0] if len(by_head) == 1 else jnp.where(role[:, None] == 1, by_head[1], by_head[0])


def _as_actions(policies: list[jax.Array], role: jax.Array, places: np.ndarray) -> jax.Array:
    """[B, policy outputs] by head -> [B, num_actions] in the order of the game's action numbers."""
    if np.array_equal(places[0], places[1]):
        return _taken(_of_mover(policies, role), places[0])
    return _of_mover([_taken(policies[0], places[0]), _taken(policies[-1], places[1])], role)


def _taken(outputs: jax.Array, places: np.ndarray) -> jax.Array:
    in_order = np.array_equal(places, np.arange(outputs.shape[1]))
    return outputs if in_order else outputs.at[:, places].get(mode="promise_in_bounds")


def _pool_bias(x: jax.Array, *, dtype: Any) -> jax.Array:
    """Normalised [B, rows, columns, n] -> activated [..., n - pooled]: what the pooled channels say of the
    whole board is added to the others everywhere. To be called within a module, whose layer it makes.
    """
    pooled = pooled_channels(x.shape[-1])
    bias = nn.Dense(x.shape[-1] - pooled, dtype=dtype, name="pool")(_pooled(nn.relu(x[..., :pooled])))
    return nn.relu(x[..., pooled:] + bias[:, None, None, :])


def _pooled(x: jax.Array) -> jax.Array:
    """[B, rows, columns, n] -> [B, 2 n]: mean and maximum over the board."""
    return jnp.concatenate([x.mean((1, 2)), _highest(x)], axis=-1)


@jax.custom_vjp
def _highest(x: jax.Array) -> jax.Array:
    """[B, rows, columns, n] -> [B, n]: maximum over the board, whose gradient goes to one cell that has it.

    JAX's own shares the gradient among all cells that equal the maximum. A compiler that computes cells anew,
    rounded otherwise, then finds none that does, and divides by zero.
    """
    return x.max((1, 2))


def _highest_backward(x: jax.Array, gradient: jax.Array) -> tuple[jax.Array]:
    by_cell = x.reshape(x.shape[0], -1, x.shape[-1])
    chosen = jnp.arange(by_cell.shape[1])[:, None] == by_cell.argmax(axis=1)[:, None, :]
    return (jnp.where(chosen, gradient[:, None, :], 0).reshape(x.shape),)


_highest.defvjp(lambda x: (_highest(x), x), _highest_backward)


def _flat(x: jax.Array) -> jax.Array:
    return x.reshape(x.shape[0], -1)
