"""Squares, actions, positions and rule sets as text: what is read, and what is refused and why."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardwright
from boardwright.errors import IllegalMoveError, PositionError, RulesError, UnknownNameError
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import RULE_SETS, START, TablutRules, compile_tables

START_TEXT = f"{START} a 0 0"


def test_squares() -> None:
    assert [b.square_name(s) for s in (0, 8, 40, 72, 80)] == ["a9", "i9", "e5", "a1", "i1"]
    assert [b.square_number(b.square_name(s)) for s in range(81)] == list(range(81))


@given(st.integers(0, b.NUM_ACTIONS - 1))
def test_action_codec(action: int) -> None:
    squares = b.decode_action(action)
    if squares is not None:
        assert b.encode_action(*squares) == action


def test_action_numbers_by_hand() -> None:
    assert b.NUM_ACTIONS == 2592
    assert sum(b.decode_action(action) is not None for action in range(b.NUM_ACTIONS)) == 81 * 16
    e2, e5 = b.square_number("e2"), b.square_number("e5")
    assert b.encode_action(e2, e5) == (7 * 9 + 4) * 32 + 0 * 8 + 2  # up, three squares
    assert b.encode_action(e5, e2) == 40 * 32 + 1 * 8 + 2  # down
    assert b.encode_action(e5, b.square_number("a5")) == 40 * 32 + 2 * 8 + 3  # left
    assert b.encode_action(e5, b.square_number("f5")) == 40 * 32 + 3 * 8 + 0  # right


def test_first_row_of_the_text_is_rank_one() -> None:
    board = b.parse_board("/t8/9/9/9/4K4/9/9/9/8T/")
    assert board[b.square_number("a1")] == b.ATTACKER
    assert board[b.square_number("i9")] == b.DEFENDER
    assert b.board_text(board) == "/t8/9/9/9/4K4/9/9/9/8T/"


def test_start() -> None:
    game = boardwright.game("tablut")
    assert game.start().text == START_TEXT
    assert game.position(f"{START} a").text == START_TEXT


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected"),
        (START, "expected"),
        (f"{START} x", "side to move"),
        (f"{START} a 1", "expected"),
        (f"{START} a 1 x", "counter 'x'"),
        (f"{START} a -1 0", "counter '-1'"),
        (f"{START} a 0 9999999", "counter '9999999'"),
        (f"{START} a 7 3", "7 plies since a capture"),
        (START_TEXT.replace("/3ttt3/", "/3tttt2/", 1).replace("4T4", "4K4", 1), "2 kings"),
        (START_TEXT.replace("/4t4/", "/5t4/", 1), "10 squares"),
        (START_TEXT.replace("/4t4/", "/3t4/", 1), "8 squares"),
        (START_TEXT.replace("/4t4/", "/", 1), "8 rows"),
        (START_TEXT.replace("/4t4/", "/4z4/", 1), "'z' is not one of"),
        (START_TEXT.replace("/4t4/", "/4k4/", 1), "'k' is not one of"),
        (START_TEXT.replace("/3ttt3/", "/t2ttt3/", 1), "attacker on the corner a1"),
        (START_TEXT.replace("TTKTT", "TTTTT"), "defender on the throne e5"),
        (START_TEXT[1:], "begin and end"),
        ("٣/9/9/9/9/9/9/9/9/ a 0 0", "begin and end"),
    ],
)
def test_bad_positions(text: str, complaint: str) -> None:
    with pytest.raises(PositionError, match=complaint):
        boardwright.game("tablut").position(text)


def test_a_camp_refuses_defenders_in_positions() -> None:
    game = boardwright.game("tablut", {"camps": [["d1", "e1", "f1", "e2"]]})
    with pytest.raises(PositionError, match="defender in the camp at e2"):
        game.position("/9/4T4/9/9/4K4/9/9/9/t8/ a 0 0".replace("/t8/", "/1t7/"))


@pytest.mark.parametrize("counters", ["٣ ٤", "² ²", "0 1000000", f"0 {'9' * 5000}"])
def test_bad_counters(counters: str) -> None:
    with pytest.raises(PositionError, match="counter"):
        boardwright.game("tablut").position(f"{START} a {counters}")


def test_longest_counter() -> None:
    position = boardwright.game("tablut", {"max_plies": "none"}).position(f"{START} a 0 999998")
    assert position.play("d9-d6").plies == 999_999


def test_a_camp_refuses_the_king_in_positions() -> None:
    game = boardwright.game("tablut", {"camps": [["d1", "e1", "f1", "e2"]]})
    with pytest.raises(PositionError, match="king in the camp at e2"):
        game.position("/9/4K4/9/9/9/9/9/2T6/1t7/ a 0 0")


def test_moves_with_captures() -> None:
    game = boardwright.game("tablut")
    position = game.position("/9/4T4/2tT5/9/6K2/9/9/4t4/9/ a 0 0")
    assert "e8-e3xd3" in position.moves()
    for text in ("e8-e3xd3", "e8-e3", " te8-e3xTd3 ", "e8-e3xd3+"):
        assert position.play(text).text == "/9/4T4/2t1t4/9/6K2/9/9/9/9/ d 0 1"
    with pytest.raises(IllegalMoveError, match="the captures are wrong, write e8-e3xd3"):
        position.play("e8-e3xe2")
    with pytest.raises(IllegalMoveError, match="the captures are wrong, write e8-e4"):
        position.play("e8-e4xd3")


def test_rule_sets_are_the_documented_ones() -> None:
    tablutzero, mcgill, saami = RULE_SETS["tablutzero"], RULE_SETS["mcgill"], RULE_SETS["saami"]
    assert set(RULE_SETS) == {"tablutzero", "tablutzero-code", "mcgill", "saami"}
    assert (tablutzero.max_quiet_plies, RULE_SETS["tablutzero-code"].max_quiet_plies) == (100, 200)
    assert (mcgill.repetition, mcgill.max_plies, mcgill.max_quiet_plies) == ("none", 100, None)
    assert (saami.escape, saami.repetition, saami.king_capture) == ("edge", "draw", "strong-centre")
    assert all(len(boardwright.game("tablut", name).symmetries()) == 8 for name in RULE_SETS)


def test_fewer_symmetries_where_the_rules_are_lopsided() -> None:
    one_camp = {"camps": [["d1", "e1", "f1", "e2"]]}
    assert [s.name for s in boardwright.game("tablut", one_camp).symmetries()] == ["rotate0", "mirror+rotate0"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"escap": "edge"}, "unknown rule option 'escap': did you mean 'escape'"),
        ({"escape": "middle"}, "'escape': 'middle' is not one of corner, edge"),
        ({"king_armed": 1}, "'king_armed': expected true or false, not 1"),
        ({"max_plies": True}, "'max_plies': expected a whole number"),
        ({"max_plies": 0}, "max_plies must be from 1"),
        ({"max_plies": "none", "max_quiet_plies": "none"}, "no limit ends the game"),
        ({"repetition_limit": 1}, "repetition_limit must be from 2 to 100, not 1"),
        ({"repetition_limit": 200}, "repetition_limit must be from 2 to 100, not 200"),
        ({"camps": "e1"}, "'camps': expected a list"),
        ({"camps": [["e1", "z1"]]}, "'z1' is not a square"),
        ({"camps": [["e1"], ["e1"]]}, "square e1 is in two camps"),
        ({"camps": [["e5"]]}, "throne"),
        ({"camps": [["a1"]]}, "corner"),
        ({"base": "saami", "corners_restricted": True, "camps": [["a1"]]}, "corner"),
        ({"start": START.replace("TTKTT", "TKTTT")}, "man on the throne"),
        ({"camps": [["e3"]]}, "defender or the king into a camp"),
        ({"camps_hostile_to": "all"}, "no camps"),
        ({"start": "/9/9/9/9/4K4/9/9/9/9/"}, "no attackers"),
        ({"start": START.replace("K", "T")}, "0 kings"),
        ({"start": START.replace("4t4", "4K4")}, "3 kings"),
        ({"start": "/9/"}, "start: board"),
        ({"start": START.replace("/3ttt3/", "/t2ttt3/", 1)}, "man on a corner"),
        ({"start": "/K2ttt3/9/9/9/9/9/9/9/3ttt3/"}, "where he has escaped"),
        ({"start": "/9/9/9/t8/Kt7/t8/9/9/9/", "first": "defenders"}, "over before it begins: no legal move"),
        ({"throne_stop": "all", "throne_pass": "king"}, "throne_stop = 'all' needs throne_pass = 'all', not 'king'"),
        ({"throne_hostile_under_king": True, "throne_hostile_to": "attackers"}, "needs throne_hostile_to"),
        ({"base": "tablutzer"}, "unknown base rule set 'tablutzer': did you mean 'tablutzero'"),
    ],
)
def test_bad_rule_sets(options: dict, complaint: str) -> None:
    with pytest.raises((RulesError, UnknownNameError), match=complaint) as caught:
        boardwright.game("tablut", options)
    assert "\n" not in str(caught.value)


def test_rule_files(tmp_path) -> None:
    toml, as_json = tmp_path / "long.toml", tmp_path / "long.json"
    toml.write_text('base = "mcgill"\nmax_plies = 300\n')
    as_json.write_text(json.dumps({"base": "mcgill", "max_plies": 300}))
    rules = boardwright.game("tablut", str(toml)).rules
    assert rules == boardwright.game("tablut", as_json).rules
    assert rules == TablutRules(**{**RULE_SETS["mcgill"].__dict__, "name": "long", "max_plies": 300})
    for name, text in (("bad.toml", "max_plies = "), ("bad.json", "{"), ("list.json", "[1]"), ("binary.toml", "\0\0")):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(RulesError, match=name):
            boardwright.game("tablut", path)
    with pytest.raises(RulesError, match="No such file"):
        boardwright.game("tablut", tmp_path / "missing.toml")


def test_unknown_names_suggest_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown game 'tabult': did you mean 'tablut'"):
        boardwright.game("tabult")
    with pytest.raises(UnknownNameError, match="unknown rule set of tablut 'mcgil': did you mean 'mcgill'"):
        boardwright.game("tablut", "mcgil")


def test_zobrist_keys_are_fixed() -> None:
    """Records may hold hashes, so these values are part of the format."""
    tables = compile_tables(RULE_SETS["tablutzero"])
    assert len({int(key) for key in tables.piece_key.reshape(-1)} | {tables.defenders_to_move_key}) == 244
    assert f"{boardwright.game('tablut').start().hash:016x}" == "819e7ecb30c43f26"
