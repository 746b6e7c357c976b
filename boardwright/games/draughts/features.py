"""The observation planes of draughts, always with the mover going up.

For each of the last positions shown, newest first: own men, own kings, enemy men, enemy kings, and in
the `full` views whether the position was seen before. These also end with: Black to move, the piece
that must continue capturing, plies of inactivity / maximum. The view `paper` is the four piece planes of
one position; `full` shows one position and `full-N` the last N, a hop of a capture counting as one.

The board is turned half round for Black, so "own" pieces always move up. The policy turns with it:
`Draughts.action_view` gives what an action is called on the turned board.
"""

import numpy as np

from boardwright.games.base import PolicyTable
from boardwright.games.draughts import board as b
from boardwright.games.draughts.rules import View

PIECES = ("own men", "own kings", "enemy men", "enemy kings")


def planes(view: View) -> tuple[str, ...]:
    """The names of a view's planes."""
    each = (*PIECES, "seen before") if view.extra_planes else PIECES
    names = [f"{name}, {age} hops ago" if age else name for age in range(view.history) for name in each]
    if view.extra_planes:
        names += ["black to move", "continuing piece", "inactivity / maximum"]
    return tuple(names)


def policy_table() -> PolicyTable:
    """The DraughtsZero paper's 64 x 64 outputs: a hop is a step where the next cell is empty, else a jump over it.

    Hops that leave the board, which are never legal, share the output of their start with itself.
    """
    index = np.zeros((2, b.NUM_ACTIONS), np.int32)
    cell = np.zeros(b.NUM_ACTIONS, np.int32)
    for action in range(b.NUM_ACTIONS):
        square, direction = b.decode_action(action)
        cell[action] = b.flat_cell(b.neighbour(square, direction) or square)
        for jump in (False, True):
            on_board = b.neighbour(square, direction, 2 if jump else 1) is not None
            index[int(jump), action] = b.to_table(action, jump) if on_board else 65 * b.flat_cell(square)
    enemies = tuple(PIECES.index(name) for name in ("enemy men", "enemy kings"))
    return PolicyTable(outputs=64 * 64, planes=enemies, cell=cell, index=index)
