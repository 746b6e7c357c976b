"""Squares, directions and the action numbering.

The 32 dark squares are numbered from 1, rows of four, square 1 at the top; square s is bit s - 1 of a
board. Black begins at the top and moves down, and first. In row r (0 at the top) the columns of the
squares are odd when r is even. Directions: 0 up-left, 1 up-right, 2 down-left, 3 down-right.

`action = (square - 1) * 4 + direction`, one hop a ply. `to_table` converts to the DraughtsZero paper's numbering, from
and to among 64 x 64 cells.
"""

BLACK, WHITE = 0, 1
SIZE = 8
SQUARES = 32
NUM_ACTIONS = SQUARES * 4
DIRECTIONS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
START = (0x00000FFF, 0xFFF00000)
CROWN_ROWS = (0xF0000000, 0x0000000F)  # where a man of each role becomes a king


def cell_of(square: int) -> tuple[int, int]:
    """(row, column) of a square from 1 to 32."""
    row, place = divmod(square - 1, 4)
    return row, 2 * place + (1 if row % 2 == 0 else 0)


def square_at(row: int, column: int) -> int | None:
    """The square on a cell, or None for a light cell or one off the board."""
    if not (0 <= row < SIZE and 0 <= column < SIZE) or (row + column) % 2 == 0:
        return None
    return row * 4 + column // 2 + 1


def neighbour(square: int, direction: int, steps: int = 1) -> int | None:
    """The square some steps away in a direction, or None beyond the edge."""
    row, column = cell_of(square)
    return square_at(row + steps * DIRECTIONS[direction][0], column + steps * DIRECTIONS[direction][1])


def squares_of(bits: int) -> list[int]:
    """Square numbers of a set of bits, ascending."""
    return [square for square in range(1, SQUARES + 1) if bits >> (square - 1) & 1]


def decode_action(action: int) -> tuple[int, int]:
    """(square, direction) of a hop."""
    return action // 4 + 1, action % 4


def to_table(action: int, jump: bool) -> int:
    """The paper's number of a hop, 64 * from + to over the cells of the whole board; raises ValueError
    for a hop that leaves it.
    """
    square, direction = decode_action(action)
    target = neighbour(square, direction, 2 if jump else 1)
    if target is None:
        raise ValueError(f"action {action} leaves the board from square {square}")
    return 64 * flat_cell(square) + flat_cell(target)


def flat_cell(square: int) -> int:
    """The number of a square's cell, row by row, of the 64."""
    row, column = cell_of(square)
    return row * SIZE + column
