"""A Tablut position as a scene: what the rule set makes special, the pieces, and the last move."""

from typing import Any

import numpy as np

from boardwright._core import TablutPosition
from boardwright.games.base import Position
from boardwright.games.tablut import board as b
from boardwright.games.tablut import features
from boardwright.games.tablut.rules import Tables, TablutRules
from boardwright.views.scene import Cell, Mark, Piece, Scene, Step, Tint

_KING = 2  # in the tables by piece
_ONE_PLY_AGO = [features.PLANES.index(f"{what}, 1 plies ago") for what in ("own taflmen", "enemy taflmen", "king")]


def scene(position: Position) -> Scene:
    """The scene of a position. Pieces have the letters of the position text."""
    core = position.core_as(TablutPosition)
    board = core.board()
    return Scene(
        rows=b.SIZE,
        columns=b.SIZE,
        title=f"{position.game.title} ({position.game.rules.name})",
        caption=position.caption,
        to_move=None if position.outcome else position.role_to_move,
        row_names=tuple("987654321"),
        column_names=tuple("abcdefghi"),
        tints=_tints(position.game.rules),
        pieces=tuple(_piece(int(square), int(board[square])) for square in np.flatnonzero(board)),
        marks=_last_move(core, board),
    )


def _tints(rules: TablutRules) -> dict[Cell, Tint]:
    """The throne always shows; corners only where they differ from other squares of the edge."""
    tints: dict[Cell, Tint] = {_cell(b.square_number(name)): "camp" for camp in rules.camps for name in camp}
    tints[_cell(b.THRONE)] = "special"
    if rules.escape == "corner" or rules.corners_restricted or rules.corners_hostile_to != "none":
        tints.update({_cell(corner): "special" for corner in b.CORNERS})
    return tints


def _piece(square: int, piece: int) -> Piece:
    role = b.ATTACKERS if piece == b.ATTACKER else b.DEFENDERS
    return Piece(_cell(square), role, b.LETTERS[piece], "king" if piece == b.KING else "man")


def _last_move(core: TablutPosition, board: np.ndarray) -> tuple[Mark, ...]:
    """Where the last move came from, went to and captured; nothing where the position has no past.

    The observation remembers the board one ply ago, which spares replaying the game.
    """
    squares = b.decode_action(core.last_action) if core.last_action >= 0 else None
    if squares is None:
        return ()
    origin, target = squares
    before = core.observe(b.ATTACKERS)[..., _ONE_PLY_AGO].any(axis=-1).reshape(b.SQUARES)
    captured = [Mark(_cell(square), "captured") for square in b.captured_squares(before, board, origin)]
    return (Mark(_cell(origin), "from"), Mark(_cell(target), "to"), *captured)


def gestures(game: Any, core: TablutPosition, actions: tuple[int, ...]) -> tuple[Step, ...]:
    """One step for each action, with what it captures."""
    del game
    steps = []
    for action in actions:
        squares = b.decode_action(action)
        assert squares is not None  # a legal action stays on the board
        origin, target = squares
        before, core = core.board(), core.play(action)
        captured = map(_cell, b.captured_squares(before, core.board(), origin))
        steps.append(Step(_cell(origin), _cell(target), tuple(captured)))
    return tuple(steps)


def escapes(core: TablutPosition, tables: Tables) -> tuple[Cell, ...]:
    """Squares where the king could win at once if it were his side's turn."""
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
