"""A Tablut position as a scene: what the rule set makes special, the pieces, and the last move."""

from typing import Any

import numpy as np

from boardwright._core import TablutPosition
from boardwright.games.base import Position
from boardwright.games.tablut import board as b
from boardwright.games.tablut import features
from boardwright.views.scene import Cell, Mark, Piece, Scene, Step, Tint

_ONE_PLY_AGO = [features.PLANES.index(f"{what}, 1 plies ago") for what in ("own taflmen", "enemy taflmen", "king")]


def scene(position: Position) -> Scene:
    """The scene of a position. Pieces have the letters of the position text."""
    core = position.core_as(TablutPosition)
    board, rules = core.board(), position.game.rules
    tints: dict[Cell, Tint] = {_cell(b.square_number(name)): "camp" for camp in rules.camps for name in camp}
    tints[_cell(b.THRONE)] = "special"
    if rules.escape == "corner" or rules.corners_restricted or rules.corners_hostile_to != "none":
        tints |= {_cell(corner): "special" for corner in b.CORNERS}  # where they differ from other squares of the edge
    return Scene(
        rows=b.SIZE,
        columns=b.SIZE,
        title=f"{position.game.title} ({rules.name})",
        caption=position.caption,
        to_move=None if position.outcome else position.role_to_move,
        row_names=tuple("987654321"),
        column_names=tuple("abcdefghi"),
        tints=tints,
        pieces=tuple(
            Piece(_cell(square), min(piece, 2) - 1, b.LETTERS[piece], "king" if piece == b.KING else "man")
            for square, piece in enumerate(board.tolist())
            if piece != b.EMPTY
        ),
        marks=_last_move(core, board),
    )


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


def _cell(square: int) -> Cell:
    return divmod(square, b.SIZE)
