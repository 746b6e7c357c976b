"""Games of Cathedral as text: a header of tags as in PGN, then one move per line.

    [Event "Club evening"]
    [Site "?"]
    [Date "?"]
    [Round "?"]
    [Light "Berg, Ana"]
    [Dark "?"]
    [Result "*"]
    [Rules "official"]

    {Ana has the first move}
    1. light cathedral e5 r90
    2. dark castle b3 {a long wall is begun}
    3. light tower h8 r180
    *

**Moves** are numbered from 1 and say who makes them, since a side that cannot build is passed over; then
comes the move as `notation` has it. Chance moves are `chance cathedral e5`, or `chance light` where a coin
makes light the first. Numbers may be left out, but must not be wrong. A move may also stand on the line of
the previous one if it has its number.

**Comments** in braces, or from a semicolon to the end of the line, are about the move before them; in
braces they may go over several lines. In them `}` and line breaks are written `%7D` and `%0A`. A line that
begins with `%` is skipped.

**Results**: `1-0` light won, `0-1` dark won, `1/2-1/2`, and `*` for a game not over. The result ends the
game; another may follow. Every move is replayed, and a result that contradicts the last position, or the
tag, is an error. Results of games that were not played to the end are taken as they are; `[Resigned]` says
that a side gave up, `[Termination]` what else ended the game.

**Rules** are a shipped rule set, `official` if no tag names one, or one of any name with what it changes of
the official rules in `[RuleOptions "size=8 claim_cap=32"]`. `[Position]` is where the game began, if not
at the start. `read` is the inverse of `write`.
"""

import functools

from boardwright.errors import GameFileError
from boardwright.games import rulefile, tagfile
from boardwright.games.base import CHANCE, DRAW, ONGOING, Position
from boardwright.games.cathedral.rules import DARK, LIGHT, RULE_SETS, CathedralRules
from boardwright.games.gamefile import GameFiles, MisreadError, Results
from boardwright.games.record import GameRecord, outcome_of
from boardwright.games.tagfile import TagFile, Token

MAX_MOVES = 4096  # of a game; random ones have up to thirty
MAX_RULE_SETS = 64  # different ones in a file: each takes some time to prepare
RESULTS = Results(
    {"1-0": LIGHT, "0-1": DARK, "1/2-1/2": DRAW, "*": ONGOING},
    ("light won", "dark won", "it was a draw", "it is unfinished"),
)
_LETTER = r"[^\W\d_]"


def _read_move(position: Position, token: Token) -> tuple[int, ...]:
    """The actions of a move, which must be made by the side that it names."""
    side, *words = token.text.lower().split()
    number = len(position.actions()) + 1
    if side not in (*position.game.roles, "chance"):
        raise MisreadError(token.offset, f"expected light, dark or chance before the move, not {side[:40]!r}")
    if position.outcome is not None:
        raise MisreadError(token.offset, f"move {number}, but the game is over: {position.outcome.reason}")
    if number > MAX_MOVES:
        raise MisreadError(token.offset, f"the game has more than {MAX_MOVES} moves")
    if side != _mover(position):
        raise MisreadError(token.offset, f"move {number} is made by {side}, but {_mover(position)} is to move")
    return position.game.parse_move(position.core, " ".join(words))


FORMAT = TagFile(
    game="cathedral",
    roster=("event", "site", "date", "round", "light", "dark"),
    from_record=("result", "rules", "ruleoptions", "position", "termination", "resigned"),
    spelling={"annotator": "Annotator", "ruleoptions": "RuleOptions"},
    # All words of a move are on one line and begin with a letter.
    moves=rf"(?P<MOVE>(?={_LETTER}){tagfile.WORD}(?:[^\S\n]++(?={_LETTER}){tagfile.WORD})*+)",
    read_move=_read_move,
    move_example="a move like 'dark castle b3 r90'",
    checks_numbers=True,
)


def write(record: GameRecord) -> str:
    """The text of one game; raises an error for a record that contradicts itself or cannot be written."""
    if not isinstance(record.rules, CathedralRules):
        raise GameFileError(f"a record of {record.game} cannot be written as a game of Cathedral")
    if record.marks or record.variations:
        raise GameFileError("a game of Cathedral has no marks and no variations: leave them out of the record")
    if len(record.actions) > MAX_MOVES:
        raise GameFileError(f"the game has more than {MAX_MOVES} moves")
    comments = {number: " ".join(tagfile.comment_words(text)) for number, text in record.comments.items() if text}
    for number in sorted(set(comments) - set(range(len(record.actions) + 1))):
        raise GameFileError(f"a comment after {number} moves: the game has {len(record.actions)}")
    lines = [comments[0]] if 0 in comments else []
    *before, last = record.positions()
    for number, (action, position) in enumerate(zip(record.actions, before, strict=True), start=1):
        comment = f" {comments[number]}" if number in comments else ""
        lines.append(f"{number}. {_mover(position)} {position.action_text(action)}{comment}")
    RESULTS.check(record, last)
    tags = {"result": RESULTS.text(record.result), "rules": record.rules.name}
    if record.rules != RULE_SETS.get(record.rules.name):
        tags["ruleoptions"] = rulefile.options_text(record.rules)
        FORMAT.custom_rules(tags["rules"], tags["ruleoptions"])  # raises the same errors as reading
    if record.start is not None:
        tags["position"] = [*before, last][0].text
    return "\n".join([*FORMAT.header(record, tags, _reason(last)), "", *lines, tags["result"]]) + "\n"


def _mover(position: Position) -> str:
    return "chance" if position.role_to_move == CHANCE else position.game.roles[position.role_to_move]


def _reason(last: Position) -> str:
    return "" if last.outcome is None else last.outcome.reason


def _read_game(tokens: list[Token], rule_sets: set[CathedralRules]) -> GameRecord:
    """The game of some tokens; adds its rules to those of the file."""
    tags = FORMAT.tags(tokens)
    rules = FORMAT.rules(tags, RULE_SETS["official"])
    if rules not in rule_sets and len(rule_sets) == MAX_RULE_SETS:
        place = tags["rules"] if "rules" in tags else tokens[0]
        raise MisreadError(place.offset, f"the file has games of more than {MAX_RULE_SETS} rule sets")
    rule_sets.add(rules)
    start, last, claims, fields = FORMAT.read_game(tags, tokens, rules, tags.get("position"))
    for _, text, offset in claims:
        if text not in RESULTS.texts and text not in tagfile.UNKNOWN:
            raise MisreadError(offset, f"result {text[:40]!r} is not one of {', '.join(RESULTS.texts)}")
    meant = ((RESULTS.texts.get(text, ONGOING), text, offset) for _, text, offset in claims)
    return GameRecord(
        start=start.text if "position" in tags else None,
        result=RESULTS.agree(meant, outcome_of(last, fields["resigned"])),
        reason=tags["termination"].text if "termination" in tags else _reason(last),
        **fields,
    )


FILES = GameFiles(write, FORMAT.games, lambda: functools.partial(_read_game, rule_sets=set()))
read, read_all, write_all = FILES.read, FILES.read_all, FILES.write_all
