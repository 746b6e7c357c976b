"""Who searches in which game: the current net in all of them, or in some another net against it.

A net is asked about a fixed range of games, since a batch cannot be cut by who happens to be on move. So games
between two nets keep time: in one step the current net moves in all of them, in the next the other nets do, and a
game that waits for the other net sits out a step. From then on it is in time, so that hardly a search is
wasted, however games begin and end.

Games lie as [self-play games | games against the first other net | against the second | ...].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.nets.network import Network, Variables
from boardwright.search.split import split
from boardwright.search.tree import Evaluate

BOTH = 2  # instead of the role that the current net has in a game: it has both


def first_seats(games: int, against_others: int) -> Array:
    """[B] int8: the role the current net has at first, either in every second game against others."""
    other = jnp.arange(against_others) % 2
    return jnp.concatenate([jnp.full(games - against_others, BOTH), other]).astype(jnp.int8)


def on_move(states: Any, seat: Array, *, theirs: Array | bool) -> Array:
    """[B] bool: where a step moves that is the current net's or, against others, theirs; `seat` [B] is its role."""
    return (seat == BOTH) | ((states.current_role == seat) != theirs)


@dataclass(frozen=True)
class Asking:
    """How a search asks a net: `asking(folded variables)` is what it calls with its states."""

    see: Callable[[Any], Any]  # states -> what nets are told of them, arrays [B, ...]
    say: Callable[[Variables, Any], tuple[Array, Array]]  # folded variables, what was seen -> logits, values

    def __call__(self, folded: Variables) -> Evaluate:
        """Of all states."""
        return lambda states: self.say(folded, self.see(states))


def make_asking(network: Network, env: BatchEnv) -> Asking:
    """Asks the mover's own head, of what the mover observes."""

    def see(states: Any) -> tuple[Array, Array]:
        return jax.vmap(env.observe)(states, states.current_role), states.current_role

    def say(folded: Variables, seen: tuple[Array, Array]) -> tuple[Array, Array]:
        output = network.apply_folded(folded, *seen)
        return output.policy_logits, output.value

    return Asking(see, say)


def in_their_steps(asking: Asking, current: Variables, others: Sequence[Variables], against_others: int) -> Evaluate:
    """What a search asks in a step that is the others': each of them in its share of the last games.

    Positions are observed all at once, as that costs as much for a few as for many.
    """
    share = against_others // len(others)

    def evaluate(states: Any) -> tuple[Array, Array]:
        seen, start = asking.see(states), states.terminated.shape[0] - against_others
        bounds = [(current, 0, start)] if start else []
        bounds += [(other, start + n * share, start + (n + 1) * share) for n, other in enumerate(others)]
        said = [asking.say(net, split(jax.tree.map(lambda leaf, a=a, z=z: leaf[a:z], seen))) for net, a, z in bounds]
        return split(tuple(jnp.concatenate(parts) for parts in zip(*said, strict=True)))

    return evaluate
