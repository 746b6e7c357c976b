"""The name and shape of every weight of a net, and how its policy head's outputs become actions.

Plain numbers, so that a net file can be checked, and a graph built from it, without JAX. The modules of `modules.py`
must produce exactly these weights, and the tests hold them to that.

Names are the paths of flax: `params/...` is trained, `batch_stats/...` are running statistics. Kernels of
convolutions are [rows, columns, in, out], those of dense layers [in, out].
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from boardwright.errors import NetError
from boardwright.games.base import Game, PolicyTable
from boardwright.nets.config import Architecture, EvaluationConfig, NetConfig, PlainConfig, pooled_channels

Shape = tuple[int, ...]

EPSILON = 1e-5  # what batch norms add to variances


@dataclass(frozen=True, eq=False)
class Interface:
    """What a net needs of its game: the shape of its input, and which of its outputs is which action."""

    observation_shape: tuple[int, int, int]  # rows, columns, planes
    policy_planes: int | None  # the policy head gives [rows, columns, policy_planes]; None: [num_actions]
    # [2, num_actions] int32: by role to move, the place of each action in that output, flattened. The
    # rows differ where a role sees the board turned. Of a net without a policy [2, 0].
    places: np.ndarray
    table: PolicyTable | None = None  # of policy = table, applied before `places` orders the outputs

    @property
    def num_actions(self) -> int:
        """Number of actions of the policy head: all of the game's, or 0 without such a head."""
        return self.places.shape[1]

    @property
    def policy_outputs(self) -> int:
        """Number of outputs of a policy head."""
        rows, columns, _ = self.observation_shape
        return self.num_actions if self.policy_planes is None else rows * columns * self.policy_planes


def interface_of(config: Architecture, game: Game) -> Interface:
    """The interface of an architecture to a game; raises NetError if they do not fit."""
    views = np.stack([game.action_view(role) for role in (0, 1)])  # [2, num_actions]
    if isinstance(config, EvaluationConfig):
        return Interface(game.observation_shape, None, views[:, :0].astype(np.int32))
    if isinstance(config, NetConfig):
        trunk_shape(config, game.observation_shape)
    if isinstance(config, PlainConfig) or config.policy == "dense":
        return Interface(game.observation_shape, None, views.astype(np.int32))
    if config.policy == "table":
        return Interface(game.observation_shape, None, views.astype(np.int32), table_of(game))
    planes = game.policy_planes()
    if planes is None:
        raise NetError(f"{game.name}: its actions do not map to board cells: set the net's policy to dense")
    return Interface(game.observation_shape, planes.planes, planes.index[views])


def table_of(game: Game) -> PolicyTable:
    """The game's table of actions by pairs of squares; raises NetError where it has none."""
    table = game.policy_table()
    if table is None:
        raise NetError(f"{game.name} has no policy table: set the net's policy to dense or conv")
    return table


def trunk_shape(config: NetConfig, observation_shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """Rows and columns of a residual trunk, and the channels its stem reads; raises NetError if patches do not fit."""
    rows, columns, planes = observation_shape
    patch = config.patch
    if rows % patch or columns % patch:
        raise NetError(f"net option patch: {patch} does not divide a board of {rows} x {columns}: choose 1")
    return rows // patch, columns // patch, planes * patch * patch


def weight_shapes(config: Architecture, interface: Interface) -> dict[str, Shape]:
    """The shape of every weight of a net, by name."""
    if isinstance(config, PlainConfig):
        return dict(_plain_weights(config, interface))
    if isinstance(config, EvaluationConfig):
        return dict(_evaluation_weights(config, interface))
    return dict(_residual_weights(config, interface))


def _residual_weights(config: NetConfig, interface: Interface) -> Iterator[tuple[str, Shape]]:
    rows, columns, planes = trunk_shape(config, interface.observation_shape)
    width, cells, patch_cells = config.width, rows * columns, config.patch**2
    yield from _conv_norm("stem", 3, planes, width)
    for block in range(config.blocks):
        yield from _conv_norm(f"block_{block}/conv_0", 3, width, width)
        inner = width
        if config.pools(block):
            yield from _pool(f"block_{block}/pool", width)
            inner -= pooled_channels(width)
        yield from _conv_norm(f"block_{block}/conv_1", 3, inner, width)
    for head in range(config.head_count):
        channels = config.policy_channels
        if config.policy == "planes" and interface.policy_planes is not None:
            channels = interface.policy_planes * patch_cells
        yield from _conv_norm(f"policy_{head}/project", 1, width, channels)
        if interface.policy_planes is None:
            outputs = interface.num_actions if interface.table is None else interface.table.outputs
            yield from _layer(f"policy_{head}/logits", (cells * channels, outputs))
        elif config.policy == "conv":
            if config.pool_every:
                yield from _pool(f"policy_{head}/pool", channels)
                channels -= pooled_channels(channels)
            yield from _layer(f"policy_{head}/logits", (1, 1, channels, interface.policy_planes * patch_cells))
        yield from _conv_norm(f"value_{head}/project", 1, width, config.value_channels)
        yield from _layer(f"value_{head}/hidden", (cells * config.value_channels, config.value_hidden))
        yield from _layer(f"value_{head}/output", (config.value_hidden, config.value_outputs))
    for name in config.auxiliary:
        yield from _layer(name, (1, 1, width, 3 * patch_cells) if name == "ownership" else (2 * width, 1))


def _plain_weights(config: PlainConfig, interface: Interface) -> Iterator[tuple[str, Shape]]:
    rows, columns, inputs = interface.observation_shape
    for number, channels in enumerate(config.convolutions):
        yield from _layer(f"encoder/conv_{number}", (3, 3, inputs, channels))
        rows, columns, inputs = -(-rows // config.stride), -(-columns // config.stride), channels
    inputs = yield from _dense_layers("encoder", rows * columns * inputs, config.encoder_hidden)
    if config.latent:
        yield from _layer("encoder/latent", (inputs, config.latent))
        inputs = config.latent
    last = yield from _dense_layers("policy", inputs, config.policy_hidden)
    yield from _layer("policy/logits", (last, interface.policy_outputs))
    if config.value_hidden is not None:
        last = yield from _dense_layers("value", inputs, config.value_hidden)
        yield from _layer("value/output", (last, 1))


def _evaluation_weights(config: EvaluationConfig, interface: Interface) -> Iterator[tuple[str, Shape]]:
    """Weights of the layers after the first have the phases as their first axis."""
    yield from _layer("features", (math.prod(interface.observation_shape), config.width))
    yield "params/hidden/kernel", (config.phases, config.width, config.hidden)
    yield "params/hidden/bias", (config.phases, config.hidden)
    yield "params/output/kernel", (config.phases, config.hidden)
    yield "params/output/bias", (config.phases,)


def _dense_layers(name: str, inputs: int, hidden: tuple[int, ...]) -> Generator[tuple[str, Shape], None, int]:
    """Layers one after the other; returns the outputs of the last."""
    for number, units in enumerate(hidden):
        yield from _layer(f"{name}/hidden_{number}", (inputs, units))
        inputs = units
    return inputs


def _layer(name: str, kernel: Shape) -> Iterator[tuple[str, Shape]]:
    yield f"params/{name}/kernel", kernel
    yield f"params/{name}/bias", kernel[-1:]


def _conv_norm(name: str, size: int, channels: int, outputs: int) -> Iterator[tuple[str, Shape]]:
    """A convolution without a bias, and the batch norm after it."""
    yield f"params/{name}/conv/kernel", (size, size, channels, outputs)
    for path in ("params", "scale"), ("params", "bias"), ("batch_stats", "mean"), ("batch_stats", "var"):
        yield f"{path[0]}/{name}/norm/{path[1]}", (outputs,)


def _pool(name: str, channels: int) -> Iterator[tuple[str, Shape]]:
    pooled = pooled_channels(channels)
    yield from _layer(name, (2 * pooled, channels - pooled))
