"""The words of PDN, and where one game ends and the next begins.

Nothing here raises: what is no PDN becomes a token that says so, and only the game it stands in is lost.
Every loop reads each character a bounded number of times, whatever the text.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from boardwright.games.base import DRAW, ONGOING
from boardwright.games.draughts import board as b

GAME_TYPE = "21,B,8,8,N1,0"
ROSTER = ("event", "site", "date", "round", "black", "white")  # tags every game has; records spell them so
FROM_RECORD = ("result", "gametype", "rules", "ruleoptions", "setup", "fen", "termination", "resigned")
UNKNOWN = ("", "?", "????.??.??")  # values of tags that say nothing
BOTH_FORFEIT = 4  # a result only PDN knows
RESULTS = {"1-0": b.BLACK, "0-1": b.WHITE, "1/2-1/2": DRAW, "*": ONGOING, "0-0": BOTH_FORFEIT}
RESULTS |= {"2-0": b.BLACK, "0-2": b.WHITE, "1-1": DRAW}  # read, but not written
RESULT_WORDS = ("black won", "white won", "it was a draw", "it goes on", "both sides forfeited")

_SPELLING = {name: name.capitalize() for name in (*ROSTER, *FROM_RECORD, "annotator")}
_SPELLING |= {"gametype": "GameType", "ruleoptions": "RuleOptions", "setup": "SetUp", "fen": "FEN"}


class Kind(Enum):
    """What a token is."""

    TAG = auto()
    COMMENT = auto()
    RESULT = auto()
    MOVE = auto()
    NUMBER = auto()
    MARK = auto()
    OPEN = auto()  # of a variation
    CLOSE = auto()
    BAD = auto()


class Token(NamedTuple):
    """A word and where it stands in the file; a comment is one word, and so is a tag."""

    kind: Kind
    text: str
    offset: int


TAG_NAME = r"[A-Za-z0-9_][A-Za-z0-9_+#=:-]*"
MARK = re.compile(r"\$[0-9]{1,3}|[!?]+|\([!?]+\)")

# In a tag, quotes and backslashes inside the value should be escaped; many files have them plain.
_TAG = rf'\[[ \t]*{TAG_NAME}[ \t]*"(?:(?:\\.|[^\\\n])*?|[^\n]*?)"[ \t]*+\]'
_TOKEN = re.compile(
    rf"(?P<TAG>{_TAG})|(?P<broken_tag>\[[^\n]*)"
    r"|(?P<COMMENT>;[^\n]*)|(?P<brace>\{)|(?P<escaped_line>%[^\n]*)"
    r"|(?P<RESULT>(?:\*|1/2-1/2|1-0|0-1|2-0|0-2|1-1|0-0)(?![0-9/:xX-]))"
    r"|(?P<MOVE>[0-9]{1,2}+(?:\s*+[-:xX]\s*+[0-9]{1,2}+)++(?![0-9]))"
    r"|(?P<NUMBER>[0-9]{1,6}\.+|\.\.+)"
    rf"|(?P<MARK>{MARK.pattern})|(?P<OPEN>\()|(?P<CLOSE>\))"
    r"|(?P<BAD>[^\s{}()\[\];]+|\S)",
)
_TAG_LINE = re.compile(rf'\n[ \t]*+\[{TAG_NAME}[ \t]*"')
_ESCAPED = re.compile(r'\\(["\\])')

# Comments cannot hold a closing brace, and line breaks in them are mere layout: our own files write such
# characters as codes, and an opening bracket that would look like a tag.
_CODE = re.compile(r"%(09|0A|0D|20|25|5B|7D)")
_TO_ENCODE = re.compile(r"%(?=09|0A|0D|20|25|5B|7D)|[}\n\r]|\[(?=[A-Za-z0-9_])|\A[ \t]+|(?<![ \t])[ \t]++\Z")
_LAYOUT = re.compile(r"(?<![ \t])[ \t]*+\n[ \t\n]*+")
_BREAK = re.compile(r"(?<![ \t]) (?![ \t])")


def games(text: str) -> Iterator[list[Token]]:
    """The tokens of each game of a file; line ends must be newlines.

    A game ends with its result, or where tags follow its moves. Comments after the result still belong to
    it. A tag that occurs again after an empty line begins a game even if there were no moves.
    """
    game: list[Token] = []
    names: set[str] = set()
    playing = ended = False
    depth = end = 0
    for token in _tokens(text):
        kind = token.kind
        is_tag = token.text[0] == "["
        name = tag_parts(token)[0] if kind is Kind.TAG else ""
        again = kind is Kind.TAG and name in names and text.count("\n", end, token.offset) > 1
        if (is_tag and (playing or again)) or (ended and kind not in (Kind.COMMENT, Kind.RESULT)):
            yield game
            game, names, playing, ended, depth = [], set(), False, False, 0
        game.append(token)
        names.add(name)
        depth = max(0, depth + (kind is Kind.OPEN) - (kind is Kind.CLOSE))
        ended = ended or (kind is Kind.RESULT and depth == 0)
        playing = playing or not (is_tag or kind is Kind.COMMENT)
        end = token.offset + len(token.text)
    if any(token.kind is not Kind.COMMENT for token in game):
        yield game


def _tokens(text: str) -> Iterator[Token]:
    """All tokens of a text. A comment that is not closed before a line begins with a tag ends there."""
    start = next_tag = 0
    while match := _TOKEN.search(text, start):
        group, offset, start = str(match.lastgroup), match.start(), match.end()
        if group == "escaped_line":
            continue
        if group == "brace":
            if next_tag <= offset:
                tag_line = _TAG_LINE.search(text, offset)
                next_tag = tag_line.start() if tag_line else len(text)
            closed = text.find("}", start, next_tag)
            group, start = ("BAD", next_tag) if closed < 0 else ("COMMENT", closed + 1)
        yield Token(Kind.BAD if group == "broken_tag" else Kind[group], text[offset:start], offset)


def complaint(token: Token) -> str:
    """What is wrong with a token that is no PDN."""
    if token.text[0] == "{":
        return "this comment is never closed"
    if token.text[0] == "[":
        return f'expected a tag like [Event "Club evening"], not {token.text[:40]!r}'
    if token.text[0] == "/":
        return "positions set up in the middle of a game (/FEN .../) cannot be read"
    return f"expected a move, a comment or a result, not {token.text[:40]!r}"


def record_name(tag_name: str) -> str:
    """The name of a tag as records spell it."""
    return tag_name.lower() if tag_name.lower() in _SPELLING else tag_name


def result_text(result: int) -> str:
    """A result as PDN writes it."""
    return next(text for text, number in RESULTS.items() if number == result)


def tag_parts(tag: Token) -> tuple[str, str]:
    """(name, value) of a tag, the name as records spell it."""
    name = record_name(tag.text[1 : tag.text.index('"')].strip(" \t"))
    return name, _ESCAPED.sub(r"\1", tag.text[tag.text.index('"') + 1 : tag.text.rindex('"')])


def tag_text(name: str, value: str) -> str:
    """A tag as PDN writes it, under the name that records give it."""
    return '[{} "{}"]'.format(_SPELLING.get(name, name), re.sub(r'(["\\])', r"\\\1", value))


def comment_inside(comment: Token) -> str:
    """What a comment says, its line breaks turned to blanks."""
    inside = comment.text[1:] if comment.text[0] == ";" else comment.text[1:-1]
    return _CODE.sub(lambda code: chr(int(code[1], 16)), _LAYOUT.sub(" ", inside).strip(" \t\n"))


def comment_words(text: str) -> list[str]:
    """A comment as PDN writes it, in pieces that may stand on lines of their own."""
    encoded = _TO_ENCODE.sub(lambda match: "".join(f"%{ord(letter):02X}" for letter in match[0]), text)
    return _BREAK.split("{" + encoded + "}")
