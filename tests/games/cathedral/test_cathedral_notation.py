"""Moves and positions as text: every placement comes back, and what is wrong is refused by name."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardwright
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.base import Position
from boardwright.games.cathedral import notation, pieces
from boardwright.games.cathedral.rules import DARK, LIGHT, RULE_SETS, compile_tables

SIX = compile_tables(RULE_SETS["official-6"], full_observation=True)
REST = "3+2/1++++1/3+hh/4hh"  # of a board whose first two ranks a case is about


def cells(text: str, role: int = LIGHT) -> set[str]:
    """The cells a move covers."""
    action = notation.parse_placement(text, role, SIX)
    return {notation.cell_name(cell, 6) for cell in pieces.placements(6, bool(SIX.mirrored[role]))[action].cells}


def at(text: str, rules: str = "official-6") -> Position:
    return boardwright.game("cathedral", rules).position(text)


def refusal(position: Position, move: str) -> str:
    with pytest.raises(IllegalMoveError) as caught:
        position.play(move)
    return str(caught.value)


# Moves


@pytest.mark.parametrize("rules", ["paper-6", "official-6"])
@pytest.mark.parametrize("role", [LIGHT, DARK])
def test_every_placement_has_a_unique_text(rules: str, role: int) -> None:
    tables = compile_tables(RULE_SETS[rules], full_observation=True)
    texts = [notation.placement_moves(role, tables)[action].text for action in range(tables.num_actions)]
    assert len(set(texts)) == 857
    assert [notation.parse_placement(text, role, tables) for text in texts] == list(range(857))
    assert all(re.fullmatch(r"[a-z]+2? [a-f][1-6]( r(90|180|270))?", text) for text in texts)


@given(st.data())
def test_every_placement_of_the_largest_board_has_a_text(data: st.DataObject) -> None:
    tables = compile_tables(RULE_SETS["official"], full_observation=True)
    action, role = data.draw(st.integers(0, tables.num_actions - 1)), data.draw(st.sampled_from((LIGHT, DARK)))
    assert notation.parse_placement(notation.placement_moves(role, tables)[action].text, role, tables) == action


def test_placement_text_covers_the_expected_cells() -> None:
    assert cells("castle b3") == {"b3", "b4", "b2", "c4", "c2"}
    assert cells("castle b3 r90") == {"b3", "c3", "a3", "c2", "a2"}  # a quarter turn clockwise
    assert cells("castle b3 r180") == {"b3", "b4", "b2", "a4", "a2"}
    assert cells("castle b3 r270") == {"b3", "c3", "a3", "c4", "a4"}
    assert cells("stable a6") == {"a6", "b6"}
    assert cells("cathedral c3") == {"b3", "c3", "d3", "e3", "d4", "d2"}
    assert cells("tower c3") == {"c3", "c2", "b2", "d3", "d4"}


def test_mirrored_sets() -> None:
    """Dark's abbey and academy are light's turned over, top to bottom; everything else is the same."""
    for name in notation.TEXT_NAMES:
        for turn in (0, 90, 180, 270):
            light, dark = cells(f"{name} c3 r{turn}", LIGHT), cells(f"{name} c3 r{turn}", DARK)
            assert (light == dark) == (name not in ("abbey", "academy")), name
    assert cells("abbey c3", LIGHT) == {"c3", "c4", "d3", "d2"}
    assert cells("abbey c3", DARK) == {"c3", "c2", "d3", "d4"}
    assert cells("academy c3", LIGHT) == {"c3", "c4", "c2", "b3", "d2"}
    assert cells("academy c3", DARK) == {"c3", "c4", "c2", "b3", "d4"}
    paper = compile_tables(RULE_SETS["paper-6"], full_observation=True)
    assert (paper.cells[LIGHT] == paper.cells[DARK]).all()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("castle b3 r0", "castle b3"),
        ("  Castle  B3\tR90 ", "castle b3 r90"),
        ("stable b3 r180", "stable a3"),
        ("bridge b3 r270", "bridge b3 r90"),
        ("square b3 r90", "square a3"),
        ("infirmary c3 r270", "infirmary c3"),
        ("tavern a1 r180", "tavern a1"),
        ("abbey c3 r180", "abbey b3"),
    ],
)
def test_other_ways_to_write_a_placement(text: str, same: str) -> None:
    action = notation.parse_placement(text, LIGHT, SIX)
    assert notation.placement_moves(LIGHT, SIX)[action].text == same


MALFORMED = ["", "castle", "castle b3 90", "castle b3 r45", "castle b3 r90 x", "castle b 3", "castle b0", "b3 castle"]
MALFORMED += ["castle k3", "castle b11", "castle b03", "castle-b3", "castle3 b3", "castle b3\nr9", "çastle b3", "light"]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_moves(text: str) -> None:
    start = boardwright.game("cathedral", "official").start()
    assert refusal(start, text) == f"move {text!r}: expected a form like castle b3 r90"


def test_moves_with_unknown_pieces_or_cells() -> None:
    start = boardwright.game("cathedral", "official-6").start()
    assert refusal(start, "keep b3").startswith("move 'keep b3': there is no piece 'keep'; pieces: tavern, tavern2, ")
    assert refusal(start, "castle2 b3").startswith("move 'castle2 b3': there is no piece 'castle2'; ")
    assert refusal(start, "castle g3") == "move 'castle g3': g3 is not on a board of 6"
    assert refusal(start, "castle b7") == "move 'castle b7': b7 is not on a board of 6"
    assert refusal(start, "castle b6") == "move 'castle b6': the castle would leave the board"
    assert refusal(start, "stable f3") == "move 'stable f3': the stable would leave the board"
    assert refusal(start, "cathedral a3") == "move 'cathedral a3': the cathedral would leave the board"


def test_cathedral_is_placed_first_and_once() -> None:
    start = boardwright.game("cathedral", "official-6").start()
    assert refusal(start, "castle b3") == "move castle b3: the cathedral is placed first"
    position = start.play("cathedral c3")
    assert refusal(position, "cathedral c4 r90") == "move cathedral c4 r90: the cathedral has been placed already"


def test_a_placement_that_overlaps_names_piece_and_cell() -> None:
    position = at(f"C1e3/Cee3/{REST} l 2,2 l 9")
    assert refusal(position, "tavern a5") == "move tavern a5: overlaps light's stable on a5"
    assert refusal(position, "bridge b6") == "move bridge b6: overlaps light's stable on a6"
    assert refusal(position, "stable2 b6") == "move stable2 b6: overlaps dark's inn on c6"
    assert refusal(position, "square e2") == "move square e2: overlaps dark's square on e2"
    assert refusal(position, "manor c3 r90").startswith("move manor c3 r90: overlaps the cathedral on ")
    assert refusal(position, "tavern d3") == "move tavern d3: overlaps the cathedral on d3"


def test_piece_that_is_not_in_hand_is_refused() -> None:
    position = at(f"C1e3/Cee3/{REST} l 2,2 l 9")
    assert refusal(position, "stable e6") == "move stable e6: the stable is on the board already, not in light's hand"
    assert position.play("stable2 e6").role_to_move == DARK  # the other stable is
    position = at(f"C1e3/Cee3/{REST} d 2,2 l 9")
    assert refusal(position, "inn e6 r90") == "move inn e6 r90: the inn is on the board already, not in dark's hand"


def test_enemy_territory() -> None:
    position = at(f"2A3/GGG3/{REST} d 2,2 l 9")
    assert refusal(position, "tavern b6") == "move tavern b6: b6 is in light's territory"
    assert refusal(position, "stable a6") == "move stable a6: a6 is in light's territory"
    assert at(f"2A3/GGG3/{REST} l 2,2 l 9").play("stable a6").role_to_move == DARK


def test_the_coin() -> None:
    start = boardwright.game("cathedral", {"base": "paper-6", "first": "coin"}).start()
    assert refusal(start, "cathedral c3") == "move 'cathedral c3': the coin decides first, light or dark"
    with pytest.raises(IllegalMoveError, match="action 7: the coin decides first, 0 for light or 1 for dark"):
        start.play(7)
    assert start.play(" dark ").action_text(start.play("dark").legal_actions()[0]).startswith("cathedral ")


# Positions


def test_the_text_of_a_position() -> None:
    game = boardwright.game("cathedral", "official-6")
    assert game.start().text == "6/6/6/6/6/6 l 0,0 l 0"
    position = game.start().play("cathedral b2 r270")
    assert position.text == "6/6/1+4/+++3/1+4/1+4 d 0,0 l 1"
    position = position.play("castle e3").play("tavern2 a6")
    assert position.text == "B5/6/1+2mm/+++1m1/1+2mm/1+4 d 1,1 l 3"


def test_rows_need_not_be_canonical() -> None:
    assert at("33/6/6/6/6/222 l 0,0 l 0").text == "6/6/6/6/6/6 l 0,0 l 0"
    assert at("19/91/" + "10/" * 7 + "55 l 0,0 l 0", "official").text == "/".join(["10"] * 10) + " l 0,0 l 0"


GOOD = "6/6/1+4/+++3/1+4/1+4"
BAD_POSITIONS = {
    "": "expected 'BOARD l|d|c PLACED,PLACED l|d PLIES'",
    f"{GOOD} d 0,0 l": "expected 'BOARD",
    f"{GOOD} d 0,0 l 1 1": "expected 'BOARD",
    f"{GOOD}/6 d 0,0 l 1": "the board has 7 rows, needs 6",
    "6/6/6/6/6 l 0,0 l 0": "the board has 5 rows, needs 6",
    "6/6/6/6/6/5 l 0,0 l 0": "row '5': describes 5 cells, needs 6",
    "6/6/6/6/6/61 l 0,0 l 0": "row '61': describes 7 cells, needs 6",
    "6/6/6/6/6/99999999 l 0,0 l 0": "row '99999999': describes 72 cells, needs 6",
    "6/6/6/6//6 l 0,0 l 0": "row '': describes 0 cells, needs 6",
    "6/6/6/6/6/0123 l 0,0 l 0": "row '0123': '0' is not A to N, a to n, + or a number of empty cells",
    "6/6/6/6/6/O5 l 1,0 l 2": "row 'O5': 'O' is not A to N",
    "6/6/6/6/6/z5 l 1,0 l 2": "row 'z5': 'z' is not A to N",
    "6/6/6/6/6/é5 l 1,0 l 2": "row 'é5': 'é' is not A to N",
    "6/6/6/6/6/²5 l 1,0 l 2": "row '²5': '²' is not A to N",
    "6/6/6/6/6/AA4 l 1,0 l 2": "the cells of 'A' do not have the shape of the tavern",
    "6/6/6/6/6/M5 l 1,0 l 2": "the cells of 'M' do not have the shape of the castle",
    "6/6/6/6/c5/1c4 d 1,1 l 2": "the cells of 'c' do not have the shape of the stable",
    "6/6/6/6/6/+5 l 0,0 l 1": "the cells of '+' do not have the shape of the cathedral",
    "C5/C5/C5/6/6/6 d 1,1 l 2": "the cells of 'C' do not have the shape of the stable",
    f"{GOOD} x 0,0 l 1": "the side to move must be l, d or c, not 'x'",
    f"{GOOD} ld 0,0 l 1": "the side to move must be l, d or c, not 'ld'",
    f"{GOOD} d 0,0 c 1": "the first side must be l or d, not 'c'",
    f"{GOOD} d 0,0 ld 1": "the first side must be l or d, not 'ld'",
    f"{GOOD} d 0 l 1": "buildings placed must be two numbers from 0 to 2 like 2,1, not '0'",
    f"{GOOD} d 0,3 l 1": "buildings placed must be two numbers",
    f"{GOOD} d 0,0 l -1": f"plies must be a number from 0 to {notation.MAX_COUNTER}, not '-1'",
    f"{GOOD} d 0,0 l {notation.MAX_COUNTER + 1}": "plies must be a number from 0 to ",
    f"{GOOD} d 0,0 l {'9' * 5000}": "plies must be a number from 0 to ",
    f"{GOOD} d 0,0 l ١": "plies must be a number",
    "A5/6/1+4/+++3/1+4/1+4 d 0,0 l 2": "light has 1 buildings on the board, but placed only 0",
    "A1a2b/6/1+4/+++3/1+4/1+4 d 1,1 l 2": "dark has 2 buildings on the board, but placed only 1",
    f"{GOOD} l 0,0 d 1": "dark is first only where a coin decides",
    f"{GOOD} c 0,0 l 1": "chance is not to move here",
    f"{GOOD} l 0,0 l 1": "dark places the first building",
    "6/6/6/6/6/6 c 0,0 l 0": "chance is not to move here",
    "6/6/6/6/6/6 d 0,0 l 0": "it is not that side's turn to place the cathedral",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD_POSITIONS, ids=lambda text: text[:40])
def test_impossible_positions_are_refused(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        at(text)
    assert str(caught.value).startswith(f"position {text!r}: ")
    assert BAD_POSITIONS[text] in str(caught.value)


def test_first_side_depends_on_the_rules() -> None:
    empty = "6/6/6/6/6/6"
    for first, good in {
        "light": {"l 0,0 l 0"},
        "coin": {"c 0,0 l 0", "l 0,0 l 0", "d 0,0 d 0"},
        "chance": {"c 0,0 l 0"},
    }.items():
        game = boardwright.game("cathedral", {"base": "paper-6", "first": first})
        for turn, side in itertools.product("ldc", "ld"):
            text = f"{turn} 0,0 {side} 0"
            if text in good:
                assert game.position(f"{empty} {text}").text == f"{empty} {text}"
            else:
                with pytest.raises(PositionError):
                    game.position(f"{empty} {text}")


def test_side_that_cannot_build_is_not_to_move() -> None:
    late = "a1GGGb/CCcggg/HHceFF/HHeeFE/DDjjEE/1jjdd1"
    with pytest.raises(PositionError, match="the side to move cannot build, so the other is to move"):
        at(f"{late} d 2,2 l 30", "paper-6")
    assert at(f"{late} l 2,2 l 30", "paper-6").outcome is None


def test_finished_position_is_read() -> None:
    full = at("a1GGGb/CCcggg/HHceFF/HHeeFI/DDjjII/BjjddI l 2,2 l 30", "paper-6").play("tavern b6")
    assert full.outcome is not None
    assert at(full.text, "paper-6").outcome == full.outcome


def test_a_cathedral_that_is_missing_was_captured() -> None:
    position = at("A5/6/6/6/6/5a l 1,1 l 3")
    assert refusal(position, "cathedral c3").endswith("the cathedral has been placed already")
    assert at("6/6/6/6/6/6 l 0,0 l 0").moves()[0].startswith("cathedral ")
