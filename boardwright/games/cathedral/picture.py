"""A Cathedral position as a scene, with both sides' unplaced buildings, and its moves as placements by hand.

Renderers draw role 0 dark and role 1 light. Here light is role 0, so the scene has the roles exchanged.
"""

import functools
from typing import Any

from boardwright._core import CathedralPosition
from boardwright.games.base import CHANCE, Position
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.notation import TEXT_NAMES
from boardwright.games.cathedral.rules import DARK, LIGHT
from boardwright.views.scene import Cell, Mark, Place, Polyomino, Scene, Tint, Tray

LETTERS = ("ABCDEFGHIJKLMN+", "abcdefghijklmn+")  # by role and piece, as in the text of a position


def scene(position: Position) -> Scene:
    """The scene of a position, for the renderers."""
    game, outcome = position.game, position.outcome
    core, tables = position.core_as(CathedralPosition), game.tables  # type: ignore[attr-defined]
    size, where, cathedral = tables.size, core.where(), core.cathedral

    def cells(action: int, role: int) -> frozenset[Cell]:
        return frozenset(divmod(int(cell), size) for cell in tables.cells[role, action].nonzero()[0])

    shapes = [
        Polyomino(cells(int(where[role, piece]), role), 1 - role, LETTERS[role][piece])
        for role in (LIGHT, DARK)
        for piece in range(pieces.BUILDINGS)
        if where[role, piece] >= 0
    ]
    if cathedral >= 0:
        shapes.append(Polyomino(cells(cathedral, LIGHT), None, LETTERS[LIGHT][pieces.CATHEDRAL]))
    tints: dict[Cell, Tint] = {divmod(cell, size): "territory-1" for cell in core.territory(LIGHT)}
    tints |= {divmod(cell, size): "territory-0" for cell in core.territory(DARK)}
    last = core.last_action
    marks: tuple[Mark, ...] = ()
    if last >= 0 and cathedral != -1:
        mover = LIGHT if tables.piece[last] == pieces.CATHEDRAL else int(where[LIGHT, tables.piece[last]] != last)
        marks = tuple(Mark(cell, "to") for cell in sorted(cells(last, mover)))
    return Scene(
        rows=size,
        columns=size,
        title=f"{game.title} ({game.rules.name})",
        caption=position.caption,
        to_move=None if outcome is not None or position.role_to_move == CHANCE else 1 - position.role_to_move,
        row_names=tuple(str(size - x) for x in range(size)),
        column_names=tuple("abcdefghij"[:size]),
        tints=tints,
        polyominoes=tuple(shapes),
        marks=marks,
        trays=tuple(_tray(position, role) for role in (LIGHT, DARK)),
    )


def _tray(position: Position, role: int) -> Tray:
    """The buildings in a side's hand, unrotated."""
    mirrored = bool(position.game.tables.mirrored[role])  # type: ignore[attr-defined]
    where = position.core_as(CathedralPosition).where()
    held = []
    for piece in range(pieces.BUILDINGS):
        if where[role, piece] >= 0:
            continue
        offsets = [(-dx if mirrored and piece in pieces.MIRRORED else dx, dy) for dx, dy in pieces.OFFSETS[piece]]
        low_x, low_y = min(dx for dx, _ in offsets), min(dy for _, dy in offsets)
        held.append(
            Polyomino(frozenset((dx - low_x, dy - low_y) for dx, dy in offsets), 1 - role, LETTERS[role][piece])
        )
    return Tray(1 - role, position.game.roles[role], tuple(held))


def gestures(game: Any, core: CathedralPosition, actions: tuple[int, ...]) -> tuple[Place, ...]:
    """A move is one placement; a coin flip has no place on the board."""
    if game.awaits_coin(core):
        return ()
    role = max(core.role_to_move, 0)
    placed = _placements(game.tables.size, bool(game.tables.mirrored[role]), role)
    return tuple(placed[action] for action in actions)


@functools.lru_cache(maxsize=32)
def _placements(size: int, mirrored: bool, role: int) -> tuple[Place, ...]:
    """By action number; the cathedral belongs to neither role."""
    return tuple(
        Place(
            piece=TEXT_NAMES[placement.piece],
            letter=LETTERS[role][placement.piece],
            cells=tuple(sorted(divmod(cell, size) for cell in placement.cells)),
            turns=placement.rotation,
            owner=None if placement.piece == pieces.CATHEDRAL else 1 - role,
        )
        for placement in pieces.placements(size, mirrored)
    )
