"""Players of Cathedral: simple baselines, and the paper's alpha-beta.

`largest-first` places a largest building that fits, anywhere; `greedy` takes the best immediate shaped reward;
`greedy-mobility` also counts the placements left to each side. Ties, and actions of chance, are drawn at random.
"""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from boardwright._core import Cathedral, CathedralPosition
from boardwright.agents import alphabeta
from boardwright.agents.alphabeta import AlphaBetaPlayer
from boardwright.agents.base import Limit
from boardwright.agents.players import RandomPlayer
from boardwright.agents.specs import SEED, Option, Player, on_off
from boardwright.games import registry
from boardwright.games.base import CHANCE, Position

MANY_MOVES = 100
DYNAMIC = Option("dynamic", "the paper's depth: 1 with 100 or more legal moves, else 2", on_off, "on|off", "off")


def largest_first(position: Position) -> list[int]:
    """The legal actions that cover most squares."""
    tables = position.game.tables  # type: ignore[attr-defined]
    actions = position.legal_actions()
    return _best(actions, tables.piece_size[tables.piece[actions]])


def greedy(position: Position, *, own_weight: float = 0.0, other_weight: float = 0.0) -> list[int]:
    """The actions of the best shaped reward, even if the rule set gives no shaped rewards.

    That is: squares newly claimed, the size of the placed building less the largest legal one, the size of captured
    buildings, and 10 for winning; plus the weighted number of placements left to the mover after the move, less that
    of the opponent.
    """
    game, role = position.game, position.role_to_move
    engine = registry.game(game.name, replace(game.rules, rewards="shaped")).engine  # type: ignore[attr-defined]

    def value(after: CathedralPosition) -> float:
        worth = after.rewards()[role]
        if own_weight or other_weight:
            mover, other = after.role_to_move, 1 - after.role_to_move
            counts = {mover: after.count_actions(), other: _with_mover(other, after, engine).count_actions()}
            worth += own_weight * counts[role] - other_weight * counts[1 - role]
        return worth

    actions, before = position.legal_actions(), _with_mover(role, position.core_as(CathedralPosition), engine)
    return _best(actions, np.array([value(before.play(action)) for action in actions]))


# Placing a building also removes the mover's placements of that building, so the opponent's placements have five
# times the weight. The weights are the best of a coarse search against `largest-first`.
greedy_mobility = functools.partial(greedy, own_weight=0.05, other_weight=0.25)


def _unless_chance(best_actions: Callable[[Position], list[int]], position: Position) -> list[int]:
    """The best actions of a role; every action of chance."""
    return position.legal_actions() if position.role_to_move == CHANCE else best_actions(position)


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


def _simple(name: str, summary: str, best_actions: Callable[[Position], list[int]]) -> Player:
    """A player that draws one of the best actions, and any action of chance."""
    candidates = functools.partial(_unless_chance, best_actions)
    return Player(name, summary, lambda game, chosen: RandomPlayer(chosen.get("seed"), candidates), (SEED,))


PLAYERS = (
    Player(
        "alphabeta",
        alphabeta.SUMMARY,
        lambda game, chosen: alphabeta.make(game, chosen, DynamicAlphaBeta if chosen["dynamic"] else AlphaBetaPlayer),
        (*alphabeta.OPTIONS, DYNAMIC, SEED),
    ),
    _simple("largest-first", "a random placement of a largest building that fits", largest_first),
    _simple("greedy", "the best immediate shaped reward", greedy),
    _simple("greedy-mobility", "the best immediate shaped reward, and placements left to each side", greedy_mobility),
)
