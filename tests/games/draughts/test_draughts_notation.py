"""Draughts as text: positions, moves, and the paper's numbering of hops."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boardwright
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts.notation import Placement, fen, parse_fen, route_of
from boardwright.games.rulefile import MAX_GAME_PLIES

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK2"
steady = settings(deadline=None)  # the machine may be busy


def action_of(square: int, direction: int) -> int:
    """The hop from a square in a direction."""
    return (square - 1) * 4 + direction


def position(text: str) -> Position:
    return boardwright.game("draughts").position(text)


# Positions


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    """Any pieces anywhere, men on the rows where they would be crowned excepted."""
    black, white = draw(st.integers(0, 2**32 - 1)), draw(st.integers(0, 2**32 - 1))
    white &= ~black
    kings = draw(st.integers(0, 2**32 - 1)) | black & b.CROWN_ROWS[b.BLACK] | white & b.CROWN_ROWS[b.WHITE]
    to_move = draw(st.integers(0, 1))
    return Placement(
        black=black,
        white=white,
        kings=kings & (black | white),
        role_to_move=to_move,
        quiet=draw(st.integers(0, MAX_GAME_PLIES)),
        plies=2 * draw(st.integers(0, MAX_GAME_PLIES - 1)) + to_move,
    )


def after_random_hops(seed: int, hops: int) -> Position:
    now, generator = boardwright.game("draughts").start(), random.Random(seed)
    while now.outcome is None and hops > 0:
        now, hops = now.play(generator.choice(now.legal_actions())), hops - 1
    return now


def refusal_of(text: str) -> str:
    """The message about a position that cannot be read, one line."""
    with pytest.raises(PositionError) as caught:
        position(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@steady
@given(placements())
def test_any_placement_survives_a_round_trip(placement: Placement) -> None:
    text = fen(placement)
    assert parse_fen(text) == placement
    assert position(text).text == text


@steady
@given(st.integers(0, 2**32), st.integers(0, 150))
def test_every_position_of_a_game_survives_a_round_trip(seed: int, hops: int) -> None:
    now = after_random_hops(seed, hops)
    again = position(now.text)
    assert again.text == now.text
    assert again.hash == now.hash
    if now.outcome is None:  # a text does not know about repetitions
        assert again.legal_actions() == now.legal_actions()


def test_the_text_of_the_start() -> None:
    start = boardwright.game("draughts").start()
    assert start.text == START
    assert start.play("11-15").text == START.replace("B:", "W:", 1).replace("11,12", "12,15")
    assert start.play("11-15").play("23-19").text.endswith(":H0:F2")


@pytest.mark.parametrize(
    "text",
    [
        "B:W21-32:B1-12",
        "B:B1-12:W21-32",
        " B : W 21-32 : B 1-12 . ",
        "B:W21,22-31,32:B1,2,3-12",
        f"{START}:H0:F1",
        f"{START}:F1",
        f"{START}.",
        "B:W32,31,30,29,28,27,26,25,24,23,22,21:B12,11,10,9,8,7,6,5,4,3,2,1,",
    ],
)
def test_other_ways_to_write_the_start(text: str) -> None:
    assert position(text).text == START


def test_kings_ranges_and_counters() -> None:
    text = "W:WK1,K2,K3,5:BK30,31,K32:H12:F9"
    with pytest.raises(PositionError, match="a black man on 31 would have been crowned: write K31"):
        position(text)
    assert position("W:WK1-K3,5:BK30-K32:H12:F9").text == "W:WK1,K2,K3,5:BK30,K31,K32:H12:F9"
    assert position("W:WK1-3,5:BK30-32:H12:F9").text == "W:WK1,K2,K3,5:BK30,K31,K32:H12:F9"  # as PDN 3.0 has it
    assert position("B:WK29-32,25-27:B1-4").text == "B:W25,26,27,K29,K30,K31,K32:B1,2,3,4"
    assert position("B:WK21-21:B1").text == position("B:WK21-K21:B1").text == "B:WK21:B1"
    assert position("W:WK1:BK32:H12:F9").plies == 17
    assert position("B:WK1:BK32:F9").plies == 16


@pytest.mark.parametrize(
    ("text", "winner"), [("B:W21:B", 1), ("W:W21:B", 1), ("W:W:B1", 0), ("B:W:B", 1), ("W:W:B", 0)]
)
def test_a_side_without_pieces_has_lost_when_it_is_to_move(text: str, winner: int) -> None:
    here = position(text)
    assert here.text == text
    if text.startswith("W:W21"):  # White has not yet run out of moves, Black has not yet been asked for one
        assert here.outcome is None
        assert here.play("21-17").outcome == position("B:W17:B").outcome
    else:
        assert here.outcome is not None
        assert (here.outcome.winner, here.outcome.reason) == (winner, "no legal move")


def test_a_piece_in_the_middle_of_a_capture() -> None:
    halfway = position("B:W6,7,15,23:B2").play(action_of(2, 3))
    assert halfway.text == "B:W6,15,23:B11:X11"
    again = position(halfway.text)
    assert (again.text, again.hash, again.moves()) == (halfway.text, halfway.hash, ["11x27"])
    assert halfway.legal_actions() == again.legal_actions() == [action_of(11, 2)]
    with pytest.raises(IllegalMoveError, match="the piece on 11 must continue capturing"):
        position("B:W6,15,23:B3,11:X11").play(action_of(3, 2))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected a FEN such as B:W21,22:B1,K5"),
        ("start", "expected a FEN"),
        ("B:W21", "expected a FEN"),
        ("b:W21:B1", "beginning with B or W"),
        ("X:W21:B1", "beginning with B or W"),
        ("B:W0:B1", "square 0 is not from 1 to 32"),
        ("B:W33:B1", "square 33 is not from 1 to 32"),
        ("B:W21-33:B1", "square 33 is not from 1 to 32"),
        ("B:W21:B99", "square 99 is not from 1 to 32"),
        ("B:W21:B100", "'100' is not a square"),
        ("B:W21,21:B1", "square 21 is given twice"),
        ("B:W21,K21:B1", "square 21 is given twice"),
        ("B:W21:B21", "square 21 is given twice"),
        ("B:W20-23,22:B1", "square 22 is given twice"),
        ("B:W4:B1", "a white man on 4 would have been crowned: write K4"),
        ("B:W21:B29", "a black man on 29 would have been crowned: write K29"),
        ("B:W3-8:B20", "a white man on 3 would have been crowned"),
        ("B:W21:W22", "'W22' is given twice"),
        ("B:W21:B1:B2", "'B2' is given twice"),
        ("B:W21:H3", "both sides must be listed, an empty one as 'B' or 'W' alone"),
        ("B:W21:B1:", "'' is not a list of pieces such as W21,K22"),
        ("B:W21:B1:Z", "'Z' is not a list of pieces such as W21,K22"),
        ("B:W21:21", "'21' is not a list of pieces such as W21,K22"),
        ("B:WQ21:B1", "'Q21' is not a square, a king"),
        ("B:Wk21:B1", "'k21' is not a square"),
        ("B:Wa1:B1", "'a1' is not a square"),
        ("B:W-3:B1", "'-3' is not a square"),
        ("B:W٢١:B1", "is not a square"),
        ("B:W24-21:B1", "the range '24-21' is not from a lower to a higher square"),
        ("B:WK24-21:B1", "the range 'K24-21' is not from a lower to a higher square"),
        ("B:WK24-33:B1", "square 33 is not from 1 to 32"),
        ("B:WK20-23,22:B1", "square 22 is given twice"),
        ("B:W21-K24:B1", "the range '21-K24' begins with a man and ends with a king: write K21-24 for kings"),
        ("B:W21:B1:H", "'H' needs a number from 0 to 999999"),
        ("B:W21:B1:H-1", "'H-1' needs a number"),
        ("B:W21:B1:H1000000", "'H1000000' needs a number from 0 to 999999"),
        ("B:W21:B1:H" + "9" * 5000, "needs a number from 0 to 999999"),
        ("B:W21:B1:H٣", "needs a number"),
        ("B:W21:B1:H3:H3", "'H3' is given twice"),
        ("B:W21:B1:F0", "the move number must be F1 or higher, not 'F0'"),
        ("B:W21:B1:F1000000", "'F1000000' needs a number"),
        ("B:W21:B1:X33", "X33: no piece of the side to move on that square"),
        ("B:W21:B1:X2", "X2: no piece of the side to move on that square"),
        ("B:W21:B1:X21", "X21: no piece of the side to move on that square"),
        ("B:W21:B1:X1", "X1: that piece has nothing to capture"),
        ("B:W6,10:B1:X1", "X1: that piece has nothing to capture"),
        ("W:W10:B15:X10", "X10: that piece has nothing to capture"),
    ],
)
def test_positions_that_cannot_be_read(text: str, complaint: str) -> None:
    message = refusal_of(text)
    assert message.startswith("position ")
    assert complaint in message


@steady
@given(st.text("BWKHFX:,.-0123456789 \n", max_size=30) | st.text(max_size=30))
def test_invalid_text_raises_the_right_error(text: str) -> None:
    try:
        read = position(text)
    except PositionError:
        return
    assert position(read.text).text == read.text


# Moves


def test_routes_moves_and_ends() -> None:
    here = position(ROUTES)
    routes = here.core.routes()
    texts = here.moves()
    assert (len(routes), len(texts), len({(text.split("x")[0], text.split("x")[-1]) for text in texts})) == (14, 10, 3)
    assert here.perft(1) == 14
    assert here.perft(1, distinct=True) == 10
    assert len({here.play(text).text for text in texts}) == 10


@steady
@given(st.integers(0, 2**32), st.integers(0, 80))
def test_every_move_text_plays_its_own_hops(seed: int, hops: int) -> None:
    now = after_random_hops(seed, hops)
    moves = now.game.moves(now.core)
    assert len({move.text for move in moves}) == len(moves)
    for move in moves:
        assert now.game.parse_move(now.core, move.text) == move.actions
        assert now.game.parse_move(now.core, f" {move.text} ") == move.actions
        for separator in "-x:":
            assert (
                now.game.parse_move(now.core, move.text.replace("-", separator).replace("x", separator)) == move.actions
            )


def test_full_paths_distinguish_routes_to_one_position() -> None:
    here = position(ROUTES)
    paths = [
        "2x9x18x27x20x11x18x25",
        "2x9x18x11x20x27x18x25",
    ]  # the same captures in another order
    first, second = (here.game.parse_move(here.core, path) for path in paths)
    assert first != second
    assert here.play(paths[0]).text == here.play(paths[1]).text
    assert sum(path in here.moves() for path in paths) == 1


def test_crowning_ends_the_move() -> None:
    here = position("B:W26,27:B22")
    assert here.moves() == ["22x31"]
    assert here.play("22x31").text.startswith("W:W27:BK31")


def test_a_king_may_end_where_it_began() -> None:
    here = position("B:W6,7,14,15:BK2")
    assert here.moves() == ["2x2"]
    assert here.play("2x2").text.startswith("W:W:BK2")


@pytest.mark.parametrize(
    ("text", "move", "complaint"),
    [
        (START, "", "move '': expected a form like 11-15, 15x22 or 2x11x4"),
        (START, "11", "expected a form like"),
        (START, "11-15-", "expected a form like"),
        (START, "b6-a5", "expected a form like"),
        (START, "٢-٣", "expected a form like"),
        (START, "11-150", "expected a form like"),
        (START, "11-33", "squares go from 1 to 32"),
        (START, "0-5", "squares go from 1 to 32"),
        (START, "11-14", "the piece on 11 can only play 11-15, 11-16"),
        (START, "1-5", "no piece of the side to move can leave square 1"),
        (START, "23-19", "no piece of the side to move can leave square 23"),
        (START, "18-15", "no piece of the side to move can leave square 18"),
        ("B:W18,27:B3,15", "3-7", "a capture is forced: 15x22"),
        ("B:W18,27:B3,15", "15-19", "the piece on 15 can only play 15x22"),
        ("B:W7,15:B2", "2x11", "the capture must be completed: 2x11x18"),
        ("B:W7,15:B2", "2-11", "the capture must be completed: 2x11x18"),
        ("B:W7,15:B2", "2x10x18", "the piece on 2 can only play 2x18"),
        (ROUTES, "2x9", "the capture must be completed: 2x9x18"),
        (ROUTES, "2x13", "the piece on 2 can only play 2x2, 2x25, 2x4"),
    ],
)
def test_moves_that_are_refused(text: str, move: str, complaint: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        position(text).play(move)
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(f"move {move!r}")


def test_ambiguous_move_lists_the_alternatives() -> None:
    here = position(ROUTES)
    with pytest.raises(IllegalMoveError, match=r"^move '2x4' is ambiguous: write ") as caught:
        here.play("2x4")
    choices = str(caught.value).partition("write ")[2].split(" or ")
    assert choices == sorted(text for text in here.moves() if text.endswith("x4"))
    assert len(choices) > 1
    for choice in choices:
        here.play(choice)


def test_a_partial_path_is_enough_where_it_leaves_one_move() -> None:
    here = position("B:W6,7,14,15:BK2")
    assert here.play("2x9x2").text == here.play("2x2").text


def test_finished_game_has_no_moves() -> None:
    with pytest.raises(IllegalMoveError, match="the game is over: no legal move"):
        position("B:W21:B").play("1-5")


@pytest.mark.parametrize(
    ("text", "square", "direction", "complaint"),
    [
        (START, 1, 0, "action 0 (square 1, up-left) leaves the board"),
        (START, 13, 3, "no black piece on 13"),
        (START, 21, 0, "square 21, up-left) leaves the board"),
        (START, 22, 0, "no black piece on 22"),
        (START, 5, 2, "leaves the board"),
        (START, 1, 3, "6 holds a piece of one's own"),
        ("B:W24:B14", 14, 0, "men move forward only"),
        ("B:W18,23:B14", 14, 3, "18 cannot be captured, 23 behind it is occupied"),
        ("B:W21:B17", 17, 2, "21 cannot be captured, there is no square behind it"),
        ("B:W18:B14,1", 1, 3, "a capture is forced"),
        ("W:W24:B14", 24, 3, "men move forward only"),
        ("W:W24:B14", 14, 3, "no white piece on 14"),
    ],
)
def test_hops_that_are_refused(text: str, square: int, direction: int, complaint: str) -> None:
    with pytest.raises(IllegalMoveError) as caught:
        position(text).play(action_of(square, direction))
    assert complaint in str(caught.value)


def test_one_hop_as_text() -> None:
    here = position("B:W7,15:B2")
    (hop,) = here.legal_actions()
    assert here.action_text(hop) == "2x11"
    assert here.game.parse_action(here.core, " 2x11 ") == hop
    with pytest.raises(IllegalMoveError, match="move '2x18': not a legal hop"):
        here.game.parse_action(here.core, "2x18")


# The paper's numbering


def hops() -> list[tuple[int, bool]]:
    """Every (action, whether it jumps) that stays on the board."""
    return [
        (action_of(square, direction), jump)
        for square in range(1, b.SQUARES + 1)
        for direction in range(4)
        for jump in (False, True)
        if b.neighbour(square, direction, 2 if jump else 1) is not None
    ]


def test_the_table_of_from_and_to_has_every_hop_once() -> None:
    numbers = [b.to_table(action, jump) for action, jump in hops()]
    assert len(set(numbers)) == len(numbers)
    assert all(0 <= number < 64 * 64 for number in numbers)


def test_number_of_moves_that_from_and_to_can_name() -> None:
    """Of 64 x 64, only the 170 hops ever occur; of whole moves, with captures of several pieces, 346.

    A capture may end anywhere on its way, if the pieces beyond are not there.
    """
    steps = {(action, jump) for action, jump in hops() if not jump}
    assert (len(steps), len(hops())) == (98, 170)
    captures = set()
    for square in range(1, b.SQUARES + 1):
        row = b.cell_of(square)[0]
        enemies = [f"K{other}" for other in range(1, b.SQUARES + 1) if (b.cell_of(other)[0] - row) % 2]
        core = position(f"B:W{','.join(enemies)}:BK{square}").core
        for route in core.routes():
            captures |= {(square, landing) for landing in route_of(route, 2**32 - 1).squares[1:]}
    assert len(steps) + len(captures) == 346
    assert sum(origin == landing for origin, landing in captures) == 24


def test_one_entry_of_the_table() -> None:
    down_left = action_of(11, 2)  # from row 2, column 5, to row 3, column 4 or row 4, column 3
    assert b.to_table(down_left, jump=False) == 64 * 21 + 28
    assert b.to_table(down_left, jump=True) == 64 * 21 + 35


def test_hop_off_the_board_is_not_in_the_table() -> None:
    with pytest.raises(ValueError, match="leaves the board from square 4"):
        b.to_table(action_of(4, 3), jump=False)


def test_the_numbering_of_squares_and_actions() -> None:
    turned = boardwright.game("draughts").action_view(b.BLACK)
    assert [b.cell_of(square) for square in (1, 4, 5, 32)] == [(0, 1), (0, 7), (1, 0), (7, 6)]
    for square in range(1, b.SQUARES + 1):
        assert b.square_at(*b.cell_of(square)) == square
        for direction in range(4):
            action = action_of(square, direction)
            assert b.decode_action(action) == (square, direction)
            assert b.decode_action(int(turned[action])) == (b.SQUARES + 1 - square, 3 - direction)
    assert b.square_at(0, 0) is b.square_at(-1, 0) is b.square_at(8, 1) is None
    assert sum(1 << (square - 1) for square in b.squares_of(0x80F00001)) == 0x80F00001
