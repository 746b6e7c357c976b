"""A draughts position as a scene: square numbers, the last hop, the piece that must continue."""

from typing import Any

from boardwright._core import DraughtsPosition
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts.notation import route_of
from boardwright.views.scene import Mark, Piece, Scene, Step


def scene(position: Position) -> Scene:
    """The scene of a position, for the renderers."""
    core, outcome = position.core_as(DraughtsPosition), position.outcome
    pieces = []
    for role, bits in ((b.BLACK, core.black), (b.WHITE, core.white)):
        for square in b.squares_of(bits):
            king = bool(core.kings >> (square - 1) & 1)
            letter = "bw"[role].upper() if king else "bw"[role]
            pieces.append(Piece(b.cell_of(square), role, letter, "king" if king else "man"))
    continues = f", capturing on with {core.continuing}" if core.continuing and outcome is None else ""
    dark = range(1, b.SQUARES + 1)
    return Scene(
        rows=b.SIZE,
        columns=b.SIZE,
        title=f"{position.game.title} ({position.game.rules.name})",
        caption=position.caption + continues,
        to_move=position.role_to_move if outcome is None else None,
        tints={b.cell_of(square): "dark" for square in dark},
        cell_labels={b.cell_of(square): str(square) for square in dark},
        pieces=tuple(pieces),
        marks=_marks(core.last_action, core.black, core.white),
    )


def _marks(action: int, black: int, white: int) -> tuple[Mark, ...]:
    """Where the last hop came from and went to, and what it captured."""
    if action < 0:
        return ()
    square, direction = b.decode_action(action)
    adjacent, behind = b.neighbour(square, direction), b.neighbour(square, direction, 2)
    assert adjacent is not None
    marks = [Mark(b.cell_of(square), "from")]
    if (black | white) >> (adjacent - 1) & 1:  # a step: the mover is there
        return (*marks, Mark(b.cell_of(adjacent), "to"))
    assert behind is not None
    return (*marks, Mark(b.cell_of(adjacent), "captured"), Mark(b.cell_of(behind), "to"))


def gestures(game: Any, core: DraughtsPosition, actions: tuple[int, ...]) -> tuple[Step, ...]:
    """One step for each hop, with the piece it jumps over."""
    del game
    route = route_of(list(actions), core.black | core.white)
    cells = [b.cell_of(square) for square in route.squares]
    captured = [(b.cell_of(square),) for square in route.captured] if route.jumps else [()]
    return tuple(Step(*step) for step in zip(cells, cells[1:], captured, strict=False))
