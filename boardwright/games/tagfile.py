"""What files of games have in common: a header of tags, comments, results, and places where they are wrong.

`read_each` reads the games of any such file one by one, so that a broken one does not lose the others.
`TagFile` is for the family of PGN, with tags like [Event "Club evening"] and comments in braces or after a
semicolon; a format says what its moves look like and which tags it has. Nothing in it raises while looking
for words: what is not one becomes a token that says so. Every loop reads each character a bounded number of
times, for any text.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, TypeVar

from boardwright.errors import GameFileError, printable
from boardwright.games.record import GameRecord

MAX_CHARACTERS = 16 << 20
LONGEST_MESSAGE = 400
UNKNOWN = ("", "?", "????.??.??")  # values of tags that say nothing
WORD = r"[^\s{}()\[\];]++"  # what may be a move, in patterns

GameText = TypeVar("GameText")


class MisreadError(Exception):
    """What is wrong, and where in the file."""

    def __init__(self, offset: int, message: str):
        super().__init__(message)
        self.offset = offset


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, or Latin-1 as old collections have it."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_each(
    text: str, split: Callable[[str], Iterable[GameText]], read_game: Callable[[GameText], GameRecord]
) -> tuple[list[GameRecord], list[GameFileError]]:
    """The games of a file that can be read, and what is wrong with each of the others, by line and column.

    `split` gives the games of a text in order, `read_game` the record of one; it may raise MisreadError.
    """
    if len(text) > MAX_CHARACTERS:
        raise GameFileError(f"the game file has more than {MAX_CHARACTERS} characters")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    records, errors = [], []
    line, line_start, counted = 1, 0, 0
    for game in split(text):
        try:
            records.append(read_game(game))
        except MisreadError as problem:
            line += text.count("\n", counted, problem.offset)
            line_start = max(line_start, text.rfind("\n", counted, problem.offset) + 1)
            counted = problem.offset
            errors.append(_error(f"line {line}, column {problem.offset - line_start + 1}: {problem}"))
    return records, errors


def _error(message: str) -> GameFileError:
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 3] + "..."
    return GameFileError(printable(message))


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


_TAG_NAME = r"[A-Za-z0-9_][A-Za-z0-9_+#=:-]*"
# In a tag, quotes and backslashes inside the value should be escaped; many files have them plain.
_TAG = rf'\[[ \t]*{_TAG_NAME}[ \t]*"(?:(?:\\.|[^\\\n])*?|[^\n]*?)"[ \t]*+\]'
_TAG_LINE = re.compile(rf'\n[ \t]*+\[{_TAG_NAME}[ \t]*"')
_GAME = re.compile(rf'\n[ \t]*+\n(?:[ \t]*+\[{_TAG_NAME}[ \t]*"[^\n]*+\n)++[ \t\n]*+1\.')  # begins after an empty line
_ESCAPED = re.compile(r'\\(["\\])')

# Comments cannot hold a closing brace, and line breaks in them are mere layout: our own files write such
# characters as codes, and an opening bracket that would look like a tag.
_CODE = re.compile(r"%(09|0A|0D|20|25|5B|7D)")
_TO_ENCODE = re.compile(r"%(?=09|0A|0D|20|25|5B|7D)|[}\n\r]|\[(?=[A-Za-z0-9_])|\A[ \t]+|(?<![ \t])[ \t]++\Z")
_LAYOUT = re.compile(r"(?<![ \t])[ \t]*+\n[ \t\n]*+")
_BREAK = re.compile(r"(?<![ \t]) (?![ \t])")


@dataclass(frozen=True, eq=False)
class TagFile:
    """One format of the family."""

    roster: tuple[str, ...]  # tags every game has, as records spell them
    from_record: tuple[str, ...]  # tags that say what records have fields for
    spelling: Mapping[str, str]  # other known tags, and those that are not merely capitalised in files
    moves: str  # a pattern with groups MOVE and, where the format has such tokens, MARK, OPEN, CLOSE

    @functools.cached_property
    def _spelling(self) -> dict[str, str]:
        """Every known tag as files spell it, by its name in records."""
        return {name: name.capitalize() for name in (*self.roster, *self.from_record)} | dict(self.spelling)

    @functools.cached_property
    def _token(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?P<TAG>{_TAG})|(?P<broken_tag>\[[^\n]*)"
            r"|(?P<COMMENT>;[^\n]*)|(?P<brace>\{)|(?P<escaped_line>%[^\n]*)"
            r"|(?P<RESULT>(?:\*|1/2-1/2|1-0|0-1|2-0|0-2|1-1|0-0)(?![0-9/:xX-]))"
            rf"|(?P<NUMBER>[0-9]{{1,6}}\.+|\.\.+)|{self.moves}|(?P<BAD>{WORD}|\S)"
        )

    def games(self, text: str) -> Iterator[list[Token]]:
        """The tokens of each game of a file; line ends must be newlines.

        A game ends with its result, or where tags follow its moves. Comments after the result still belong
        to it. A tag that occurs again after an empty line begins a game even if there were no moves.
        """
        game: list[Token] = []
        names: set[str] = set()
        playing = ended = False
        depth = end = 0
        for token in self._tokens(text):
            kind = token.kind
            is_tag = token.text[0] == "["
            name = self.tag_parts(token)[0] if kind is Kind.TAG else ""
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

    def _tokens(self, text: str) -> Iterator[Token]:
        """All tokens of a text.

        A comment may hold lines that begin with a tag, but where it is not closed before such a line, nor
        before another comment is opened or tags after an empty line begin a game, it never was: it ends at that
        line, so as not to lose other games.
        """
        start = next_tag = next_game = 0
        while match := self._token.search(text, start):
            group, offset, start = str(match.lastgroup), match.start(), match.end()
            if group == "escaped_line":
                continue
            if group == "brace":
                if next_tag <= offset:
                    tag_line = _TAG_LINE.search(text, offset)
                    next_tag = tag_line.start() if tag_line else len(text)
                if next_game <= offset:
                    beginning = _GAME.search(text, offset)
                    next_game = beginning.start() if beginning else len(text)
                opened = text.find("{", start)
                most = min(next_game, opened if opened >= 0 else len(text))
                closed = text.find("}", start, max(next_tag, most))
                group, start = ("BAD", next_tag) if closed < 0 else ("COMMENT", closed + 1)
            yield Token(Kind.BAD if group == "broken_tag" else Kind[group], text[offset:start], offset)

    def record_name(self, tag_name: str) -> str:
        """The name of a tag as records spell it."""
        return tag_name.lower() if tag_name.lower() in self._spelling else tag_name

    def tag_parts(self, tag: Token) -> tuple[str, str]:
        """(name, value) of a tag, the name as records spell it."""
        name = self.record_name(tag.text[1 : tag.text.index('"')].strip(" \t"))
        return name, _ESCAPED.sub(r"\1", tag.text[tag.text.index('"') + 1 : tag.text.rindex('"')])

    def own_tags(self, tags: Mapping[str, str]) -> dict[str, str]:
        """Those tags of a file that a record keeps as tags."""
        return {
            name: value
            for name, value in tags.items()
            if name not in self.from_record and not (name in self.roster and value in UNKNOWN)
        }

    def check_own_tags(self, tags: Mapping[str, str]) -> None:
        """Refuses tags of a record that would not come back as they were."""
        for name, value in tags.items():
            if name in self.from_record or self.record_name(name) != name or not re.fullmatch(_TAG_NAME, name):
                raise GameFileError(
                    f"tag {name!r} cannot be written: it is not a tag's name, or the record itself says it"
                )
            if name in self.roster and value in UNKNOWN:
                raise GameFileError(f"tag {name!r}: {value!r} stands for what is not known: leave the tag out")

    def header(self, tags: Mapping[str, str]) -> list[str]:
        """Tags as files write them, a line each, from the names that records give them."""
        for name, value in tags.items():
            if "\n" in value or "\r" in value:
                raise GameFileError(f"tag {name!r} cannot be written: its value has more than one line")
        return [
            '[{} "{}"]'.format(self._spelling.get(name, name), re.sub(r'(["\\])', r"\\\1", value))
            for name, value in tags.items()
        ]


def complaint(token: Token, expected: str) -> str:
    """What is wrong with a bad token, where a move looks like `expected`."""
    if token.text[0] == "{":
        return "this comment is never closed"
    if token.text[0] == "[":
        return f'expected a tag like [Event "Club evening"], not {token.text[:40]!r}'
    return f"expected {expected}, a comment or a result, not {token.text[:40]!r}"


def comment_inside(comment: Token) -> str:
    """What a comment says, its line breaks turned to blanks."""
    inside = comment.text[1:] if comment.text[0] == ";" else comment.text[1:-1]
    return _CODE.sub(lambda code: chr(int(code[1], 16)), _LAYOUT.sub(" ", inside).strip(" \t\n"))


def comment_words(text: str) -> list[str]:
    """A comment as files write it, in pieces that may stand on lines of their own."""
    encoded = _TO_ENCODE.sub(lambda match: "".join(f"%{ord(letter):02X}" for letter in match[0]), text)
    return _BREAK.split("{" + encoded + "}")
