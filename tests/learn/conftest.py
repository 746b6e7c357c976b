"""Tests of learning know one more game, which is solved and quick to compile: the toy tic-tac-toe."""

from collections.abc import Iterator

import pytest

from boardwright.games import registry


@pytest.fixture(autouse=True, scope="module")
def _tictactoe() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(registry.GAMES, "tictactoe", "tictactoe:TicTacToe")
        yield
