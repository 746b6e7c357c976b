"""The observation planes of Cathedral, the policy planes and the symmetries.

`paper`: own buildings, enemy buildings, cathedral, own territory, enemy territory. `full` adds what
those hide: the cell to the right (y + 1) and the one below (x + 1) belong to the same piece; every
building in the own hand and in the enemy's, one constant plane each; the cathedral is still in the
game (on the board or about to be placed); the observer is light; the observer's set is mirrored; the
enemy's is.
Rows are x, columns y. "Own" is the observing role; the board is never turned.
"""

import dataclasses
import functools

import numpy as np

from boardwright.games.base import PolicyPlanes, Symmetry, entries_by_cell
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.rules import CathedralRules
from boardwright.games.geometry import ROTATIONS, dihedral_group

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
    "enemy set is mirrored",
)


def policy_planes(size: int) -> PolicyPlanes:
    """One plane per piece and rotation, at the cell of the piece's reference: 40 planes.

    Twins (the two taverns) have planes of their own, as they have actions. One map serves both sets: a
    mirrored abbey or academy of the same number has the same reference and rotation. A piece that looks
    the same after a half turn which moves its reference (stable, square, abbey) is one cell off under
    symmetries, always by the same step.
    """
    listed = pieces.placements(size, False)
    numbers = {way: plane for plane, way in enumerate(sorted({(p.piece, p.rotation) for p in listed}))}
    index = [(p.reference[0] * size + p.reference[1]) * len(numbers) + numbers[p.piece, p.rotation] for p in listed]
    return PolicyPlanes(len(numbers), np.array(index, np.int32))


@functools.lru_cache(maxsize=64)
def symmetries(rules: CathedralRules, full: bool) -> tuple[Symmetry, ...]:
    """The four rotations, and with mirrored sets also the four reflections.

    A reflection turns one set into the other, so its images belong to the rules with the sets exchanged;
    where both sides have the same set there are no such rules. Only the full observation distinguishes
    the two, so without it there are no reflections either.
    """
    listed, group = pieces.placements(rules.size, False), []
    for number, (name, cells) in enumerate(dihedral_group(rules.size)):
        reflects = number >= ROTATIONS
        if reflects and not (full and rules.mirrored_sets):
            break
        # One table serves either set: a placement of the one and that of the same number of the other are
        # mirror images within the same rows and columns, so their images are too, and again have one number.
        index = pieces.action_index(rules.size, reflects)
        actions = [index[p.piece, frozenset(int(cells[cell]) for cell in p.cells)] for p in listed]
        entries = entries_by_cell(cells, len(FULL if full else PAPER))
        if full:
            entries = _with_joints_turned(entries, cells, rules.size)
        exchanged = None
        if reflects:
            exchanged = dataclasses.replace(rules, mirrored_side="dark" if rules.mirrored_side == "light" else "light")
            own, enemy = FULL.index("own set is mirrored"), FULL.index("enemy set is mirrored")
            by_plane = entries.reshape(-1, len(FULL))
            by_plane[:, [own, enemy]] = by_plane[:, [enemy, own]]
        group.append(Symmetry(name, np.array(actions, np.int32), entries, exchanged))
    return tuple(group)


def _with_joints_turned(entries: np.ndarray, cells: np.ndarray, size: int) -> np.ndarray:
    """Maps the two planes that join neighbours: a joint to the right becomes one below, or one to the right
    of another cell. Joints over the edge never occur; here they join the first and the last cell of a line.
    """
    right, below = FULL.index("same piece to the right"), FULL.index("same piece below")
    targets = entries.reshape(size * size, len(FULL)).copy()
    neighbours = np.arange(size * size).reshape(size, size)
    for plane, axis in ((right, 1), (below, 0)):
        first, second = cells, cells[np.roll(neighbours, -1, axis).reshape(-1)]
        down, across = np.subtract(np.divmod(second, size), np.divmod(first, size)) % size  # 0, 1 or size - 1
        owner = np.where(down + across == 1, first, second)
        targets[:, plane] = owner * len(FULL) + np.where(across > 0, right, below)
    return targets.reshape(-1)
