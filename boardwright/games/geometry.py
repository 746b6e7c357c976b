"""Maps of a board: its symmetries, and where actions are on it, for learners and nets."""

from dataclasses import dataclass
from typing import Any

import numpy as np

ROTATIONS = 4  # the first four of `dihedral_group` are rotations, the rest reflections


@dataclass(frozen=True, eq=False)
class Symmetry:
    """A mapping of the board onto itself under which the rules do not change.

    Or change to `rules`, under which the images of positions are positions: Cathedral's reflections
    exchange the sides' sets. Observations show which rules hold where that matters, so a learner need not
    know: it may take images of what it saw, masks and policies for as many more positions.
    """

    name: str
    actions: np.ndarray  # [num_actions] int32: what each action becomes, but for those of chance without a place
    entries: np.ndarray  # [rows * columns * planes] int32: where each number of an observation goes
    rules: Any = None  # of the images, if different


def entries_by_cell(cells: np.ndarray, planes: int) -> np.ndarray:
    """`Symmetry.entries` where every plane moves as its cells do; cells [rows * columns]: where each goes."""
    return (cells[:, None] * planes + np.arange(planes)).reshape(-1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class PolicyPlanes:
    """Where actions are on the board, so that a convolution can output all of them.

    Every action has a place of its own in an output of [rows, columns, planes], and actions that differ
    only in where on the board they happen share a plane. Boards are oriented as in observations: where a role
    sees the board turned, `Game.action_view` gives the number of an action.
    """

    planes: int
    index: np.ndarray  # [num_actions] int32: each action's place in the flattened [rows, columns, planes]


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """A policy output with a number for every pair of squares, from and to, of which few are moves.

    An action may be either of two such pairs, by what is on one cell of the board: a hop in draughts is a step where
    the next cell is empty, and a jump where an enemy is on it. Boards are oriented as in observations.
    """

    outputs: int
    planes: tuple[int, ...]  # of the observation: the cell is occupied where one of them is not 0
    cell: np.ndarray  # [num_actions] int32: the cell that decides, in the flattened [rows, columns]
    index: np.ndarray  # [2, num_actions] int32: each action's output where that cell is empty, and where occupied


def dihedral_group(size: int) -> tuple[tuple[str, np.ndarray], ...]:
    """(name, [size * size] int32: where each cell goes) of every rotation, then of every reflection.

    A reflection exchanges left and right and then turns the board; the first of all is the identity.
    """
    grid = np.arange(size * size).reshape(size, size)
    group = []
    for mirrored in (False, True):
        for turns in range(ROTATIONS):
            cells = np.argsort(np.rot90(grid[:, ::-1] if mirrored else grid, turns), axis=None)
            group.append((f"{'mirror+' if mirrored else ''}rotate{90 * turns}", cells.astype(np.int32)))
    return tuple(group)
