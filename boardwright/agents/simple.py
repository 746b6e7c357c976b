"""Players without search, for every game: a random legal move, or the first."""

import random

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import SEED, Player
from boardwright.games.base import Position


class RandomPlayer(Agent):
    """Plays a uniformly random legal move."""

    def __init__(self, seed: int | None):
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """A uniformly random legal action."""
        return Choice(self._random.choice(position.legal_actions()))


class FirstLegal(Agent):
    """Plays the legal action with the lowest number."""

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The first legal action."""
        return Choice(position.legal_actions()[0])


PLAYERS = (
    Player("random", "a uniformly random legal move", lambda game, chosen: RandomPlayer(chosen.get("seed")), (SEED,)),
    Player("first-legal", "the legal action with the lowest number", lambda game, chosen: FirstLegal()),
)
