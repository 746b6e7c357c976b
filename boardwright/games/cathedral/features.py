"""What the learner sees.

`paper`: own buildings, enemy buildings, cathedral, own territory, enemy territory. `full` adds what
those hide: the cell to the right (y + 1) and the one below (x + 1) belong to the same piece; every
building in the own hand and in the enemy's, one constant plane each; the cathedral is still in the
game (on the board or about to be placed); the observer is light; the observer's set is mirrored.
Rows are x, columns y. "Own" is the observing role; the board is never turned.
"""

import functools

import numpy as np

from boardwright.games.base import Symmetry, entries_by_cell
from boardwright.games.cathedral import pieces

PAPER = ("own buildings", "enemy buildings", "cathedral", "own territory", "enemy territory")
FULL = (
    *PAPER,
    "same piece to the right",
    "same piece below",
    *(f"own hand: {name} ({piece})" for piece, name in enumerate(pieces.NAMES[: pieces.BUILDINGS])),
    *(f"enemy hand: {name} ({piece})" for piece, name in enumerate(pieces.NAMES[: pieces.BUILDINGS])),
    "cathedral in the game",
    "observer is light",
    "own set is mirrored",
)


def planes(full: bool) -> tuple[str, ...]:
    """The names of the planes."""
    return FULL if full else PAPER


@functools.cache
def symmetries(size: int, full: bool) -> tuple[Symmetry, ...]:
    """The four rotations. They map a placement of either set to the placement of the same number, since
    both sets are listed alike; reflections would turn one set into the other.
    """
    index, listed = pieces.action_index(size, False), pieces.placements(size, False)
    grid = np.arange(size * size, dtype=np.int32).reshape(size, size)
    group = []
    for turns in range(4):
        cells = np.empty(size * size, np.int32)  # where each cell goes
        cells[np.rot90(grid, turns).reshape(-1)] = np.arange(size * size)
        actions = [index[p.piece, frozenset(int(cells[cell]) for cell in p.cells)] for p in listed]
        entries = entries_by_cell(cells, len(planes(full)))
        if full:
            entries = _with_joints_turned(entries, cells, size)
        group.append(Symmetry(f"rotate{90 * turns}", np.array(actions, np.int32), entries))
    return tuple(group)


def _with_joints_turned(entries: np.ndarray, cells: np.ndarray, size: int) -> np.ndarray:
    """The two planes that join neighbours, turned: a joint to the right becomes one below, or one that
    another cell has to its right. Joints over the edge never occur and fill what is left.
    """
    right, below = FULL.index("same piece to the right"), FULL.index("same piece below")
    targets = entries.reshape(size * size, len(FULL)).copy()
    taken: set[int] = set()
    unused: list[tuple[int, int]] = []
    for cell in range(size * size):
        for plane, step, inside in ((right, 1, cell % size < size - 1), (below, size, cell < size * (size - 1))):
            if not inside:
                unused.append((cell, plane))
                continue
            first, second = sorted((int(cells[cell]), int(cells[cell + step])))
            targets[cell, plane] = first * len(FULL) + (right if second - first == 1 else below)
            taken.add(int(targets[cell, plane]))
    free = [cell * len(FULL) + plane for cell in range(size * size) for plane in (right, below)]
    for (cell, plane), target in zip(unused, (t for t in free if t not in taken), strict=True):
        targets[cell, plane] = target
    return targets.reshape(-1)
