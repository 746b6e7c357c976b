"""Errors that a user can cause. Each message is one line that says what is wrong and how to fix it."""

import difflib
from collections.abc import Iterable


class BoardwrightError(ValueError):
    """An error in the input of a user; the message can be shown as it is."""


class UnknownNameError(BoardwrightError):
    """A game, rule set or player that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        known = sorted(known)
        nearest = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {nearest[0]!r}? " if nearest else ""
        super().__init__(f"unknown {kind} {name!r}: {hint}known: {', '.join(known)}")


class RulesError(BoardwrightError):
    """A rule set that is malformed or contradicts itself."""


class PositionError(BoardwrightError):
    """A position text that is malformed or cannot occur."""


class IllegalMoveError(BoardwrightError):
    """A move the rules forbid here; the message says which rule."""


class GameFileError(BoardwrightError):
    """A game file that cannot be read; the message says where."""


class NetError(BoardwrightError):
    """A net that cannot be built, read or written, or that does not fit the game or the player."""


class RunError(BoardwrightError):
    """A training run whose settings or folder cannot be used."""


class OutOfMemoryError(BoardwrightError):
    """A player whose table or tree does not fit into memory."""


def printable(text: str) -> str:
    """Text from outside for a message: control characters are replaced by question marks."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
