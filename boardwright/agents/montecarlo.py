"""Monte Carlo tree search with random simulations, for every game.

`mc` is the textbook's: UCT with c = √2 on wins / visits. `mc-improved` counts losses as well, (wins - losses)
/ visits, takes UCT's logarithm of the visits to the moves it chooses between, and passes sure results up the
tree, so that it neither tries a lost move again nor goes on when all is settled. How deep simulations go, unless
`horizon` says it, is up to the game's engine: a number of moves from the root, or to the end. A game that is
undecided there counts as a visit only.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.specs import A_SECOND, SEED, SIMULATIONS, TIME, Option, Player, limit_of, whole
from boardwright.games.base import Game, Position

if TYPE_CHECKING:
    from boardwright._core import RolloutReport

THREADS = Option("threads", "threads that search", whole(1, 256), "N", "1")
HORIZON = Option("horizon", "moves from the root that a simulation goes, 0: to the end", whole(0, 10_000), "N", "")
OPTIONS = (TIME, SIMULATIONS, HORIZON, THREADS, SEED)


@dataclass(frozen=True)
class Variant:
    """What sets one Monte Carlo player apart from another."""

    losses_count: bool  # worth of a move: (wins - losses) / visits, else wins / visits
    log_of_children: bool  # UCT's logarithm: of the visits to the moves, else to the position
    foresee: bool = False  # a win that the game can see coming ends a simulation
    prove: bool = False  # sure results are passed up the tree


TRADITIONAL = Variant(losses_count=False, log_of_children=False)
IMPROVED = Variant(losses_count=True, log_of_children=True, prove=True)


class MonteCarloPlayer(Agent):
    """UCT Monte Carlo tree search in the scalar engine."""

    def __init__(self, variant: Variant, chosen: Mapping[str, Any]):
        self._variant = variant
        self._random = random.Random(chosen.get("seed"))
        self._limit = limit_of(chosen, A_SECOND)
        self._horizon = chosen.get("horizon")
        self._threads = chosen["threads"]

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The most visited action; the player's own limit applies where `limit` sets none."""
        return self.search(position, limit, watch)

    def own(self, limit: Limit) -> Limit:
        """The limit, or the player's own where it bounds neither time nor simulations."""
        return self._limit if limit.seconds is None and limit.simulations is None else limit

    def search(self, position: Position, limit: Limit, watch: Watch | None, actions: Sequence[int] = ()) -> Choice:
        """The most visited of `actions`, or of all where there are none."""
        limit = self.own(limit)

        def watched(found: "RolloutReport") -> bool:
            assert watch is not None
            watch.report(_choice(found))
            return watch.stopped

        found = position.core.monte_carlo(
            self._random.getrandbits(64),
            limit.simulations or 0,
            limit.seconds or 0.0,
            losses_count=self._variant.losses_count,
            log_of_children=self._variant.log_of_children,
            foresee=self._variant.foresee,
            prove=self._variant.prove,
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

    def make(game: Game, chosen: Mapping[str, Any]) -> Agent:
        return MonteCarloPlayer(variant, chosen)

    return Player(name, summary, make, OPTIONS)


PLAYERS = (
    player("mc", "UCT Monte Carlo tree search with random simulations, on wins / visits", TRADITIONAL),
    player("mc-improved", "as mc, on (wins - losses) / visits, and with proven results", IMPROVED),
)
