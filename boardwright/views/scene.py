"""A picture as data: what is to be seen, and nothing of how it is drawn.

A game describes a position as a `Scene` once; every renderer draws any scene. So renderers know no
game, games know no renderer, and a new game gets all pictures by filling in one dataclass.

Cells are (row, column), row 0 at the top. A scene that could not be drawn faithfully (a cell off the
board, two things on one cell, a style no renderer has) is refused when it is made, so that renderers
need not check.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal, get_args

from boardwright.errors import UnknownNameError

Cell = tuple[int, int]
Role = int | None  # the owner: 0, 1, or None for neither role

# What a cell looks like: common, the darker colour of a chequered board, a square with its
# own rules, a side's camp, or a role's territory.
Tint = Literal["plain", "dark", "special", "camp", "territory-0", "territory-1"]
# What just happened on a cell (a piece left it, came to it, was taken from it), or merely: look here.
MarkKind = Literal["from", "to", "captured", "highlight"]
PieceKind = Literal["man", "king"]


@dataclass(frozen=True)
class Piece:
    """A piece on one cell."""

    cell: Cell
    role: Role
    letter: str  # its character in text
    kind: PieceKind = "man"


@dataclass(frozen=True)
class Polyomino:
    """A piece that covers several cells; in a tray they count from its own corner."""

    cells: frozenset[Cell]
    role: Role
    letter: str  # the character of each of its cells in text


@dataclass(frozen=True)
class Tray:
    """A role's pieces in hand, shown next to the board."""

    role: Role
    name: str  # heading, such as whose hand it is
    polyominoes: tuple[Polyomino, ...]


@dataclass(frozen=True)
class Mark:
    """Something worth noticing about a cell."""

    cell: Cell
    kind: MarkKind


@dataclass(frozen=True)
class Arrow:
    """A move under consideration."""

    origin: Cell
    target: Cell
    strength: float = 1.0  # 0 is barely visible, 1 is bold


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A board and all that is to be seen on it and around it."""

    rows: int
    columns: int
    title: str = ""  # what this is a picture of; also its name for those who cannot see it
    caption: str = ""  # the state of play: who is to move, or how it ended
    to_move: Role = None  # whose colour goes with the caption
    row_names: tuple[str, ...] = ()  # coordinates from top to bottom
    column_names: tuple[str, ...] = ()  # coordinates from left to right
    tints: Mapping[Cell, Tint] = field(default_factory=dict)  # cells left out are plain
    cell_labels: Mapping[Cell, str] = field(default_factory=dict)  # numbers written on the board itself
    pieces: tuple[Piece, ...] = ()
    polyominoes: tuple[Polyomino, ...] = ()
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    trays: tuple[Tray, ...] = ()

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"a board of {self.rows} rows and {self.columns} columns has no cells")
        for names, count, what in ((self.row_names, self.rows, "row"), (self.column_names, self.columns, "column")):
            if names and len(names) != count:
                raise ValueError(f"{len(names)} {what} names for {count} {what}s")
        occupied = (thing.cell for thing in (*self.pieces, *self.marks))
        covered = (cell for polyomino in self.polyominoes for cell in sorted(polyomino.cells))
        pointed_at = (cell for arrow in self.arrows for cell in (arrow.origin, arrow.target))
        for cell in chain(self.tints, self.cell_labels, occupied, covered, pointed_at):
            if not (0 <= cell[0] < self.rows and 0 <= cell[1] < self.columns):
                raise ValueError(f"cell {cell} is not on a board of {self.rows} rows and {self.columns} columns")
        for what, used, known in (
            ("tint", set(self.tints.values()), get_args(Tint)),
            ("mark", {mark.kind for mark in self.marks}, get_args(MarkKind)),
            ("piece kind", {piece.kind for piece in self.pieces}, get_args(PieceKind)),
        ):
            for style in used.difference(known):
                raise UnknownNameError(what, style, known)
        self._check_pieces()
        for text in (*self.row_names, *self.column_names, *self.cell_labels.values()):
            if not (text.isascii() and text.isprintable()):  # text on the board must have a known width, to be aligned
                raise ValueError(f"{text!r} cannot label a board: printable ASCII is needed")
        if self.to_move not in (0, 1, None):
            raise ValueError(f"to_move {self.to_move} is not 0, 1 or None")
        for arrow in self.arrows:
            if arrow.origin == arrow.target or not 0 <= arrow.strength <= 1:
                raise ValueError(f"{arrow} must lead to another cell with a strength from 0 to 1")

    def _check_pieces(self) -> None:
        held = [polyomino for tray in self.trays for polyomino in tray.polyominoes]
        taken: set[Cell] = set()
        for cells in (*({piece.cell} for piece in self.pieces), *(set(block.cells) for block in self.polyominoes)):
            if taken & cells:
                raise ValueError(f"two pieces on cell {min(taken & cells)}")
            taken |= cells
        for owned in (*self.pieces, *self.polyominoes, *self.trays, *held):
            if owned.role not in (0, 1, None):
                raise ValueError(f"role {owned.role} is not 0, 1 or None")
        for thing in (*self.pieces, *self.polyominoes, *held):
            if len(thing.letter) != 1 or not "!" <= thing.letter <= "~":
                raise ValueError(f"{thing.letter!r} cannot stand for a piece: one visible ASCII character is needed")
        if not all(polyomino.cells for polyomino in (*self.polyominoes, *held)):
            raise ValueError("a polyomino needs at least one cell")
        if any(min(cell) < 0 for polyomino in held for cell in polyomino.cells):
            raise ValueError("cells of a polyomino in a tray count from its own corner, so none is negative")

    def cells(self) -> Iterator[Cell]:
        """All cells, row by row."""
        return ((row, column) for row in range(self.rows) for column in range(self.columns))

    def cell_name(self, cell: Cell) -> str:
        """What people call a cell: its label, else its coordinates, else row and column numbers."""
        if cell in self.cell_labels:
            return self.cell_labels[cell]
        if self.row_names and self.column_names:
            return self.column_names[cell[1]] + self.row_names[cell[0]]
        return f"({cell[0]},{cell[1]})"


def one_line(text: str) -> str:
    """Text as any renderer can show it: characters that would break XML or steer a terminal are replaced."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)


# Moves as a hand makes them: a piece goes from a cell to a cell, or is laid on some. A board on a screen needs to know
# which cells to click for which move, and knows no game.


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
    letter: str  # its letter in the scene, on the board and in the tray
    cells: tuple[Cell, ...]
    turns: int  # quarter turns clockwise from how the tray shows it
    owner: Role


Gesture = Step | Place
