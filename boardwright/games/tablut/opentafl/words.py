"""The text of OpenTafl game files: words and brackets, where games begin, names of tags, and what is encoded.

Our own tags' names begin with `boardwright-`. Brackets and bars inside a text, and spaces around it, are written `%5B`
and so on.
"""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from boardwright.games.base import Position

RULES_NAME, OPTIONS, POSITION = "boardwright-rules", "boardwright-options", "boardwright-position"
FROM_RECORD = {RULES_NAME, OPTIONS, POSITION, "rules", "position", "result", "termination", "start-comment"}
_KNOWN_TAGS = FROM_RECORD | {
    *("event", "site", "date", "round", "attackers", "defenders", "annotator", "compiler", "variant"),
    *("time-control", "time-remaining", "starting-comment", "puzzle-mode", "puzzle-prestart", "puzzle-start"),
}
_TAG_NAME = re.compile(r"[A-Za-z][\w-]*")
_TOKEN = re.compile(r"\[|[0-9]{1,6}\.(?![0-9.])|[^\s\[]+")
TURN = re.compile(r"[0-9]{1,6}\.")
VARIATION = re.compile(r"[0-9]+[a-z]\.[0-9a-z.]*")
ANY_TURN = re.compile(f"{TURN.pattern}|{VARIATION.pattern}")  # of the game or of a variation
_CODE = re.compile(r"%(09|0A|0D|20|25|5B|5D|7C)")
_TO_ENCODE = re.compile(r"%(?=09|0A|0D|20|25|5B|5D|7C)|[\[\]|\r]|\A[ \t\n]+|(?<![ \t\n])[ \t\n]++\Z")


class Token(NamedTuple):
    """A word, or a bracket with all it holds."""

    text: str
    offset: int


def encode(text: str) -> str:
    """A text so that it can stand between brackets and bars, and keeps the spaces around it."""
    return _TO_ENCODE.sub(lambda match: "".join(f"%{ord(letter):02X}" for letter in match[0]), text)


def decode(text: str) -> str:
    """The text that `encode` was given."""
    return _CODE.sub(lambda match: chr(int(match[1], 16)), text.strip(" \t\n"))


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """The words and brackets of a stretch of text.

    A bracket that is not closed before a line begins with the next one is taken to end there, so that it
    spoils one game and not all that follow.
    """
    next_bracket = start
    while match := _TOKEN.search(text, start, end):
        start = match.end()
        if match[0] == "[":
            if next_bracket <= match.start():
                next_bracket = text.find("\n[", start, end)
                next_bracket = end if next_bracket < 0 else next_bracket
            closed = text.find("]", start, next_bracket)
            start = next_bracket if closed < 0 else closed + 1
        yield Token(text[match.start() : start], match.start())


def games(text: str) -> Iterator[Iterator[Token]]:
    """The tokens of each game."""
    for start, end in itertools.pairwise([*_game_starts(text), len(text)]):
        yield _tokens(text, start, end)


def _game_starts(text: str) -> list[int]:
    """Where the games begin: at a tag after moves, at our first tag, or where a whole header repeats itself."""
    starts: list[int] = []
    names: set[str] = set()
    playing = remarked = False
    for token in _tokens(text, 0, len(text)):
        name = "rules" if token.text.startswith("dim:") else None
        if token.text[0] == "[":
            name = tag_name(token.text[1:].partition(":")[0]) if ":" in token.text else None
            if playing and not remarked and ("|" in token.text or name not in _KNOWN_TAGS):
                name, remarked = None, True  # the comment on a turn, even if a colon makes it look like a tag
        again = name in names and "rules" in names
        if not starts or (name is not None and (playing or again or (names and name == RULES_NAME))):
            starts.append(token.offset)
            names, playing, remarked = set(), False, False
        if name is not None:
            names.add(name)
        elif ANY_TURN.fullmatch(token.text):
            playing, remarked = True, False
    return starts


def tag_name(text: str) -> str | None:
    """The name of a tag as records spell it; None for a text that cannot be one."""
    name = text.strip()
    if not _TAG_NAME.fullmatch(name):
        return None
    name = name.lower() if name.lower() in _KNOWN_TAGS else name
    return "start-comment" if name == "starting-comment" else name


# Words of the engine protocol: boards without counters, moves by their ends alone.


def board_text(position: Position) -> str:
    """The board alone, `/3ttt3/4t4/…/`; the protocol says elsewhere who is to move."""
    return position.text.split()[0]


def move_text(position: Position, action: int) -> str:
    """A move without its captures, `a4-a1`."""
    return position.action_text(action).partition("x")[0]
