"""A Tablut position as a scene: what the rule set makes special, the pieces, and the last move."""

import numpy as np

from boardwright._core import TablutPosition
from boardwright.games.base import Position
from boardwright.games.tablut import board as b
from boardwright.games.tablut import features
from boardwright.games.tablut.rules import TablutRules
from boardwright.views.scene import Cell, Mark, Piece, Scene, Tint

_ONE_PLY_AGO = [features.PLANES.index(f"{what}, 1 plies ago") for what in ("own taflmen", "enemy taflmen", "king")]


def scene(position: Position) -> Scene:
    """What there is to see of a position. The letters of the pieces are those of the position text."""
    core = position.core_as(TablutPosition)
    board = core.board()
    return Scene(
        rows=b.SIZE,
        columns=b.SIZE,
        title=f"{position.game.title} ({position.game.rules.name})",
        caption=_caption(position),
        to_move=None if position.outcome else position.role_to_move,
        row_names=tuple("987654321"),
        column_names=tuple("abcdefghi"),
        tints=_tints(position.game.rules),
        pieces=tuple(_piece(int(square), int(board[square])) for square in np.flatnonzero(board)),
        marks=_last_move(core, board),
    )


def _caption(position: Position) -> str:
    outcome = position.outcome
    roles = [role.capitalize() for role in position.game.roles]
    if outcome is None:
        return f"{roles[position.role_to_move]} to move"
    if outcome.winner is None:
        return f"Draw: {outcome.reason}"
    return f"{roles[outcome.winner]} win: {outcome.reason}"


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
    captured = (int(s) for s in np.flatnonzero(before & (board == b.EMPTY)) if s != origin)
    return (
        Mark(_cell(origin), "from"),
        Mark(_cell(target), "to"),
        *(Mark(_cell(square), "captured") for square in captured),
    )


def _cell(square: int) -> Cell:
    return divmod(square, b.SIZE)
