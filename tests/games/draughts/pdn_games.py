"""What the tests of PDN share: games, and moves as text."""

import functools

from game_files import GameFileChecks, random_game

import boardwright
from boardwright.games.draughts import board as b
from boardwright.games.draughts import gamefile
from boardwright.games.draughts.rules import RULE_SETS
from boardwright.games.record import GameRecord

BLACK, WHITE = b.BLACK, b.WHITE
PAPER = RULE_SETS["paper"]
BLACK_WINS = '[FEN "B:W18:B14"]\n1. 14x23'
WHITE_WINS = '[FEN "W:W18:B14"]\n1... 18x9'
ROUTES = "B:W6,7,8,14,15,16,22,23,24:BK2"
checks = GameFileChecks(gamefile)
one, error_of, comes_back = checks.one, checks.error_of, checks.comes_back
played = functools.partial(random_game, "draughts")


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


def actions_of(moves: str, start: str | None = None) -> tuple[int, ...]:
    game = boardwright.game("draughts")
    position = game.start() if start is None else game.position(start)
    for move in moves.split():
        position = position.play(move)
    return tuple(position.actions())
