"""Published figures: perft by routes, by distinct moves, and in the batched engine."""

import jax
import pytest
from batched_perft import perft
from sizes import size

import boardwright

# Counts from the start, depths 1 to 12 (published; capture routes), and where distinct moves differ.
ROUTES = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128, 388623673]
DISTINCT_AT_12 = 388617999


def test_perft_by_routes() -> None:
    start = boardwright.game("draughts").start()
    depths = size(11, full=12)
    assert [start.perft(depth) for depth in range(1, depths + 1)] == ROUTES[:depths]


def test_perft_by_distinct_moves() -> None:
    start = boardwright.game("draughts").start()
    assert [start.perft(depth, distinct=True) for depth in range(1, 11)] == ROUTES[:10]


@pytest.mark.slow
def test_perft_by_distinct_moves_where_routes_differ() -> None:
    assert boardwright.game("draughts").start().perft(12, distinct=True) == DISTINCT_AT_12


@pytest.mark.usefixtures("careful_compiler")
def test_perft_in_the_batched_engine() -> None:
    env, depth = boardwright.game("draughts").batch(), size(7, full=8)
    assert perft(env, env.init(jax.random.key(0)), depth) == ROUTES[depth - 1]


@pytest.mark.parametrize(
    ("text", "routes", "moves"), [("B:W6,7,8,14,15,16,22,23,24:BK2", 14, 10), ("B:W26,27:B22", 1, 1)]
)
def test_positions_with_many_captures(text: str, routes: int, moves: int) -> None:
    game = boardwright.game("draughts")
    position = game.position(text)
    assert (position.perft(1), position.perft(1, distinct=True)) == (routes, moves)
    assert len(position.moves()) == moves
    env = game.batch()
    assert perft(env, env.from_position(position), 1) == routes


def test_crowning_ends_the_move() -> None:
    position = boardwright.game("draughts").position("B:W26,27:B22")
    assert position.moves() == ["22x31"]
    assert position.play("22x31").text == "W:W27:BK31"


def test_observation_is_turned_for_the_mover() -> None:
    """Turned half round with the colours swapped, a position looks the same but for who is to move."""
    game = boardwright.game("draughts")
    black = game.position("B:W6,K14,22:BK2,9,19")
    white = game.position("W:B27,K19,11:WK31,24,14")
    planes = [i for i, name in enumerate(game.planes) if name != "black to move"]
    assert (black.observation()[..., planes] == white.observation()[..., planes]).all()
    images = {int(game.action_view(0)[action]) for action in black.legal_actions()}
    assert images == {int(game.action_view(1)[action]) for action in white.legal_actions()}
