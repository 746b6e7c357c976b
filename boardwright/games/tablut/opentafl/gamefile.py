"""Games of Tablut as OpenTafl game files.

    [boardwright-rules:saami]
    [event:Club evening]
    [result:-1]
    [termination:king escaped]
    [boardwright-options:no_move=mover-loses repetition_limit=3 count_start=true max_quiet_plies=100 max_plies=512]
    [rules:dim:9 name:saami esc:e ... start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/]

    1. e2-g2 e3-h3
    [a common opening|making room for the king]
    2. h5-h4 e4-f4
    3. i4-i3 Ke5-e3
    4. d9-c9 Ke3-a3--

`read` is the inverse of `write`: our own tags, whose names begin with `boardwright-`, carry what
the format cannot say. A file holds any number of games; `[boardwright-rules]` is the first tag of each of
ours. Files from elsewhere separate games by the tags that follow the moves; their variations are skipped.
Every move is replayed, and a result that contradicts the last position is an error.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter

import numpy as np

from boardwright._core import TablutPosition
from boardwright.errors import GameFileError
from boardwright.games import registry
from boardwright.games.base import DRAW, ONGOING, Position
from boardwright.games.gamefile import GameFiles, MisreadError, Results, misread_at
from boardwright.games.record import GameRecord, outcome_of
from boardwright.games.tablut import board as b
from boardwright.games.tablut import notation
from boardwright.games.tablut.opentafl import words
from boardwright.games.tablut.opentafl.rulerecord import check_board, options_text, read_rules, rules_record
from boardwright.games.tablut.opentafl.words import Token
from boardwright.games.tablut.rules import TablutRules

_RESULTS = Results(
    {"1": b.ATTACKERS, "0": DRAW, "-1": b.DEFENDERS, "?": ONGOING},
    ("the attackers won", "the defenders won", "it was a draw", "it is unfinished"),
)
_MARKS = {"king captured": "++", "king escaped": "--"}
_RESIGNS = "---"


def write(record: GameRecord) -> str:
    """The text of one game; raises an error for a record that contradicts itself or cannot be written."""
    if not isinstance(record.rules, TablutRules):
        raise GameFileError(f"a record of {record.game} cannot be written as an OpenTafl game")
    if record.marks or record.variations:
        raise GameFileError("OpenTafl's notation has no marks and no variations: leave them out of the record")
    moves, (last, *following) = [], record.positions()
    for action, after in zip(record.actions, following, strict=True):
        king = last.core_as(TablutPosition).board()[action // b.PLANES_PER_SQUARE] == b.KING
        mark = "" if after.outcome is None else _MARKS.get(after.outcome.reason, "")
        moves.append(("K" if king else "") + last.action_text(action) + mark)
        last = after
    if record.resigned is not None:
        moves.append(_RESIGNS)
    # Refuses what reading would not restore.
    if record.resigned is not None and (last.outcome is not None or record.resigned != last.role_to_move):
        raise GameFileError("only the side to move can resign, and only before the game is over")
    _RESULTS.check(record, last)
    for name in record.tags:
        if name in words.FROM_RECORD or words.tag_name(name) != name:
            what = "it is not a valid tag name, or is written from the record itself"
            raise GameFileError(f"tag {name!r} cannot be written: {what}")
    for ply in record.comments:
        if not 0 <= ply <= len(moves):
            raise GameFileError(f"comment on ply {ply}: the game has {len(moves)}")
    tags = {words.RULES_NAME: record.rules.name, **record.tags, "result": _RESULTS.text(record.result)}
    if record.reason:
        tags["termination"] = record.reason
    lines = [f"[{name}:{words.encode(value).replace(chr(10), '%0A')}]" for name, value in tags.items()]
    if record.comments.get(0):
        lines.append(f"[start-comment:{words.encode(record.comments[0])}]")
    if record.start is not None:
        start = registry.game(record.game, record.rules).position(record.start).text
        lines += [f"[position:{start.split()[0]}]", f"[{words.POSITION}:{start}]"]
    lines += [f"[{words.OPTIONS}:{options_text(record.rules)}]", f"[rules:{rules_record(record.rules)}]", ""]
    for half in range(0, len(moves), 2):
        lines.append(f"{half // 2 + 1}. {' '.join(moves[half : half + 2])}")
        comments = [words.encode(record.comments.get(ply, "")) for ply in (half + 1, half + 2)]
        if any(comments):
            lines.append(f"[{'|'.join(comments)}]")
    return "\n".join(lines).rstrip("\n") + "\n"


def _read_game(tokens: Iterator[Token]) -> GameRecord:
    tags, first_turn = _header(tokens)
    if "rules" not in tags:
        beginning = [*tags.values(), *first_turn][0].offset
        raise MisreadError(beginning, "the game has no rules record: it needs a tag like [rules:dim:9 start:/.../]")
    name = _value(tags, words.RULES_NAME) if words.RULES_NAME in tags else None
    with misread_at(tags["rules"].offset):
        rules = read_rules(tags["rules"].text, name, _value(tags, words.OPTIONS))
    start = _start(tags, rules)
    last, resigned, remarks = _replay(itertools.chain(first_turn, tokens), start)
    actions, outcome = tuple(last.actions()), outcome_of(last, resigned)
    claims = []
    if "result" in tags:
        text = _value(tags, "result") or "?"
        if text not in _RESULTS.texts:
            raise MisreadError(tags["result"].offset, f"result {text!r} is not one of {', '.join(_RESULTS.texts)}")
        claims = [(_RESULTS.texts[text], text, tags["result"].offset)]
    comments: dict[int, list[str]] = {}
    for ply, remark in sorted([(0, _value(tags, "start-comment")), *remarks], key=itemgetter(0)):
        if remark:  # the last move takes those on moves that were never made
            comments.setdefault(min(ply, len(actions) + (resigned is not None)), []).append(remark)
    return GameRecord(
        game="tablut",
        rules=rules,
        start=start.text if words.POSITION in tags or "position" in tags else None,
        actions=actions,
        result=_RESULTS.agree(claims, outcome),
        reason=_value(tags, "termination") or ("" if outcome is None else outcome.reason),
        resigned=resigned,
        comments={ply: "\n".join(several) for ply, several in comments.items()},
        tags={name: _value(tags, name) for name in tags if name not in words.FROM_RECORD},
    )


def _header(tokens: Iterator[Token]) -> tuple[dict[str, Token], list[Token]]:
    """The tags by name, each with its value and place, and the token after them, which begins the first turn."""
    tags: dict[str, Token] = {}
    rules: list[Token] = []  # the words of a record without a tag

    def add(name: str, value: str, offset: int) -> None:
        if name in tags:
            raise MisreadError(offset, f"the game has a second tag {name!r}")
        tags[name] = Token(value, offset)

    following: list[Token] = []
    for token in tokens:
        if token.text[0] == "[":
            inner = _inside(token)
            name, _, value = inner.partition(":")
            tag = words.tag_name(name) if ":" in inner else None
            add(*("start-comment", inner) if tag is None else (tag, value), token.offset)
        elif words.ANY_TURN.fullmatch(token.text):
            following.append(token)
            break
        elif token.text.startswith("dim:") or (rules and ":" in token.text):
            rules.append(token)
        elif token.text[0] == "/":
            add("position", *token)
        else:
            raise MisreadError(token.offset, f"expected a tag, a rules record or a turn number, not {token.text!r}")
    if rules:
        add("rules", " ".join(token.text for token in rules), rules[0].offset)
    return tags, following


def _inside(bracket: Token) -> str:
    if bracket.text[-1] != "]":
        raise MisreadError(bracket.offset, "this bracket is never closed")
    return bracket.text[1:-1]


def _value(tags: Mapping[str, Token], name: str) -> str:
    return words.decode(tags[name].text) if name in tags else ""


def _start(tags: Mapping[str, Token], rules: TablutRules) -> Position:
    game = registry.game("tablut", rules)
    name = words.POSITION if words.POSITION in tags else "position"
    if name not in tags:
        return game.start()
    fields = _value(tags, name).split()
    to_move = [rules.first[0]] if len(fields) == 1 else []  # OpenTafl gives the board alone
    with misread_at(tags[name].offset):
        check_board("position", "".join(fields[:1]))
        return game.position(" ".join(fields + to_move))


def _replay(tokens: Iterable[Token], position: Position) -> tuple[Position, int | None, list[tuple[int, str]]]:
    """The last position of a game's moves, who resigned, and all remarks with the ply they are about.

    A comment has a part for each move of its turn; one without a bar is about the move before it. A
    resignation counts as a move here.
    """
    remarks: list[tuple[int, str]] = []
    resigned: int | None = None
    halves = turn = turn_began = 0
    skipping = False
    for token in tokens:
        word, offset = token
        if words.TURN.fullmatch(word):
            skipping = False
            if turn and int(word[:-1]) != turn + 1:
                raise MisreadError(offset, f"turn {word[:-1]} follows turn {turn}")
            if turn and halves - turn_began != 2:
                raise MisreadError(offset, f"turn {turn} must have two moves before the next")
            turn, turn_began = int(word[:-1]), halves
        elif skipping or words.VARIATION.fullmatch(word):
            skipping = True
        elif word[0] == "[":
            first, bar, second = _inside(token).partition("|")
            remarks.append((turn_began + 1 if bar else halves, words.decode(first)))
            remarks.append((turn_began + 2, words.decode(second)))
        elif resigned is not None:
            raise MisreadError(offset, f"{word!r} follows a resignation")
        elif halves - turn_began == 2:
            raise MisreadError(offset, f"turn {turn} has more than two moves: {word!r}")
        else:
            halves += 1
            if word != _RESIGNS:
                position = _play(position, token)
            elif position.outcome is None:
                resigned = position.role_to_move
            else:
                raise MisreadError(offset, f"a resignation, but the game is over: {position.outcome.reason}")
    return position, resigned, remarks


def _play(position: Position, token: Token) -> Position:
    """The position after a move, which must be legal and do what its text says it does."""
    word, offset = token
    if re.match("[ncmgNCMG][a-i]|[^x]*[=^]", word[:16]):
        raise MisreadError(
            offset, f"move {word!r}: this engine has no knights or commanders, no jumps, no berserk moves"
        )
    with misread_at(offset):
        action, claimed = notation.parse_move(word)
        after = position.play(action)
    actual_text = position.action_text(action)
    actual = notation.parse_move(actual_text)[1] or frozenset()
    king = frozenset(np.flatnonzero(position.core_as(TablutPosition).board() == b.KING).tolist())
    if claimed is not None and actual not in (claimed, claimed | king):  # some name a captured king by ++ alone
        raise MisreadError(offset, f"move {word!r}: the captures are wrong, write {actual_text}")
    winner = None if after.outcome is None else after.outcome.winner
    for mark, claimed_winner in (("++", position.role_to_move), ("--", b.DEFENDERS)):
        if word.endswith(mark) and winner != claimed_winner:
            raise MisreadError(offset, f"move {word!r}: {mark} says that it wins, but under these rules it does not")
    return after


FILES = GameFiles(write, words.games, lambda: _read_game)
read, read_all, write_all = FILES.read, FILES.read_all, FILES.write_all
