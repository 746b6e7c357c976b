"""PDN: what is written comes back."""

import random
import re
from dataclasses import replace

import pytest
from game_files import few
from hypothesis import given
from hypothesis import strategies as st
from made_up import rule_names
from pdn_games import BLACK, ROUTES, WHITE, comes_back, played

import boardwright
from boardwright.games.base import DRAW, ONGOING, Position
from boardwright.games.draughts import gamefile
from boardwright.games.draughts.rules import RULE_SETS, WCDF, DraughtsRules
from boardwright.games.gamefile import decode
from boardwright.games.record import GameRecord, Line

words = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('{}[]()"\\% \t\r\n;0A257D!?$*'), max_size=30)
one_line = words.map(lambda text: re.sub(r"[\r\n]", "", text))
roster = st.dictionaries(
    st.sampled_from(("event", "site", "date", "round", "black", "white", "annotator")),
    one_line.filter(lambda text: text not in ("", "?", "????.??.??")),
)
own_names = st.from_regex(r"[A-Z][A-Za-z0-9_]{0,8}", fullmatch=True)
own_tags = st.dictionaries(
    own_names.filter(lambda name: name not in ("FEN", "Site", "Date", "Rules")), one_line, max_size=3
)
marks = st.lists(st.sampled_from(("!", "?", "!?", "??", "(!)", "(?!)", "$1", "$139")), min_size=1, max_size=3).map(
    tuple
)
limits = st.none() | st.integers(1, 60)


@st.composite
def rule_sets(draw: st.DrawFn) -> DraughtsRules:
    quiet, total = draw(limits), draw(limits)
    return DraughtsRules(
        name=draw(rule_names),
        repetition_limit=draw(st.none() | st.integers(2, 5)),
        max_quiet_plies=quiet,
        man_moves_are_quiet=draw(st.booleans()),
        max_plies=80 if quiet is total is None else total,
    )


@st.composite
def lines(draw: st.DrawFn, start: Position, moves: int, depth: int = 2) -> tuple[Line, Position]:
    """A random line with comments, marks and variations wherever they may stand, and where it leads."""
    generator = random.Random(draw(st.integers(0, 2**32)))
    position, actions, begun, ended = start, [], [], [0]
    while position.outcome is None and len(begun) < moves:
        begun.append((len(actions), position))
        for action in generator.choice(position.core.routes()):
            position = position.play(action)
            actions.append(action)
        ended.append(len(actions))
    variations = {}
    if depth and begun:
        for key, before in draw(st.lists(st.sampled_from(begun), max_size=2, unique_by=lambda pair: pair[0])):
            branches = draw(st.lists(lines(before, draw(st.integers(0, 5)), depth - 1), min_size=1, max_size=2))
            variations[key] = tuple(line for line, _ in branches)
    line = Line(
        actions=tuple(actions),
        comments=draw(st.dictionaries(st.sampled_from(ended), words.filter(bool), max_size=3)),
        marks=draw(st.dictionaries(st.sampled_from(ended), marks, max_size=3)),
        variations=variations,
    )
    return line, position


@st.composite
def records(draw: st.DrawFn, rules: st.SearchStrategy[DraughtsRules]) -> GameRecord:
    """Random games: of all lengths, from the start or another position, decided, agreed, resigned or adjourned."""
    chosen = draw(rules)
    game = boardwright.game("draughts", chosen)
    start = None
    if draw(st.booleans()):
        start = played(chosen, draw(st.integers(0, 2**32)), draw(st.integers(1, 60))).text
    first = game.start() if start is None else game.position(start)
    line, last = draw(lines(first, draw(st.sampled_from((0, 1, 2, 9, 40, 300)))))
    record = replace(GameRecord.of(last, start=start), **vars(line), tags=draw(roster) | draw(own_tags))
    if last.outcome is None:
        resigned = draw(st.integers(0, 1))
        endings = ((ONGOING, "", None), (ONGOING, "adjourned", None), (DRAW, "agreed", None), (BLACK, "", None))
        endings += ((WHITE, 'on "time"', None), (1 - resigned, "", resigned), (1 - resigned, "gave up", resigned))
        result, reason, resigned = draw(st.sampled_from(endings))
        record = replace(record, result=result, reason=reason, resigned=resigned)
    return record


@few
@given(records(st.sampled_from(list(RULE_SETS.values()))))
def test_games_of_shipped_rule_sets_survive_a_round_trip(record: GameRecord) -> None:
    comes_back(record)


@few
@given(records(rule_sets()))
def test_games_of_generated_rule_sets_survive_a_round_trip(record: GameRecord) -> None:
    comes_back(record)


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), gamefile.AS_PLAYED], ids=lambda rules: rules.name)
def test_whole_games_survive_a_round_trip(rules: DraughtsRules) -> None:
    for seed in range(5):
        record = GameRecord.of(played(rules, seed, 10_000))
        assert record.result != ONGOING
        comes_back(record)


@few
@given(st.lists(records(st.just(WCDF)), max_size=4))
def test_several_games_in_a_file_survive_a_round_trip(several: list[GameRecord]) -> None:
    text = gamefile.write_all(several)
    assert gamefile.read(text) == several
    for line_end in ("\r\n", "\r"):
        assert gamefile.read_all(text.replace("\n", line_end)) == (several, [])
    assert gamefile.read(decode(text.encode())) == several


@pytest.mark.parametrize(
    "text",
    [
        *("}", "{", "{}", "%7D", "%257D", "100%", "%%20 ", "[%clk 1:20]", "; x", "%x", "*", "( 11-15 )", "1-0"),
        *(" a", "a ", "a  b", "a \n b", "\r\n", "\n\n", "a\tb", "\t", "\x0c \x0c", "x" * 200, "word " * 60),
        *('[Event "x"]', "\n[Event", '[Event "x"] ' * 20, "é ½ ★"),
    ],
)
def test_awkward_comments_survive_a_round_trip(text: str) -> None:
    record = replace(
        GameRecord.of(played(WCDF, 1, 4), comments={0: text, 2: text, 4: text}),
        variations={1: (Line(comments={0: text}),)},
    )
    comes_back(record)
    other = GameRecord.of(played(WCDF, 2, 4))
    assert gamefile.read(gamefile.write_all([record, other])) == [record, other]


@pytest.mark.parametrize(
    "text", ['"', '\\"', "\\", "\\\\", '"]', '"] [Event "', "]", " x ", "a\tb", "{", "%0A", "", "C:\\new"]
)
def test_awkward_tags_survive_a_round_trip(text: str) -> None:
    comes_back(GameRecord.of(played(WCDF, 1, 4), tags={"Source": text, "event": text or "x"}))


def test_both_routes_of_a_move_survive_a_round_trip() -> None:
    game = boardwright.game("draughts")
    for route in game.position(ROUTES).core.routes():
        position = game.position(ROUTES)
        for action in route:
            position = position.play(action)
        comes_back(GameRecord.of(position, start=ROUTES))


def test_records_with_equal_lines_are_equal_and_hash_alike() -> None:
    one, other = (
        GameRecord(game="draughts", rules=WCDF, actions=(42,), variations={0: (Line(actions=(40,)),)}) for _ in range(2)
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != replace(other, variations={})
    assert one != replace(other, marks={1: ("!",)})
