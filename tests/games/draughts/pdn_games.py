"""What the tests of PDN share: games, and moves as text."""

import random

import pytest
from hypothesis import HealthCheck, settings

import boardwright
from boardwright.errors import GameFileError
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts.pdn import gamefile
from boardwright.games.draughts.rules import RULE_SETS, DraughtsRules
from boardwright.games.record import GameRecord

BLACK, WHITE = b.BLACK, b.WHITE
PAPER = RULE_SETS["paper"]
BLACK_WINS = '[FEN "B:W18:B14"]\n1. 14x23'
WHITE_WINS = '[FEN "W:W18:B14"]\n1... 18x9'
ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK2"
few = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=40)


def moves_of(record: GameRecord) -> list[str]:
    """The whole moves of a game, as the game's own text has them."""
    texts, position, hops = [], next(record.positions()), ()
    after = position
    for action in record.actions:
        hops, after = (*hops, action), after.play(action)
        if not after.core.continuing:  # type: ignore[attr-defined]
            texts.append(next(move.text for move in position.game.moves(position.core) if move.actions == hops))
            position, hops = after, ()
    return texts


def one(text: str) -> GameRecord:
    (record,) = gamefile.read(text)
    return record


def error_of(text: str) -> str:
    with pytest.raises(GameFileError) as caught:
        gamefile.read(text)
    return str(caught.value)


def actions_of(moves: str, start: str | None = None) -> tuple[int, ...]:
    game = boardwright.game("draughts")
    position = game.start() if start is None else game.position(start)
    for move in moves.split():
        position = position.play(move)
    return tuple(position.actions())


def played(rules: DraughtsRules, seed: int, moves: int, start: str | None = None) -> Position:
    """A random game of at most so many whole moves, any of several routes taken where they lead to the same."""
    game = boardwright.game("draughts", rules)
    position, generator = game.start() if start is None else game.position(start), random.Random(seed)
    while position.outcome is None and moves > 0:
        for action in generator.choice(position.core.routes()):
            position = position.play(action)
        moves -= 1
    return position


def comes_back(record: GameRecord) -> None:
    text = gamefile.write(record)
    assert gamefile.read(text) == [record]
    assert gamefile.write(one(text)) == text
