"""Cathedral by hand: a piece is turned and laid on cells."""

import functools

from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.notation import TEXT_NAMES
from boardwright.games.cathedral.picture import LETTERS
from boardwright.games.gestures import Place


@functools.lru_cache(maxsize=32)
def placements(size: int, mirrored: bool, role: int) -> tuple[Place, ...]:
    """By action number. The scene draws light, role 0, in the colour of role 1; the cathedral is nobody's."""
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
