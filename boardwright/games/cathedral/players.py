"""Players of Cathedral: simple baselines, and the paper's alpha-beta.

`largest-first` places a largest building that fits, anywhere; `greedy` takes the best immediate shaped reward;
`greedy-mobility` also counts the placements left to each side. Ties, and actions of chance, are drawn at random.
"""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from boardwright._core import Cathedral, CathedralPosition
from boardwright.agents import alphabeta
from boardwright.agents.alphabeta import AlphaBetaPlayer
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import SEED, Option, Player, on_off
from boardwright.games import registry
from boardwright.games.base import CHANCE, Game, Position

MANY_MOVES = 100
DYNAMIC = Option("dynamic", "the paper's depth: 1 with 100 or more legal moves, else 2", on_off, "on|off", "off")


class LargestFirst(Agent):
    """A random placement of a largest building that can be placed."""

    def __init__(self, seed: int | None):
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """Any of the legal actions that cover most squares."""
        tables = position.game.tables  # type: ignore[attr-defined]
        actions = position.legal_actions()
        if position.role_to_move != CHANCE:
            actions = _best(actions, tables.piece_size[tables.piece[actions]])
        return Choice(self._random.choice(actions))


class Greedy(Agent):
    """The move with the best shaped reward, even if the rule set gives no shaped rewards.

    That is: squares newly claimed, the size of the placed building less the largest legal one, the size of captured
    buildings, and 10 for winning.
    """

    own_weight: ClassVar[float] = 0.0  # of a placement left to the mover, in squares of reward
    other_weight: ClassVar[float] = 0.0  # of a placement left to the opponent

    def __init__(self, seed: int | None):
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """Any of the legal actions of the highest value."""
        game = position.game
        actions, role = position.legal_actions(), position.role_to_move
        if role != CHANCE:
            engine = registry.game(game.name, replace(game.rules, rewards="shaped")).engine  # type: ignore[attr-defined]
            before = _with_mover(role, position.core_as(CathedralPosition), engine)
            actions = _best(actions, np.array([self._value(before.play(action), role, engine) for action in actions]))
        return Choice(self._random.choice(actions))

    def _value(self, after: CathedralPosition, role: int, engine: Cathedral) -> float:
        value = after.rewards()[role]
        if self.own_weight or self.other_weight:
            counts = {
                after.role_to_move: after.count_actions(),
                1 - after.role_to_move: _with_mover(1 - after.role_to_move, after, engine).count_actions(),
            }
            value += self.own_weight * counts[role] - self.other_weight * counts[1 - role]
        return value


class GreedyMobility(Greedy):
    """The shaped reward, plus the mover's placements after the move, less the opponent's, each weighted.

    Placing a building also removes the mover's placements of that building, so the opponent's placements have five
    times the weight. The weights are the best of a coarse search against `largest-first`.
    """

    own_weight = 0.05
    other_weight = 0.25


def _best(actions: list[int], values: np.ndarray) -> list[int]:
    """The actions of the highest value."""
    return np.array(actions)[values == values.max()].tolist()


def _with_mover(role: int, core: CathedralPosition, engine: Cathedral) -> CathedralPosition:
    """A position without history, in another engine of the same board, with `role` to move."""
    return engine.setup(core.where(), core.cathedral, core.placed(), role, core.first_role, core.plies)


class DynamicAlphaBeta(AlphaBetaPlayer):
    """Alpha-beta to the depth of the Cathedral paper: one move with `MANY_MOVES` or more legal moves, else two."""

    def _depth(self, position: Position, limit: Limit) -> int:
        return 1 if position.count_actions() >= MANY_MOVES else 2


def _make_alphabeta(game: Game, chosen: Mapping[str, Any]) -> Agent:
    return alphabeta.make(game, chosen, DynamicAlphaBeta if chosen["dynamic"] else AlphaBetaPlayer)


SIMPLE = tuple(
    Player(name, summary, lambda game, chosen, kind=kind: kind(chosen.get("seed")), (SEED,))
    for name, summary, kind in (
        ("largest-first", "a random placement of a largest building that fits", LargestFirst),
        ("greedy", "the best immediate shaped reward", Greedy),
        (
            "greedy-mobility",
            "the best immediate shaped reward, and placements left to each side",
            GreedyMobility,
        ),
    )
)
PLAYERS = (
    Player("alphabeta", alphabeta.SUMMARY, _make_alphabeta, (*alphabeta.OPTIONS, DYNAMIC, SEED)),
    *SIMPLE,
)
