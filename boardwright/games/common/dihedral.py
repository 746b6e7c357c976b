"""The eight ways to lay a square board onto itself."""

import numpy as np

ROTATIONS = 4  # the first four of `dihedral_group` are rotations, the rest reflections


def dihedral_group(size: int) -> tuple[tuple[str, np.ndarray], ...]:
    """(name, [size * size] int32: where each cell goes) of every rotation, then of every reflection.

    A reflection exchanges left and right and then turns the board; the first of all is the identity.
    """
    grid = np.arange(size * size, dtype=np.int32).reshape(size, size)
    group = []
    for mirrored in (False, True):
        for turns in range(ROTATIONS):
            cells = np.empty(size * size, np.int32)
            cells[np.rot90(grid[:, ::-1] if mirrored else grid, turns).reshape(-1)] = np.arange(size * size)
            group.append((f"{'mirror+' if mirrored else ''}rotate{90 * turns}", cells))
    return tuple(group)
