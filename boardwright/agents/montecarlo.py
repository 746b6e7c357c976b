"""Monte Carlo tree search with random rollouts, for every game."""

import random

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import SEED, SIMULATIONS, TIME, Player, limit_of
from boardwright.games.base import Position


class MonteCarloPlayer(Agent):
    """UCT Monte Carlo tree search with random rollouts, in the scalar engine."""

    def __init__(self, seed: int | None, limit: Limit):
        self._random = random.Random(seed)
        self._limit = limit

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The most visited action; the player's own limit applies where `limit` sets none."""
        if limit.seconds is None and limit.simulations is None:
            limit = self._limit
        actions, visits, values, line, simulations = position.core.monte_carlo(
            self._random.getrandbits(64),
            limit.simulations or 0,
            limit.seconds or 0.0,
            None if watch is None else lambda: watch.stopped,
        )
        best = max(range(len(actions)), key=visits.__getitem__)
        policy = {action: count / simulations for action, count in zip(actions, visits, strict=True)}
        return Choice(actions[best], values[best], policy, tuple(line), simulations=simulations)


PLAYERS = (
    Player(
        "mc",
        "UCT Monte Carlo tree search with random rollouts",
        lambda game, chosen: MonteCarloPlayer(chosen.get("seed"), limit_of(chosen, Limit(seconds=1.0))),
        (TIME, SIMULATIONS, SEED),
    ),
)
