"""A run on several devices: one program, in which games and batches are split among them.

    with all_devices(config):
        state = AlphaZero(config).initialise()
        ...

Games, endings and replay are on the device of their column; nets, optimiser and tally are the same everywhere.
Random numbers do not depend on how many devices there are, so that a run is the same on any number of them up
to the rounding of sums. With one device nothing changes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding

from boardwright.errors import RunError
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.mcts.split import AXIS, GAMES, NODES, SAME

PLACEMENT = {"games": GAMES, "first_serial": GAMES, "endings": NODES, "replay": NODES}  # else SAME


@contextmanager
def all_devices(config: AlphaZeroConfig) -> Iterator[None]:
    """Splits games and batches over all devices of all processes; raises RunError if they are not divisible."""
    count = jax.device_count()
    if count == 1:
        yield
        return
    for path, size in (("selfplay.games", config.selfplay.games), ("learner.batch_size", config.learner.batch_size)):
        if size % count:
            raise RunError(
                f"setting {path}: {size} is not divisible by {count}, the number of devices: "
                f"set it to {-(-size // count) * count}"
            )
    with jax.set_mesh(Mesh(np.asarray(jax.devices()), (AXIS,))):
        yield


def run_placement(new_run: Callable[[], Any]) -> Any:
    """The shardings of the arrays of a run, for `jax.jit`; None without a mesh."""
    mesh = jax.sharding.get_mesh()
    if mesh.empty:
        return None
    leaves, structure = jax.tree_util.tree_flatten_with_path(jax.eval_shape(new_run))
    return structure.unflatten([NamedSharding(mesh, PLACEMENT.get(path[0].name, SAME)) for path, _ in leaves])


def same_everywhere() -> NamedSharding | None:
    """The sharding of an array that every device has, for `jax.jit`; None without a mesh."""
    mesh = jax.sharding.get_mesh()
    return None if mesh.empty else NamedSharding(mesh, SAME)


def describe(config: AlphaZeroConfig) -> str | None:
    """Games and samples on each device, in one line; None for one device."""
    count, processes = jax.device_count(), jax.process_count()
    if count == 1:
        return None
    of = f" of {processes} processes" if processes > 1 else ""
    games, samples = config.selfplay.games // count, config.learner.batch_size // count
    return f"{count} devices{of}: {games} games and {samples} samples of a batch on each"
