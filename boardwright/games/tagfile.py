"""Reads and writes game files of the family of PGN, with tags like [Event "Club evening"] and comments in braces.

A format says which tags it has, what its moves look like and what they mean. Nothing raises while looking for words:
what is not one becomes a token that says so. Every loop reads each character a bounded number of times, for any text.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from boardwright.errors import GameFileError, UnknownNameError
from boardwright.games import registry, rulefile
from boardwright.games.base import Position
from boardwright.games.gamefile import DrawnError, MisreadError, misread_at
from boardwright.games.record import GameRecord, Line

MAX_DEPTH = 32  # of variations inside each other
UNKNOWN = ("", "?", "????.??.??")  # values of tags that say nothing
WORD = r"[^\s{}()\[\];]++"  # what may be a move, in patterns


class Token(NamedTuple):
    """A word and its place in the file; a comment is one word, and so is a tag."""

    kind: str  # TAG, COMMENT, RESULT, MOVE, NUMBER, MARK, BAD; OPEN and CLOSE of a variation
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


@dataclass
class Branch:
    """A line while it is read."""

    position: Position
    opened: int  # where in the file
    actions: list[int] = field(default_factory=list)
    comments: dict[int, list[str]] = field(default_factory=dict)
    marks: dict[int, list[str]] = field(default_factory=dict)
    variations: dict[int, list[Line]] = field(default_factory=dict)
    replaceable: tuple[int, Position] | None = None  # where the last move was made, and after how many actions

    def add(self, remarks: dict[int, list[Any]], remark: Any) -> None:
        """Adds a comment, a mark or a variation about the last move."""
        remarks.setdefault(len(self.actions), []).append(remark)

    def parts(self) -> dict[str, Any]:
        """The fields of the finished line."""
        return {
            "actions": tuple(self.actions),
            "comments": {key: "\n".join(filter(None, texts)) for key, texts in self.comments.items() if any(texts)},
            "marks": {key: tuple(marks) for key, marks in self.marks.items()},
            "variations": {key: tuple(lines) for key, lines in self.variations.items()},
        }


@dataclass(frozen=True, eq=False)
class TagFile:
    """One format of the family."""

    game: str  # as registered
    roster: tuple[str, ...]  # tags every game has, as records spell them
    from_record: tuple[str, ...]  # tags that say what records have fields for
    spelling: Mapping[str, str]  # other known tags, and those that are not merely capitalised in files
    moves: str  # a pattern with groups MOVE and, where the format has such tokens, MARK, OPEN, CLOSE
    read_move: Callable[[Position, Token], Sequence[int]]  # the actions of a move; may raise BoardwrightError
    move_example: str  # for messages
    joins_repeated_tags: bool = False  # collections have some twice: then both values are kept, if the record allows
    checks_numbers: bool = False  # whether a wrong number before a move is an error
    unsupported: Mapping[str, str] = field(default_factory=dict)  # error messages, by the first character of a token

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
            name = self.tag_parts(token)[0] if kind == "TAG" else ""
            again = kind == "TAG" and name in names and text.count("\n", end, token.offset) > 1
            if (is_tag and (playing or again)) or (ended and kind not in ("COMMENT", "RESULT")):
                yield game
                game, names, playing, ended, depth = [], set(), False, False, 0
            game.append(token)
            names.add(name)
            depth = max(0, depth + (kind == "OPEN") - (kind == "CLOSE"))
            ended = ended or (kind == "RESULT" and depth == 0)
            playing = playing or not (is_tag or kind == "COMMENT")
            end = token.offset + len(token.text)
        if any(token.kind != "COMMENT" for token in game):
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
            yield Token("BAD" if group == "broken_tag" else group, text[offset:start], offset)

    def record_name(self, tag_name: str) -> str:
        """The name of a tag as records spell it."""
        return tag_name.lower() if tag_name.lower() in self._spelling else tag_name

    def tag_parts(self, tag: Token) -> tuple[str, str]:
        """(name, value) of a tag, the name as records spell it."""
        name = self.record_name(tag.text[1 : tag.text.index('"')].strip(" \t"))
        return name, _ESCAPED.sub(r"\1", tag.text[tag.text.index('"') + 1 : tag.text.rindex('"')])

    def tags(self, tokens: Iterable[Token]) -> dict[str, Token]:
        """The tags of a game by name, each with its value as text; raises MisreadError for a second one."""
        values: dict[str, list[Token]] = {}
        for token in tokens:
            if token.kind == "TAG":
                name, text = self.tag_parts(token)
                earlier = values.setdefault(name, [])
                joins = self.joins_repeated_tags and (name not in self.from_record or text in [e.text for e in earlier])
                if earlier and not joins:
                    raise MisreadError(token.offset, f"the game has a second tag {name[:40]!r}")
                earlier.append(token._replace(text=text))
        return {
            name: several[0]._replace(text="; ".join(dict.fromkeys(value.text for value in several)))
            for name, several in values.items()
        }

    def rules(self, tags: Mapping[str, Token], default: Any) -> Any:
        """The rule set that the tags [Rules] and [RuleOptions] name; raises MisreadError."""
        if "rules" not in tags and "ruleoptions" not in tags:
            return default
        known = registry.game_class(self.game).rule_sets()
        name = str(registry.current_rule_name(self.game, tags["rules"].text if "rules" in tags else "custom"))
        with misread_at(tags["ruleoptions" if "ruleoptions" in tags else "rules"].offset):
            if "ruleoptions" in tags:
                return self.custom_rules(name, tags["ruleoptions"].text)
            if name not in known:
                raise UnknownNameError(f"rule set of {self.game}", name, known)
            return known[name]

    def custom_rules(self, name: str, options: str) -> Any:
        """A rule set from the options in one line of text; raises RulesError."""
        return rulefile.build(registry.game_class(self.game), {"name": name, **rulefile.options_of_text(options)})

    def read_game(
        self, tags: Mapping[str, Token], tokens: Iterable[Token], rules: Any, place: Token | None
    ) -> tuple[Position, Position, list[Token], dict[str, Any]]:
        """(first position, last position, results that the file claims, fields of the record but those that follow).

        `place` is the tag of the first position, if it is not the one of the rules; raises MisreadError.
        """
        game = registry.game(self.game, rules)
        start, resigned = game.start(), None
        if place is not None:
            with misread_at(place.offset):
                start = game.position(place.text)
        main, claims = self.replay(tokens, start)
        last = main.position
        if "resigned" in tags:
            _, text, offset = tags["resigned"]
            if text.lower() not in game.roles:
                raise MisreadError(offset, f"[Resigned] must be one of {', '.join(game.roles)}, not {text[:40]!r}")
            if last.outcome is not None:
                message = f"a resignation, but the game is over: {last.outcome.reason}"
                raise DrawnError.if_drawn(last.outcome, offset, message)
            resigned = game.roles.index(text.lower())
        if "result" in tags:
            claims.insert(0, tags["result"])
        own = {
            name: token.text
            for name, token in tags.items()
            if name not in self.from_record and not (name in self.roster and token.text in UNKNOWN)
        }
        fields = {"game": self.game, "rules": rules, "resigned": resigned, "tags": own, **main.parts()}
        return start, last, claims, fields

    def replay(self, tokens: Iterable[Token], start: Position) -> tuple[Branch, list[Token]]:
        """The main line with its comments, marks and variations, and the results written after it."""
        results: list[Token] = []
        branches = [Branch(start, 0)]  # the main line and the variations that are open, each inside the one before
        for token in tokens:
            kind, text, offset = token
            branch = branches[-1]
            if kind == "MOVE":
                before = branch.position
                with misread_at(offset):
                    actions = self.read_move(before, token)
                    branch.position = before.play_all(actions)
                branch.replaceable = (len(branch.actions), before)
                branch.actions += actions
            elif kind == "COMMENT":
                inside = _LAYOUT.sub(" ", text[1:] if text[0] == ";" else text[1:-1]).strip(" \t\n")
                branch.add(branch.comments, _CODE.sub(lambda code: chr(int(code[1], 16)), inside))
            elif kind == "MARK":
                branch.add(branch.marks, text)
            elif kind == "NUMBER" and self.checks_numbers:
                number = len(branch.actions) + 1
                if text.rstrip(".").lstrip("0") != str(number):
                    raise MisreadError(offset, f"expected move number {number}, not {text!r}")
            elif kind == "OPEN":
                if branch.replaceable is None:
                    raise MisreadError(offset, "a variation must follow the move that it replaces")
                if len(branches) > MAX_DEPTH:
                    raise MisreadError(offset, f"variations are nested more than {MAX_DEPTH} deep")
                branches.append(Branch(branch.replaceable[1], offset))
            elif kind == "CLOSE":
                if len(branches) == 1:
                    raise MisreadError(offset, "there is no variation to close here")
                parent = branches[-2]
                assert parent.replaceable is not None, "checked when the variation began"
                parent.variations.setdefault(parent.replaceable[0], []).append(Line(**branches.pop().parts()))
            elif kind == "RESULT" and len(branches) > 1:
                branch.add(branch.comments, text)
            elif kind == "RESULT":
                results.append(token)
            elif kind == "BAD":
                known = {
                    "{": "this comment is never closed",
                    "[": f'expected a tag like [Event "Club evening"], not {text[:40]!r}',
                    **self.unsupported,
                }
                general = f"expected {self.move_example}, a comment or a result, not {text[:40]!r}"
                raise MisreadError(offset, known.get(text[0], general))
        if len(branches) > 1:
            raise MisreadError(branches[-1].opened, "this variation is never closed")
        return branches[0], results

    def header(self, record: GameRecord, own: Mapping[str, str], reason: str) -> list[str]:
        """The tags of a record as files write them, one per line; raises GameFileError for tags that cannot be written.

        Args:
            record: the game.
            own: tags that only this format writes, from the result on.
            reason: what the moves say about the end, which needs no tag.
        """
        for name, value in record.tags.items():  # refuses tags that would not come back as they are
            if name in self.from_record or self.record_name(name) != name or not re.fullmatch(_TAG_NAME, name):
                what = "it is not a valid tag name, or is written from the record itself"
                raise GameFileError(f"tag {name!r} cannot be written: {what}")
            if name in self.roster and value in UNKNOWN:
                raise GameFileError(f"tag {name!r}: {value!r} means unknown: leave the tag out")
        tags = {**dict.fromkeys(self.roster, "?"), **own}
        if record.reason != reason:
            tags["termination"] = record.reason
        if record.resigned is not None:
            tags["resigned"] = registry.game_class(record.game).roles[record.resigned]
        lines = []
        for name, value in {**tags, **record.tags}.items():
            if "\n" in value or "\r" in value:
                raise GameFileError(f"tag {name!r} cannot be written: its value has more than one line")
            lines.append('[{} "{}"]'.format(self._spelling.get(name, name), re.sub(r'(["\\])', r"\\\1", value)))
        return lines


def comment_words(text: str) -> list[str]:
    """A comment as files write it, in pieces that may stand on lines of their own."""
    encoded = _TO_ENCODE.sub(lambda match: "".join(f"%{ord(letter):02X}" for letter in match[0]), text)
    return _BREAK.split("{" + encoded + "}")
