"""The observation of Tablut, 43 planes of 9x9, and the symmetries for data augmentation.

For each of the last eight positions, newest first: own taflmen, enemy taflmen, king, position seen at
least once before, seen at least twice before. Then: side to move (ones for the attackers), plies
played / maximum, plies since a capture / maximum. "Own" is the observing role, as a rule the side to
move; the board is never turned. Positions before the first are all zeros.
"""

import functools

import numpy as np

from boardwright.games.base import PolicyPlanes, Symmetry, entries_by_cell
from boardwright.games.geometry import dihedral_group
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import Tables, TablutRules, compile_tables

HISTORY = 8
PLANES = (
    *(
        f"{what}, {age} plies ago" if age else what
        for age in range(HISTORY)
        for what in ("own taflmen", "enemy taflmen", "king", "seen before", "seen twice before")
    ),
    "attackers to move",
    "plies played / maximum",
    "plies since a capture / maximum",
)
SHAPE = (b.SIZE, b.SIZE, len(PLANES))


def policy_planes() -> PolicyPlanes:
    """One plane per direction and distance, at the square the piece leaves: the order of the action numbers."""
    return PolicyPlanes(b.PLANES_PER_SQUARE, np.arange(b.NUM_ACTIONS, dtype=np.int32))


@functools.lru_cache(maxsize=64)
def symmetries(rules: TablutRules) -> tuple[Symmetry, ...]:
    """The elements of the dihedral group that leave a rule set as it is; all eight for most."""
    tables = compile_tables(rules)
    return tuple(symmetry for symmetry, cells in _square_symmetries() if _preserves(symmetry, cells, tables))


@functools.cache
def _square_symmetries() -> tuple[tuple[Symmetry, np.ndarray], ...]:
    """Every symmetry of the square, and where it sends each cell."""
    return tuple(
        (Symmetry(name, _action_permutation(cells), entries_by_cell(cells, len(PLANES))), cells)
        for name, cells in dihedral_group(b.SIZE)
    )


def _action_permutation(cells: np.ndarray) -> np.ndarray:
    """Every action's image; actions that leave the board are mapped to such actions."""
    centre = np.array([divmod(int(cells[b.THRONE + row * b.SIZE + column]), b.SIZE) for row, column in b.DIRECTIONS])
    turned = [b.DIRECTIONS.index((int(row) - 4, int(column) - 4)) for row, column in centre]
    actions = np.arange(b.NUM_ACTIONS, dtype=np.int32).reshape(b.SQUARES, 4, b.DISTANCES)
    image = actions[cells][:, turned, :]
    return image.reshape(-1)


def _preserves(symmetry: Symmetry, cells: np.ndarray, tables: Tables) -> bool:
    directions = symmetry.actions.reshape(b.SQUARES, 4, b.DISTANCES)[b.THRONE, :, 0] % 32 // b.DISTANCES
    same = [
        np.array_equal(table, table[..., cells])
        for table in (tables.start, tables.stop, tables.hostile, tables.escape, tables.strong)
    ]
    same.append(np.array_equal(tables.enter, tables.enter[:, directions][:, :, cells]))
    return all(same)
