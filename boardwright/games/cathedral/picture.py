"""A Cathedral position as a scene: buildings with outlines, territory tinted, both hands beside."""

from boardwright._core import CathedralPosition
from boardwright.games.base import CHANCE, Position
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.rules import DARK, LIGHT
from boardwright.views.scene import Mark, Polyomino, Scene, Tint, Tray

LETTERS = ("ABCDEFGHIJKLMN+", "abcdefghijklmn+")  # by role and piece, as in the text of a position


def scene(position: Position) -> Scene:
    """What the renderers draw."""
    game, outcome = position.game, position.outcome
    core, tables = position.core_as(CathedralPosition), game.tables  # type: ignore[attr-defined]
    size, where, cathedral = tables.size, core.where(), core.cathedral

    def cells(action: int, role: int) -> frozenset[tuple[int, int]]:
        return frozenset(divmod(int(cell), size) for cell in tables.cells[role, action].nonzero()[0])

    shapes = [
        Polyomino(cells(int(where[role, piece]), role), role, LETTERS[role][piece])
        for role in (LIGHT, DARK)
        for piece in range(pieces.BUILDINGS)
        if where[role, piece] >= 0
    ]
    if cathedral >= 0:
        shapes.append(Polyomino(cells(cathedral, LIGHT), None, LETTERS[LIGHT][pieces.CATHEDRAL]))
    tints: dict[tuple[int, int], Tint] = {}
    for role in (LIGHT, DARK):
        for cell in core.territory(role):
            tints[divmod(cell, size)] = "territory-1" if role == LIGHT else "territory-0"
    last = core.last_action
    marks: tuple[Mark, ...] = ()
    if last >= 0 and cathedral != -1:
        mover = LIGHT if tables.piece[last] == pieces.CATHEDRAL else int(where[LIGHT, tables.piece[last]] != last)
        marks = tuple(Mark(cell, "to") for cell in sorted(cells(last, mover)))
    return Scene(
        rows=size,
        columns=size,
        title=f"{game.title} ({game.rules.name})",
        caption=_caption(position),
        to_move=None if outcome is not None or position.role_to_move == CHANCE else 1 - position.role_to_move,
        row_names=tuple(str(size - x) for x in range(size)),
        column_names=tuple("abcdefghij"[:size]),
        tints=tints,
        polyominoes=tuple(_recoloured(shape) for shape in shapes),
        marks=marks,
        trays=tuple(_tray(position, role) for role in (LIGHT, DARK)),
    )


def _recoloured(shape: Polyomino) -> Polyomino:
    """Renderers draw role 0 dark and role 1 light; here light is role 0."""
    return shape if shape.role is None else Polyomino(shape.cells, 1 - shape.role, shape.letter)


def _tray(position: Position, role: int) -> Tray:
    """The buildings a side still holds, as they lie unrotated."""
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


def _caption(position: Position) -> str:
    outcome, roles = position.outcome, position.game.roles
    if outcome is None:
        mover = "Chance" if position.role_to_move == CHANCE else roles[position.role_to_move].capitalize()
        return f"{mover} to move"
    if outcome.winner is None:
        return f"Draw: {outcome.reason}"
    return f"{roles[outcome.winner].capitalize()} wins: {outcome.reason}"
