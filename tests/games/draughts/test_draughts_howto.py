"""The how-to-play text of draughts agrees with the engine under every rule set."""

import re

import pytest
from howto_text import game_fixture, words

from boardwright.games.base import Game, Position

game = game_fixture("draughts")


def reason(position: Position) -> str | None:
    return None if position.outcome is None else position.outcome.reason


def test_text_of_moves_and_captures(game: Game) -> None:
    def moves(text: str) -> set[str]:
        return set(game.position(text).moves())

    assert game.roles[game.start().role_to_move] == "black"
    assert [sum(piece.role == role for piece in game.scene(game.start()).pieces) for role in (0, 1)] == [12, 12]
    assert moves("B:W32:B14") == {"14-17", "14-18"}  # a man, forward
    assert moves("B:W32:BK14") == {"14-9", "14-10", "14-17", "14-18"}
    assert moves("B:W10,18:B14,1") == {"14x23"}  # forced, and a man captures forward only
    assert moves("B:W10,18:BK14,1") == {"14x7", "14x23"}  # a king backward too, and one may choose
    assert moves("B:W10,18:B6") == {"6x22"}  # on, over both
    assert moves("B:W26,27:B22") == {"22x31"}  # crowned, and the move is over, though 27 could be taken
    blocked = game.position("W:W28:B24,19").outcome
    assert blocked is not None
    assert (blocked.winner, blocked.reason) == (0, "no legal move")


def test_positions_that_occur_again(game: Game) -> None:
    said = re.search(r"has occurred (\d+) times, the game is drawn", words(game))
    position = game.position("B:WK32:BK1")
    shuffle = ["1-5", "32-28", "5-1", "28-32"]
    for ply, move in enumerate(shuffle * 3, start=1):
        position = position.play(move)
        if said and ply == 4 * (int(said[1]) - 1):
            assert reason(position) == "repetition"
            return
        assert reason(position) is None
    assert said is None
    assert "Positions may be repeated." in words(game)


@pytest.mark.parametrize("move", ["1-5", "9-13"], ids=["king", "man"])
def test_inactivity(game: Game, move: str) -> None:
    said = re.search(r"(\d+) moves in a row (without a capture or a move of a man|without a capture)", words(game))
    limit = int(said[1]) if said else 400
    for before in (1, 2):
        position = game.position(f"B:WK32,K31:BK1,9:H{limit - before}").play(move)
        counts = said is not None and (move == "1-5" or not said[2].endswith("man"))
        assert reason(position) == ("inactivity" if counts and before == 1 else None)


def test_the_longest_game(game: Game) -> None:
    said = re.search(r"(\d+) moves in all", words(game))
    limit = int(said[1]) if said else 4000
    for before in (1, 2):
        number = (limit - before) // 2 + 1  # F counts moves of both sides as one
        mover, move = ("B", "1-5") if (limit - before) % 2 == 0 else ("W", "32-28")
        position = game.position(f"{mover}:WK32:BK1:F{number}").play(move)
        assert reason(position) == ("ply limit" if said and before == 1 else None)
