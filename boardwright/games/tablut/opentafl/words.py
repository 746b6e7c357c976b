"""The words of OpenTafl's engine protocol: boards without counters, moves by their ends alone."""

from boardwright.games.base import Position


def board_text(position: Position) -> str:
    """The board alone, `/3ttt3/4t4/…/`; the protocol says elsewhere who is to move."""
    return position.text.split()[0]


def move_text(position: Position, action: int) -> str:
    """A move without its captures, `a4-a1`."""
    return position.action_text(action).partition("x")[0]
