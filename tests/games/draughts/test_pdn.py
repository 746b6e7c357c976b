"""PDN: what is written comes back, what collections hold is understood, what cannot be is refused where it stands."""

import random
import re
import textwrap
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_up import rule_names

import boardwright
from boardwright.errors import GameFileError, IllegalMoveError
from boardwright.games import tagfile
from boardwright.games.base import DRAW, ONGOING, Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts import pdn
from boardwright.games.draughts.pdn_reading import MAX_DEPTH
from boardwright.games.draughts.rules import RULE_SETS, WCDF, DraughtsRules
from boardwright.games.record import GameRecord, Line

BLACK, WHITE = b.BLACK, b.WHITE
PAPER = RULE_SETS["paper"]
BLACK_WINS = '[FEN "B:W18:B14"]\n1. 14x23'
WHITE_WINS = '[FEN "W:W18:B14"]\n1... 18x9'
ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK2"
few = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=40)


def moves_of(record: GameRecord) -> list[str]:
    """The whole moves of a game, as the game's own text has them."""
    texts, position, hops = [], next(record.positions()), ()
    after = position
    for action in record.actions:
        hops, after = (*hops, action), after.play(action)
        if not after.core.continuing:  # type: ignore[attr-defined]
            texts.append(next(move.text for move in position.game.moves(position.core) if move.actions == hops))
            position, hops = after, ()
    return texts


def one(text: str) -> GameRecord:
    (record,) = pdn.read(text)
    return record


def error_of(text: str) -> str:
    with pytest.raises(GameFileError) as caught:
        pdn.read(text)
    return str(caught.value)


def actions_of(moves: str, start: str | None = None) -> tuple[int, ...]:
    game = boardwright.game("draughts")
    position = game.start() if start is None else game.position(start)
    for move in moves.split():
        position = position.play(move)
    return tuple(position.actions())


def played(rules: DraughtsRules, seed: int, moves: int, start: str | None = None) -> Position:
    """A random game of at most so many whole moves, any of several routes taken where they lead to the same."""
    game = boardwright.game("draughts", rules)
    position, generator = game.start() if start is None else game.position(start), random.Random(seed)
    while position.outcome is None and moves > 0:
        for action in generator.choice(position.core.routes()):
            position = position.play(action)
        moves -= 1
    return position


# Round trips

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


def comes_back(record: GameRecord) -> None:
    text = pdn.write(record)
    assert pdn.read(text) == [record]
    assert pdn.write(one(text)) == text


@few
@given(records(st.sampled_from(list(RULE_SETS.values()))))
def test_games_of_the_shipped_rule_sets_come_back(record: GameRecord) -> None:
    comes_back(record)


@few
@given(records(rule_sets()))
def test_games_of_made_up_rule_sets_come_back(record: GameRecord) -> None:
    comes_back(record)


@pytest.mark.parametrize("rules", [*RULE_SETS.values(), pdn.AS_PLAYED], ids=lambda rules: rules.name)
def test_whole_games_come_back(rules: DraughtsRules) -> None:
    for seed in range(5):
        record = GameRecord.of(played(rules, seed, 10_000))
        assert record.result != ONGOING
        comes_back(record)


@few
@given(st.lists(records(st.just(WCDF)), max_size=4))
def test_several_games_in_a_file_come_back(several: list[GameRecord]) -> None:
    text = pdn.write_all(several)
    assert pdn.read(text) == several
    for line_end in ("\r\n", "\r"):
        assert pdn.read_all(text.replace("\n", line_end)) == (several, [])
    assert pdn.read(pdn.decode(text.encode())) == several


@pytest.mark.parametrize(
    "text",
    [
        *("}", "{", "{}", "%7D", "%257D", "100%", "%%20 ", "[%clk 1:20]", "; x", "%x", "*", "( 11-15 )", "1-0"),
        *(" a", "a ", "a  b", "a \n b", "\r\n", "\n\n", "a\tb", "\t", "\x0c \x0c", "x" * 200, "word " * 60),
        *('[Event "x"]', "\n[Event", '[Event "x"] ' * 20, "é ½ ★"),
    ],
)
def test_awkward_comments_come_back(text: str) -> None:
    record = replace(
        GameRecord.of(played(WCDF, 1, 4), comments={0: text, 2: text, 4: text}),
        variations={1: (Line(comments={0: text}),)},
    )
    comes_back(record)
    other = GameRecord.of(played(WCDF, 2, 4))
    assert pdn.read(pdn.write_all([record, other])) == [record, other]


@pytest.mark.parametrize(
    "text", ['"', '\\"', "\\", "\\\\", '"]', '"] [Event "', "]", " x ", "a\tb", "{", "%0A", "", "C:\\new"]
)
def test_awkward_tags_come_back(text: str) -> None:
    comes_back(GameRecord.of(played(WCDF, 1, 4), tags={"Source": text, "event": text or "x"}))


def test_both_routes_of_a_move_come_back() -> None:
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


# What is written


def test_the_text_of_a_game() -> None:
    position = boardwright.game("draughts").start()
    for move in ("11-15", "23-19", "8-11", "22-17", "4-8"):
        position = position.play(move)
    answer = actions_of("11-15 23-19 8-11 22-17 11-16 24-20")[4:]
    record = replace(
        GameRecord.of(position, tags={"event": 'The "Big" One', "black": "Berg, Ana", "Opening": "Old 14th"}),
        result=BLACK,
        reason="White is late",
        resigned=WHITE,
        comments={0: "Club evening.", 4: "an old {opening}", 5: "two\nlines"},
        marks={1: ("!", "$10"), 5: ("$3", "?")},
        variations={4: (Line(actions=answer, comments={0: "or", 1: "then"}, marks={2: ("?!",)}), Line())},
    )
    assert pdn.write(record) == textwrap.dedent(
        """\
        [Event "The \\"Big\\" One"]
        [Site "?"]
        [Date "????.??.??"]
        [Round "?"]
        [Black "Berg, Ana"]
        [White "?"]
        [Result "1-0"]
        [GameType "21,B,8,8,N1,0"]
        [Termination "White is late"]
        [Resigned "white"]
        [Opening "Old 14th"]

        {Club evening.} 1. 11-15! $10 23-19 2. 8-11 22-17 {an old {opening%7D} 3. 4-8 $3
        ? {two%0Alines} ( {or} 3. 11-16 {then} 3... 24-20?! ) ( ) 1-0
        """
    )
    comes_back(record)


def test_strengths_are_written_without_a_blank_before_them() -> None:
    game = "1. 11-15 22-18(?) 2. 15x22(!) 25x18! *"
    for text in (game, game.replace("(", " ("), game.replace("(", "\n(")):
        record = one(text)
        assert record.marks == {2: ("(?)",), 3: ("(!)",), 4: ("!",)}
        assert pdn.write(record).endswith(f"\n\n{game}\n")
    several = one("1. 11-15 $1 (?) 22-18 (?!) $2 {so} (2... 23-19 (?)) *")
    assert pdn.write(several).endswith("\n\n1. 11-15 $1 (?) 22-18(?!) $2 {so} ( 1... 23-19(?) ) *\n")


def test_what_is_not_known_is_written_as_the_standard_has_it() -> None:
    record = GameRecord.of(played(WCDF, 1, 1))
    header = pdn.write(record).partition("[Result")[0]
    assert header == '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "?"]\n[White "?"]\n'
    assert '[Date "1950.??.??"]\n' in pdn.write(replace(record, tags={"date": "1950.??.??"}))
    for date in ("", "?", "????.??.??"):
        assert one(f'[Date "{date}"]\n1. 11-15 *').tags == {}


@pytest.mark.parametrize(
    ("rules", "written"),
    [
        (WCDF, []),
        (PAPER, ['[Rules "paper"]']),
        (pdn.AS_PLAYED, ['[Rules "as-played"]', "repetition_limit=none max_quiet_plies=none max_plies=4096"]),
        (replace(WCDF, name="mine"), ['[Rules "mine"]', '[RuleOptions ""]']),
        (replace(WCDF, max_plies=7), ['[Rules "wcdf"]', '[RuleOptions "max_plies=7"]']),
        (replace(PAPER, name="x", max_plies=None), ['[RuleOptions "max_quiet_plies=40 man_moves_are_quiet=true"]']),
    ],
)
def test_rules_are_written_where_they_are_not_the_default(rules: DraughtsRules, written: list[str]) -> None:
    text = pdn.write(GameRecord.of(played(rules, 1, 3)))
    assert ("Rule" in text) == bool(written)
    for tag in written:
        assert tag in text
    assert one(text).rules == rules


def test_a_position_to_begin_from() -> None:
    start = "W:W18,22:B3,14:H2:F12"
    text = pdn.write(GameRecord.of(played(WCDF, 0, 2, start), start=start))
    assert f'[SetUp "1"]\n[FEN "{start}"]' in text
    assert text.splitlines()[-1].startswith("12... 18x9 13. ")
    assert one(text).start == start


def test_captures_are_written_in_full_only_where_they_must_be() -> None:
    for move in boardwright.game("draughts").position(ROUTES).moves():
        record = GameRecord.of(boardwright.game("draughts").position(ROUTES).play(move), start=ROUTES)
        assert f"1. {move} " in pdn.write(record)
        assert move.count("x") > 1
    short = GameRecord.of(boardwright.game("draughts").position("B:W7,15:B2").play("2x11x18"), start="B:W7,15:B2")
    assert "1. 2x18 " in pdn.write(short)


def test_no_line_is_longer_than_80_unless_a_word_is() -> None:
    for seed in range(5):
        record = GameRecord.of(played(WCDF, seed, 300), comments={0: "some words of a remark " * 20})
        lines_of_moves = pdn.write(record).partition("\n\n")[2].splitlines()
        assert max(map(len, lines_of_moves)) <= 80
        assert min(map(len, lines_of_moves[:-1])) > 60


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rules": object()}, "a record of draughts cannot be written as PDN"),
        ({"result": DRAW, "resigned": WHITE}, "result 1/2-1/2 says that it was a draw, but black won"),
        ({"tags": {"result": "1"}}, "tag 'result' cannot be written"),
        ({"tags": {"a b": "1"}}, "tag 'a b' cannot be written"),
        ({"tags": {"Event": "1"}}, "tag 'Event' cannot be written"),
        ({"tags": {"FEN": "1"}}, "tag 'FEN' cannot be written"),
        ({"tags": {"": "1"}}, "tag '' cannot be written"),
        ({"tags": {"event": "?"}}, "tag 'event': '?' stands for what is not known"),
        ({"tags": {"event": "a\nb"}}, "tag 'event' cannot be written: its value has more than one line"),
        ({"reason": "a\rb"}, "tag 'termination' cannot be written"),
        ({"comments": {1: "x"}}, "a comment after 1 actions: the line has no whole move there"),
        ({"comments": {4: "x"}}, "a comment after 4 actions"),
        ({"marks": {-1: ("!",)}}, "a mark after -1 actions"),
        ({"marks": {0: ("good",)}}, "mark 'good': expected !, ? or a number like $3"),
        ({"variations": {1: (Line(),)}}, "a variation after 1 actions"),
        ({"variations": {3: (Line(),)}}, "a variation after 3 actions"),
        ({"actions": actions_of("2x11x18", "B:W7,15,30:B2")[:1]}, "the line stops in the middle of a capture"),
    ],
)
def test_records_that_would_not_come_back_are_not_written(changes: dict, complaint: str) -> None:
    start = "B:W7,15,30:B2"
    position = boardwright.game("draughts").position(start).play("2x18").play("30-26")
    record = GameRecord.of(position, start=start)
    assert len(record.actions) == 3
    with pytest.raises(GameFileError, match=re.escape(complaint)):
        pdn.write(replace(record, **changes))


def test_an_illegal_record_is_not_written() -> None:
    record = GameRecord.of(played(WCDF, 1, 1))
    with pytest.raises(IllegalMoveError, match="action 2: "):
        pdn.write(replace(record, actions=record.actions * 2))
    with pytest.raises(IllegalMoveError, match="action 1: "):
        pdn.write(replace(record, variations={0: (Line(actions=(0,)),)}))
    over = GameRecord.of(played(WCDF, 3, 1000))
    with pytest.raises(GameFileError, match="says that it goes on, but"):
        pdn.write(replace(over, result=ONGOING))
    with pytest.raises(GameFileError, match="a resignation, but the game is over"):
        pdn.write(replace(over, resigned=1 - over.result % 2))


def test_variations_may_be_nested_so_deep_and_no_deeper() -> None:
    record = GameRecord.of(played(WCDF, 1, 1))
    line = Line(actions=record.actions)
    for _ in range(MAX_DEPTH - 1):
        line = Line(actions=record.actions, variations={0: (line,)})
    comes_back(replace(record, variations={0: (line,)}))
    deeper = Line(actions=record.actions, variations={0: (line,)})
    with pytest.raises(GameFileError, match=f"nested more than {MAX_DEPTH} deep"):
        pdn.write(replace(record, variations={0: (deeper,)}))


# What is read

FOREIGN = """\ufeff% written by hand
; an old collection
[Event "Ohio "State" Ty \\"46\\""]\r
[ Black  "Tinsley, M." ]
[White "Rex"] [Result "1/2-1/2"]
[Annotator "C:\\games"]
[EVENT "a second event"]
[FEN ""] [Date "????.??.??"] [Round "?"]
[GameType "21"]
1.11-15 {the
   best   move} 23-18! 2. 8 - 11
27-23 $3 (?) ; why
( 2... 26-23 { or } 3.4-8 (3. 9-14 18x9 5x14 1/2-1/2) 3... 30-26) {indeed}
% 2... 99-99
3... 4-8 4. ... 23:19
10x14 19x10 14-23 06. 26X19 7x
14 1-1
{after all}
"""


def test_what_collections_contain() -> None:
    record = one(FOREIGN)
    assert moves_of(record) == [
        *("11-15", "23-18", "8-11", "27-23", "4-8", "23-19"),
        *("10-14", "19x10", "14x23", "26x19", "7x14"),
    ]
    assert record.tags == {
        "event": 'Ohio "State" Ty "46"; a second event',
        "black": "Tinsley, M.",
        "white": "Rex",
        "annotator": "C:\\games",
    }
    assert (record.rules, record.start, record.result, record.reason) == (WCDF, None, DRAW, "")
    assert record.comments == {0: "an old collection", 1: "the best   move", 4: "why\nindeed", 11: "after all"}
    assert record.marks == {2: ("!",), 4: ("$3", "(?)")}
    ((variation,),) = record.variations.values()
    assert list(record.variations) == [3]
    assert variation.actions == actions_of("11-15 23-18 8-11 26-23 4-8 30-26")[3:]
    assert variation.comments == {1: "or"}
    ((inner,),) = variation.variations.values()
    assert list(variation.variations) == [1]
    assert inner.actions == actions_of("11-15 23-18 8-11 26-23 9-14 18x9 5x14")[4:]
    assert inner.comments == {3: "1/2-1/2"}
    comes_back(record)


@pytest.mark.parametrize(
    ("text", "result"),
    [("1-0", BLACK), ("0-1", WHITE), ("1/2-1/2", DRAW), ("2-0", BLACK), ("0-2", WHITE), ("1-1", DRAW), ("*", ONGOING)],
)
def test_results(text: str, result: int) -> None:
    for game in (f"1. 11-15 {text}", f'[Result "{text}"]\n1. 11-15 *', f'[Result "{text}"]\n1. 11-15 {text}'):
        record = one(game)
        assert (record.result, len(record.actions)) == (result, 1)
    assert one(f'[Result "{text}"]\n1. 11-15').result == result
    assert one(f'[Result "*"]\n1. 11-15 {text}').result == result
    assert one(f'[Result "?"]\n1. 11-15 * {text}').result == result


@pytest.mark.parametrize("text", ["1/2", "Black", "1 1/2 - 1/2", "-", "0-1-0", 'a "draw"'])
def test_a_tag_that_is_no_result_loses_neither_game_nor_text(text: str) -> None:
    tag = f'[Result "{text}"]\n'
    for game, result, reason in (
        (f"{tag}1. 11-15", ONGOING, text),
        (f"{tag}1. 11-15 *", ONGOING, text),
        (f"{tag}1. 11-15 1/2-1/2", DRAW, text),
        (f"{tag}1. 11-15 0-1", WHITE, text),
        (f'{tag}[Termination "time"]\n1. 11-15 0-1', WHITE, f"time; {text}"),
        (f"{tag}1. 11-15 0-0", ONGOING, f"both sides forfeited; {text}"),
        (f'{tag}[Resigned "White"]\n1. 11-15', BLACK, text),
        (tag + BLACK_WINS, BLACK, f"no legal move; {text}"),
        (f"{tag}{WHITE_WINS} 0-1", WHITE, f"no legal move; {text}"),
        (f"{tag}{KINGS}{SHUFFLE * 2}", DRAW, f"repetition; {text}"),
    ):
        record = one(game)
        assert (record.result, record.reason) == (result, reason), game
        comes_back(record)
    assert "but black won" in error_of(f"{tag}{BLACK_WINS} 0-1")


def test_both_sides_may_forfeit() -> None:
    record = one('[Result "0-0"]\n1. 11-15 0-0')
    assert (record.result, record.reason) == (ONGOING, "both sides forfeited")
    comes_back(record)


def test_the_first_half_of_a_result_is_blacks() -> None:
    for text, winner in ((BLACK_WINS, BLACK), (WHITE_WINS, WHITE)):
        right, wrong = ("1-0", "0-1") if winner == BLACK else ("0-1", "1-0")
        for game in (text, f"{text} *", f"{text} {right}", f'[Result "{right}"]{text}'):
            record = one(game)
            assert (record.result, record.reason) == (winner, "no legal move")
            comes_back(record)
        sides = ("black", "white")
        complaint = f"result {wrong} says that {sides[1 - winner]} won, but {sides[winner]} won: no legal move"
        assert error_of(f'[Result "{wrong}"]\n{text}') == f"line 1, column 1: {complaint}"
        assert error_of(f"{text} {wrong}").startswith(f"line 2, column {len(text.splitlines()[1]) + 2}: {complaint}")
        for other in ("1/2-1/2", "0-0"):
            assert "but " + sides[winner] in error_of(f"{text} {other}")


def test_a_result_after_the_moves_must_not_contradict_the_tag() -> None:
    message = error_of('[Event "x"]\n[Result "1-0"]\n\n1. 11-15 0-1\n')
    assert message == "line 4, column 10: result 0-1 contradicts 1-0 before it"
    assert "contradicts" in error_of('[Result "1-0"]\n\n1. 11-15 1-0 1/2-1/2\n')


SHUFFLE = "1-5 32-28 5-1 28-32 "
KINGS = '[FEN "B:WK32:BK1"]\n'


def test_games_may_go_on_after_our_draws() -> None:
    drawn = one(KINGS + SHUFFLE * 2)
    assert (drawn.rules, drawn.result, drawn.reason) == (WCDF, DRAW, "repetition")
    longer = one(f"{KINGS} {SHUFFLE * 2} 1-6 1/2-1/2")
    assert (longer.rules, longer.result, longer.reason) == (pdn.AS_PLAYED, DRAW, "")
    assert len(longer.actions) == 9
    won = one(f"{KINGS} {SHUFFLE * 2} 0-1")
    assert (won.rules, won.result) == (pdn.AS_PLAYED, WHITE)
    resigned = one(f'[Resigned "Black"] {KINGS} {SHUFFLE * 2} 0-1')
    assert (resigned.rules, resigned.result, resigned.resigned) == (pdn.AS_PLAYED, WHITE, BLACK)
    inactive = one(f'[FEN "B:WK32:BK1:H80:F99"]\n{SHUFFLE}')
    assert (inactive.rules, len(inactive.actions)) == (pdn.AS_PLAYED, 4)
    in_a_variation = one(f"{KINGS} 1-5 (1-6 32-28 6-1 28-32 {SHUFFLE * 3}) 32-28")
    assert in_a_variation.rules == pdn.AS_PLAYED
    for record in (drawn, longer, won, resigned, inactive, in_a_variation):
        comes_back(record)


def test_games_may_not_go_on_after_draws_by_the_rules_they_name() -> None:
    tagged = f'[Rules "wcdf"]\n{KINGS}'
    assert one(tagged + SHUFFLE * 2).result == DRAW
    assert "move '1-6', but the game is over: repetition" in error_of(f"{tagged} {SHUFFLE * 2} 1-6")
    assert "result 0-1 says that white won, but it was a draw: repetition" in error_of(f"{tagged} {SHUFFLE * 2} 0-1")
    assert "the game is over: ply limit" in error_of(f"{KINGS} {'1-5 32-28 5-1 28-32 ' * 1024} 1-5")
    assert len(one(f"{KINGS} {SHUFFLE * 1024}").actions) == 4096


def test_no_line_is_longer_than_can_be_held() -> None:
    rules = '[RuleOptions "repetition_limit=none max_quiet_plies=4096"]'
    wandering = '[FEN "B:WK32,12:BK1,5:F4096"]\n'
    shuffles = SHUFFLE.replace("5", "6") * 1020
    text = f"{rules}{wandering}{shuffles}"
    assert len(one(text).actions) == 4080
    assert "the game has more than 12288 moves" in error_of(f"{text} 1-6 12-8 6-1 8-4 {shuffles}")


@pytest.mark.parametrize("text", ["21", "21,B", "21,b,8,8,n1,0", "21, B, 8, 8, N1, 0", "", "?"])
def test_game_types_that_are_ours(text: str) -> None:
    assert moves_of(one(f'[GameType "{text}"]\n1. 11-15 *')) == ["11-15"]


@pytest.mark.parametrize(
    "text", ["20", "20,W,10,10,N2,0", "25", "1", "21,W,8,8,N1,0", "21,B,8,8,A0,0", "21,B,8,8,N1,0,x", "x"]
)
def test_game_types_that_are_not(text: str) -> None:
    message = error_of(f'[Event "x"]\n[GameType "{text}"]\n1. 11-15 *')
    assert message.startswith(f"line 2, column 1: game type {text!r} cannot be read, only English draughts")


def test_positions_to_begin_from() -> None:
    for fen in ("B:W21-32:B1-12", "B:W18:B14.", "W:B14:W18:H3:F7", "B:WK29-32:B1-4"):
        record = one(f'[SetUp "1"]\n[Fen "{fen}"]\n*')
        game = boardwright.game("draughts")
        assert record.start == (None if "21-32" in fen else game.position(fen).text)
    assert one('[FEN "W:W18:B14"] 1. 18x9').actions == one('[FEN "W:W18:B14"] 1... 18x9').actions
    assert error_of('[Event "x"] [FEN "W:W18:B18"]').startswith("line 1, column 13: position 'W:W18:B18': square 18 is")


def test_latin_1_files_and_byte_order_marks() -> None:
    game = '[Event "Café"]\n1. 11-15 *'
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        assert one(pdn.decode(game.encode(encoding))).tags == {"event": "Café"}


# Several games


def test_where_games_part() -> None:
    for text, lengths in {
        "1. 11-15 1-0 1. 11-16 23-19 *": [1, 2],
        "11-15 * 11-16 23-19": [1, 2],
        '[Event "a"]\n1. 11-15\n[Event "b"]\n1. 11-16 23-19': [1, 2],
        '[Event "a"]\n[Round "1"]\n\n[Event "b"]\n[Round "2"]\n\n1. 11-15 *': [0, 1],
        '[Event "a"]\n*\n[Event "b"]\n*\n': [0, 0],
        '[Event "a"]\n1. 11-15 (11-16 1-0) 23-19 *': [2],
        "1. 11-15 * 1-0 {so} {it was}": [1],
        "*": [0],
        "": [],
        " \n\t": [],
        "{only words} ; of no game\n% nor here": [],
    }.items():
        records = pdn.read(text)
        assert [len(record.actions) for record in records] == lengths, text
    first, second = pdn.read('[Event "a"]\n11-15 1-0 {end of a}\n\n[Event "b"] {start of b} 11-16 0-1')
    assert (first.comments, first.result, second.comments, second.result) == (
        {1: "end of a"},
        BLACK,
        {0: "start of b"},
        WHITE,
    )


def test_bad_games_leave_the_others() -> None:
    comments = {0: "closed"}
    good = [GameRecord.of(played(WCDF, n, 9), tags={"event": str(n)}, comments=comments) for n in range(3)]
    texts = [pdn.write(record) for record in good]
    for bad in (
        '[Event "bad"]\n\n1. 11-14 *\n',
        '[Event "bad"]\n\n1. 11-15 {never closed 23-19 *\n',
        '[Event "bad"]\n\n1. 11-15 (11-16 23-19 *\n',
        '[Event "bad"]\n\n1. 11-15 (11-16 (9-13 (9-14 23-19 1-0\n',
        '[Event "bad"]\n\n1. 11-15 11-16) 23-19 *\n',
        '[Event "bad\n[Site "?"]\n\n1. 11-15 *\n',
        '[Event "bad"]\n[GameType "20"]\n\n1. 32-28 *\n',
        '[Event "bad"]\n[FEN "nonsense"]\n\n1. 32-28 *\n',
        '[Event "bad"]\n[Result "1-0"]\n\n1. 11-15 0-1\n',
        "what is this?\n",
    ):
        for before in range(4):
            records, errors = pdn.read_all("\n".join((*texts[:before], bad, *texts[before:])))
            assert records == good, bad
            assert len(errors) == 1, bad
            line = int(re.match(r"line (\d+), ", str(errors[0]))[1])  # type: ignore[index]
            first = sum(text.count("\n") + 1 for text in texts[:before])
            assert first < line <= first + bad.count("\n"), bad


OLD_GAME = '1. 11-15 {old game:\n[Event "z"]\n1. 9-13 } 23-19 *\n'


def test_comments_may_hold_lines_that_look_like_tags() -> None:
    record = one(OLD_GAME)
    assert moves_of(record) == ["11-15", "23-19"]
    assert record.comments == {1: 'old game: [Event "z"] 1. 9-13'}
    comes_back(record)
    two_tags = one('1. 11-15 {[Event "x"]\n[Event "y"]\n\n[Site "z"]} 23-19 *')
    assert (len(two_tags.actions), two_tags.comments) == (2, {1: '[Event "x"] [Event "y"] [Site "z"]'})
    after = '\n[Event "b"]\n1. 11-16 {and {so} 24-20 *\n'
    records = pdn.read(after + OLD_GAME + after + OLD_GAME + OLD_GAME + after)
    comments = [{1: "and {so"}, *[record.comments] * 2, {1: "and {so"}]
    assert [game.comments for game in records] == [*comments[:2], comments[0], *comments[1:]]
    assert [len(game.actions) for game in records] == [2] * 6


def test_a_comment_that_is_never_closed_does_not_end_with_that_of_another_game() -> None:
    plain = '[Event "plain"]\n1. 11-16 24-20 *\n'
    with_comment = '[Event "b"]\n1. 11-16 {closed} 24-20 *\n'
    for bad in ('[Event "bad"]\n1. 11-15 {open 23-19 *\n', '[Event "bad"]\n1. 11-15 {open {again 23-19 *\n'):
        for others in (plain, with_comment, plain + plain + with_comment, with_comment + OLD_GAME):
            records, errors = pdn.read_all(bad + others)
            assert records == pdn.read(others)
            assert [str(error) for error in errors] == ["line 2, column 10: this comment is never closed"]


def test_every_error_names_its_place() -> None:
    _, errors = pdn.read_all("\n1. 11-14 * 1. 11-13 *\n\n  x")
    assert [str(error).partition(": ")[0] for error in errors] == [
        "line 2, column 4",
        "line 2, column 15",
        "line 4, column 3",
    ]


@pytest.mark.parametrize(
    ("moves", "place", "complaint"),
    [
        ("1. 11-14", "line 3, column 4", "move '11-14': the piece on 11 can only play 11-15, 11-16"),
        ("1. 11-15\n  22-18 15-19", "line 4, column 9", "the piece on 15 can only play 15x22"),
        ("1. 11-15 22-18\n2. 8-11", "line 4, column 4", "a capture is forced: 15x22"),
        ("1. 11-155", "line 3, column 4", "expected a move, a comment or a result, not '11-155'"),
        ("1. b6-a5", "line 3, column 4", "expected a move"),
        ("1. 11 15", "line 3, column 4", "expected a move, a comment or a result, not '11'"),
        ("1. 11-", "line 3, column 4", "expected a move"),
        ("1. 11-15 ]", "line 3, column 10", "expected a move, a comment or a result, not ']'"),
        ("1. 11-15 }", "line 3, column 10", "expected a move"),
        ("1. 11-15 [x]", "line 3, column 10", "expected a tag like [Event \"Club evening\"], not '[x]'"),
        ("1. 11-15 /FEN \"B:W18:B14\"/", "line 3, column 10", "positions set up in the middle of a game"),
        ("1. 11-15 {open", "line 3, column 10", "this comment is never closed"),
        ("1. 11-15 (1. 11-16", "line 3, column 10", "this variation is never closed"),
        ("1. 11-15 (1. 11-16 (1. 9-13)", "line 3, column 10", "this variation is never closed"),
        ("1. 11-15 (1. 11-16 (1. 9-13", "line 3, column 20", "this variation is never closed"),
        ("(1. 11-16) 11-15", "line 3, column 1", "a variation must follow the move that it replaces"),
        ("1. 11-15 ((11-16))", "line 3, column 11", "a variation must follow the move that it replaces"),
        ("1. 11-15 )", "line 3, column 10", "there is no variation to close here"),
        ("1. 11-15 (1. 11-14) 23-19", "line 3, column 14", "move '11-14': "),
        ("1. 11-15 (1... 23-19)", "line 3, column 16", "no piece of the side to move can leave square 23"),
        ("1. " + "11-15-" * 200 + "1", "line 3, column 4", "..."),
        ("1. 11-15\x1b[2J", "line 3, column 9", "expected a move"),
        ("1. 11-15 1/2", "line 3, column 10", "not '1/2'"),
    ],
)  # fmt: skip
def test_moves_that_cannot_be_read(moves: str, place: str, complaint: str) -> None:
    _, errors = pdn.read_all(f'[Event "x"]\n\n{moves}\n')
    message = str(errors[0])
    assert message.startswith(f"{place}: "), message
    assert complaint in message
    assert len(message) <= tagfile.LONGEST_MESSAGE
    assert message.isprintable()


@pytest.mark.parametrize(
    ("tags", "complaint"),
    [
        ('[Result "1-0"]\n[Result "0-1"]', "line 2, column 1: the game has a second tag 'result'"),
        ('[FEN "B:W18:B14"]\n[FEN "B:W17:B14"]', "line 2, column 1: the game has a second tag 'fen'"),
        ('[Rules "papr"]', "line 1, column 1: unknown rule set of draughts 'papr': did you mean 'paper'?"),
        ('[Rules "x"]\n[RuleOptions "max_plis=3"]', "line 2, column 1: unknown rule option 'max_plis': did you mean"),
        ('[RuleOptions "max_plies=3 max_plies=4"]', "line 1, column 1: rule option 'max_plies' is given twice"),
        ('[RuleOptions "max_plies=3 max_plies=3"]', "line 1, column 1: rule option 'max_plies' is given twice"),
        ('[Rules "x"]\n[RuleOptions "name=y"]', "line 2, column 1: rule option 'name' cannot stand here: the rule set"),
        ('[RuleOptions "base=paper"]', "line 1, column 1: rule option 'base' cannot stand here: a game file lists"),
        ('[RuleOptions "max_plies=0"]', "line 1, column 1: rule set 'custom': max_plies must be from 1"),
        ('[RuleOptions "max_plies=many"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "max_plies"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "max_plies=9999999999"]', "line 1, column 1: rule option 'max_plies': expected a whole number"),
        ('[RuleOptions "man_moves_are_quiet=1"]', "rule option 'man_moves_are_quiet': expected true or false"),
        ('[Resigned "Red"]', "line 1, column 1: [Resigned] must be one of black, white, not 'Red'"),
        ('[Resigned "White"]\n[Result "0-1"]', "line 2, column 1: result 0-1 says that white won, but black won"),
        ('[FEN "B:W18:B"]\n[Resigned "White"]', "line 2, column 1: a resignation, but the game is over: no legal move"),
        ("[Event 'x']", "line 1, column 1: expected a tag like"),
        ('[Event "x"', "line 1, column 1: expected a tag like"),
        ('[Ev ent "x"]', "line 1, column 1: expected a tag like"),
    ],
)
def test_headers_that_cannot_be_read(tags: str, complaint: str) -> None:
    message = error_of(f"{tags}\n\n*\n")
    assert complaint in message, message


def test_the_same_tag_twice_is_no_harm() -> None:
    assert one('[Result "1-0"]\n[Result "1-0"]\n[Event "a"]\n[Event "a"]\n[Event "b"]\n*').tags == {"event": "a; b"}


# Hostile files


@few
@given(st.data())
def test_nothing_a_file_holds_gets_past_as_another_error(data: st.DataObject) -> None:
    remarks = {2: "so"}
    text = pdn.write_all(
        replace(GameRecord.of(played(WCDF, seed, 12), comments=remarks), variations={3: (Line(marks={0: ("!",)}),)})
        if seed
        else GameRecord.of(played(PAPER, seed, 12, "W:W21-32:B1-12"), start="W:W21-32:B1-12")
        for seed in range(2)
    )
    for _ in range(data.draw(st.integers(1, 4))):
        at, cut = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(st.text('[]{}()"\\;%$!?*.-x:/01259 \n\x00é', max_size=6)) + text[at + cut :]
    records, errors = pdn.read_all(text)
    for error in errors:
        assert re.match(r"line [1-9]\d*, column [1-9]\d*: ", str(error))
        assert str(error).isprintable()
    for record in records:
        comes_back(record)


LARGE = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * LARGE,
        "1. 11-15 " + "(11-15 " * LARGE,
        ")" * LARGE,
        "{" * LARGE,
        "{ " * LARGE + "}",
        '{\n[A "x"]\n' * (LARGE // 20),
        '{\n[A "x"]\n' * (LARGE // 20) + "}*",
        "{" + '\n[A "x"]' * LARGE + "}*",
        '{\n[A "{"]' + '\n[A "x"]' * LARGE + "}*",
        ('{\n[A "x"]}' + " " * 100) * (LARGE // 20) + "*",
        "[" * LARGE,
        '[A "' * LARGE,
        '[A "\n' * LARGE,
        '[A "x"] ' * LARGE,
        '[A "' + '\\"' * LARGE,
        '[A "' + '" ' * LARGE,
        '[A "x"]\n\n' * (LARGE // 20),
        "1" * LARGE,
        "1-" * LARGE,
        "1 " * LARGE,
        "1" + " " * LARGE + "-",
        "1\n" * LARGE,
        "1." * LARGE,
        "." * LARGE,
        "!" * LARGE,
        "(!" * LARGE,
        "$1 " * LARGE,
        "* " * LARGE,
        "*{}" * LARGE,
        "{" + " " * LARGE + "\n" + " " * LARGE + "x}*",
        "{" + " \t" * LARGE + "x}*",
        "{%" + "%25" * LARGE + "}*",
        "\x00" * LARGE,
        "\n" * LARGE + "x",
        "x\n" * (LARGE // 20),
        "* x " * (LARGE // 20),
        "1. 11-15 " + "(11-16) " * (LARGE // 40),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_hostile_files_take_no_longer_than_their_length(text: str) -> None:
    began = time.process_time()
    records, errors = pdn.read_all(text)
    assert time.process_time() - began < 8
    assert all(len(str(error)) <= tagfile.LONGEST_MESSAGE for error in errors)
    assert records or errors or text[-1] == "}"  # a lone comment is no game


def test_a_file_too_large_is_not_looked_at() -> None:
    with pytest.raises(GameFileError, match="more than 16777216 characters"):
        pdn.read_all(" " * (tagfile.MAX_CHARACTERS + 1))


def test_the_depth_of_variations_is_bounded() -> None:
    nested = "1. 11-15 " + "(11-15 " * MAX_DEPTH + ")" * MAX_DEPTH
    assert len(one(nested).variations) == 1
    deeper = "1. 11-15 " + "(11-15 " * (MAX_DEPTH + 1) + ")" * (MAX_DEPTH + 1)
    assert error_of(deeper) == f"line 1, column {10 + 7 * MAX_DEPTH}: variations are nested more than {MAX_DEPTH} deep"
