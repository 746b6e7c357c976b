"""Monte Carlo tree search with random simulations, for every game.

`mc` is textbook UCT with c = √2 on wins / visits. `mc-improved` counts losses as well, (wins - losses) / visits,
takes UCT's logarithm of the summed visits of the children, and backs up proven results (MCTS-Solver), so that it
neither revisits a lost move nor continues when the root is proven. Without `horizon` the game's engine limits the
depth of simulations: a number of moves from the root, or the end of the game. A simulation that is undecided there
counts as a visit only.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import DEFAULT_LIMIT, SEED, SIMULATIONS, THREADS, TIME, Option, Player, limit_of, whole
from boardwright.games.base import Position

if TYPE_CHECKING:
    from boardwright._core import RolloutReport

HORIZON = Option(
    "horizon", "depth limit of simulations in moves from the root; 0: play to the end", whole(0, 10_000), "N", ""
)
OPTIONS = (TIME, SIMULATIONS, HORIZON, THREADS, SEED)


@dataclass(frozen=True)
class Variant:
    """The rules by which Monte Carlo players differ."""

    losses_count: bool  # value of a move: (wins - losses) / visits, else wins / visits
    log_of_children: bool  # UCT's logarithm: of the visits to the moves, else to the position
    foresee: bool = False  # a win detected by the game's evaluation ends a simulation
    prove: bool = False  # back up proven results


TRADITIONAL = Variant(losses_count=False, log_of_children=False)
IMPROVED = Variant(losses_count=True, log_of_children=True, prove=True)


class MonteCarloPlayer(Agent):
    """UCT Monte Carlo tree search in the scalar engine."""

    def __init__(self, variant: Variant, chosen: Mapping[str, Any]):
        self._variant = variant
        self._random = random.Random(chosen.get("seed"))
        self._limit = limit_of(chosen, DEFAULT_LIMIT)
        self._horizon = chosen.get("horizon")
        self._threads = chosen["threads"]

    def own(self, limit: Limit) -> Limit:
        """The limit, or the player's own if it bounds neither time nor simulations."""
        return self._limit if limit.seconds is None and limit.simulations is None else limit

    def choose(
        self, position: Position, limit: Limit, watch: Watch | None = None, actions: Sequence[int] = ()
    ) -> Choice:
        """The most visited of `actions`, or of all legal ones if empty."""
        limit = self.own(limit)

        def watched(found: "RolloutReport") -> bool:
            assert watch is not None
            watch.report(_choice(found))
            return watch.stopped

        found = position.core.monte_carlo(
            self._random.getrandbits(64),
            limit.simulations or 0,
            limit.seconds or 0.0,
            **vars(self._variant),
            depth=self._horizon,
            root_actions=list(actions),
            threads=self._threads,
            watch=None if watch is None else watched,
        )
        return _choice(found)


def _choice(found: "RolloutReport") -> Choice:
    actions, visits, values, line = found.actions, found.visits, found.values, found.principal_variation
    best = actions.index(line[0])
    policy = {action: count / found.simulations for action, count in zip(actions, visits, strict=True)}
    return Choice(
        actions[best],
        values[best],
        policy,
        tuple(line),
        simulations=found.simulations,
        visits=dict(zip(actions, visits, strict=True)),
        values={action: value for action, count, value in zip(actions, visits, values, strict=True) if count},
    )


def player(name: str, summary: str, variant: Variant) -> Player:
    """A Monte Carlo player's entry in the list."""
    return Player(name, summary, lambda game, chosen: MonteCarloPlayer(variant, chosen), OPTIONS)


PLAYERS = (
    player("mc", "UCT Monte Carlo tree search with random simulations, on wins / visits", TRADITIONAL),
    player("mc-improved", "like mc, on (wins - losses) / visits and with proven results", IMPROVED),
)
