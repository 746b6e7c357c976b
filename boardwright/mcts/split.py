"""Batches of games split over devices: those of the mesh in use (`jax.set_mesh`) along its axis "games".

Without such a mesh, and where the games do not divide by the devices, nothing changes. A search needs no communication
between devices: each has the trees of its own games. The compiler cannot infer that, since trees are indexed by numbers
of nodes, so `by_game` declares it.
"""

from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import AxisType, PartitionSpec

AXIS = "games"  # of the mesh
GAMES, NODES, SAME = PartitionSpec(AXIS), PartitionSpec(None, AXIS), PartitionSpec()  # [B, ...], [any, B, ...], [...]


def by_game(function: Callable[..., Any], arguments: tuple[Any, ...], results: Any, games: int) -> Callable[..., Any]:
    """A function of a batch that treats games independently, as one that every device calls on its own games.

    arguments: the partition of each argument, a pytree as a whole; results: likewise, of what it returns.
    """
    if not _divides(games):
        return function
    return jax.shard_map(function, in_specs=arguments, out_specs=results, check_vma=False)


def split(batch: Any, spec: PartitionSpec = GAMES) -> Any:
    """The same arrays, spread over the devices; inside `jit`."""
    axis = spec.index(AXIS)

    def spread(leaf: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(leaf, spec) if _divides(leaf.shape[axis]) else leaf

    return jax.tree.map(spread, batch)


def is_whole() -> bool:
    """Whether arrays are not split, as a kernel for one device needs: in `by_game`, or on one device."""
    return _axis_type() == AxisType.Manual or jax.device_count() == 1


def _divides(games: int) -> bool:
    return _axis_type() == AxisType.Auto and games % jax.sharding.get_abstract_mesh().shape[AXIS] == 0


def _axis_type() -> AxisType | None:
    """The type of the axis of games in the mesh in use; None without it."""
    mesh = jax.sharding.get_abstract_mesh()
    return mesh.axis_types[mesh.axis_names.index(AXIS)] if AXIS in mesh.shape else None
