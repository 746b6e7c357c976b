"""Moves as a hand makes them: a piece goes from a cell to a cell, or is laid on some.

A board on a screen needs to know which cells to click for which move, and knows no game. Cells and owners are
those of the game's scene: (row, column) with row 0 at the top, and the role whose colour the piece has there.
"""

from dataclasses import dataclass

from boardwright.views.scene import Cell, Role


@dataclass(frozen=True)
class Step:
    """A piece goes from one cell to another; a capture in several hops is several steps."""

    origin: Cell
    target: Cell
    captured: tuple[Cell, ...] = ()  # what it takes off the board


@dataclass(frozen=True)
class Place:
    """A piece from the hand is laid on the board."""

    piece: str  # its name in the text of moves
    letter: str  # that stands for it in the scene, on the board and in the tray
    cells: tuple[Cell, ...]
    turns: int  # quarter turns clockwise from how the tray shows it
    owner: Role


Gesture = Step | Place
