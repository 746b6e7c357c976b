"""The rules case by case, in both engines: who captures whom, who may go where, how a game ends."""

import jax
import numpy as np
import pytest
from duel import compiled

import boardwright
from boardwright.errors import IllegalMoveError
from boardwright.games.base import Position
from boardwright.games.tablut import board as b


def put(attackers: str = "", defenders: str = "", king: str = "", to_move: str = "a", counters: str = "0 0") -> str:
    """Position text from lists of squares."""
    board = np.zeros(b.SQUARES, np.int8)
    for squares, piece in ((attackers, b.ATTACKER), (defenders, b.DEFENDER), (king, b.KING)):
        board[[b.square_number(name) for name in squares.split()]] = piece
    return f"{b.board_text(board)} {to_move} {counters}"


def play(rules: str | dict, text: str, *moves: str) -> Position:
    """Plays moves in both engines and asserts that they agree after each."""
    game = boardwright.game("tablut", rules)
    env, step, masks, _ = compiled(game)
    position = game.position(text)
    states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], env.from_position(position))
    for move in moves:
        action = game.parse_action(position.core, move)
        position = position.play(action)
        states = step(states, np.array([action]))
        assert np.array_equal(position.core.board(), states.board[0])  # type: ignore[attr-defined]
        assert position.core.result == int(states.result[0])
        assert position.core.reason == int(states.reason[0])
        assert np.array_equal(position.legal_mask(), masks(states)[0])
    return position


def taken(before: str, after: Position) -> set[str]:
    """Squares that lost a piece other than the mover."""
    old, new = b.parse_board(before.split()[0]), after.core.board()  # type: ignore[attr-defined]
    origin = after.core.last_action // b.PLANES_PER_SQUARE
    return {b.square_name(int(s)) for s in np.flatnonzero((old != 0) & (new == 0)) if s != origin}


CAPTURES = {
    # name: (rules, attackers, defenders, king, side, move, squares captured)
    "between two attackers": ("tablutzero", "c3 e8", "d3", "g7", "a", "e8-e3", {"d3"}),
    "between two defenders": ("tablutzero", "d3 a5", "c3 e8", "g7", "d", "e8-e3", {"d3"}),
    "two at once": ("tablutzero", "c3 e1 e8", "d3 e2", "g7", "a", "e8-e3", {"d3", "e2"}),
    "three at once": ("tablutzero", "c3 e1 g3 e8", "d3 e2 f3", "h7", "a", "e8-e3", {"d3", "e2", "f3"}),
    "moving between two enemies is safe": ("tablutzero", "c3 e3 a5", "d8", "g7", "d", "d8-d3", set()),
    "king as hammer": ("tablutzero", "d3 a5", "c3", "e8", "d", "e8-e3", {"d3"}),
    "king as anvil": ("tablutzero", "d3 a5", "e8", "c3", "d", "e8-e3", {"d3"}),
    "not diagonally": ("tablutzero", "c2 e8", "d3", "g7", "a", "e8-e4", set()),
    "not over an empty square": ("tablutzero", "b3 e8", "d3", "g7", "a", "e8-e3", set()),
    "attackers against a corner": ("tablutzero", "c5", "b1", "g7", "a", "c5-c1", {"b1"}),
    "defenders against a corner": ("tablutzero", "b1 a5", "c5", "g7", "d", "c5-c1", {"b1"}),
    "no corner in saami": ("saami", "c5", "b1", "g7", "a", "c5-c1", set()),
    "attackers against the empty throne": ("tablutzero", "c1 a5", "d5", "g7", "a", "c1-c5", {"d5"}),
    "defenders against the empty throne": ("tablutzero", "d5 a4", "c1", "g7", "d", "c1-c5", {"d5"}),
    "defender next to the occupied throne, tablutzero": ("tablutzero", "c1", "d5", "e5", "a", "c1-c5", set()),
    "defender next to the occupied throne, mcgill": ("mcgill", "c1", "d5", "e5", "a", "c1-c5", {"d5"}),
    "attacker next to the king on his throne": ("tablutzero", "d5 a4", "c1", "e5", "d", "c1-c5", {"d5"}),
    "the edge is no enemy": ("tablutzero", "b8", "a5", "g7", "a", "b8-b5", set()),
    "unarmed king is no hammer": ({"king_armed": False}, "d3 a5", "c3", "e8", "d", "e8-e3", set()),
    "unarmed king is no anvil": ({"king_armed": False}, "d3 a5", "e8", "c3", "d", "e8-e3", set()),
    "a move elsewhere does not take a trapped king": ("mcgill", "c5 d4 d6 h8", "h2", "d5", "a", "h8-h7", set()),
    "a defender on the throne is no enemy": ({"throne_stop": "all"}, "c1", "d5 e5", "g7", "a", "c1-c5", set()),
    "a defender on the throne shields the king": ({"throne_stop": "all"}, "c1", "e5", "d5", "a", "c1-c5", set()),
    "a defender on the throne shields a strong king": (
        {"throne_stop": "all", "king_capture": "strong-centre"},
        "d4 d6 c1",
        "e5",
        "d5",
        "a",
        "c1-c5",
        set(),
    ),
    "a row does not wrap round": ("tablutzero", "b8 i6", "a5", "g7", "a", "b8-b5", set()),
    "weak king in the open": ("tablutzero", "c3 e8", "a8", "d3", "a", "e8-e3", {"d3"}),
    "weak king on his throne": ("tablutzero", "d5 f8", "a8", "e5", "a", "f8-f5", {"e5"}),
    "weak king next to a corner": ("tablutzero", "c5", "e8", "b1", "a", "c5-c1", {"b1"}),
    "weak king next to the empty throne": ("tablutzero", "c1", "e8", "d5", "a", "c1-c5", {"d5"}),
    "king and man at once": ("tablutzero", "c3 e1 e8", "e2", "d3", "a", "e8-e3", {"d3", "e2"}),
    "king moving between two attackers is safe": ("tablutzero", "c3 e3", "h8", "d8", "d", "d8-d3", set()),
    "two do not take a king on the throne in mcgill": ("mcgill", "d5 f8", "a8", "e5", "a", "f8-f5", set()),
    "three do not take a king on the throne in mcgill": ("mcgill", "d5 e6 f8", "a8", "e5", "a", "f8-f5", set()),
    "four take a king on the throne in mcgill": ("mcgill", "d5 e6 e4 f8", "a8", "e5", "a", "f8-f5", {"e5"}),
    "a defender saves the king on the throne": ("mcgill", "d5 e6 f8", "a8 e4", "e5", "a", "f8-f5", set()),
    "one does not take a king next to the throne in mcgill": ("mcgill", "c1", "e8", "d5", "a", "c1-c5", set()),
    "three and the throne take a king next to it in mcgill": ("mcgill", "d6 d4 c1", "e8", "d5", "a", "c1-c5", {"d5"}),
    "two take a king elsewhere in mcgill": ("mcgill", "c3 e8", "a8", "d3", "a", "e8-e3", {"d3"}),
    "a corner helps against a king elsewhere in mcgill": ("mcgill", "c5", "e8", "b1", "a", "c5-c1", {"b1"}),
    "two do not take a strong king": ({"king_capture": "strong"}, "c3 e8", "a8", "d3", "a", "e8-e3", set()),
    "four take a strong king": ({"king_capture": "strong"}, "c3 d2 d4 e8", "a8", "d3", "a", "e8-e3", {"d3"}),
    "a strong king is safe on an edge": ({"king_capture": "strong"}, "a2 a4 b8", "h8", "a3", "a", "b8-b3", set()),
}


@pytest.mark.parametrize("case", CAPTURES.values(), ids=CAPTURES)
def test_captures(case: tuple) -> None:
    rules, attackers, defenders, king, side, move, expected = case
    before = put(attackers, defenders, king, side)
    after = play(rules, before, move)
    assert taken(before, after) == expected
    assert (king in expected) == (after.outcome is not None and after.outcome.reason == "king captured")
    assert after.core.quiet == (0 if expected else 1)  # type: ignore[attr-defined]


CAMP = {"camps": [["d1", "e1", "f1", "e2"]], "camps_hostile_to": "defenders"}
NEIGHBOURS = {"camps": [["d1", "e1"], ["f1", "g1"]]}

MOVES = {
    # name: (rules, attackers, defenders, king, side, move, words of the refusal or None if legal)
    "a man passes the empty throne": ("tablutzero", "e8", "a8", "g7", "a", "e8-e3", None),
    "a man may not stop on the throne": ("tablutzero", "e8", "a8", "g7", "a", "e8-e5", "stop on the throne e5"),
    "a man may where the rules say so": ({"throne_stop": "all"}, "e8", "a8", "g7", "a", "e8-e5", None),
    "a man may not pass where the rules forbid": ({"throne_pass": "king"}, "e8", "a8", "g7", "a", "e8-e3", "pass over"),
    "no piece passes the king on his throne": ("tablutzero", "e8", "a8", "e5", "a", "e8-e3", "e5 is occupied"),
    "a man may not stop on a corner": ("tablutzero", "a5", "d8", "g7", "a", "a5-a1", "corner a1"),
    "a man may in saami": ("saami", "a5", "d8", "g7", "a", "a5-a1", None),
    "the king returns to the throne": ("tablutzero", "a4", "a8", "e7", "d", "e7-e5", None),
    "the king does not where the rules forbid": (
        {"throne_stop": "none"},
        "a4",
        "a8",
        "e7",
        "d",
        "e7-e5",
        "the king stop",
    ),
    "the king passes the throne": ("tablutzero", "a4", "a8", "e7", "d", "e7-e3", None),
    "no jumping": ("tablutzero", "c3 a5", "c5", "g7", "d", "c5-c1", "c3 is occupied"),
    "not onto a piece": ("tablutzero", "c3 a5", "c5", "g7", "d", "c5-c3", "c3 is occupied"),
    "attackers do not change camps": (NEIGHBOURS, "e1", "c8", "g7", "a", "e1-f1", "camp at f1"),
    "not the other side's piece": ("tablutzero", "c3", "c5", "g7", "d", "c3-c2", "the defenders move now"),
    "not an empty square": ("tablutzero", "c3", "c5", "g7", "a", "d4-d5", "no piece on d4"),
    "not askew": ("tablutzero", "c3", "c5", "g7", "a", "c3-d5", "rows and columns"),
    "attackers leave their camp": (CAMP, "e2", "c8", "g7", "a", "e2-e4", None),
    "attackers move inside their camp": (CAMP, "d1", "c8", "g7", "a", "d1-f1", None),
    "attackers do not return": (CAMP, "e4", "c8", "g7", "a", "e4-e2", "camp at e2"),
    "attackers do not cross it": (CAMP, "a2", "c8", "g7", "a", "a2-h2", "camp at e2"),
    "defenders do not enter a camp": (CAMP, "a5", "e4", "g7", "d", "e4-e2", "camp at e2"),
    "the king does not enter a camp": (CAMP, "a5", "g7", "e4", "d", "e4-e1", "camp at e2"),
}


@pytest.mark.parametrize("case", MOVES.values(), ids=MOVES)
def test_movement(case: tuple) -> None:
    rules, attackers, defenders, king, side, move, refusal = case
    text = put(attackers, defenders, king, side)
    if refusal is None:
        play(rules, text, move)
    else:
        with pytest.raises(IllegalMoveError, match=refusal):
            play(rules, text, move)


SHUFFLE = ["c3-c4", "c8-c7", "c4-c3", "c7-c8"]  # four plies that lead back
QUIET = put("c3", "c8", "g7")
RING = "d6 f6 c5 g5 d4 f4 e3 e9"  # closed round e5 once e9 comes to e7
SURROUND = {"surround_loses": True}
LONG = "too long without a capture"

ENDS = {
    # name: (rules, position, moves, winner (0 attackers, 1 defenders, None draw, ... unfinished), reason)
    "escape to a corner": ("tablutzero", put("c5", "c8", "a5", "d"), ["a5-a1"], 1, "king escaped"),
    "an edge is no escape in tablutzero": ("tablutzero", put("c5", "c8", "d5", "d"), ["d5-d1"], ..., ""),
    "an edge is escape in saami": ("saami", put("c5", "c8", "d5", "d"), ["d5-d1"], 1, "king escaped"),
    "last attacker captured against a corner": (
        "tablutzero",
        put("a2", "b2 c3", "g7", "d"),
        ["c3-a3"],
        1,
        "no legal move",
    ),
    "defenders without a move": ("tablutzero", put("a4 a6 b8", "", "a5"), ["b8-b5"], 0, "no legal move"),
    "defenders without a move in mcgill": ("mcgill", put("a4 a6 b8", "", "a5"), ["b8-b5"], 0, "no legal move"),
    "the mover may block himself": (CAMP, put("f1", "g2 f3", "g7"), ["f1-f2"], ..., ""),
    "but not in mcgill": ({"base": "mcgill", **CAMP}, put("f1", "g2 f3", "g7"), ["f1-f2"], 1, "no legal move"),
    "last attacker captured": ("tablutzero", put("d3", "c3 e8", "g7", "d"), ["e8-e3"], 1, "no legal move"),
    "last attacker captured in mcgill": ("mcgill", put("d3", "c3 e8", "g7", "d"), ["e8-e3"], 1, "no legal move"),
    "quiet plies": ("tablutzero", put("c3", "c8", "g7", "a", "99 150"), ["c3-c4"], None, LONG),
    "a capture resets them": ("tablutzero", put("c3 e8", "d3 c8", "g7", "a", "99 150"), ["e8-e3"], ..., ""),
    "more in tablutzero-code": ("tablutzero-code", put("c3", "c8", "g7", "a", "198 250"), ["c3-c4"], ..., ""),
    "200 in tablutzero-code": (
        "tablutzero-code",
        put("c3", "c8", "g7", "a", "199 250"),
        ["c3-c4"],
        None,
        "too long without a capture",
    ),
    "ply limit": ("tablutzero", put("c3", "c8", "g7", "a", "5 511"), ["c3-c4"], None, "ply limit"),
    "ply limit in mcgill": ("mcgill", put("c3", "c8", "g7", "a", "5 99"), ["c3-c4"], None, "ply limit"),
    "no quiet limit in mcgill": ("mcgill", put("c3", "c8", "g7", "a", "98 98"), ["c3-c4"], ..., ""),
    "a win on the last ply counts": ("tablutzero", put("c5", "c8", "a5", "d", "99 511"), ["a5-a1"], 1, "king escaped"),
    "second occurrence": ("tablutzero", QUIET, SHUFFLE, ..., ""),
    "third occurrence, one ply before": ("tablutzero", QUIET, [*SHUFFLE, *SHUFFLE[:3]], ..., ""),
    "third occurrence loses": ("tablutzero", QUIET, [*SHUFFLE, *SHUFFLE], 0, "repetition"),
    "third occurrence draws": ("saami", QUIET, [*SHUFFLE, *SHUFFLE], None, "repetition"),
    "repetition in mcgill": ("mcgill", QUIET, [*SHUFFLE, *SHUFFLE, *SHUFFLE], ..., ""),
    "start not counted": ({"count_start": False}, QUIET, [*SHUFFLE, *SHUFFLE], ..., ""),
    "then the next one loses": ({"count_start": False}, QUIET, [*SHUFFLE, *SHUFFLE, "c3-c4"], 1, "repetition"),
    "second occurrence loses": ({"repetition_limit": 2}, QUIET, SHUFFLE, 0, "repetition"),
    "surrounded": (SURROUND, put(RING, "", "e5"), ["e9-e7"], 0, "defenders surrounded"),
    "a hole in the ring": (SURROUND, put(RING, "", "e5"), ["e9-e8"], ..., ""),
    "a defender outside the ring": (SURROUND, put(RING, "b2", "e5"), ["e9-e7"], ..., ""),
    "an open way to file i": (SURROUND, put("g9 h6 h4 i6 i4", "", "h5"), ["g9-g5"], ..., ""),
    "an open way to file a": (SURROUND, put("c9 b6 b4 a6 a4", "", "b5"), ["c9-c5"], ..., ""),
    "an open way to rank 9": (SURROUND, put("a7 d8 f8 d9 f9", "", "e8"), ["a7-e7"], ..., ""),
    "an open way to rank 1": (SURROUND, put("a3 d2 f2 d1 f1", "", "e2"), ["a3-e3"], ..., ""),
    # Two endings at once: the documented order decides.
    "escape with the last attacker captured": ("mcgill", put("b1", "c1", "a5", "d"), ["a5-a1"], 1, "king escaped"),
    "both limits at once": ("tablutzero", put("c3", "c8", "g7", "a", "99 511"), ["c3-c4"], None, LONG),
    "no move on the last quiet ply": (
        "tablutzero",
        put("a4", "a3 a5 b8", "g7", "d", "99 150"),
        ["b8-b4"],
        1,
        "no legal move",
    ),
    "repetition on the last quiet ply": (
        "tablutzero",
        put("c3", "c8", "g7", "a", "92 150"),
        [*SHUFFLE, *SHUFFLE],
        0,
        "repetition",
    ),
    "surrounded and unable to move": (
        SURROUND,
        put("d5 f5 e4 d6 f6 e9", "e6", "e5"),
        ["e9-e7"],
        0,
        "defenders surrounded",
    ),
    "rings mean nothing in tablutzero": ("tablutzero", put(RING, "", "e5"), ["e9-e7"], ..., ""),
}


@pytest.mark.parametrize("case", ENDS.values(), ids=ENDS)
def test_game_ends_with_its_winner_and_reason(case: tuple) -> None:
    rules, text, moves, winner, reason = case
    outcome = play(rules, text, *moves).outcome
    if winner is ...:
        assert outcome is None
    else:
        assert outcome is not None
        assert (outcome.winner, outcome.reason) == (winner, reason)


def test_a_side_that_cannot_move_may_be_saved_by_a_capture() -> None:
    """The legal moves that count are those after captures have left the board."""
    after = play("tablutzero", put("a2 a4 h8", "b2 c3", "g7", "d"), "c3-a3")
    assert after.outcome is None
    assert set(after.moves()) > {"h8-h9"}


def test_finished_positions_are_read_from_text() -> None:
    game = boardwright.game("tablut", "tablutzero")
    without_king = game.position(put("c3", "c8"))
    assert without_king.outcome is not None
    assert (without_king.outcome.winner, without_king.outcome.reason) == (0, "king captured")
    escaped = game.position(put("c3", "c8", "a1"))
    assert escaped.outcome is not None
    assert (escaped.outcome.winner, escaped.legal_actions()) == (1, [])


def test_king_blocked_on_his_corner_loses_in_mcgill() -> None:
    game = boardwright.game("tablut", "mcgill")
    position = game.position(put("a2 b1 e8", "", "a1"))
    assert position.outcome is not None
    assert (position.outcome.winner, position.outcome.reason) == (0, "no legal move")
    state = game.batch().from_position(position)
    assert (int(state.result), int(state.reason)) == (position.core.result, position.core.reason)
