"""The residual net of `NetConfig` as a flax module."""

from collections.abc import Callable
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from boardwright.games.base import PolicyTable
from boardwright.nets.config import NetConfig, pooled_channels
from boardwright.nets.layout import EPSILON, Interface
from boardwright.nets.output import Output, as_actions, expected_result, flat, of_mover

MOMENTUM = 0.9  # of running statistics, a training step
AS_VALUE: dict[str, Callable[[jax.Array], jax.Array]] = {  # [B, value outputs] -> [B]
    "wdl": expected_result,
    "linear": lambda outputs: outputs[:, 0],
    "scalar": lambda outputs: jnp.tanh(outputs[:, 0]),
}


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
        inner = _activate(inner, self.pools, self.dtype)
        inner = _ConvNorm(width, 3, self.dtype, self.folded, name="conv_1")(inner, train)
        return nn.relu(x + inner)


class _PolicyHead(nn.Module):
    """[B, rows, columns, width] -> [B, interface.policy_outputs]."""

    config: NetConfig
    interface: Interface
    dtype: Any
    folded: bool

    @nn.compact
    def __call__(self, x: jax.Array, observation: jax.Array, train: bool) -> jax.Array:
        planes, table, patch = self.interface.policy_planes, self.interface.table, self.config.patch
        if planes is not None and self.config.policy == "planes":
            to_planes = _ConvNorm(planes * patch * patch, 1, self.dtype, self.folded, name="project")
            return flat(_from_patches(to_planes(x, train), patch))
        x = _ConvNorm(self.config.policy_channels, 1, self.dtype, self.folded, name="project")(x, train)
        if planes is None:
            outputs = self.interface.policy_outputs if table is None else table.outputs
            x = nn.Dense(outputs, dtype=self.dtype, name="logits")(flat(nn.relu(x)))
            return x if table is None else _from_table(x, observation, table)
        x = _activate(x, self.config.pool_every > 0, self.dtype)
        return flat(_from_patches(nn.Conv(planes * patch * patch, (1, 1), dtype=self.dtype, name="logits")(x), patch))


class _ValueHead(nn.Module):
    """[B, rows, columns, width] -> [B, config.value_outputs], the last step in float32 for near decisions."""

    config: NetConfig
    dtype: Any
    folded: bool

    @nn.compact
    def __call__(self, x: jax.Array, train: bool) -> jax.Array:
        project = _ConvNorm(self.config.value_channels, 1, self.dtype, self.folded, name="project")
        x = flat(nn.relu(project(x, train)))
        x = nn.relu(nn.Dense(self.config.value_hidden, dtype=self.dtype, name="hidden")(x))
        return nn.Dense(self.config.value_outputs, dtype=jnp.float32, name="output")(x)


class ResidualNet(nn.Module):
    """The whole net; a folded one has biases instead of batch norms, see `Network.fold`."""

    config: NetConfig
    interface: Interface
    dtype: Any
    folded: bool = False

    @nn.compact
    def __call__(self, observation: ArrayLike, role: ArrayLike, train: bool) -> Output:
        """The output of the net; in training with the batch's own statistics."""
        config, dtype, folded = self.config, self.dtype, self.folded
        observed, role = jnp.asarray(observation, dtype), jnp.asarray(role)
        planes = _to_patches(observed, config.patch)
        x = nn.relu(_ConvNorm(config.width, 3, dtype, folded, name="stem")(planes, train))
        for block in range(config.blocks):
            x = _Block(config.pools(block), dtype, folded, name=f"block_{block}")(x, train)
        policies = [
            _PolicyHead(config, self.interface, dtype, folded, name=f"policy_{head}")(x, observed, train)
            for head in range(config.head_count)
        ]
        values = [
            _ValueHead(config, dtype, folded, name=f"value_{head}")(x, train) for head in range(config.head_count)
        ]
        value = of_mover(values, role)  # [B, value_outputs]
        return Output(
            policy_logits=as_actions(policies, role, self.interface.places).astype(jnp.float32),
            value=AS_VALUE[config.value](value),
            wdl_logits=value if config.value == "wdl" else None,
            auxiliary={name: self._auxiliary(name, x).astype(jnp.float32) for name in config.auxiliary},
        )

    def _auxiliary(self, name: str, x: jax.Array) -> jax.Array:
        if name == "ownership":
            patch = self.config.patch
            return _from_patches(nn.Conv(3 * patch * patch, (1, 1), dtype=self.dtype, name=name)(x), patch)
        return nn.Dense(1, dtype=self.dtype, name=name)(_pool(x))[:, 0]


def _from_table(outputs: jax.Array, observation: jax.Array, table: PolicyTable) -> jax.Array:
    """[B, table outputs] -> [B, num_actions]: of an action's two outputs the one that its deciding cell selects."""
    occupied = flat(observation[..., list(table.planes)].max(-1))[:, table.cell] > 0
    return jnp.where(occupied, outputs[:, table.index[1]], outputs[:, table.index[0]])


def _to_patches(x: jax.Array, patch: int) -> jax.Array:
    """[B, rows, columns, n] -> [B, rows / patch, columns / patch, patch^2 n], a patch's cells row by row."""
    if patch == 1:
        return x
    batch, rows, columns, channels = x.shape
    parts = x.reshape(batch, rows // patch, patch, columns // patch, patch, channels).swapaxes(2, 3)
    return parts.reshape(batch, rows // patch, columns // patch, patch * patch * channels)


def _from_patches(x: jax.Array, patch: int) -> jax.Array:
    """The inverse of `_to_patches`."""
    if patch == 1:
        return x
    batch, rows, columns, channels = x.shape
    parts = x.reshape(batch, rows, columns, patch, patch, channels // patch**2).swapaxes(2, 3)
    return parts.reshape(batch, rows * patch, columns * patch, channels // patch**2)


def _activate(x: jax.Array, pools: bool, dtype: Any) -> jax.Array:
    """A ReLU. If it pools, [B, rows, columns, n] -> [..., n - pooled]: what the pooled channels say of the whole board
    is added to the others everywhere. To be called within a module, whose layer it makes.
    """
    if not pools:
        return nn.relu(x)
    pooled = pooled_channels(x.shape[-1])
    bias = nn.Dense(x.shape[-1] - pooled, dtype=dtype, name="pool")(_pool(nn.relu(x[..., :pooled])))
    return nn.relu(x[..., pooled:] + bias[:, None, None, :])


def _pool(x: jax.Array) -> jax.Array:
    """[B, rows, columns, n] -> [B, 2 n]: mean and maximum over the board."""
    return jnp.concatenate([x.mean((1, 2)), _highest(x)], axis=-1)


@jax.custom_vjp
def _highest(x: jax.Array) -> jax.Array:
    """[B, rows, columns, n] -> [B, n]: maximum over the board, whose gradient goes to one cell that has it.

    JAX's own shares the gradient among all cells that equal the maximum. A compiler that recomputes cells with
    another rounding then finds none that does, and divides by zero.
    """
    return x.max((1, 2))


def _highest_backward(x: jax.Array, gradient: jax.Array) -> tuple[jax.Array]:
    by_cell = x.reshape(x.shape[0], -1, x.shape[-1])
    chosen = jnp.arange(by_cell.shape[1])[:, None] == by_cell.argmax(axis=1)[:, None, :]
    return (jnp.where(chosen, gradient[:, None, :], 0).reshape(x.shape),)


_highest.defvjp(lambda x: (_highest(x), x), _highest_backward)
