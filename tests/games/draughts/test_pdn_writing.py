"""PDN as it is written: as the standard has it, and nothing that would not come back."""

import re
import textwrap
from dataclasses import replace

import pytest
from pdn_games import BLACK, PAPER, ROUTES, WHITE, actions_of, comes_back, one, played

import boardwright
from boardwright.errors import GameFileError, IllegalMoveError
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.draughts import gamefile
from boardwright.games.draughts.rules import WCDF, DraughtsRules
from boardwright.games.record import GameRecord, Line
from boardwright.games.tagfile import MAX_DEPTH


def test_the_text_of_a_game() -> None:
    position = boardwright.game("draughts").start()
    for move in ("11-15", "23-19", "8-11", "22-17", "4-8"):
        position = position.play(move)
    answer = actions_of("11-15 23-19 8-11 22-17 11-16 24-20")[4:]
    record = replace(
        GameRecord.of(position, tags={"event": 'The "Big" One', "black": "Ana Berg", "Opening": "Old 14th"}),
        result=BLACK,
        reason="White is late",
        resigned=WHITE,
        comments={0: "Club evening.", 4: "an old {opening}", 5: "two\nlines"},
        marks={1: ("!", "$10"), 5: ("$3", "?")},
        variations={4: (Line(actions=answer, comments={0: "or", 1: "then"}, marks={2: ("?!",)}), Line())},
    )
    assert gamefile.write(record) == textwrap.dedent(
        """\
        [Event "The \\"Big\\" One"]
        [Site "?"]
        [Date "????.??.??"]
        [Round "?"]
        [Black "Ana Berg"]
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
        assert gamefile.write(record).endswith(f"\n\n{game}\n")
    several = one("1. 11-15 $1 (?) 22-18 (?!) $2 {so} (2... 23-19 (?)) *")
    assert gamefile.write(several).endswith("\n\n1. 11-15 $1 (?) 22-18(?!) $2 {so} ( 1... 23-19(?) ) *\n")


def test_unknown_values_are_written_as_in_the_standard() -> None:
    record = GameRecord.of(played(WCDF, 1, 1))
    header = gamefile.write(record).partition("[Result")[0]
    assert header == '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "?"]\n[White "?"]\n'
    assert '[Date "1950.??.??"]\n' in gamefile.write(replace(record, tags={"date": "1950.??.??"}))
    for date in ("", "?", "????.??.??"):
        assert one(f'[Date "{date}"]\n1. 11-15 *').tags == {}


@pytest.mark.parametrize(
    ("rules", "written"),
    [
        (WCDF, []),
        (PAPER, ['[Rules "paper"]']),
        (gamefile.AS_PLAYED, ['[Rules "as-played"]', "repetition_limit=none max_quiet_plies=none max_plies=4096"]),
        (replace(WCDF, name="mine"), ['[Rules "mine"]', '[RuleOptions ""]']),
        (replace(WCDF, max_plies=7), ['[Rules "wcdf"]', '[RuleOptions "max_plies=7"]']),
        (replace(PAPER, name="x", max_plies=None), ['[RuleOptions "max_quiet_plies=40 man_moves_are_quiet=true"]']),
    ],
)
def test_rules_are_written_where_they_are_not_the_default(rules: DraughtsRules, written: list[str]) -> None:
    text = gamefile.write(GameRecord.of(played(rules, 1, 3)))
    assert ("Rule" in text) == bool(written)
    for tag in written:
        assert tag in text
    assert one(text).rules == rules


def test_first_position_is_written() -> None:
    start = "W:W18,22:B3,14:H2:F12"
    text = gamefile.write(GameRecord.of(played(WCDF, 0, 2, start), start=start))
    assert f'[SetUp "1"]\n[FEN "{start}"]' in text
    assert text.splitlines()[-1].startswith("12... 18x9 13. ")
    assert one(text).start == start


def test_captures_are_written_in_full_only_if_ambiguous() -> None:
    for move in boardwright.game("draughts").position(ROUTES).moves():
        record = GameRecord.of(boardwright.game("draughts").position(ROUTES).play(move), start=ROUTES)
        assert f"1. {move} " in gamefile.write(record)
        assert move.count("x") > 1
    short = GameRecord.of(boardwright.game("draughts").position("B:W7,15:B2").play("2x11x18"), start="B:W7,15:B2")
    assert "1. 2x18 " in gamefile.write(short)


def test_lines_are_broken_at_80_characters_between_words() -> None:
    for seed in range(5):
        record = GameRecord.of(played(WCDF, seed, 300), comments={0: "some words of a remark " * 20})
        lines_of_moves = gamefile.write(record).partition("\n\n")[2].splitlines()
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
        ({"tags": {"event": "?"}}, "tag 'event': '?' means unknown"),
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
def test_records_that_cannot_be_read_back_are_refused(changes: dict, complaint: str) -> None:
    start = "B:W7,15,30:B2"
    position = boardwright.game("draughts").position(start).play("2x18").play("30-26")
    record = GameRecord.of(position, start=start)
    assert len(record.actions) == 3
    with pytest.raises(GameFileError, match=re.escape(complaint)):
        gamefile.write(replace(record, **changes))


def test_an_illegal_record_is_not_written() -> None:
    record = GameRecord.of(played(WCDF, 1, 1))
    with pytest.raises(IllegalMoveError, match="action 2: "):
        gamefile.write(replace(record, actions=record.actions * 2))
    with pytest.raises(IllegalMoveError, match="action 1: "):
        gamefile.write(replace(record, variations={0: (Line(actions=(0,)),)}))
    over = GameRecord.of(played(WCDF, 3, 1000))
    with pytest.raises(GameFileError, match="says that it is unfinished, but"):
        gamefile.write(replace(over, result=ONGOING))
    with pytest.raises(GameFileError, match="a resignation, but the game is over"):
        gamefile.write(replace(over, resigned=1 - over.result % 2))


def test_nesting_of_variations_is_limited() -> None:
    record = GameRecord.of(played(WCDF, 1, 1))
    line = Line(actions=record.actions)
    for _ in range(MAX_DEPTH - 1):
        line = Line(actions=record.actions, variations={0: (line,)})
    comes_back(replace(record, variations={0: (line,)}))
    deeper = Line(actions=record.actions, variations={0: (line,)})
    with pytest.raises(GameFileError, match=f"nested more than {MAX_DEPTH} deep"):
        gamefile.write(replace(record, variations={0: (deeper,)}))
