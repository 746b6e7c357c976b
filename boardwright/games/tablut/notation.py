"""Positions and moves as text.

Position: OpenTafl's board (first row rank 1), the side to move, plies since a capture and plies
played; the counters may be left out: `/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/ a 0 0`.
Move: `e2-g2`, with captures `e5-e8xe9/d8`; a piece letter before squares, and OpenTafl's marks
behind the move (`+`, `-`, `++`, `--`), are read and ignored.
"""

import re

import numpy as np

from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.lines import MAX_COUNTER, parse_counter
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import Tables, TablutRules, compile_tables

_MOVE = re.compile(
    r"[tTkK]?([a-i][1-9])-([a-i][1-9])(?:x((?:[tTkK]?[a-i][1-9])(?:/[tTkK]?[a-i][1-9])*))?(?:\+\+?|--?)?"
)
_PIECES = {b.ATTACKER: "attacker", b.DEFENDER: "defender", b.KING: "king"}
_SIDES = ("attackers", "defenders")


def parse_position(text: str, rules: TablutRules) -> tuple[np.ndarray, int, int, int]:
    """(board, to_move, quiet, plies) of a text; refuses what the rule set cannot hold."""
    fields = text.split()
    if len(fields) not in (2, 4):
        raise PositionError(f"position {text!r}: expected 'BOARD a|d' or 'BOARD a|d QUIET PLIES'")
    board = b.parse_board(fields[0])
    if fields[1] not in ("a", "d"):
        raise PositionError(f"position {text!r}: side to move must be 'a' or 'd', not {fields[1]!r}")
    quiet, plies = map(parse_counter, fields[2:] or ("0", "0"))
    if quiet is None or plies is None:
        wrong = fields[2 if quiet is None else 3]
        raise PositionError(f"position {text!r}: counter {wrong!r} is not a number from 0 to {MAX_COUNTER}")
    if quiet > plies:
        raise PositionError(f"position {text!r}: {quiet} plies since a capture, but only {plies} played")
    _check_pieces(text, board, compile_tables(rules))
    return board, "ad".index(fields[1]), quiet, plies


def _check_pieces(text: str, board: np.ndarray, tables: Tables) -> None:
    kings = int((board == b.KING).sum())
    if kings > 1:
        raise PositionError(f"position {text!r}: has {kings} kings, expected one, or none after his capture")
    for square in np.flatnonzero(np.isin(board, (b.ATTACKER, b.DEFENDER))).tolist():
        if not tables.stop[board[square] - 1][square]:
            place = "throne" if square == b.THRONE else "corner"
            raise PositionError(
                f"position {text!r}: {_PIECES[board[square]]} on the {place} {b.square_name(square)}, "
                "where only the king may stand"
            )
    for square in np.flatnonzero(np.isin(board, (b.DEFENDER, b.KING))).tolist():
        if square != b.THRONE and not tables.enter[board[square] - 1, :, square].any():
            raise PositionError(f"position {text!r}: {_PIECES[board[square]]} in the camp at {b.square_name(square)}")


def move_text(action: int, before: np.ndarray, after: np.ndarray) -> str:
    """The text of an action, given the boards before and after it."""
    squares = b.decode_action(action)
    if squares is None:
        raise IllegalMoveError(f"action {action} leaves the board")
    origin, target = squares
    captured = b.captured_squares(before, after, origin)
    captures = "x" + "/".join(map(b.square_name, captured)) if captured else ""
    return f"{b.square_name(origin)}-{b.square_name(target)}{captures}"


def parse_move(text: str) -> tuple[int, frozenset[int] | None]:
    """(action, captured squares or None if the text names none); raises IllegalMoveError."""
    match = _MOVE.fullmatch(text.strip())
    if match is None:
        raise IllegalMoveError(f"move {text!r}: expected a form like e2-g2 or e5-e8xe9")
    origin, target = b.square_number(match[1]), b.square_number(match[2])
    try:
        action = b.encode_action(origin, target)
    except ValueError:
        raise IllegalMoveError(f"move {text!r}: pieces move along rows and columns") from None
    if match[3] is None:
        return action, None
    return action, frozenset(b.square_number(name[-2:]) for name in match[3].split("/"))


def why_illegal(action: int, board: np.ndarray, to_move: int, tables: Tables) -> str:
    """Which rule forbids an action that is not legal."""
    squares = b.decode_action(action)
    if squares is None:
        return f"action {action} leaves the board from {b.square_name(action // b.PLANES_PER_SQUARE)}"
    origin, target = squares
    move = f"move {b.square_name(origin)}-{b.square_name(target)}"
    piece = int(board[origin])
    if piece == b.EMPTY:
        return f"{move}: there is no piece on {b.square_name(origin)}"
    if min(piece, b.DEFENDER) - 1 != to_move:
        return f"{move}: that piece belongs to the {_SIDES[1 - to_move]}, and the {_SIDES[to_move]} move now"
    direction = action % b.PLANES_PER_SQUARE // b.DISTANCES
    step = b.DIRECTIONS[direction][0] * b.SIZE + b.DIRECTIONS[direction][1]
    name = _PIECES[piece]
    for square in range(origin + step, target + step, step):
        if board[square] != b.EMPTY:
            return f"{move}: pieces cannot jump, and {b.square_name(square)} is occupied"
        if not tables.enter[piece - 1, direction, square]:
            if square == b.THRONE:
                return f"{move}: this rule set does not let the {name} pass over the throne e5"
            return f"{move}: the {name} may not enter the camp at {b.square_name(square)}"
    place = "throne" if target == b.THRONE else "corner"
    return f"{move}: this rule set does not let the {name} stop on the {place} {b.square_name(target)}"
