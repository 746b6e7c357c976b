"""Simple players of Cathedral that every learner is measured against.

`largest-first` places a largest building it can, anywhere; `greedy` takes the best shaped reward now;
`greedy-mobility` also counts the placements that the move leaves to each side. Ties are broken at random.
What chance decides is decided by chance.
"""

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from boardwright.agents.base import Choice, Limit
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position
from boardwright.games.cathedral.game import Cathedral

# What one placement more for the own side, or one fewer for the other, is worth in squares.
MOBILITY_WEIGHT = 0.02


class LargestFirst:
    """A random placement of a largest building that can be placed."""

    def __init__(self, seed: int | None):
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit) -> Choice:
        """Any of the legal actions that cover most squares."""
        tables = _cathedral(position, "largest-first").tables
        actions = position.legal_actions()
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(actions))
        return Choice(self._random.choice(_best(actions, tables.piece_size[tables.piece[actions]])))


class Greedy:
    """The best shaped reward of the next move, to which mobility may be added.

    The shaped reward (squares newly claimed, the size of what is placed less the largest that could have
    been, what is captured, 10 for the game) is taken whether or not the rule set gives it.
    """

    def __init__(self, seed: int | None, name: str = "greedy", mobility: float = 0.0):
        self._random = random.Random(seed)
        self._name = name
        self._mobility = mobility

    def choose(self, position: Position, limit: Limit) -> Choice:
        """One of the actions of the highest value."""
        game = _cathedral(position, self._name)
        actions = position.legal_actions()
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(actions))
        engine: Any = registry.game(game.name, replace(game.rules, rewards="shaped")).engine  # type: ignore[attr-defined]
        role, before = position.role_to_move, _seen_by(position.role_to_move, position.core, engine)
        values = []
        for action in actions:
            after = before.play(action)
            value = after.rewards()[role]
            if self._mobility:
                value += self._mobility * _mobility(after, role, engine)
            values.append(value)
        return Choice(self._random.choice(_best(actions, values)))


def _cathedral(position: Position, player: str) -> Cathedral:
    """The game of a position, which must be Cathedral."""
    if not isinstance(position.game, Cathedral):
        raise BoardwrightError(f"player {player!r} plays cathedral, not {position.game.name}")
    return position.game


def _best(actions: list[int], values: Iterable[float]) -> list[int]:
    """The actions of the highest value."""
    worth = np.asarray(values)
    return np.asarray(actions)[worth == worth.max()].tolist()


def _seen_by(role: int, core: Any, engine: Any) -> Any:
    """A position in another engine, as if `role` were to move."""
    return engine.setup(core.where(), core.cathedral, core.placed(), role, core.first_role, core.plies)


def _mobility(core: Any, role: int, engine: Any) -> int:
    """Placements open to `role` less those open to the other, whoever is to move."""
    counts = [core.count_actions(), _seen_by(1 - core.role_to_move, core, engine).count_actions()]
    return counts[0] - counts[1] if core.role_to_move == role else counts[1] - counts[0]
