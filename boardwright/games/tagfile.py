"""Common parts of game file formats: a header of tags, comments, results, and errors with their place.

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
from typing import Any, Generic, NamedTuple, TypeVar

from boardwright.errors import BoardwrightError, GameFileError, UnknownNameError, printable
from boardwright.games import registry, rulefile
from boardwright.games.base import ONGOING, Outcome, Position
from boardwright.games.record import GameRecord, outcome_of, result_of

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


@dataclass(frozen=True)
class GameFiles(Generic[GameText]):
    """Reading and writing files of one format, from what is done for one game."""

    write: Callable[[GameRecord], str]
    split: Callable[[str], Iterable[GameText]]  # see `read_each`
    make_reader: Callable[[], Callable[[GameText], GameRecord]]  # called for every file

    def write_all(self, records: Iterable[GameRecord]) -> str:
        """The text of several games."""
        return "\n".join(self.write(record) for record in records)

    def read_all(self, text: str) -> tuple[list[GameRecord], list[GameFileError]]:
        """The games of a file that can be read, and what is wrong with each of the others."""
        return read_each(text, self.split, self.make_reader())

    def read(self, text: str) -> list[GameRecord]:
        """The games of a file; raises GameFileError for the first that cannot be read."""
        records, errors = self.read_all(text)
        if errors:
            raise errors[0]
        return records


@dataclass(frozen=True)
class Results:
    """How a format writes results, and how messages call them."""

    texts: Mapping[str, int]  # the first text of a result is the one that is written
    words: tuple[str, ...]  # by result

    def text(self, result: int) -> str:
        """A result as files write it."""
        return next(text for text, number in self.texts.items() if number == result)

    def contradiction(self, claimed: int, outcome: Outcome) -> str:
        """The error message for a result that contradicts the last position."""
        truth = self.words[result_of(outcome)]
        return f"result {self.text(claimed)} says that {self.words[claimed]}, but {truth}: {outcome.reason}"

    def agree(self, claims: Iterable[tuple[int, "Token"]], outcome: Outcome | None, drawn: type[MisreadError]) -> int:
        """Who won by what a file claims, which must agree with the last position; raises MisreadError.

        `drawn` is raised where the game was drawn, but the file says that it was won.
        """
        known = ONGOING if outcome is None else result_of(outcome)
        for claimed, token in claims:
            if outcome is not None and claimed not in (ONGOING, known):
                kind = drawn if outcome.winner is None else MisreadError
                raise kind(token.offset, self.contradiction(claimed, outcome))
            if ONGOING not in (known, claimed) and known != claimed:
                raise MisreadError(token.offset, f"result {token.text} contradicts {self.text(known)} before it")
            known = known if claimed == ONGOING else claimed
        return known

    def check(self, record: GameRecord, last: Position) -> None:
        """Raises GameFileError for a record whose result contradicts its moves."""
        if record.resigned is not None and last.outcome is not None:
            raise GameFileError(f"a resignation, but the game is over: {last.outcome.reason}")
        outcome = outcome_of(last, record.resigned)
        if outcome is not None and record.result != result_of(outcome):
            raise GameFileError(self.contradiction(record.result, outcome))


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
    """A word and its place in the file; a comment is one word, and so is a tag."""

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
                raise GameFileError(f"tag {name!r}: {value!r} means unknown: leave the tag out")

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


def tagged_rules(game: str, tags: Mapping[str, Token], default: Any) -> Any:
    """The rule set that the tags [Rules] and [RuleOptions] name; raises MisreadError."""
    if "rules" not in tags and "ruleoptions" not in tags:
        return default
    known = registry.game_class(game).rule_sets()
    name = str(registry.current_rule_name(game, tags["rules"].text if "rules" in tags else "custom"))
    try:
        if "ruleoptions" in tags:
            return custom_rules(game, name, tags["ruleoptions"].text)
        if name not in known:
            raise UnknownNameError(f"rule set of {game}", name, known)
    except BoardwrightError as error:
        raise MisreadError(tags["ruleoptions" if "ruleoptions" in tags else "rules"].offset, str(error)) from None
    return known[name]


def custom_rules(game: str, name: str, options: str) -> Any:
    """A rule set from the options in one line of text; raises RulesError."""
    return rulefile.build(registry.game_class(game), {"name": name, **rulefile.options_of_text(options)})


def tagged_start(game: str, rules: Any, place: Token | None) -> Position:
    """The position that a tag gives, or the first one of the rules; raises MisreadError."""
    bound = registry.game(game, rules)
    try:
        return bound.start() if place is None else bound.position(place.text)
    except BoardwrightError as error:
        raise MisreadError(place.offset if place else 0, str(error)) from None


def tagged_resignation(tags: Mapping[str, Token], last: Position, drawn: type[MisreadError]) -> int | None:
    """The role that the tag [Resigned] names; raises MisreadError, or `drawn` where the game was drawn before."""
    if "resigned" not in tags:
        return None
    _, text, offset = tags["resigned"]
    if text.lower() not in last.game.roles:
        raise MisreadError(offset, f"[Resigned] must be one of {', '.join(last.game.roles)}, not {text[:40]!r}")
    if last.outcome is not None:
        kind = drawn if last.outcome.winner is None else MisreadError
        raise kind(offset, f"a resignation, but the game is over: {last.outcome.reason}")
    return last.game.roles.index(text.lower())
