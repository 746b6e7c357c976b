"""The rules case by case, in both engines: claims, captures, who is passed over, how a game ends, what is paid.

Boards are drawn with the letters of position texts: A to N light's buildings, a to n dark's, + the cathedral.
Two pieces away from those of a case keep the rest of the board from being claimed.
"""

import random
import re
from typing import Any

import jax
import numpy as np
import pytest
from duel import compare, compiled

import boardwright
from boardwright.errors import IllegalMoveError, RulesError
from boardwright.games.base import CHANCE, DRAW, Outcome, Position
from boardwright.games.cathedral import notation, pieces
from boardwright.games.cathedral.rules import DARK, LIGHT

OFFICIAL = {"name": "official-6-shaped", "base": "official-6", "rewards": "shaped"}
PAPER = {"name": "paper-6-shaped", "base": "paper-6", "rewards": "shaped"}
COIN = {"name": "coin", "base": "paper-6", "first": "coin"}
CHANCE_PLACES = {"name": "chance", "base": "paper-6", "first": "chance"}
BOTH = pytest.mark.parametrize("rules", [OFFICIAL, PAPER], ids=["official", "paper"])


def drawn(drawing: str, to_move: str = "l", placed: str = "2,2") -> str:
    """Position text of a drawing."""
    rows = [re.sub(r"\.+", lambda dots: str(len(dots[0])), row) for row in drawing.split()]
    return f"{'/'.join(rows)} {to_move} {placed} l 9"


def board(position: Position) -> list[str]:
    """The rows of a drawing."""
    rows = position.text.split()[0].split("/")
    return [re.sub(r"\d+", lambda digits: "." * int(digits[0]), row) for row in rows]


def play(rules: Any, start: str | None, *moves: str) -> Position:
    """Plays moves in both engines and asserts that they agree after each in all they say."""
    game = boardwright.game("cathedral", rules)
    env, step, masks, observe = compiled(game)
    position = game.start() if start is None else game.position(start)
    states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], env.from_position(position))
    for move in moves:
        (action,) = game.parse_move(position.core, move)
        position = position.play(action)
        states = step(states, np.array([action]))
        compare(game, [position], states, np.asarray(masks(states)), np.array([True]))
        for role in (LIGHT, DARK):
            assert np.array_equal(position.observation(role), observe(states, np.array([role], np.int8))[0])
    return position


def territory(position: Position, role: int) -> set[str]:
    size, core = position.game.rules.size, position.core
    return {notation.cell_name(cell, size) for cell in core.territory(role)}  # type: ignore[attr-defined]


def rewards(position: Position) -> list[float]:
    return list(position.core.rewards())  # type: ignore[attr-defined]


def refusal(position: Position, move: str) -> str:
    with pytest.raises(IllegalMoveError) as caught:
        position.play(move)
    return str(caught.value)


def plane(position: Position, role: int, name: str) -> set[str]:
    """The cells that a plane of a role's observation marks."""
    marked = position.observation(role)[..., position.game.planes.index(name)]
    return {notation.cell_name(int(cell), len(marked)) for cell in np.flatnonzero(marked)}


# Claims

REST = """
    ...+..
    .++++.
    ...+hh
    ....hh
"""


@BOTH
def test_walls_must_touch_edge_to_edge(rules: dict) -> None:
    start = drawn(f".B.... A..... {REST}")
    assert territory(play(rules, start), LIGHT) == set()  # a6 and b5 touch at their corners
    position = play(rules, start, "stable b5")
    assert territory(position, LIGHT) == {"a6"}
    assert refusal(position, "tavern a6") == "move tavern a6: a6 is in light's territory"


def test_the_first_building_claims_under_paper_rules_only() -> None:
    start = drawn(f"...... ...... {REST}", placed="0,1")
    assert territory(play(PAPER, start, "inn b5 r180"), LIGHT) == {"a6"}
    position = play(OFFICIAL, start, "inn b5 r180")
    assert territory(position, LIGHT) == set()
    assert position.play("tavern a6").role_to_move == LIGHT  # dark may still build there
    position = play(OFFICIAL, start, "inn b5 r180", "tavern f6", "tavern d6")
    assert territory(position, LIGHT) == {"a6"}  # claimed with the second building, though it stands elsewhere


@pytest.mark.parametrize("size", [6, 7])
def test_first_building_never_claims_the_whole_board(size: int) -> None:
    """One that cuts off a corner would, and the cathedral with it, if everything else could be claimed."""
    with pytest.raises(RulesError, match="otherwise the first building claims the whole board"):
        boardwright.game("cathedral", {"base": "paper", "size": size, "claim_cap": size**2 - 8})
    game = boardwright.game("cathedral", {"base": "paper", "size": size, "claim_cap": size**2 - 9})
    for cathedral in game.start().moves()[::9]:
        placed = game.start().play(cathedral)
        assert max(len(territory(placed.play(move), DARK)) for move in placed.moves()) == 3


def test_a_building_that_was_captured_counts_as_placed() -> None:
    start = drawn(f"...... ...... {REST}", placed="1,1")
    assert territory(play(OFFICIAL, start, "inn b5 r180"), LIGHT) == {"a6"}


def test_first_building_captures_nothing_under_official_rules() -> None:
    start = drawn(f"a..... ...... {REST}", placed="0,2")
    assert board(play(OFFICIAL, start, "inn b5 r180"))[0] == "aE...."
    assert board(play(PAPER, start, "inn b5 r180"))[0] == ".E...."


@pytest.mark.parametrize(("cap", "above", "below"), [(11, 0, 0), (12, 12, 0), (17, 12, 0), (18, 12, 18), (24, 12, 18)])
def test_claim_cap(cap: int, above: int, below: int) -> None:
    game = boardwright.game("cathedral", {"base": "paper-6", "claim_cap": cap})
    position = game.position(drawn("...... ...... GGGCC. ...... ...... ......", placed="2,0")).play("tavern f4")
    claimed = territory(position, LIGHT)
    assert len({cell for cell in claimed if cell[1] in "65"}) == above
    assert len({cell for cell in claimed if cell[1] in "321"}) == below
    assert len(claimed) == above + below


def test_claim_cap_applies_to_captures() -> None:
    start = drawn("...... ..cc.. GGGCC. ..hh.. ..hhdd ......")
    for cap, row in ((11, "..cc.."), (12, "......")):
        game = boardwright.game("cathedral", {"base": "paper-6", "claim_cap": cap})
        assert board(game.position(start).play("tavern f4"))[1] == row


@BOTH
def test_building_in_own_territory_uses_it_up(rules: dict) -> None:
    start = drawn(f"..A... GGG... {REST}")
    assert territory(play(rules, start), LIGHT) == {"a6", "b6"}
    position = play(rules, start, "tavern2 a6")
    assert territory(position, LIGHT) == {"b6"}
    assert rewards(position) == [1 - 5, 0]


@BOTH
def test_territory_is_read_from_the_board_and_not_remembered(rules: dict) -> None:
    start = drawn(".E.... EE.... ggg+.. .++++. HH.+hh HH..hh", to_move="d")
    assert territory(play(rules, start), LIGHT) == {"a6"}
    position = play(rules, start, "stable c6 r90")
    assert board(position) == ["..c...", "..c...", "ggg+..", ".++++.", "HH.+hh", "HH..hh"]
    assert territory(position, LIGHT) == set()
    assert territory(position, DARK) == {"a6", "b6", "a5", "b5"}
    assert rewards(position) == [-3, 4 + 2 - 5 + 3]


# Captures


@BOTH
def test_captured_building_returns_to_hand_at_once(rules: dict) -> None:
    start = drawn(f"a..... CC.... {REST}")
    position = play(rules, start, "tavern b6")
    assert board(position)[:2] == [".A....", "CC...."]
    assert territory(position, LIGHT) == {"a6"}
    assert rewards(position) == [1 + 1 - 5 + 1, -1]
    assert refusal(position, "tavern a6") == "move tavern a6: a6 is in light's territory"
    assert board(play(rules, start, "tavern b6", "tavern d6"))[0] == ".A.a.."


@BOTH
def test_only_the_mover_captures(rules: dict) -> None:
    start = drawn(f"aA.... CC.... {REST}", to_move="d")
    position = play(rules, start, "tavern2 f6")
    assert board(position)[0] == "aA...b"
    assert territory(position, LIGHT) == set()
    position = play(rules, start, "tavern2 f6", "tavern2 d6")  # wherever light builds
    assert board(position)[0] == ".A.B.b"
    assert rewards(position) == [1 + 1 - 5 + 1, -1]


@BOTH
def test_the_cathedral_is_captured_and_leaves_the_game(rules: dict) -> None:
    start = drawn("..+... ++++.. ..+... GGGCC. hh.... hh..cc")
    position = play(rules, start, "tavern f3")
    assert board(position) == ["......", "......", "......", "GGGCCA", "hh....", "hh..cc"]
    assert territory(position, LIGHT) == {file + rank for file in "abcdef" for rank in "654"}
    assert rewards(position) == [18 + 1 - 5, 0]
    assert plane(position, DARK, "cathedral in the game") == set()
    assert len(plane(play(rules, start), DARK, "cathedral in the game")) == 36
    assert refusal(position, "cathedral c5").endswith("the cathedral has been placed already")
    assert boardwright.game("cathedral", rules).position(position.text).hash == position.hash


@BOTH
@pytest.mark.parametrize("above", ["..+..a ++++.. ..+...", "...cc. ...... a....."], ids=["cathedral", "buildings"])
def test_two_foreign_pieces_are_safe(rules: dict, above: str) -> None:
    position = play(rules, drawn(f"{above} GGGCC. hh.... hh..dd"), "tavern f3")
    assert board(position) == [*above.split(), "GGGCCA", "hh....", "hh..dd"]
    assert territory(position, LIGHT) == set()
    assert rewards(position) == [1 - 5, 0]
    assert position.play("tavern2 a6").role_to_move == LIGHT  # dark may build there


@BOTH
def test_one_move_captures_in_several_areas(rules: dict) -> None:
    position = play(rules, drawn(f"a.bC.. GGGC.. {REST}"), "tavern b6")
    assert board(position)[:2] == [".A.C..", "GGGC.."]
    assert territory(position, LIGHT) == {"a6", "c6"}
    assert rewards(position) == [2 + 1 - 5 + 2, -2]
    assert position.play("tavern f6").play("tavern2 f5").play("tavern2 f4").role_to_move == LIGHT  # dark has both back


@BOTH
def test_one_move_captures_a_building_and_the_cathedral(rules: dict) -> None:
    position = play(rules, drawn("..+... ++++.. ..+... GGGCC. hh.... hh...."), "tavern f3")
    assert board(position) == ["......", "......", "......", "GGGCCA", "......", "......"]
    assert len(territory(position, LIGHT)) == 30
    assert rewards(position) == [30 + 1 - 5 + 4, -4]
    assert position.role_to_move == LIGHT  # dark may build nowhere
    assert position.outcome is None


@BOTH
def test_pocket_between_cathedral_and_edge_allows_captures(rules: dict) -> None:
    start = drawn("..+..a ++++CC ..+... ....hh ....hh ......")
    position = play(rules, start, "tavern e6")
    assert board(position)[0] == "..+.A."
    assert territory(position, LIGHT) == {"f6"}
    assert territory(position, DARK) == set()
    assert board(play(rules, start, "tavern e6", "stable a6"))[0] == "cc+.A."  # the pocket is open to both
    assert board(play(rules, start, "tavern e6", "tavern f1", "stable2 a6"))[0] == "DD+.A."


# Who is to move, and the end

LATE = "a.GGGb CCcggg HHceFF HHeeFE DDjjEE .jjdd."  # three cells left, and dark has no tavern in hand
LIGHT_WINS = Outcome(LIGHT, "fewer squares left")


def test_passed_side_moves_again_when_it_can_build() -> None:
    position = play(PAPER, drawn(LATE), "tavern2 a1")
    assert position.role_to_move == LIGHT  # dark was passed over
    assert sorted(position.moves()) == ["tavern b6", "tavern f1"]
    position = play(PAPER, drawn(LATE), "tavern2 a1", "tavern b6")
    assert position.role_to_move == DARK  # who has a tavern again
    assert position.outcome is None
    assert position.moves() == ["tavern f1"]
    assert rewards(position) == [1 + 1 - 1 + 1, -1]


@pytest.mark.parametrize(
    "moves", [("tavern2 a1", "tavern b6", "tavern f1"), ("tavern b6", "tavern f1", "tavern2 a1")], ids=["dark", "light"]
)
def test_final_reward_goes_to_both_roles(moves: tuple[str, ...]) -> None:
    shaped = play(PAPER, drawn(LATE), *moves)
    assert shaped.outcome == LIGHT_WINS
    assert rewards(shaped) == [10, -10]  # and 1 - 1 for the largest that could be placed
    sparse = play("paper-6", drawn(LATE), *moves)
    assert sparse.outcome == LIGHT_WINS
    assert rewards(sparse) == [1, -1]


def test_final_reward_is_added_to_the_reward_of_the_last_move() -> None:
    position = play(PAPER, drawn("a.GGGb CCcggg HHceFF HHeeFI DDjjII BjjddI"), "tavern b6")
    assert position.outcome == LIGHT_WINS
    assert rewards(position) == [1 + 1 - 1 + 1 + 10, -1 - 10]


@pytest.mark.parametrize("rules", ["paper-6", "official-6"])
def test_games_end_exactly_when_neither_can_build(rules: str) -> None:
    game = boardwright.game("cathedral", rules)
    tables = game.tables  # type: ignore[attr-defined]
    generator = random.Random(5)
    passed = results = 0

    def can_build(core: Any, role: int) -> bool:
        where = core.where()
        taken = np.zeros(tables.size**2, bool)
        taken[core.territory(1 - role)] = True
        for side in (LIGHT, DARK):
            for action in where[side][where[side] >= 0]:
                taken |= tables.cells[side, action]
        if core.cathedral >= 0:
            taken |= tables.cells[LIGHT, core.cathedral]
        in_hand = np.append(where[role] < 0, [False])
        return bool((in_hand[tables.piece] & ~(tables.cells[role] & taken).any(axis=1)).any())

    for _ in range(150):
        position, paid = game.start(), np.zeros(2)
        while position.outcome is None:
            mover = position.role_to_move
            position = position.play(generator.choice(position.legal_actions()))
            paid += rewards(position)
            core: Any = position.core
            able = [can_build(core, role) for role in (LIGHT, DARK)]
            if position.outcome is None:
                assert position.role_to_move == (1 - mover if able[1 - mover] else mover)
                assert not paid.any()
                passed += position.role_to_move == mover
            else:
                assert able == [False, False]
        left = [sum(np.array(pieces.SIZES[:14])[position.core.where()[role] < 0]) for role in (LIGHT, DARK)]  # type: ignore[attr-defined]
        winner = None if left[0] == left[1] else int(left[1] < left[0])
        assert position.outcome.winner == winner
        assert paid.tolist() == ([0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1])
        results |= 1 << position.core.result
    assert passed > 20
    assert results == 1 << LIGHT | 1 << DARK | 1 << DRAW


# Who is first, and chance


def test_the_coin_decides_who_places_the_cathedral() -> None:
    start = play(COIN, None)
    assert (start.role_to_move, start.moves(), start.plies) == (CHANCE, ["light", "dark"], 0)
    for side, name in ((LIGHT, "light"), (DARK, "dark")):
        position = play(COIN, None, name)
        assert (position.role_to_move, position.plies) == (side, 0)
        assert all(move.startswith("cathedral ") for move in position.moves())
        position = play(COIN, None, name, "cathedral c3")
        assert (position.role_to_move, position.plies) == (1 - side, 1)


@pytest.mark.parametrize("first", [LIGHT, DARK])
def test_planes_are_from_the_observers_side(first: int) -> None:
    builder = 1 - first
    position = play(COIN, None, ("light", "dark")[first], "cathedral c3", "inn b5 r180", "stable e6")
    for observation in ("full", "paper"):
        game = boardwright.game("cathedral", position.game.rules, observation)
        seen = game.play_all(position.actions())
        for role in (LIGHT, DARK):
            own, enemy = ("own", "enemy") if role == builder else ("enemy", "own")
            assert plane(seen, role, f"{own} buildings") == {"a5", "b5", "b6"}
            assert plane(seen, role, f"{enemy} buildings") == {"e6", "f6"}
            assert plane(seen, role, f"{own} territory") == {"a6"}
            assert plane(seen, role, f"{enemy} territory") == set()
            assert plane(seen, role, "cathedral") == {"b3", "c3", "d2", "d3", "d4", "e3"}
        assert np.array_equal(seen.observation(), seen.observation(builder))  # who is to move


def test_chance_may_place_the_cathedral() -> None:
    start = play(CHANCE_PLACES, None)
    assert (start.role_to_move, start.count_actions()) == (CHANCE, 48)
    position = play(CHANCE_PLACES, None, "cathedral c3", "inn b5 r180")
    assert position.role_to_move == LIGHT
    assert territory(position, DARK) == {"a6"}


@pytest.mark.parametrize(
    "rules", ["paper-6", "official-6", COIN, CHANCE_PLACES], ids=["paper", "official", "coin", "chance"]
)
def test_the_seed_fixes_random_games(rules: Any) -> None:
    core = boardwright.game("cathedral", rules).start().core
    tallies = [core.playouts(seed, 0, 40) for seed in (3, 3, 4, 5, 6, 7)]
    totals = [(tally.outcomes, tally.plies, tally.actions, tally.choices) for tally in tallies]
    assert totals[0] == totals[1]
    assert len({str(total) for total in totals}) == 5


def test_returned_building_can_be_placed_again() -> None:
    start = drawn(f"a....b CC..DD {REST}")
    position = play(OFFICIAL, start, "tavern b6", "tavern d6", "tavern2 e6")
    assert board(position)[:2] == [".A.aB.", "CC..DD"]
    assert territory(position, LIGHT) == {"a6", "f6"}
