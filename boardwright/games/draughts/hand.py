"""Draughts by hand: every hop of a move is a step of its own."""

from boardwright.games.draughts import board as b
from boardwright.games.gestures import Step


def gestures(occupied: int, actions: tuple[int, ...]) -> tuple[Step, ...]:
    """One step for each hop, with the piece it jumps over; `occupied` are the bits of all pieces before."""
    steps = []
    for action in actions:
        square, direction = b.decode_action(action)
        beside, behind = b.neighbour(square, direction), b.neighbour(square, direction, 2)
        assert beside is not None  # a legal hop stays on the board
        origin = b.cell_of(square)
        occupied &= ~(1 << (square - 1))
        if not occupied >> (beside - 1) & 1:
            steps.append(Step(origin, b.cell_of(beside)))
            occupied |= 1 << (beside - 1)
            continue
        assert behind is not None
        steps.append(Step(origin, b.cell_of(behind), (b.cell_of(beside),)))
        occupied = occupied & ~(1 << (beside - 1)) | 1 << (behind - 1)
    return tuple(steps)
