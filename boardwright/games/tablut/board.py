"""The board as numbers and text: squares, pieces, directions, and the action numbering.

Squares are row * 9 + column with row 0 at the top; in text, files a to i run left to right and ranks
1 to 9 bottom to top, so square 0 is a9 and the throne, 40, is e5.

`action = square * 32 + direction * 8 + (distance - 1)`: the square a piece leaves, the direction it
takes (up, down, left, right) and how far it goes.
"""

import re

import numpy as np

from boardwright.errors import PositionError

SIZE = 9
SQUARES = SIZE * SIZE
THRONE = 40
CORNERS = (0, 8, 72, 80)
EDGE = tuple(square for square in range(SQUARES) if {0, SIZE - 1} & set(divmod(square, SIZE)))
DISTANCES = 8
PLANES_PER_SQUARE = 4 * DISTANCES
NUM_ACTIONS = SQUARES * PLANES_PER_SQUARE

ATTACKERS, DEFENDERS = 0, 1
EMPTY, ATTACKER, DEFENDER, KING = 0, 1, 2, 3  # as stored on a board; a man is his role + 1
LETTERS = ".tTK"

DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))  # up, down, left, right; opposites differ in bit 0


def square_name(square: int) -> str:
    """40 -> 'e5'."""
    row, column = divmod(square, SIZE)
    return f"{'abcdefghi'[column]}{SIZE - row}"


def square_number(name: str) -> int:
    """'e5' -> 40; raises ValueError for anything else than a square's name."""
    if len(name) != 2 or name[0] not in "abcdefghi" or name[1] not in "123456789":
        raise ValueError(f"{name!r} is not a square from a1 to i9")
    return (SIZE - int(name[1])) * SIZE + "abcdefghi".index(name[0])


def encode_action(origin: int, target: int) -> int:
    """The action that takes a piece from one square to another on the same line."""
    (row, column), (to_row, to_column) = divmod(origin, SIZE), divmod(target, SIZE)
    if (row == to_row) == (column == to_column):
        raise ValueError(f"{square_name(origin)} and {square_name(target)} are not on one line")
    distance = abs(to_row - row) + abs(to_column - column)
    step = ((to_row > row) - (to_row < row), (to_column > column) - (to_column < column))
    return origin * PLANES_PER_SQUARE + DIRECTIONS.index(step) * DISTANCES + distance - 1


def decode_action(action: int) -> tuple[int, int] | None:
    """(origin, target) of an action, or None when it would leave the board."""
    origin, plane = divmod(action, PLANES_PER_SQUARE)
    direction, steps = divmod(plane, DISTANCES)
    row, column = divmod(origin, SIZE)
    row += DIRECTIONS[direction][0] * (steps + 1)
    column += DIRECTIONS[direction][1] * (steps + 1)
    if not (0 <= row < SIZE and 0 <= column < SIZE):
        return None
    return origin, row * SIZE + column


def parse_board(text: str) -> np.ndarray:
    """[81] int8 from OpenTafl's board text, whose first row is rank 1; checks its form only."""
    rows = text.strip("/").split("/")
    if not (text.startswith("/") and text.endswith("/") and len(text) > 1):
        raise PositionError(f"board {text!r}: must begin and end with '/'")
    if len(rows) != SIZE:
        raise PositionError(f"board {text!r}: has {len(rows)} rows, needs {SIZE}")
    board = np.zeros((SIZE, SIZE), np.int8)
    for rank, row_text in enumerate(rows, start=1):
        for letter in row_text:
            if letter not in "tTK123456789":
                raise PositionError(f"board row {rank} {row_text!r}: {letter!r} is not one of t, T, K or 1-9")
        letters = re.sub("[1-9]", lambda empty: "." * int(empty[0]), row_text)
        if len(letters) != SIZE:
            raise PositionError(f"board row {rank} {row_text!r}: describes {len(letters)} squares, needs {SIZE}")
        board[SIZE - rank] = [LETTERS.index(letter) for letter in letters]
    return board.reshape(SQUARES)


def board_text(board: np.ndarray) -> str:
    """OpenTafl's board text of an [81] board."""
    rows = ("".join(LETTERS[piece] for piece in row) for row in board.reshape(SIZE, SIZE)[::-1])
    return "/" + "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows) + "/"


def captured_squares(before: np.ndarray, after: np.ndarray, origin: int) -> list[int]:
    """The squares where a move from `origin` took a piece, given the boards before and after it, or what they hold."""
    return [square for square in np.flatnonzero((before != EMPTY) & (after == EMPTY)).tolist() if square != origin]
