"""A draughts position as a scene: square numbers, the last hop, the piece that must continue."""

from typing import Any

from boardwright._core import DraughtsPosition
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts.notation import route_of
from boardwright.views.scene import Mark, MarkKind, Piece, Scene, Step


def scene(position: Position) -> Scene:
    """The scene of a position, for the renderers."""
    core, outcome = position.core_as(DraughtsPosition), position.outcome
    pieces = []
    for role, bits in ((b.BLACK, core.black), (b.WHITE, core.white)):
        for square in b.squares_of(bits):
            king = bool(core.kings >> (square - 1) & 1)
            letter = "bw"[role].upper() if king else "bw"[role]
            pieces.append(Piece(b.cell_of(square), role, letter, "king" if king else "man"))
    last, marks = core.last_action, []
    if last >= 0:
        square, direction = b.decode_action(last)
        path = [square, b.neighbour(square, direction), b.neighbour(square, direction, 2)]
        is_step = path[1] in b.squares_of(core.black | core.white)  # the mover is there
        kinds: tuple[MarkKind, ...] = ("from", "to") if is_step else ("from", "captured", "to")
        marks = [Mark(b.cell_of(place), kind) for place, kind in zip(path, kinds, strict=False) if place]
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
        marks=tuple(marks),
    )


def gestures(game: Any, core: DraughtsPosition, actions: tuple[int, ...]) -> tuple[Step, ...]:
    """One step for each hop, with the piece it jumps over."""
    del game
    route = route_of(list(actions), core.black | core.white)
    cells = [b.cell_of(square) for square in route.squares]
    captured = [(b.cell_of(square),) for square in route.captured] if route.jumps else [()]
    return tuple(Step(*step) for step in zip(cells, cells[1:], captured, strict=False))
