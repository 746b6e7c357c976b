"""The players of Pilarski, "Designing an Effective Tablut Artificial Intelligence", for any rule set of Tablut.

`greedy` and `heuristic` look one move ahead and draw among the moves they hold to be best; their scores and
the victory path are in `src/core/tablut_heuristics.hpp` and `tablut_tactics.hpp`. `mc-expanded` is `mc` that
takes a victory path or a king who can be captured for the end of the game, and `heuristic-mc` lets
`mc-improved` with the same foresight decide among the best moves of `heuristic`; where the search proves that
they all lose, it goes on among the next best.
"""

import math
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from boardwright.agents import montecarlo
from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.montecarlo import IMPROVED, TRADITIONAL, MonteCarloPlayer
from boardwright.agents.specs import SEED, Option, Player, on_off
from boardwright.games.base import Position

GAMES = ("tablut",)
LOST = -1.0  # the value of a proven loss
DOUBTFUL = -0.2  # the value from which down a move looks lost
NO_BOUND = 10**18  # simulations
WINS_FIRST = Option("wins", "takes a win at once before anything else", on_off, "on|off", "on")


class Greedy(Agent):
    """The most captures; else a king move that brings him nearer to an escape square; else any move."""

    def __init__(self, seed: int | None, wins_first: bool):
        self._random = random.Random(seed)
        self._wins_first = wins_first

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """Any of the moves that are best by its rule."""
        core: Any = position.core
        return Choice(self._random.choice(core.greedy_actions(self._wins_first)))


class Heuristic(Agent):
    """Any of the moves of the highest score; a win or a victory path at once."""

    def __init__(self, seed: int | None):
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """Any of the moves that are best by its score."""
        core: Any = position.core
        return Choice(self._random.choice(core.heuristic_actions()))


class HeuristicMonteCarlo(Agent):
    """Monte Carlo search among the moves that the heuristic holds to be best.

    They are often many and nearly equal, so a search among all of them sees little of what follows each. Half
    of the time goes to all of them; then the most visited is looked at by itself, and where it looks lost, the
    next. Where all do, the next best moves of the heuristic get what time is left.
    """

    def __init__(self, chosen: Mapping[str, Any]):
        self._search = MonteCarloPlayer(replace(IMPROVED, foresee=True), chosen)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """A win or a victory path at once; else the first move that stands a closer look, or the best of them."""
        core: Any = position.core
        best = core.heuristic_actions()
        if core.victory_path()[1] == best[0] or core.play(best[0]).result == position.role_to_move:
            return Choice(best[0])
        budget, scores = _Budget(self._search.own(limit)), core.heuristic_scores()
        looked: list[Choice] = []

        def look(moves: list[int], share: float) -> Choice:
            choice = self._search.search(position, budget.share(share), watch, moves)
            budget.simulations += choice.simulations
            return choice

        for score in sorted(set(scores.values()), reverse=True):
            moves = [move for move in scores if scores[move] == score]
            wide = look(moves, 0.5)
            order = sorted(moves, key=lambda move: wide.policy[move], reverse=True)
            for move in order if wide.value != LOST else order[:1]:
                looked.append(wide if len(moves) == 1 or wide.value == LOST else look([move], 0.25))
                if _value(looked[-1]) > DOUBTFUL or budget.spent or (watch is not None and watch.stopped):
                    return replace(max(looked, key=_value), simulations=budget.simulations)
        return replace(max(looked, key=_value), simulations=budget.simulations)


class _Budget:
    """What is left of a limit, given out in shares."""

    def __init__(self, limit: Limit):
        self._limit = limit
        self._begin = time.perf_counter()
        self.simulations = 0  # done so far

    def _left(self) -> tuple[float, int]:
        seconds = (self._limit.seconds or math.inf) - (time.perf_counter() - self._begin)
        return seconds, (self._limit.simulations or NO_BOUND) - self.simulations

    def share(self, part: float) -> Limit:
        """A part of what is left, though never nothing."""
        seconds, simulations = self._left()
        return Limit(
            seconds=None if self._limit.seconds is None else max(seconds * part, 0.0005),
            simulations=None if self._limit.simulations is None else max(int(simulations * part), 1),
        )

    @property
    def spent(self) -> bool:
        """Whether so little is left that another look would tell nothing."""
        seconds, simulations = self._left()
        return seconds < 0.03 * (self._limit.seconds or 0) or simulations < 0.03 * (self._limit.simulations or 0)


def _value(choice: Choice) -> float:
    assert choice.value is not None
    return choice.value


PLAYERS = (
    Player(
        "greedy",
        "the most captures, else the king towards an escape square, else any move",
        lambda game, chosen: Greedy(chosen.get("seed"), chosen["wins"]),
        (WINS_FIRST, SEED),
        GAMES,
    ),
    Player(
        "heuristic",
        "the best score one move ahead: captures, threats, victory paths",
        lambda game, chosen: Heuristic(chosen.get("seed")),
        (SEED,),
        GAMES,
    ),
    montecarlo.player(
        "mc-expanded",
        "as mc, but a victory path or a king that can be captured ends a simulation",
        replace(TRADITIONAL, foresee=True),
        GAMES,
    ),
    Player(
        "heuristic-mc",
        "mc-improved, with the foresight of mc-expanded, among the best moves of heuristic",
        lambda game, chosen: HeuristicMonteCarlo(chosen),
        montecarlo.OPTIONS,
        GAMES,
    ),
)
