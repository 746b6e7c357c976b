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

import re
from collections.abc import Mapping

from boardwright._core import DraughtsPosition
from boardwright.errors import GameFileError
from boardwright.games import rulefile, tagfile
from boardwright.games.base import DRAW, ONGOING, Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts import notation
from boardwright.games.draughts.rules import RULE_SETS, WCDF, DraughtsRules
from boardwright.games.gamefile import DrawnError, GameFiles, MisreadError, Results
from boardwright.games.lines import each_move, fill
from boardwright.games.record import GameRecord, Line, outcome_of
from boardwright.games.rulefile import MAX_GAME_PLIES
from boardwright.games.tagfile import TagFile, Token

GAME_TYPE = "21,B,8,8,N1,0"
UNKNOWN_DATE = "????.??.??"  # other tags have a plain ?
LINE_LENGTH = 80
MAX_PLIES = 3 * MAX_GAME_PLIES  # of a line, those before its first position included
AS_PLAYED = DraughtsRules(name="as-played", repetition_limit=None, max_quiet_plies=None, max_plies=MAX_GAME_PLIES)
BOTH_FORFEIT = 4  # a result only PDN knows
RESULTS = Results(
    {
        "1-0": b.BLACK,
        "0-1": b.WHITE,
        "1/2-1/2": DRAW,
        "*": ONGOING,
        "0-0": BOTH_FORFEIT,
        "2-0": b.BLACK,
        "0-2": b.WHITE,
        "1-1": DRAW,  # read, but not written
    },
    ("black won", "white won", "it was a draw", "it is unfinished", "both sides forfeited"),
)
MARK = re.compile(r"\$[0-9]{1,3}|[!?]+|\([!?]+\)")


def _read_move(before: Position, token: Token) -> tuple[int, ...]:
    text = re.sub(r"\s", "", token.text).replace("X", "x")
    if before.outcome is not None:
        message = f"move {text!r}, but the game is over: {before.outcome.reason}"
        raise DrawnError.if_drawn(before.outcome, token.offset, message)
    if before.plies >= MAX_PLIES:
        raise MisreadError(token.offset, f"the game has more than {MAX_PLIES} moves")
    return before.game.parse_move(before.core, text)


PDN = TagFile(
    game="draughts",
    roster=("event", "site", "date", "round", "black", "white"),
    from_record=("result", "gametype", "rules", "ruleoptions", "setup", "fen", "termination", "resigned"),
    spelling={
        "annotator": "Annotator",
        "gametype": "GameType",
        "ruleoptions": "RuleOptions",
        "setup": "SetUp",
        "fen": "FEN",
    },
    moves=(
        r"(?P<MOVE>[0-9]{1,2}+(?:\s*+[-:xX]\s*+[0-9]{1,2}+)++(?![0-9]))"
        rf"|(?P<MARK>{MARK.pattern})|(?P<OPEN>\()|(?P<CLOSE>\))"
    ),
    read_move=_read_move,
    move_example="a move",
    joins_repeated_tags=True,
    unsupported={"/": "positions set up in the middle of a game (/FEN .../) cannot be read"},
)


def write(record: GameRecord) -> str:
    """The text of one game; raises an error for a record that contradicts itself or cannot be written."""
    if not isinstance(record.rules, DraughtsRules):
        raise GameFileError(f"a record of {record.game} cannot be written as PDN")
    start = next(record.positions())
    words, last = _words(record, start)
    RESULTS.check(record, last)
    result = RESULTS.text(record.result)
    tags = {"date": UNKNOWN_DATE, "result": result, "gametype": GAME_TYPE}
    if record.rules != WCDF:
        tags["rules"] = record.rules.name
    if record.rules != RULE_SETS.get(record.rules.name):
        tags["ruleoptions"] = rulefile.options_text(record.rules)
    if record.start is not None:
        tags |= {"setup": "1", "fen": start.text}
    reason = "" if last.outcome is None or not record.reason else last.outcome.reason
    return "\n".join([*PDN.header(record, tags, reason), "", *fill([*words, result], LINE_LENGTH)]) + "\n"


def _words(line: Line, start: Position, depth: int = 0) -> tuple[list[str], Position]:
    """A line in pieces that may stand on text lines of their own, and its last position.

    After each move come its marks, the first without a space before it if it is a strength such as ! or (?);
    then its comment, and the variations that replace it.
    """
    if depth > tagfile.MAX_DEPTH:
        raise GameFileError(f"variations are nested more than {tagfile.MAX_DEPTH} deep")
    last = start.play_all(line.actions, unit="action")
    if line.actions and last.core.continues:
        raise GameFileError("the line stops in the middle of a capture")
    if last.plies > MAX_PLIES:
        raise GameFileError(f"the line has more than {MAX_PLIES} moves")
    words, played = _remarks(line, 0), 0
    begun, ended = set[int](), {0}
    numbered = False  # whether White's next move follows a move number
    for before, hops in each_move(start, line.actions):
        number = f"{before.plies // 2 + 1}"
        prefix = f"{number}. " if before.role_to_move == b.BLACK else "" if numbered else f"{number}... "
        remarks = _remarks(line, played + len(hops))
        mark = remarks.pop(0) if remarks and remarks[0][0] in "!?(" else ""
        # The shortest text that gives back these very hops: two routes may lead to the same position.
        core = before.core_as(DraughtsPosition)
        path = notation.route_of(list(hops), core.black | core.white).path
        text = next((move.text for move in before.game.moves(core) if move.actions == hops), path)
        words += [prefix + text + mark, *remarks]
        variations = line.variations.get(played, ())
        for variation in variations:
            words += ["(", *_words(variation, before, depth + 1)[0], ")"]
        begun.add(played)
        played += len(hops)
        ended.add(played)
        numbered = not variations and not line.comments.get(played)
    for what, keys, known in (
        ("a comment", line.comments, ended),
        ("a mark", line.marks, ended),
        ("a variation", line.variations, begun),
    ):
        for key in sorted(set(keys) - known):
            raise GameFileError(f"{what} after {key} actions: the line has no whole move there")
    return words, last


def _remarks(line: Line, played: int) -> list[str]:
    """The marks and the comment after `played` actions."""
    marks, comment = line.marks.get(played, ()), line.comments.get(played)
    for mark in marks:
        if not MARK.fullmatch(mark):
            raise GameFileError(f"mark {mark!r}: expected !, ? or a number like $3")
    return [*marks, *(tagfile.comment_words(comment) if comment else ())]


def read_game(tokens: list[Token]) -> GameRecord:
    """The game of some tokens; raises MisreadError."""
    tags = PDN.tags(tokens)
    if "gametype" in tags:
        _, text, offset = tags["gametype"]
        given = [part.strip().upper() for part in text.split(",")]
        if text not in tagfile.UNKNOWN and given != GAME_TYPE.split(",")[: len(given)]:
            raise MisreadError(offset, f"game type {text!r} cannot be read, only English draughts: {GAME_TYPE!r}")
    if "rules" in tags or "ruleoptions" in tags:
        return _record(tags, tokens, PDN.rules(tags, WCDF))
    try:
        return _record(tags, tokens, WCDF)
    except DrawnError:
        return _record(tags, tokens, AS_PLAYED)


def _record(tags: Mapping[str, Token], tokens: list[Token], rules: DraughtsRules) -> GameRecord:
    fen = tags.get("fen")
    place = None if fen is None or fen.text in tagfile.UNKNOWN else fen
    start, last, claims, fields = PDN.read_game(tags, tokens, rules, place)
    # Collections have tags with other texts, "1/2" or "Black": they are no results of PDN.
    meant = ((RESULTS.texts.get(text.strip(), ONGOING), text, offset) for _, text, offset in claims)
    result = RESULTS.agree(meant, outcome_of(last, fields["resigned"]))
    return GameRecord(
        start=None if start.text == start.game.start().text else start.text,
        result=ONGOING if result == BOTH_FORFEIT else result,
        reason=_reason(tags, result, last),
        **fields,
    )


def _reason(tags: Mapping[str, Token], result: int, last: Position) -> str:
    """What ended the game, in words; a tag [Result] that holds other words than results adds its own."""
    reason = "" if last.outcome is None else last.outcome.reason
    if result == BOTH_FORFEIT:
        reason = RESULTS.words[BOTH_FORFEIT]
    if "termination" in tags:
        reason = tags["termination"].text
    words = tags["result"].text.strip() if "result" in tags else ""
    return reason if words in RESULTS.texts or words in tagfile.UNKNOWN else "; ".join(filter(None, (reason, words)))


FILES = GameFiles(write, PDN.games, lambda: read_game)
read, read_all, write_all = FILES.read, FILES.read_all, FILES.write_all
