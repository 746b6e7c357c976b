"""The nets as flax modules: the residual net of `NetConfig`, the plain one of `PlainConfig`, and their output.

Heads of plain nets compute their last layer in float32: values of actions are compared by small differences.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from boardwright.games.base import PolicyTable
from boardwright.nets.config import NetConfig, PlainConfig, pooled_channels
from boardwright.nets.layout import EPSILON, Interface

Variables = Mapping[str, Any]  # {"params": ..., "batch_stats": ...}, the latter empty where nothing is normalised
MOMENTUM = 0.9  # of running statistics, a training step


class Output(NamedTuple):
    """The output of a net for a batch of positions, all float32, from the side of the role to move."""

    policy_logits: jax.Array  # [B, num_actions], illegal actions included
    # [B] from -1, lost, to 1, won; of a linear head any number; 0 where there is no head
    value: jax.Array
    wdl_logits: jax.Array | None  # [B, 3] win, draw, loss; None where the value is one number
    # ownership: [B, rows, columns, 3] logits of own, enemy, empty at the end, the board as observed;
    # margin, plies: [B], linear, in the unit of the learner's targets
    auxiliary: dict[str, jax.Array]


def expected_result(wdl_logits: jax.Array) -> jax.Array:
    """[..., 3] logits of win, draw and loss -> [...] the expected result, from -1 to 1."""
    chances = jax.nn.softmax(wdl_logits, axis=-1)
    return chances[..., 0] - chances[..., 2]


AS_VALUE: dict[str, Callable[[jax.Array], jax.Array]] = {  # [B, value outputs] -> [B]
    "wdl": expected_result,
    "linear": lambda outputs: outputs[:, 0],
    "scalar": lambda outputs: jnp.tanh(outputs[:, 0]),
}


def of_mover(by_head: list[jax.Array], role: jax.Array) -> jax.Array:
    """[B, n] by head -> [B, n]: for each position the output of its mover's head."""
    return by_head[0] if len(by_head) == 1 else jnp.where(role[:, None] == 1, by_head[1], by_head[0])


def as_actions(policies: list[jax.Array], role: jax.Array, places: np.ndarray) -> jax.Array:
    """[B, policy outputs] by head -> [B, num_actions] in the order of the game's action numbers."""
    if np.array_equal(places[0], places[1]):
        return _take(of_mover(policies, role), places[0])
    return of_mover([_take(policies[0], places[0]), _take(policies[-1], places[1])], role)


def _take(outputs: jax.Array, places: np.ndarray) -> jax.Array:
    in_order = np.array_equal(places, np.arange(outputs.shape[1]))
    return outputs if in_order else outputs.at[:, places].get(mode="promise_in_bounds")


def flat(x: jax.Array) -> jax.Array:
    """Flattens all axes but the first, [B, ...] -> [B, n]."""
    return x.reshape(x.shape[0], -1)


def q_values(output: Output, legal_mask: jax.Array, dueling: bool) -> jax.Array:
    """[B, num_actions] float32, of illegal actions too, from the output for positions with these legal actions.

    Without a value head the policy's outputs are the Q-values. With one (dueling) they are advantages: the value,
    and by how much an action is better than the legal ones [B, num_actions] are on average.
    """
    if not dueling:
        return output.policy_logits
    legal = legal_mask.astype(output.policy_logits.dtype)
    count = legal.sum(axis=-1, keepdims=True).clip(min=1)  # a game that is over has none
    mean = (output.policy_logits * legal).sum(axis=-1, keepdims=True) / count
    return output.value[:, None] + output.policy_logits - mean


class Encoder(nn.Module):
    """[B, rows, columns, planes] -> [B, n]: what both heads read."""

    config: PlainConfig
    dtype: Any

    @nn.compact
    def __call__(self, planes: jax.Array) -> jax.Array:
        """The convolutions, flattened, then dense layers where there are any."""
        x, strides = planes, (self.config.stride, self.config.stride)
        for number, channels in enumerate(self.config.convolutions):
            # Padding by number: "SAME" would pad unevenly where strides are 2.
            conv = nn.Conv(channels, (3, 3), strides, padding=1, dtype=self.dtype, name=f"conv_{number}")
            x = nn.relu(conv(x))
        x = flat(x)
        for number, units in enumerate(self.config.encoder_hidden):
            x = nn.relu(nn.Dense(units, dtype=self.dtype, name=f"hidden_{number}")(x))
        return nn.Dense(self.config.latent, dtype=self.dtype, name="latent")(x) if self.config.latent else x


class _Head(nn.Module):
    """[B, n] -> [B, outputs]."""

    hidden: tuple[int, ...]
    outputs: int
    last: str  # name of the last layer
    dtype: Any

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for number, units in enumerate(self.hidden):
            x = nn.relu(nn.Dense(units, dtype=self.dtype, name=f"hidden_{number}")(x))
        return nn.Dense(self.outputs, dtype=jnp.float32, name=self.last)(x)


class PlainNet(nn.Module):
    """The whole net."""

    config: PlainConfig
    interface: Interface
    dtype: Any

    @nn.compact
    def __call__(self, observation: ArrayLike, role: ArrayLike, train: bool) -> Output:
        """The output of the net; the same in training."""
        del train
        config, dtype = self.config, self.dtype
        x = Encoder(config, dtype, name="encoder")(jnp.asarray(observation, dtype))
        policy = _Head(config.policy_hidden, self.interface.policy_outputs, "logits", dtype, name="policy")(x)
        if config.value_hidden is None:
            value = jnp.zeros(x.shape[0], jnp.float32)
        else:
            value = _Head(config.value_hidden, 1, "output", dtype, name="value")(x)[:, 0]
        return Output(
            policy_logits=as_actions([policy], jnp.asarray(role), self.interface.places),
            value=value,
            wdl_logits=None,
            auxiliary={},
        )


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
