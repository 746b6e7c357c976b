"""Legal moves against pydraughts, route by route, with the captures of each and the position after it."""

import random
from collections.abc import Iterator

import pytest
from draughts import Board, Move
from sizes import size

import boardwright
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts import notation

POSITIONS = size(3000, full=100_000)  # of random games
PLACEMENTS = size(400, full=20_000)  # pieces strewn about, where long captures are common
Pair = tuple[Position, Board, list[Move]]  # the same position in both programs, and their moves from it


def routes(position: Position) -> list[tuple[tuple[int, ...], frozenset[int]]]:
    """Every legal route, as the squares it touches and those it captures on."""
    core = position.core
    occupied = core.black | core.white  # type: ignore[attr-defined]
    found = (notation.route_of(actions, occupied) for actions in core.routes())
    return sorted((route.squares, frozenset(route.captured)) for route in found)


def pieces(fen: str) -> list[set[str]]:
    """The contents of a FEN, in any order of its pieces."""
    turn, white, black = fen.split(":")[:3]
    return [{turn}, set(white[1:].split(",")), set(black[1:].split(","))]


def games(positions: int, seed: int) -> Iterator[Pair]:
    """Positions of random games played by both programs side by side, none of which sees the other's board."""
    generator = random.Random(seed)
    while positions > 0:
        position, board = boardwright.game("draughts").start(), Board(variant="english")
        while position.outcome is None and positions > 0:
            moves = board.legal_moves()
            yield position, board, moves
            positions -= 1
            move = generator.choice(moves)
            position = position.play(("x" if move.captures else "-").join(map(str, move.steps_move)))
            board.push(move)


def paired(fen: str) -> Pair:
    board = Board(variant="english", fen=fen)
    return boardwright.game("draughts").position(fen), board, board.legal_moves()


def placements(count: int, seed: int) -> Iterator[Pair]:
    """Random placements of up to twelve pieces a side, many of them kings."""
    generator = random.Random(seed)
    for _ in range(count):
        squares = generator.sample(range(1, b.SQUARES + 1), b.SQUARES)
        own, enemy = generator.randint(1, 12), generator.randint(1, 12)
        sides = {"W": squares[:own], "B": squares[own : own + enemy]}
        crowned = {"W": range(1, 5), "B": range(29, 33)}
        parts = [
            letter + ",".join(f"{'K' * (s in crowned[letter] or generator.random() < 0.4)}{s}" for s in sides[letter])
            for letter in sides
        ]
        fen = ":".join([generator.choice("BW"), *parts])
        if boardwright.game("draughts").position(fen).outcome is None:
            yield paired(fen)


def compare(pairs: Iterator[Pair]) -> dict[str, int]:
    """Compares all legal moves of each pair; how many positions and moves there were."""
    seen = {"positions": 0, "routes": 0, "captures": 0, "longest": 0}
    for position, board, moves in pairs:
        assert pieces(position.text) == pieces(board.fen)
        theirs = sorted((tuple(move.steps_move), frozenset(move.captures or ())) for move in moves)
        assert routes(position) == theirs, position.text
        seen["positions"] += 1
        seen["routes"] += len(theirs)
        seen["captures"] += bool(theirs[0][1])
        seen["longest"] = max(seen["longest"], *(len(captured) for _, captured in theirs))
    return seen


def test_moves_of_random_games_agree() -> None:
    seen = compare(games(POSITIONS, seed=5))
    assert seen["positions"] == POSITIONS
    assert seen["captures"] > POSITIONS // 10
    assert seen["longest"] >= 3


def test_moves_of_random_placements_agree() -> None:
    seen = compare(placements(PLACEMENTS, seed=6))
    assert seen["positions"] > PLACEMENTS * 0.9
    assert seen["longest"] >= 5


@pytest.mark.parametrize("fen", ["B:W6,7,8,14,15,16,22,23,24:BK2", "B:W26,27:B22", "B:W6,7,14,15:BK2"])
def test_moves_of_hard_positions_agree(fen: str) -> None:
    assert compare(iter([paired(fen)]))["captures"] == 1
