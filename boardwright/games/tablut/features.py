"""The observation of Tablut, 43 planes of 9x9, and the symmetries for data augmentation.

For each of the last eight positions, newest first: own taflmen, enemy taflmen, king, position seen at
least once before, seen at least twice before. Then: side to move (ones for the attackers), plies
played / maximum, plies since a capture / maximum. "Own" is the observing role, as a rule the side to
move; the board is never turned. Positions before the first are all zeros.
"""

import functools

import numpy as np

from boardwright.games.base import Symmetry, entries_by_cell
from boardwright.games.geometry import dihedral_group
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import TablutRules, compile_tables

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


@functools.lru_cache(maxsize=64)
def symmetries(rules: TablutRules) -> tuple[Symmetry, ...]:
    """The elements of the dihedral group that leave a rule set as it is; all eight for most."""
    tables, found = compile_tables(rules), []
    actions = np.arange(b.NUM_ACTIONS, dtype=np.int32).reshape(b.SQUARES, 4, b.DISTANCES)
    steps = [row * b.SIZE + column for row, column in b.DIRECTIONS]
    for name, cells in dihedral_group(b.SIZE):
        turned = [steps.index(int(cells[b.THRONE + step]) - b.THRONE) for step in steps]  # where directions go
        by_square = (tables.start, tables.stop, tables.hostile, tables.escape, tables.strong)
        keeps_squares = all(np.array_equal(table, table[..., cells]) for table in by_square)
        if keeps_squares and np.array_equal(tables.enter, tables.enter[:, turned][:, :, cells]):
            # Actions that leave the board are mapped to such actions.
            image = actions[cells][:, turned].reshape(-1)
            found.append(Symmetry(name, image, entries_by_cell(cells, len(PLANES))))
    return tuple(found)
