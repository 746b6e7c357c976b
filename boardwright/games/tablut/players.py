"""The players of Pilarski, "Designing an Effective Tablut Artificial Intelligence", for any rule set of Tablut.

`greedy` and `heuristic` score moves at depth one and pick a random one of the best; their scores and the
victory path are in `src/core/games/tablut/heuristics.hpp` and `tactics.hpp`. `mc-expanded` is `mc` that
takes a victory path or a king who can be captured for the end of the game, and `heuristic-mc` lets
`mc-improved` with the same foresight decide among the best moves of `heuristic`. Two things are not the paper's:
from positions it visits often the search also looks for forced escapes (`tactics.hpp`), and where it proves
that all the best moves lose, it continues with the next best. Otherwise,
restricted to the heuristic's best moves, it would always capture a man that was sacrificed to let the king escape.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from boardwright._core import TablutPosition
from boardwright.agents import montecarlo
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.montecarlo import IMPROVED, TRADITIONAL, MonteCarloPlayer
from boardwright.agents.players import RandomPlayer
from boardwright.agents.specs import SEED, Option, Player, on_off
from boardwright.games.base import Position

LOST = -1.0  # the value of a proven loss
WINS_FIRST = Option("wins", "play an immediate win first", on_off, "on|off", "on")


def greedy_actions(position: Position, *, wins_first: bool) -> list[int]:
    """The most captures; else the king moves that bring him nearest to an escape square; else every move."""
    return position.core_as(TablutPosition).greedy_actions(wins_first)


def heuristic_actions(position: Position) -> list[int]:
    """The moves of the highest score; a win or a victory path alone."""
    return position.core_as(TablutPosition).heuristic_actions()


class HeuristicMonteCarlo(Agent):
    """Monte Carlo search among the heuristic's best moves."""

    def __init__(self, chosen: Mapping[str, Any]):
        self._search = MonteCarloPlayer(replace(IMPROVED, foresee=True), chosen)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """A win or a victory path at once; else the most visited of the heuristic's best that is not lost.

        If all moves are, the one that took longest to refute.
        """
        core = position.core_as(TablutPosition)
        best = core.heuristic_actions()
        if core.victory_path().action == best[0] or core.play(best[0]).result == position.role_to_move:
            return Choice(best[0])
        limit, begin = self._search.own(limit), time.perf_counter()
        found = [self._search.choose(position, limit, watch, best)]
        scores = core.heuristic_scores()
        for score in sorted(set(scores.values()), reverse=True)[1:]:
            left = _left(limit, time.perf_counter() - begin, sum(choice.simulations for choice in found))
            if found[-1].value != LOST or left is None:
                break
            moves = [move for move in scores if scores[move] == score]
            found.append(self._search.choose(position, left, watch, moves))
        chosen = found[-1]
        if chosen.value == LOST:  # by the visits of its move: how long it took to prove that it loses
            chosen = max(found, key=lambda choice: choice.policy[choice.action] * choice.simulations)
        return replace(chosen, simulations=sum(choice.simulations for choice in found))


def _left(limit: Limit, seconds: float, simulations: int) -> Limit | None:
    """What is left of a limit; None where nothing is."""
    used = {"seconds": seconds, "simulations": simulations}
    left = {name: getattr(limit, name) - spent for name, spent in used.items() if getattr(limit, name) is not None}
    return replace(limit, **left) if all(rest > 0 for rest in left.values()) else None


PLAYERS = (
    Player(
        "greedy",
        "the most captures, else the king towards an escape square, else any move",
        lambda game, chosen: RandomPlayer(chosen.get("seed"), partial(greedy_actions, wins_first=chosen["wins"])),
        (WINS_FIRST, SEED),
    ),
    Player(
        "heuristic",
        "the best score at depth one: captures, threats, victory paths",
        lambda game, chosen: RandomPlayer(chosen.get("seed"), heuristic_actions),
        (SEED,),
    ),
    montecarlo.player(
        "mc-expanded",
        "like mc, but a victory path or a king that can be captured ends a simulation",
        replace(TRADITIONAL, foresee=True),
    ),
    Player(
        "heuristic-mc",
        "mc-improved, with the foresight of mc-expanded, among the best moves of heuristic",
        lambda game, chosen: HeuristicMonteCarlo(chosen),
        montecarlo.OPTIONS,
    ),
)
