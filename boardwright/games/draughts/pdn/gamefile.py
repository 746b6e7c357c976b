"""Games of English draughts as PDN, the portable draughts notation.

    [Event "Club evening"]
    [Site "?"]
    [Date "????.??.??"]
    [Round "?"]
    [Black "Berg, Ana"]
    [White "?"]
    [Result "1-0"]
    [GameType "21,B,8,8,N1,0"]

    1. 11-15 23-19 2. 8-11 22-17 {the Old Fourteenth} 3. 4-8! ( 3. 11-16? 24-20 )
    3... 25-22 1-0

**Results** are read and written by the official game type 21: the first half belongs to Black, who moves
first, so `1-0` is Black's win, as CheckerBoard writes it. (General descriptions of PDN give it to White,
as in chess.) A result that contradicts the last position, or the tag, is an error. A tag may hold any text,
as PDN recommends to readers: one that is no result says nothing about who won and is kept as the reason.

**Draws.** Players agreed to draws, or played on, under rules other than ours. A game without a tag
`[Rules]` is read under `wcdf`; if it continues where `wcdf` would have ended it as a draw, or if it was won
there, it is read under `AS_PLAYED`, where only the players end games. Results without a decided position,
by resignation or agreement, are taken as they are.

`read` is the inverse of `write`. Our tags `[Rules]`, `[RuleOptions]` and `[Resigned]` say what
PDN cannot; in comments, `}` and line breaks are written `%7D` and `%0A`. Move numbers are not checked.
"""

from collections.abc import Iterable, Iterator

from boardwright._core import DraughtsPosition
from boardwright.errors import GameFileError, IllegalMoveError
from boardwright.games import registry
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts import notation
from boardwright.games.draughts.pdn.format import GAME_TYPE, MARK, PDN, RESULTS, UNKNOWN_DATE
from boardwright.games.draughts.pdn.reading import AS_PLAYED, MAX_DEPTH, MAX_PLIES, read_game
from boardwright.games.draughts.rules import RULE_SETS, WCDF, DraughtsRules
from boardwright.games.record import GameRecord, Line
from boardwright.games.rulefile import options_text
from boardwright.games.tagfile import GameFiles, comment_words, decode

__all__ = ["AS_PLAYED", "decode", "read", "read_all", "write", "write_all"]

LINE_LENGTH = 80


def write(record: GameRecord) -> str:
    """The text of one game; raises an error for a record that contradicts itself or cannot be written."""
    if not isinstance(record.rules, DraughtsRules):
        raise GameFileError(f"a record of {record.game} cannot be written as PDN")
    game = registry.game(record.game, record.rules)
    start = game.start() if record.start is None else game.position(record.start)
    words, last = _words(record, start)
    RESULTS.check(record, last)
    PDN.check_own_tags(record.tags)
    tags = dict.fromkeys(PDN.roster, "?") | {"date": UNKNOWN_DATE}
    tags |= {"result": RESULTS.text(record.result), "gametype": GAME_TYPE}
    if record.rules != WCDF:
        tags["rules"] = record.rules.name
    if record.rules != RULE_SETS.get(record.rules.name):
        tags["ruleoptions"] = options_text(record.rules)
    if record.start is not None:
        tags |= {"setup": "1", "fen": start.text}
    if record.reason and (last.outcome is None or record.reason != last.outcome.reason):
        tags["termination"] = record.reason
    if record.resigned is not None:
        tags["resigned"] = game.roles[record.resigned]
    tags |= record.tags
    return "\n".join([*PDN.header(tags), "", *_wrap([*words, tags["result"]])]) + "\n"


def _words(line: Line, start: Position, depth: int = 0) -> tuple[list[str], Position]:
    """A line in pieces that may stand on text lines of their own, and its last position.

    After each move come its marks, the first without a blank before it if it is a strength such as ! or (?);
    then its comment, and the variations that replace it.
    """
    if depth > MAX_DEPTH:
        raise GameFileError(f"variations are nested more than {MAX_DEPTH} deep")
    words, last = _remarks(line, 0), start
    begun, ended = set[int](), {0}
    numbered = False  # whether White's next move follows a move number
    for before, after, played, hops in _whole_moves(line, start):
        number = f"{before.plies // 2 + 1}"
        prefix = f"{number}. " if before.role_to_move == b.BLACK else "" if numbered else f"{number}... "
        remarks = _remarks(line, played + len(hops))
        mark = remarks.pop(0) if remarks and remarks[0][0] in "!?(" else ""
        words += [prefix + _move_text(before, hops) + mark, *remarks]
        variations = line.variations.get(played, ())
        for variation in variations:
            words += ["(", *_words(variation, before, depth + 1)[0], ")"]
        numbered = not variations and not line.comments.get(played + len(hops))
        begun.add(played)
        ended.add(played + len(hops))
        last = after
    for what, keys, known in (
        ("a comment", line.comments, ended),
        ("a mark", line.marks, ended),
        ("a variation", line.variations, begun),
    ):
        for key in sorted(set(keys) - known):
            raise GameFileError(f"{what} after {key} actions: the line has no whole move there")
    return words, last


def _whole_moves(line: Line, position: Position) -> Iterator[tuple[Position, Position, int, tuple[int, ...]]]:
    """Every whole move of a line: the positions before and after it, the actions played before it, and its own."""
    before, played = position, 0
    for number, action in enumerate(line.actions, start=1):
        try:
            position = position.play(action)
        except IllegalMoveError as error:
            raise IllegalMoveError(f"action {number}: {error}") from None
        if not position.core.continues:
            yield before, position, played, line.actions[played:number]
            before, played = position, number
    if played < len(line.actions):
        raise GameFileError("the line stops in the middle of a capture")
    if position.plies > MAX_PLIES:
        raise GameFileError(f"the line has more than {MAX_PLIES} moves")


def _move_text(before: Position, hops: tuple[int, ...]) -> str:
    """The shortest text that gives back these very hops: two routes may lead to the same position."""
    for move in before.game.moves(before.core):
        if move.actions == hops:
            return move.text
    core = before.core_as(DraughtsPosition)
    return notation.route_of(list(hops), core.black | core.white).path


def _remarks(line: Line, played: int) -> list[str]:
    """The marks and the comment after `played` actions."""
    marks = line.marks.get(played, ())
    for mark in marks:
        if not MARK.fullmatch(mark):
            raise GameFileError(f"mark {mark!r}: expected !, ? or a number like $3")
    comment = line.comments.get(played)
    return [*marks, *(comment_words(comment) if comment else ())]


def _wrap(words: Iterable[str]) -> list[str]:
    """The words wrapped into text lines."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LINE_LENGTH:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


FILES = GameFiles(write, PDN.games, lambda: read_game)
read, read_all, write_all = FILES.read, FILES.read_all, FILES.write_all
