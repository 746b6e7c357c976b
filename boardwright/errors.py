"""Errors that a user can cause. Each message is one line that says what is wrong and how to fix it."""

import contextlib
import difflib
from collections.abc import Iterable, Iterator


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


@contextlib.contextmanager
def reraise_as(kind: type[BoardwrightError], what: str, *causes: type[Exception]) -> Iterator[None]:
    """Turns errors of the body, by default those of the operating system, into one that says what failed."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, causes or OSError):
            raise
        reason = isinstance(error, OSError) and error.strerror
        raise kind(f"{what}: {reason or error}") from error


def printable(text: str) -> str:
    """Text from outside for a message: control characters are replaced by question marks."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
