"""A net's weights for the same game on a board of another size, to start training from.

Convolutions and pools fit any board. Only the hidden layer of a value head has weights for each cell: those of a new
cell are the sum over the old cells that it covers, each by the share that is covered.
"""

from collections.abc import Mapping

import numpy as np

from boardwright.errors import NetError
from boardwright.games.base import Game
from boardwright.nets import netfile
from boardwright.nets.config import NetConfig
from boardwright.nets.layout import interface_of, trunk_shape
from boardwright.nets.netfile import NetFile


def weights_for(net: NetFile, game: Game) -> Mapping[str, np.ndarray]:
    """The weights of a net for a game whose rules may be others; raises NetError if they cannot be resized."""
    shape = game.observation_shape
    if net.game != game.name or net.interface.observation_shape[:2] == shape[:2]:
        netfile.check_interface(net, game, "choose another")
        return net.weights
    if not isinstance(net.config, NetConfig) or net.interface.policy_planes is None:
        raise NetError(f"net file {net.path}: only nets with policy = conv can change the size of the board")
    if net.planes != game.planes or net.interface.policy_planes != interface_of(net.config, game).policy_planes:
        raise NetError(
            f"net file {net.path}: made for other planes than {game.name} {game.rules.name} has: choose another"
        )
    old, new = (trunk_shape(net.config, board)[:2] for board in (net.interface.observation_shape, shape))
    kernels = {f"params/value_{head}/hidden/kernel" for head in range(net.config.head_count)}
    return {
        name: resize_kernel(weight, old, new) if name in kernels else weight for name, weight in net.weights.items()
    }


def resize_kernel(kernel: np.ndarray, old: tuple[int, int], new: tuple[int, int]) -> np.ndarray:
    """[old cells * channels, units] -> [new cells * channels, units].

    A channel that is the same in all cells has the same effect as before.
    """
    by_cell = kernel.reshape(*old, -1, kernel.shape[1])
    rows, columns = _coverage(old[0], new[0]), _coverage(old[1], new[1])
    return np.einsum("ai,bj,ijcu->abcu", rows, columns, by_cell).reshape(-1, kernel.shape[1]).astype(np.float32)


def _coverage(old: int, new: int) -> np.ndarray:
    """[new, old]: the share of each old cell of a line that each new cell covers; those of an old cell sum to 1."""
    ends = np.linspace(0, old, new + 1)
    cells = np.arange(old)
    return np.clip(np.minimum(ends[1:, None], cells + 1) - np.maximum(ends[:-1, None], cells), 0, None)
