"""Positions and moves as text.

Cells: files a, b, … are y from the left, ranks count from the bottom, so (x, y) = (0, 0) on a board of
ten is a10. A move names a piece, the cell of its reference square and its rotation in degrees:
`castle b3 r90`; `r0` may be left out. The second of two equal buildings is `tavern2`, `stable2`,
`inn2`. Where a coin decides who is first, its two sides are the moves `light` and `dark`.

Position: the board, top row first, digits for empty cells, one letter per piece in the order of the list
(`A` to `N` light's, `a` to `n` dark's, `+` the cathedral); who is to move (`l`, `d`, `c` for chance);
buildings each side has placed so far (2 means two or more); who was first; plies played. What is not on
the board is in hand, territory follows from the board, and a cathedral that is missing once a building
was placed has been captured: `6/6/1+4/+++3/1+4/1+4 d 0,0 l 1`.
"""

import functools
import re

import numpy as np

from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.base import CHANCE, Move
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.rules import DARK, LIGHT, Tables
from boardwright.games.lines import MAX_COUNTER, parse_counter

TO_BE_PLACED, GONE = -1, -2  # the cathedral's action while it is not on the board
TEXT_NAMES = tuple(
    f"{name}2" if name in pieces.NAMES[:piece] else name for piece, name in enumerate(pieces.NAMES)
)  # by piece
SIDES = ("light", "dark")
_TURNS = {"l": LIGHT, "d": DARK, "c": CHANCE}
COIN = (Move("light", (0,)), Move("dark", (1,)))  # moves of chance: who is first
_MOVE = re.compile(r"([a-z]+2?)\s+([a-j])(10|[1-9])(?:\s+r(0|90|180|270))?")
_EMPTY = re.compile(r"10|[1-9]")


def cell_name(cell: int, size: int) -> str:
    """Cell x * size + y -> 'b3'."""
    x, y = divmod(cell, size)
    return f"{'abcdefghij'[y]}{size - x}"


@functools.lru_cache(maxsize=64)
def placement_moves(role: int, tables: Tables) -> tuple[Move, ...]:
    """Every placement of a role as a move, by action number: there are thousands in most positions."""
    moves = []
    for action, placement in enumerate(pieces.placements(tables.size, bool(tables.mirrored[role]))):
        x, y = placement.reference
        turned = f" r{90 * placement.rotation}" if placement.rotation else ""
        cell = cell_name(x * tables.size + y, tables.size)
        moves.append(Move(f"{TEXT_NAMES[placement.piece]} {cell}{turned}", (action,)))
    return tuple(moves)


def parse_placement(text: str, role: int, tables: Tables) -> int:
    """The action of a text for a role; raises IllegalMoveError if it is none."""
    match = _MOVE.fullmatch(text.strip().lower())
    if match is None:
        raise IllegalMoveError(f"move {text!r}: expected a form like castle b3 r90")
    name, file, rank, turned = match.groups()
    if name not in TEXT_NAMES:
        raise IllegalMoveError(f"move {text!r}: there is no piece {name!r}; pieces: {', '.join(TEXT_NAMES)}")
    piece = TEXT_NAMES.index(name)
    x, y = tables.size - int(rank), "abcdefghij".index(file)
    if not (0 <= x < tables.size and y < tables.size):
        raise IllegalMoveError(f"move {text!r}: {file}{rank} is not on a board of {tables.size}")
    mirrored = bool(tables.mirrored[role])
    cells = pieces.cells_of(piece, x, y, int(turned or 0) // 90, tables.size, mirrored)
    if cells is None:
        raise IllegalMoveError(f"move {text!r}: the {pieces.NAMES[piece]} would leave the board")
    return pieces.action_index(tables.size, mirrored)[piece, cells]


def why_illegal(action: int, core, tables: Tables) -> str:
    """Which rule forbids an action that is not legal."""
    role, piece = core.role_to_move, int(tables.piece[action])
    if role == CHANCE and tables.first == 1:
        return f"action {action}: the coin decides first, 0 for light or 1 for dark"
    owner = max(role, 0)
    move = f"move {placement_moves(owner, tables)[action].text}"
    if core.cathedral == TO_BE_PLACED:
        return f"{move}: the cathedral is placed first"
    if piece == pieces.CATHEDRAL:
        return f"{move}: the cathedral has been placed already"
    where = core.where()
    if where[owner, piece] >= 0:
        return f"{move}: the {pieces.NAMES[piece]} is on the board already, not in {SIDES[owner]}'s hand"
    cells = np.flatnonzero(tables.cells[owner, action])
    for side in (LIGHT, DARK):
        for other in np.flatnonzero(where[side] >= 0):
            for cell in cells[tables.cells[side, where[side, other]][cells]]:
                return f"{move}: overlaps {SIDES[side]}'s {pieces.NAMES[other]} on {cell_name(int(cell), tables.size)}"
    if core.cathedral >= 0:
        for cell in cells[tables.cells[0, core.cathedral][cells]]:
            return f"{move}: overlaps the cathedral on {cell_name(int(cell), tables.size)}"
    inside = sorted(set(cells.tolist()) & set(core.territory(1 - owner)))
    return f"{move}: {cell_name(inside[0], tables.size)} is in {SIDES[1 - owner]}'s territory"


def position_text(core, tables: Tables) -> str:
    """The text of a position, which `parse_position` reads back."""
    letters = np.full(tables.size**2, ".", dtype="<U1")
    where = core.where()
    for role, first in ((LIGHT, "A"), (DARK, "a")):
        for piece in np.flatnonzero(where[role] >= 0):
            letters[tables.cells[role, where[role, piece]]] = chr(ord(first) + int(piece))
    if core.cathedral >= 0:
        letters[tables.cells[0, core.cathedral]] = "+"
    rows = ["".join(row) for row in letters.reshape(tables.size, tables.size)]
    board = "/".join(re.sub(r"\.+", lambda dots: str(len(dots[0])), row) for row in rows)
    turn = "c" if core.role_to_move == CHANCE else "ld"[core.role_to_move]
    placed = ",".join(map(str, core.placed()))
    return f"{board} {turn} {placed} {'ld'[core.first_role]} {core.plies}"


def parse_position(text: str, tables: Tables) -> tuple[np.ndarray, int, list[int], int, int, int]:
    """(where, cathedral, placed, role to move, first role, plies); raises PositionError."""

    def wrong(what: str) -> PositionError:
        return PositionError(f"position {text!r}: {what}")

    fields = text.split()
    if len(fields) != 5:
        raise wrong("expected 'BOARD l|d|c PLACED,PLACED l|d PLIES'")
    where, cathedral = _parse_board(fields[0], tables, wrong)
    if fields[1] not in _TURNS:
        raise wrong(f"the side to move must be l, d or c, not {fields[1]!r}")
    if fields[3] not in ("l", "d"):
        raise wrong(f"the first side must be l or d, not {fields[3]!r}")
    if not re.fullmatch(r"[012],[012]", fields[2]):
        raise wrong(f"buildings placed must be two numbers from 0 to 2 like 2,1, not {fields[2]!r}")
    plies = parse_counter(fields[4])
    if plies is None:
        raise wrong(f"plies must be a number from 0 to {MAX_COUNTER}, not {fields[4]!r}")
    placed = [int(number) for number in fields[2].split(",")]
    for role in (LIGHT, DARK):
        on_board = min(int((where[role] >= 0).sum()), 2)
        if placed[role] < on_board:
            raise wrong(f"{SIDES[role]} has {on_board} buildings on the board, but placed only {placed[role]}")
    if cathedral == TO_BE_PLACED and any(placed):
        cathedral = GONE
    role, first, beginning = _TURNS[fields[1]], _TURNS[fields[3]], cathedral == TO_BE_PLACED
    if first == DARK and tables.first != 1:
        raise wrong("dark is first only where a coin decides")
    if role == CHANCE and not (beginning and tables.first != 0 and first == LIGHT):
        raise wrong("chance is not to move here")
    if beginning and role != CHANCE and (tables.first == 2 or role != first):
        raise wrong("it is not that side's turn to place the cathedral")
    if not beginning and not any(placed) and role != 1 - first:
        raise wrong(f"{SIDES[1 - first]} places the first building")
    return where, cathedral, placed, role, first, plies


def _parse_board(text: str, tables: Tables, wrong) -> tuple[np.ndarray, int]:
    rows = text.split("/")
    if len(rows) != tables.size:
        raise wrong(f"the board has {len(rows)} rows, needs {tables.size}")
    cells: dict[str, list[int]] = {}
    for x, row in enumerate(rows):
        letters = _EMPTY.sub(lambda empty: " " * int(empty[0]), row)
        for y, letter in enumerate(letters):
            if letter not in " +" and not (letter.isascii() and letter.isalpha() and letter.upper() <= "N"):
                raise wrong(f"row {row!r}: {letter!r} is not A to N, a to n, + or a number of empty cells")
            if letter != " ":
                cells.setdefault(letter, []).append(x * tables.size + y)
        if len(letters) != tables.size:
            raise wrong(f"row {row!r}: describes {len(letters)} cells, needs {tables.size}")
    where, cathedral = np.full((2, pieces.BUILDINGS), -1, np.int32), TO_BE_PLACED
    for letter, covered in cells.items():
        role = DARK if letter.islower() else LIGHT
        piece = pieces.CATHEDRAL if letter == "+" else ord(letter.upper()) - ord("A")
        action = pieces.action_index(tables.size, bool(tables.mirrored[role])).get((piece, frozenset(covered)))
        if action is None:
            raise wrong(f"the cells of {letter!r} do not have the shape of the {pieces.NAMES[piece]}")
        if piece == pieces.CATHEDRAL:
            cathedral = action
        else:
            where[role, piece] = action
    return where, cathedral
