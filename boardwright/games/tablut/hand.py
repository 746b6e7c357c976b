"""Tablut by hand: what each move does on the board, and where the king can escape to."""

import numpy as np

from boardwright._core import TablutPosition
from boardwright.games.gestures import Step
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import Tables
from boardwright.views.scene import Cell

_KING = 2  # in the tables by piece


def gestures(core: TablutPosition, actions: tuple[int, ...]) -> tuple[Step, ...]:
    """One step for each action, with what it captures."""
    steps = []
    for action in actions:
        squares = b.decode_action(action)
        assert squares is not None  # a legal action stays on the board
        origin, target = squares
        before, core = core.board(), core.play(action)
        gone = np.flatnonzero((before != b.EMPTY) & (core.board() == b.EMPTY))
        captured = tuple(_cell(int(square)) for square in gone if square != origin)
        steps.append(Step(_cell(origin), _cell(target), captured))
    return tuple(steps)


def escapes(core: TablutPosition, tables: Tables) -> tuple[Cell, ...]:
    """Where the king could win at once if he were to move, whoever is."""
    board = core.board()
    found: list[Cell] = []
    for king in np.flatnonzero(board == b.KING):
        for direction, (row_step, column_step) in enumerate(b.DIRECTIONS):
            row, column = divmod(int(king), b.SIZE)
            while True:
                row, column = row + row_step, column + column_step
                square = row * b.SIZE + column
                if not (0 <= row < b.SIZE and 0 <= column < b.SIZE) or board[square] != b.EMPTY:
                    break
                if not tables.enter[_KING, direction, square]:
                    break
                if tables.escape[square] and tables.stop[_KING, square]:
                    found.append((row, column))
    return tuple(found)


def _cell(square: int) -> Cell:
    return divmod(square, b.SIZE)
