"""Games to store, played at random."""

import random

from boardwright.arena.event import PlayedGame
from boardwright.games.base import Game, Position
from boardwright.games.record import GameRecord
from boardwright.records.store import Store


def random_position(game: Game, seed: int, most: int = 10_000) -> Position:
    """The position after a number of random actions, or at the end of the game."""
    dice, position = random.Random(seed), game.start()
    while position.outcome is None and most > 0:
        position, most = position.play(dice.choice(position.legal_actions())), most - 1
    return position


def random_played(
    game: Game, seed: int, index: int = 0, players: tuple[str, str] = ("random", "mc:sims=2")
) -> PlayedGame:
    """A finished random game, as the arena would yield it."""
    record = GameRecord.of(random_position(game, seed))
    seconds = tuple(0.25 * (ply % 8) for ply in range(len(record.actions)))  # exact in 32 bits
    return PlayedGame(record=record, players=players, opening=min(2, len(record.actions)), seconds=seconds, index=index)


def finished_indices(store: Store, event: int) -> set[int]:
    """Which games of an event are stored."""
    with store.reading() as connection:
        return {index for (index,) in connection.execute("SELECT number FROM games WHERE event = ?", [event])}
