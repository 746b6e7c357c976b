"""One game of a PDN file, from its tokens: the header, the moves with all that hangs on them, the result."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boardwright.errors import BoardwrightError
from boardwright.games.base import ONGOING, Position
from boardwright.games.draughts.pdn.format import BOTH_FORFEIT, GAME_TYPE, PDN, RESULTS, complaint
from boardwright.games.draughts.rules import LONGEST_GAME, WCDF, DraughtsRules
from boardwright.games.record import GameRecord, Line, outcome_of
from boardwright.games.tagfile import (
    UNKNOWN,
    Kind,
    MisreadError,
    Token,
    comment_inside,
    tagged_resignation,
    tagged_rules,
    tagged_start,
)

MAX_DEPTH = 32  # of variations inside each other
MAX_PLIES = 3 * LONGEST_GAME  # of a line, those before its first position included
AS_PLAYED = DraughtsRules(name="as-played", repetition_limit=None, max_quiet_plies=None, max_plies=LONGEST_GAME)


class _DrawnError(MisreadError):
    """The game continues, or was won, where the rules it is read under ended it as a draw."""


@dataclass
class _Branch:
    """A line while it is read."""

    position: Position
    opened: int  # where in the file
    actions: list[int] = field(default_factory=list)
    comments: dict[int, list[str]] = field(default_factory=dict)
    marks: dict[int, list[str]] = field(default_factory=dict)
    variations: dict[int, list[Line]] = field(default_factory=dict)
    replaceable: tuple[int, Position] | None = None  # where the last move was made, and after how many actions

    def remark(self, text: str) -> None:
        """Keeps a comment on the last move."""
        if text:
            self.comments.setdefault(len(self.actions), []).append(text)

    def parts(self) -> dict[str, Any]:
        """The fields of the finished line."""
        return {
            "actions": tuple(self.actions),
            "comments": {key: "\n".join(texts) for key, texts in self.comments.items()},
            "marks": {key: tuple(marks) for key, marks in self.marks.items()},
            "variations": {key: tuple(lines) for key, lines in self.variations.items()},
        }


def read_game(tokens: list[Token]) -> GameRecord:
    """The game of some tokens; raises MisreadError."""
    tags = _header(tokens)
    _check_game_type(tags)
    if "rules" in tags or "ruleoptions" in tags:
        return _record(tags, tokens, tagged_rules("draughts", tags, WCDF))
    try:
        return _record(tags, tokens, WCDF)
    except _DrawnError:
        return _record(tags, tokens, AS_PLAYED)


def _header(tokens: Iterable[Token]) -> dict[str, Token]:
    """The tags by name. Collections have some twice: then both values are kept, if the game allows."""
    values: dict[str, list[Token]] = {}
    for token in tokens:
        if token.kind is Kind.TAG:
            name, text = PDN.tag_parts(token)
            earlier = values.setdefault(name, [])
            if earlier and name in PDN.from_record and text != earlier[0].text:
                raise MisreadError(token.offset, f"the game has a second tag {name!r}")
            earlier.append(token._replace(text=text))
    return {
        name: several[0]._replace(text="; ".join(dict.fromkeys(value.text for value in several)))
        for name, several in values.items()
    }


def _check_game_type(tags: Mapping[str, Token]) -> None:
    if "gametype" not in tags:
        return
    _, text, offset = tags["gametype"]
    given = [part.strip().upper() for part in text.split(",")]
    if text not in UNKNOWN and given != GAME_TYPE.split(",")[: len(given)]:
        raise MisreadError(offset, f"game type {text!r} cannot be read, only English draughts: {GAME_TYPE!r}")


def _record(tags: Mapping[str, Token], tokens: list[Token], rules: DraughtsRules) -> GameRecord:
    fen = tags.get("fen")
    start = tagged_start("draughts", rules, None if fen is None or fen.text in UNKNOWN else fen)
    main, results = _replay(tokens, start)
    last = main.position
    resigned = tagged_resignation(tags, last, _DrawnError)
    # Collections have tags with other texts, "1/2" or "Black": they are no results of PDN.
    claims = [*([tags["result"]] if "result" in tags else []), *results]
    meant = ((RESULTS.texts.get(token.text.strip(), ONGOING), token) for token in claims)
    result = RESULTS.agree(meant, outcome_of(last, resigned), _DrawnError)
    return GameRecord(
        game="draughts",
        rules=rules,
        start=None if start.text == start.game.start().text else start.text,
        result=ONGOING if result == BOTH_FORFEIT else result,
        reason=_reason(tags, result, last),
        resigned=resigned,
        tags=PDN.own_tags({name: value.text for name, value in tags.items()}),
        **main.parts(),
    )


def _replay(tokens: Iterable[Token], start: Position) -> tuple[_Branch, list[Token]]:
    """The main line with all that hangs on it, and the results that were written behind it."""
    results: list[Token] = []
    branches = [_Branch(start, 0)]  # the main line and the variations that are open, each inside the one before
    for token in tokens:
        kind, text, offset = token
        branch = branches[-1]
        if kind is Kind.MOVE:
            _play(branch, token)
        elif kind is Kind.COMMENT:
            branch.remark(comment_inside(token))
        elif kind is Kind.MARK:
            branch.marks.setdefault(len(branch.actions), []).append(text)
        elif kind is Kind.OPEN:
            if branch.replaceable is None:
                raise MisreadError(offset, "a variation must follow the move that it replaces")
            if len(branches) > MAX_DEPTH:
                raise MisreadError(offset, f"variations are nested more than {MAX_DEPTH} deep")
            branches.append(_Branch(branch.replaceable[1], offset))
        elif kind is Kind.CLOSE:
            if len(branches) == 1:
                raise MisreadError(offset, "there is no variation to close here")
            parent = branches[-2]
            assert parent.replaceable is not None, "checked when the variation began"
            parent.variations.setdefault(parent.replaceable[0], []).append(Line(**branches.pop().parts()))
        elif kind is Kind.RESULT and len(branches) > 1:
            branch.remark(text)
        elif kind is Kind.RESULT:
            results.append(token)
        elif kind is Kind.BAD:
            raise MisreadError(offset, complaint(token))
    if len(branches) > 1:
        raise MisreadError(branches[-1].opened, "this variation is never closed")
    return branches[0], results


def _play(branch: _Branch, token: Token) -> None:
    before = branch.position
    text = re.sub(r"\s", "", token.text).replace("X", "x")
    if before.outcome is not None:
        kind = _DrawnError if before.outcome.winner is None else MisreadError
        raise kind(token.offset, f"move {text!r}, but the game is over: {before.outcome.reason}")
    if before.plies >= MAX_PLIES:
        raise MisreadError(token.offset, f"the game has more than {MAX_PLIES} moves")
    try:
        actions = before.game.parse_move(before.core, text)
    except BoardwrightError as error:
        raise MisreadError(token.offset, str(error)) from None
    branch.replaceable = (len(branch.actions), before)
    branch.actions += actions
    for action in actions:
        branch.position = branch.position.play(action)


def _reason(tags: Mapping[str, Token], result: int, last: Position) -> str:
    """What ended the game, in words; a tag [Result] that holds other words than results adds its own."""
    reason = "" if last.outcome is None else last.outcome.reason
    if result == BOTH_FORFEIT:
        reason = RESULTS.words[BOTH_FORFEIT]
    if "termination" in tags:
        reason = tags["termination"].text
    words = tags["result"].text.strip() if "result" in tags else ""
    return reason if words in RESULTS.texts or words in UNKNOWN else "; ".join(filter(None, (reason, words)))
