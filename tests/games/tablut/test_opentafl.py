"""OpenTafl game files: what is written comes back, what is foreign is understood or refused."""

import functools
import itertools
import re
import textwrap
from dataclasses import fields, replace
from typing import Any

import pytest
from game_files import GameFileChecks, few, random_game
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import rule_names

import boardwright
from boardwright.errors import GameFileError, IllegalMoveError
from boardwright.games.base import DRAW, ONGOING
from boardwright.games.record import GameRecord
from boardwright.games.tablut import board as b
from boardwright.games.tablut.opentafl import gamefile
from boardwright.games.tablut.opentafl.rulerecord import options_text, read_rules, rules_record
from boardwright.games.tablut.opentafl.words import FROM_RECORD
from boardwright.games.tablut.rules import RULE_SETS, START, TABLUTZERO, TablutRules, Who

ATTACKERS, DEFENDERS = b.ATTACKERS, b.DEFENDERS
TAGGED = f"[rules:dim:9 start:{START}]"
FIXED = f"[rules:dim:9 surf:n tfr:l ks:w start:{START}]"  # what `tablutzero` plays, but for its limits
WHO: tuple[Who, ...] = ("none", "king", "all")
checks = GameFileChecks(gamefile, keeps_tag_order=True)
error_of, comes_back = checks.error_of, checks.comes_back
line_of = functools.partial(random_game, "tablut")


def foreign(moves: str, rules: str = FIXED, tags: str = "") -> GameRecord:
    return checks.one(f"{tags}\n{rules}\n\n{moves}\n")


def moves_of(record: GameRecord) -> list[str]:
    positions = list(record.positions())
    return [before.action_text(action) for before, action in zip(positions, record.actions, strict=False)]


# Round trips

words = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("[]|% \t\r\n:5BD2"), max_size=20)
remarks = words.filter(bool)
tag_names = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True) | st.sampled_from(("event", "attackers", "Elo"))
tags = st.dictionaries(tag_names.filter(lambda name: name not in FROM_RECORD | {"starting-comment"}), words)


@st.composite
def records(draw: st.DrawFn, rules: st.SearchStrategy[TablutRules]) -> GameRecord:
    """Random games: of all lengths, from the first position or another, ended or adjourned or resigned."""
    chosen = draw(rules)
    seed = draw(st.integers(0, 2**32))
    start = line_of(chosen, seed, 15).text if draw(st.booleans()) else None
    last = line_of(chosen, seed + 1, draw(st.sampled_from((0, 1, 2, 7, 40, 120))), start)
    record = GameRecord.of(last, start=start, tags=draw(tags))
    if last.outcome is None:
        result, reason, resigned = draw(
            st.sampled_from(
                (
                    (ONGOING, "", None),
                    (ONGOING, "adjourned", None),
                    (ATTACKERS, "on time", None),
                    (DRAW, "agreed", None),
                    (1 - last.role_to_move, "gave up", last.role_to_move),
                )
            )
        )
        record = replace(record, result=result, reason=reason, resigned=resigned)
    halves = len(record.actions) + (record.resigned is not None)
    return replace(record, comments=draw(st.dictionaries(st.integers(0, halves), remarks, max_size=4)))


@st.composite
def rule_sets(draw: st.DrawFn) -> TablutRules:
    """Valid rule sets that mix every option, with first positions and camps of their own."""
    side = st.sampled_from(("none", "attackers", "defenders", "all"))
    stops, passes = draw(st.sampled_from(list(itertools.combinations_with_replacement(WHO, 2))))
    throne_hostile_to = draw(side)
    middle = [s for s in range(b.SQUARES) if 1 <= s // 9 <= 7 and 1 <= s % 9 <= 7]
    start = START
    if draw(st.booleans()):
        board = b.parse_board(START) * 0
        board[draw(st.sampled_from(middle))] = b.KING
        for piece in (b.ATTACKER, b.DEFENDER):
            free = [s for s in middle if board[s] == b.EMPTY and s != b.THRONE]
            board[draw(st.lists(st.sampled_from(free), min_size=1, max_size=8, unique=True))] = piece
        start = b.board_text(board)
    board = b.parse_board(start)
    allowed = [s for s in range(b.SQUARES) if board[s] < b.DEFENDER and s not in (b.THRONE, *b.CORNERS)]
    squares = draw(st.lists(st.sampled_from([b.square_name(s) for s in allowed]), max_size=10, unique=True))
    cut = draw(st.integers(0, len(squares)))
    camps = draw(st.sampled_from(((), (tuple(squares),), (tuple(squares[:cut]), tuple(squares[cut:])))))
    limits = st.none() | st.integers(1, 300)
    return TablutRules(
        name=draw(rule_names),
        start=start,
        first=draw(st.sampled_from(("attackers", "defenders"))),
        escape=draw(st.sampled_from(("corner", "edge"))),
        corners_restricted=draw(st.booleans()),
        corners_hostile_to=draw(side),
        throne_stop=stops,
        throne_pass=passes,
        throne_hostile_to=throne_hostile_to,
        throne_hostile_under_king=throne_hostile_to in ("defenders", "all") and draw(st.booleans()),
        king_armed=draw(st.booleans()),
        king_capture=draw(st.sampled_from(("weak", "strong-centre", "strong"))),
        camps=camps,
        camps_hostile_to=draw(side) if any(camps) else "none",
        surround_loses=draw(st.booleans()),
        no_move=draw(st.sampled_from(("mover-loses", "either-loses"))),
        repetition=draw(st.sampled_from(("none", "loses", "draw"))),
        repetition_limit=draw(st.integers(2, 5)),
        count_start=draw(st.booleans()),
        max_quiet_plies=draw(limits),
        max_plies=draw(st.integers(1, 300)),
    )


@pytest.mark.parametrize("name", RULE_SETS)
@few
@given(data=st.data())
def test_games_of_shipped_rule_sets_survive_a_round_trip(name: str, data: st.DataObject) -> None:
    comes_back(data.draw(records(st.just(RULE_SETS[name]))))


@settings(few, max_examples=100)
@given(records(rule_sets()))
def test_games_of_generated_rule_sets_survive_a_round_trip(record: GameRecord) -> None:
    comes_back(record)


@pytest.mark.parametrize("name", RULE_SETS)
def test_whole_games_survive_a_round_trip(name: str) -> None:
    for seed in range(6):
        record = GameRecord.of(line_of(RULE_SETS[name], seed, 1000))
        assert record.result != ONGOING
        comes_back(record)


@few
@given(st.lists(records(st.sampled_from(list(RULE_SETS.values()))), max_size=5))
def test_several_games_in_a_file_survive_a_round_trip(several: list[GameRecord]) -> None:
    text = gamefile.write_all(several)
    assert gamefile.read(text) == several
    for line_end in ("\r\n", "\r"):
        assert gamefile.read_all(text.replace("\n", line_end)) == (several, [])


@pytest.mark.parametrize(
    "text", ["%25", "%2525", "%5D]", "100%", "%%20 ", "a\r\nb", "\r", "event: x|y", "result:1", "\n[x:y]\n"]
)
def test_awkward_texts_survive_a_round_trip(text: str) -> None:
    record = GameRecord.of(
        line_of(TABLUTZERO, 1, 3), tags={"event": text, "x": text}, comments={0: text, 2: text, 3: text}
    )
    comes_back(record)
    _, event, other, *_ = gamefile.write(record).split("\n")
    assert re.fullmatch(r"\[event:.*\]", event)
    assert re.fullmatch(r"\[x:.*\]", other)


def test_games_without_moves_stay_separate() -> None:
    several = [
        GameRecord(game="tablut", rules=TABLUTZERO, tags={"event": "one"}),
        GameRecord(game="tablut", rules=TABLUTZERO, tags={"site": "two"}),
        GameRecord(game="tablut", rules=TABLUTZERO),
    ]
    assert gamefile.read(gamefile.write_all(several)) == several


# What is written


def test_the_text_of_a_game() -> None:
    position = boardwright.game("tablut", "tablutzero").start().play("e2-g2").play("e3-h3").play("i4-h4")
    record = replace(
        GameRecord.of(position, tags={"event": "Club [1]", "attackers": "Berg, Ana"}),
        result=ATTACKERS,
        reason="gave up",
        resigned=DEFENDERS,
        comments={0: "An opening.", 1: "half|half", 2: "two\nlines", 4: " 100%"},
    )
    assert gamefile.write(record) == textwrap.dedent(
        f"""\
        [boardwright-rules:tablutzero]
        [event:Club %5B1%5D]
        [attackers:Berg, Ana]
        [result:1]
        [termination:gave up]
        [start-comment:An opening.]
        [boardwright-options:no_move=mover-loses repetition_limit=3 count_start=true max_quiet_plies=100 max_plies=512]
        [rules:dim:9 name:tablutzero esc:c atkf:y surf:n tfr:l ka:y ks:w corp:K cors:K corh:tcnkTCNK cenp:tcnkTCNK \
cens:K cenh:tcnk cenhe:tcnkTCNK start:{START}]

        1. e2-g2 e3-h3
        [half%7Chalf|two
        lines]
        2. i4-h4 ---
        [|%20100%]
        """
    )


@pytest.mark.parametrize(
    ("start", "move", "written"),
    [
        ("/3t5/9/9/9/1tK6/9/9/9/4T4/ a 0 0", "d1-d5", "d1-d5xc5++"),
        ("/3t5/9/9/9/1tK1Tt3/9/9/9/9/ a 0 0", "d1-d5", "d1-d5xc5/e5++"),
        ("/3tt4/9/9/9/K8/9/9/9/4T4/ d 4 9", "a5-a9", "Ka5-a9--"),
        ("/3tt4/9/9/9/K2tT4/9/9/9/9/ d 4 9", "a5-c5", "Ka5-c5xd5"),
        ("/4t4/9/9/9/K8/9/9/9/4T4/ a 99 99", "e1-e2", "e1-e2"),
    ],
)
def test_marks_captures_and_the_king(start: str, move: str, written: str) -> None:
    rules = replace(TABLUTZERO, name="open-throne", throne_stop="all")
    position = boardwright.game("tablut", rules).position(start).play(move)
    record = GameRecord.of(position, start=start)
    text = gamefile.write(record)
    assert text.splitlines()[-1] == f"1. {written}"
    assert f"[position:{start.split()[0]}]" in text
    assert gamefile.read(text) == [record]


@pytest.mark.parametrize(
    ("name", "differs"),
    [
        ("tablutzero", {}),
        ("tablutzero-code", {}),
        ("mcgill", {"tfr": "i", "ks": "c", "cenh": "tcnkTCNK"}),
        ("saami", {"esc": "e", "tfr": "d", "ks": "c", "corp": "tcnkTCNK", "cors": "tcnkTCNK", "corh": ""}),
    ],
)
def test_rules_records_of_the_shipped_rule_sets(name: str, differs: dict[str, str]) -> None:
    def entries(rules: TablutRules) -> dict[str, str]:
        return dict(entry.split(":") for entry in rules_record(rules).split())

    assert entries(RULE_SETS[name]) == {**entries(TABLUTZERO), "name": name, **differs}


def test_camps_are_fortresses_that_attackers_leave_for_good() -> None:
    rules = replace(TABLUTZERO, name="camps", camps=(("a4", "a5"), ("e1",)), camps_hostile_to="defenders")
    assert " afor:a4,a5,e1, aforp:tcnk afors:tcnk aforre: aforh:TCNK start:" in rules_record(rules)
    assert " camps=a4,a5/e1 " in f" {options_text(rules)} "
    assert read_rules(rules_record(rules), None, "").camps == (("a4", "a5", "e1"),)


OTHER_OPTIONS: dict[str, dict[str, Any]] = {
    "first": {"first": "defenders"},
    "escape": {"escape": "edge"},
    "corners_restricted": {"corners_restricted": False},
    "corners_hostile_to": {"corners_hostile_to": "attackers"},
    "throne_stop": {"throne_stop": "none"},
    "throne_pass": {"throne_pass": "king"},
    "throne_hostile_to": {"throne_hostile_to": "defenders"},
    "throne_hostile_under_king": {"throne_hostile_under_king": True},
    "king_armed": {"king_armed": False},
    "king_capture": {"king_capture": "strong"},
    "camps": {"camps": (("a4",), ("e1",))},
    "camps_hostile_to": {"camps": (("a4",),), "camps_hostile_to": "attackers"},
    "surround_loses": {"surround_loses": True},
    "no_move": {"no_move": "either-loses"},
    "repetition": {"repetition": "draw"},
    "repetition_limit": {"repetition_limit": 4},
    "count_start": {"count_start": False},
    "max_quiet_plies": {"max_quiet_plies": None},
    "max_plies": {"max_plies": 100},
    "start": {"start": START.replace("/4T4/", "/9/")},
}


@pytest.mark.parametrize("option", [field.name for field in fields(TablutRules) if field.name != "name"])
def test_no_option_is_lost(option: str) -> None:
    rules = replace(TABLUTZERO, **OTHER_OPTIONS[option])
    assert read_rules(rules_record(rules), rules.name, options_text(rules)) == rules
    assert (rules_record(rules), options_text(rules)) != (rules_record(TABLUTZERO), options_text(TABLUTZERO))


# Files from elsewhere


def test_file_of_another_program_with_every_feature() -> None:
    text = "\ufeff" + textwrap.dedent(
        f"""\
        [Date:2021.02.03] [event: Winter Cup ][clock:slow: 30 days]
        [start-comment:Two friends.

        At home.]
        [compiler:nobody]

        dim:9 name:Sea_Battle esc:e surf:n atkf:y
          ks:c nj:n cj:n cor: cens:
          cenh: start:{START}

        1. e2-g2+ te3-h3
        [a first
        remark|and: a second]

        2.b5-b3 Te4-f4

        2a.1.1a. b5-b4 e4-d4
        [never|played]
        2b.1.1a. ..... e4-d4
        [Note: nor this]
        3. e1-e3[short] c5-c2-
        4. e8-b8 f4-f3 5. d1-d3 g5-g4
        [|tail]
        6. i4-h4 g4-d4 7. i5-i3 c2-d2xd3
        [Note: on the last move]
        8. g2-g3xtf3/h3 ---
        [|enough]
        """
    ).replace("\n", "\r\n")
    (record,) = gamefile.read(text)
    expected = "e2-g2 e3-h3 b5-b3 e4-f4 e1-e3 c5-c2 e8-b8 f4-f3 d1-d3 g5-g4 i4-h4 g4-d4 i5-i3 c2-d2xd3 g2-g3xf3/h3"
    assert moves_of(record) == expected.split()
    assert record.tags == {
        "date": "2021.02.03",
        "event": "Winter Cup",
        "clock": "slow: 30 days",
        "compiler": "nobody",
    }
    assert record.comments == {
        0: "Two friends.\n\nAt home.",
        1: "a first\nremark",
        2: "and: a second",
        5: "short",
        10: "tail",
        14: "Note: on the last move",
        16: "enough",
    }
    assert (record.resigned, record.result, record.reason) == (DEFENDERS, ATTACKERS, "defenders resigned")
    assert record.start is None
    squares = {"escape": "edge", "corners_restricted": False, "corners_hostile_to": "none", "throne_stop": "none"}
    others = {"king_capture": "strong-centre", "repetition": "draw", "max_quiet_plies": None, "max_plies": 512}
    options: dict[str, Any] = {**squares, **others}
    assert record.rules == TablutRules(name="Sea_Battle", **options)
    comes_back(record)


def test_comments_without_a_move() -> None:
    record = foreign("1. e2-g2\n[one|two]", tags="[starting-comment:before]")
    assert record.comments == {0: "before", 1: "one\ntwo"}
    assert foreign("1.", tags="[a remark without a colon]").comments == {0: "a remark without a colon"}


@pytest.mark.parametrize("move", ["d1-d5", "td1-d5++", "d1-d5xe5", "d1-d5xe5++", "d1-d5xKc5/Te5++"])
def test_ways_to_write_a_capture_of_the_king(move: str) -> None:
    rules = FIXED.replace("dim:9", "dim:9 cens:tTK")
    record = foreign(f"1. {move}", f"{rules}[position:/3t5/9/9/9/1tK1Tt3/9/9/9/9/]")
    assert moves_of(record) == ["d1-d5xc5/e5"]
    assert record.reason == "king captured"


def test_two_plus_signs_may_mark_any_win() -> None:
    record = foreign("1. Ka5-a9++", f"{FIXED}[position:/3t5/9/9/9/K8/9/9/9/4T4/ d]")
    assert (record.result, record.reason) == (DEFENDERS, "king escaped")


def test_the_defaults_of_opentafl() -> None:
    corners = {"corners_restricted": True, "corners_hostile_to": "all", "escape": "corner"}
    throne = {"throne_stop": "king", "throne_pass": "all", "throne_hostile_to": "all"}
    king = {"king_armed": True, "king_capture": "strong", "throne_hostile_under_king": False, "first": "attackers"}
    ends = {"surround_loses": True, "no_move": "mover-loses", "max_quiet_plies": None, "max_plies": 512}
    repetition = {"repetition": "draw", "repetition_limit": 3, "count_start": True}
    options: dict[str, Any] = {**corners, **throne, **king, **ends, **repetition}
    assert foreign("", TAGGED).rules == TablutRules(name="opentafl", **options)


@pytest.mark.parametrize(
    ("entries", "options"),
    [
        ("ks:y", {"king_capture": "strong"}),
        ("ks:n", {"king_capture": "weak"}),
        ("ks:w", {"king_capture": "weak"}),
        ("tfr:i", {"repetition": "none"}),
        ("tfr:l", {"repetition": "loses"}),
        ("atkf:n", {"first": "defenders"}),
        ("ka:n cenh:", {"king_armed": False}),
        ("cenh:tT", {"throne_hostile_under_king": True}),
        ("cenhe:t", {"throne_hostile_to": "attackers"}),
        ("cenhe:TK", {"throne_hostile_to": "defenders"}),
        ("cenre:tT", {"throne_stop": "none"}),
        ("cens: cenp:", {"throne_stop": "none", "throne_pass": "none"}),
        ("cenp:K", {"throne_pass": "king"}),
        ("cen:", {"throne_stop": "all", "throne_pass": "all", "throne_hostile_to": "none"}),
        ("cen:e5, cor:a1,a9,i1,i9,", {}),
        ("cors:tTK", {"corners_restricted": False}),
        ("corh:", {"corners_hostile_to": "none"}),
        ("esc:e cor:", {"escape": "edge", "corners_restricted": False, "corners_hostile_to": "none"}),
        ("afor:a4,a5, aforp:tcnk afors:t aforre:", {"camps": (("a4", "a5"),), "camps_hostile_to": "defenders"}),
        ("nj:c cj:j mj:n gj:n swf:n corp: dforh:t spd:-1,-1, kj:n sw:n efe:n ber:n linc:n", {}),
        ("name:My_Tafl", {"name": "My_Tafl"}),
    ],
)
def test_what_rule_entries_mean(entries: str, options: dict[str, object]) -> None:
    assert foreign("", f"[rules:dim:9 {entries} start:{START}]").rules == replace(foreign("", TAGGED).rules, **options)


def test_an_inverted_start_lists_its_rows_from_the_top() -> None:
    upside_down = foreign("1. e2-e3", "[rules:dim:9 starti:/4K4/9/9/9/3T5/9/9/4t4/9/]")
    assert upside_down.rules.start == "/9/4t4/9/9/3T5/9/9/9/4K4/"


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        ("dim:11 start:/11/", "rule dim:11: .*nine by nine"),
        ("start:/9/", "rule dim:"),
        ("dim:9", "rule start: the record has no first position"),
        ("dim:9 ber:c", "rule ber:c: .*berserk"),
        ("dim:9 sw:s", "rule sw:s: .*shieldwall"),
        ("dim:9 efe:y", "rule efe:y: .*edge forts"),
        ("dim:9 kj:r", "rule kj:r: .*jumping"),
        ("dim:9 linc:y", "rule linc:y"),
        ("dim:9 dfor:e5,", "rule dfor:e5,: .*fortresses"),
        ("dim:9 spd:-1,1,", "rule spd:-1,1,: .*speed"),
        ("dim:9 tfr:w", "rule tfr:w: this engine plays only i, d, l"),
        ("dim:9 ks:m", "rule ks:m"),
        ("dim:9 ka:h", "rule ka:h"),
        ("dim:9 ka:n", "rule cenh: .*unarmed"),
        ("dim:9 cor:a1,", "rule cor:a1,: .*four corners"),
        ("dim:9 cor:", "rule cor: .*cannot escape"),
        ("dim:9 cor:k9,", "rule cor:k9,: 'k9' is not a square"),
        ("dim:9 cors:", "rule cors: "),
        ("dim:9 cors:tTK corre:K", "rule corre:K"),
        ("dim:9 corh:tT", "rule corh:tT: this engine knows only none, attackers, defenders, all"),
        ("dim:9 corh:tX", "rule corh:tX: 'X' is not a piece"),
        ("dim:9 cen:d5,", "rule cen:d5,: .*only e5"),
        ("dim:9 cen: ks:c", "rule ks:c: .*centre"),
        ("dim:9 cens:TK", "rule cens:TK: this engine knows only none, king, all"),
        ("dim:9 cens:tTK cenre:K", "rule cenre:K"),
        ("dim:9 cenre: start:/3t5/9/4K4/9/9/9/9/9/9/", "rule cenre:"),
        ("dim:9 ks:\x01", r"rule ks:\?: "),
        ("dim:9 cens:tTK cenp:K", "throne_stop = 'all' needs throne_pass = 'all'"),
        ("dim:9 afor:a4,", "rule aforp:tcnkTCNK: .*camps"),
        ("dim:9 afor:a4, aforp:t", "rule afors:tcnkTCNK: .*camps"),
        ("dim:9 afor:a4, aforp:t afors:t", "rule aforre:tcnkTCNK: .*camps"),
        ("dim:9 xyz:1", "rule 'xyz:1': unknown"),
        ("dim:9 esc", "rule 'esc': expected KEY:VALUE"),
        ("dim:9 esc:c esc:e", "rule esc: given twice"),
        ("dim:9 start:/9/9/9/9/4K4/9/9/9/3c5/", "rule start: .*knights, commanders.*'c'"),
        ("dim:9 start:/9/9/9/9/4K4/9/9/9/3N5/", "rule start: .*'N'"),
        ("dim:9 start:/9/9/9/9/4K4/9/9/9/", "has 8 rows"),
        ("dim:9 start:/9/9/9/9/4T4/9/9/9/3t5/", "0 kings"),
    ],
)
def test_rules_this_engine_cannot_play_are_refused(rules: str, complaint: str) -> None:
    if "start:" not in rules and rules != "dim:9":
        rules += f" start:{START}"
    message = error_of(f"[event:x]\n  [rules:{rules}]\n\n1. e2-e4")
    assert re.match(f"line 2, column 3: .*{complaint}", message), message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("max_plies", "rule option 'max_plies': expected NAME=VALUE"),
        ("max_plies=many", "rule option 'max_plies': expected a whole number"),
        ("max_plies=9999999999", "rule option 'max_plies': expected a whole number"),
        ("max_plies=0", "max_plies must be from 1"),
        ("max_plies=3 max_plies=4", "rule option 'max_plies' is given twice"),
        ("name=x", "rule option 'name' is not allowed here: the name has its own tag"),
        ("base=zero", "rule option 'base' is not allowed here: a game file lists the options themselves"),
        ("max_plis=3", "unknown rule option 'max_plis': did you mean 'max_plies'"),
        ("no_move=nobody", "rule option 'no_move': 'nobody' is not one of"),
        ("camps=z9", "camps: 'z9' is not a square"),
    ],
)
def test_bad_boardwright_options_are_refused(options: str, complaint: str) -> None:
    assert complaint in error_of(f"[boardwright-options:{options}]\n{TAGGED}")


def test_a_position_replaces_the_first_one_of_the_rules() -> None:
    board = "/3t5/9/9/9/1tK6/9/9/9/4T4/"
    for written in (f"[position:{board}]", board):
        record = foreign("1. d1-d5++", FIXED + "\n" + written)
        assert (record.start, record.result, record.reason) == (f"{board} a 0 0", ATTACKERS, "king captured")
    assert foreign("1. c5-c9", f"{FIXED}[position:{board} d]").start == f"{board} d 0 0"
    assert foreign("1. c5-c9", f"{FIXED}[position:{board}]".replace("dim:9", "dim:9 atkf:n")).start == f"{board} d 0 0"


# Errors


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\n\n 1. e2-g2", "line 3, column 2: the game has no rules record"),
        ("\n[event:x]\n[site:y]", "line 2, column 1: the game has no rules record"),
        (f"[event:x] [event:y]\n{FIXED}", "line 1, column 11: the game has a second tag 'event'"),
        (f"{FIXED}\n[position:/9/ a]", "line 2, column 1: board '/9/': has 1 rows"),
        (f"{FIXED}\n/4c4/9/9/9/9/9/9/9/9/", "line 2, column 1: position: .*knights, commanders"),
        (f"{FIXED}\n[position:]", "line 2, column 1: position ''"),
    ],
)
def test_headers_that_cannot_be_read(text: str, complaint: str) -> None:
    assert re.match(complaint, error_of(text)), error_of(text)


KING_FALLS = f"{FIXED}[position:/3t5/9/9/9/1tK6/9/9/9/4T4/]\n\n1. d1-d5++"
KING_ESCAPES = f"{FIXED}[position:/3t5/9/9/9/K8/9/9/9/4T4/ d]\n\n1. Ka5-a9--"
RESIGNED = f"{FIXED}\n\n1. e2-g2 ---"


@pytest.mark.parametrize(
    ("game", "right", "wrong"),
    [(KING_FALLS, "1", "-1"), (KING_FALLS, "?", "0"), (KING_ESCAPES, "-1", "1"), (RESIGNED, "1", "-1")],
)
def test_a_result_must_agree_with_the_last_position(game: str, right: str, wrong: str) -> None:
    (record,) = gamefile.read(f"[result:{right}]\n{game}")
    assert record.result == (DEFENDERS if game is KING_ESCAPES else ATTACKERS)
    message = error_of(f"[event:x]\n[result:{wrong}]\n{game}")
    assert re.match(rf"line 2, column 1: result {wrong} says that .*, but the \w+ won: ", message), message


def test_stated_result_is_kept_if_the_position_is_open() -> None:
    for text, result in (("1", ATTACKERS), ("-1", DEFENDERS), ("0", DRAW), ("?", ONGOING), ("", ONGOING)):
        record = foreign("1. e2-g2", tags=f"[result:{text}] [termination:Black is late]")
        assert (record.result, record.reason) == (result, "Black is late")
    assert "result '2' is not one of 1, 0, -1, ?" in error_of(f"[result:2]\n{FIXED}")


def test_resignation_after_the_end_is_refused() -> None:
    assert "the game is over: king captured" in error_of(f"{KING_FALLS} ---")


def test_draw_by_boardwright_limits_is_checked() -> None:
    text = gamefile.write(GameRecord.of(line_of(replace(TABLUTZERO, name="short", max_plies=3), 1, 10)))
    assert "[result:0]" in text
    assert "but it was a draw: ply limit" in error_of(text.replace("[result:0]", "[result:1]"))
    assert "the game is over: ply limit" in error_of(text.rstrip() + " e3-e4")


def test_bad_games_do_not_affect_the_others() -> None:
    good = [GameRecord.of(line_of(TABLUTZERO, seed, 9), tags={"event": str(seed)}) for seed in range(3)]
    for bad in (
        f"[event:bad]\n{FIXED}\n\n1. e2-e4\n\n",
        f"[event:bad]\n{FIXED}\n\n1. e2-g2 e3-h3\n[never closed|\n\n2. i4-h4 e4-f4\n",
        f"[event:bad\n{FIXED}\n\n1. e2-g2 e3-h3\n",
        "[event:bad]\n[rules:dim:11 start:/11/]\n\n1. e2-g2\n",
        "[event:bad]\n[site:no rules and no moves]\n",
    ):
        checks.leaves_other_games(good, bad)


def test_games_are_separated_where_tags_follow_moves() -> None:
    header = f"[event:cup]\n{FIXED}\n\n"
    games = ("1. e2-g2 e3-h3\n[good: both|]\n", "1. e2-g2\n[Idea: wait]\n", "\n", "1. e2-f2\n")
    records = gamefile.read("".join(header + moves for moves in games))
    after_a_comment = gamefile.read(f"{FIXED}\n1. e2-g2\n[so|]\n[elo:1800]\n{FIXED}\n1. e2-f2")
    assert [record.tags for record in after_a_comment] == [{}, {"elo": "1800"}]
    assert [len(record.actions) for record in records] == [2, 1, 0, 1]
    assert [record.comments for record in records] == [{1: "good: both"}, {1: "Idea: wait"}, {}, {}]
    assert all(record.tags == {"event": "cup"} for record in records)


@settings(few, max_examples=150)
@given(st.data())
def test_damaged_files_raise_only_game_file_errors(data: st.DataObject) -> None:
    text = gamefile.write_all(GameRecord.of(line_of(TABLUTZERO, seed, 12), comments={2: "so"}) for seed in range(2))
    checks.survives_damage(data, text, "[]|:/.-+x1e9Kt \n%\x00é")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"result": DRAW, "resigned": DEFENDERS}, "result 0 says that it was a draw, but the attackers won"),
        ({"result": DEFENDERS, "resigned": ATTACKERS}, "only the side to move can resign"),
        ({"tags": {"result": "1"}}, "tag 'result' cannot be written"),
        ({"tags": {"a b": "1"}}, "tag 'a b' cannot be written"),
        ({"tags": {"Event": "1"}}, "tag 'Event' cannot be written"),
        ({"comments": {2: "x"}}, "comment on ply 2: the game has 1"),
        ({"rules": object()}, "cannot be written as an OpenTafl game"),
    ],
)
def test_records_that_cannot_be_read_back_are_refused(changes: dict[str, object], complaint: str) -> None:
    record = GameRecord.of(boardwright.game("tablut", "tablutzero").start().play("e2-g2"))
    with pytest.raises(GameFileError, match=re.escape(complaint)):
        gamefile.write(replace(record, **changes))


def test_an_illegal_record_is_not_written() -> None:
    record = GameRecord.of(boardwright.game("tablut", "tablutzero").start().play("e2-g2"))
    with pytest.raises(IllegalMoveError, match="action 2: "):
        gamefile.write(replace(record, actions=record.actions * 2))
    over = GameRecord.of(line_of(TABLUTZERO, 3, 1000))
    with pytest.raises(GameFileError, match="says that it is unfinished"):
        gamefile.write(replace(over, result=ONGOING))
