"""The fifteen pieces and every way to put them on a board: the action numbering.

Cells are (x, y); cell number x * N + y. A side has buildings 0 to 13 (47 squares); piece 14 is the
cathedral, which belongs to neither. For each piece, then x, then y, then rotation k = 0 to 3 of
(dx, dy) -> (dy, -dx), a placement is listed if it is on the board and its cells are not yet listed for
that piece; its place in the list is its action number. With mirrored sets one side's abbey and academy
are the mirror images of the other's; the list over their own offsets gives the cells of the same numbers.
"""

import functools
from dataclasses import dataclass

import numpy as np

BUILDINGS = 14
CATHEDRAL = 14
PIECES = 15
MIRRORED = (9, 10)  # abbey and academy differ between the sides of an official set

Offsets = tuple[tuple[int, int], ...]
NAMES = (
    *("tavern", "tavern", "stable", "stable", "inn", "inn", "bridge", "square", "manor", "abbey", "academy"),
    *("infirmary", "castle", "tower", "cathedral"),
)
OFFSETS: tuple[Offsets, ...] = (
    ((0, 0),),
    ((0, 0),),
    ((0, 0), (0, 1)),
    ((0, 0), (0, 1)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 0), (0, 1), (0, -1)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
    ((0, 0), (-1, 0), (1, 0), (0, 1)),
    ((0, 0), (-1, 0), (0, 1), (1, 1)),
    ((0, 0), (-1, 0), (1, 0), (0, -1), (1, 1)),
    ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)),
    ((0, 0), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    ((0, 0), (1, 0), (1, -1), (0, 1), (-1, 1)),
    ((0, 0), (0, -1), (0, 1), (-1, 1), (1, 1), (0, 2)),
)
SIZES = tuple(map(len, OFFSETS))  # squares of each piece


@dataclass(frozen=True)
class Placement:
    """One way to put a piece on the board."""

    piece: int
    reference: tuple[int, int]  # the cell of offset (0, 0)
    rotation: int  # quarter turns, 0 to 3; the first that gives these cells
    cells: frozenset[int]


@functools.cache
def placements(size: int, mirrored: bool) -> tuple[Placement, ...]:
    """All placements on a board of `size`, by action number, of a set as it is or mirrored."""
    listed: list[Placement] = []
    for piece in range(PIECES):
        seen: set[frozenset[int]] = set()
        for x in range(size):
            for y in range(size):
                for rotation in range(4):
                    cells = cells_of(piece, x, y, rotation, size, mirrored)
                    if cells is not None and cells not in seen:
                        seen.add(cells)
                        listed.append(Placement(piece, (x, y), rotation, cells))
    return tuple(listed)


def cells_of(piece: int, x: int, y: int, rotation: int, size: int, mirrored: bool) -> frozenset[int] | None:
    """The cells a placement covers, or None if it leaves the board."""
    cells = []
    for dx, dy in OFFSETS[piece]:
        if mirrored and piece in MIRRORED:
            dx = -dx
        for _ in range(rotation):
            dx, dy = dy, -dx
        if not (0 <= x + dx < size and 0 <= y + dy < size):
            return None
        cells.append((x + dx) * size + y + dy)
    return frozenset(cells)


@functools.cache
def action_index(size: int, mirrored: bool) -> dict[tuple[int, frozenset[int]], int]:
    """The action number of every (piece, cells)."""
    return {(p.piece, p.cells): action for action, p in enumerate(placements(size, mirrored))}


def masks(size: int, mirrored: bool) -> np.ndarray:
    """[actions, cells] bool: what each placement covers."""
    table = np.zeros((len(placements(size, mirrored)), size * size), bool)
    for action, placement in enumerate(placements(size, mirrored)):
        table[action, list(placement.cells)] = True
    return table
