"""Who searches in which game: the current net in all of them, or two nets against each other in pairs.

Games between two nets come in pairs (a, b): the current net has one role in a and the other in b. A search
has a row for every game, and a net is asked about a fixed range of rows, since a batch cannot be cut by who
happens to be on move. So a pair has a row of the current net and one of the other net, and each step the
two games are seated: whichever of them the current net is on move in takes its row, the other game the other.
Where both wait for the same net, one moves and the other sits out that step; from then on they take turns, so
that hardly a search is wasted, however games begin and end.

Games lie as [self-play games | games a | games b], rows as [self-play | the current net's | the other nets'].
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import BatchEnv
from boardwright.nets.network import Network, Variables
from boardwright.search.tree import Evaluate

BOTH = 2  # instead of the role that the current net has in a game: it has both


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Seating:
    """Which game is in which row."""

    order: Array  # [B] int32: the game in each row, and also the row of each game
    active: Array  # [B] bool by row: whether the row's net is on move


def first_seats(games: int, pairs: int) -> Array:
    """[B] int8 by game: the role the current net has at first."""
    return jnp.concatenate(
        [jnp.full(games - 2 * pairs, BOTH, jnp.int8), jnp.zeros(pairs, jnp.int8), jnp.ones(pairs, jnp.int8)]
    )


def seated(states: Any, seat: Array, pairs: int) -> Seating:
    """The rows of games [B] in which the current net has the roles `seat` [B].

    Games that are over stand in nobody's way.
    """
    games = seat.shape[0]
    alone = games - 2 * pairs
    one = alone + jnp.arange(pairs, dtype=jnp.int32)
    two = one + pairs
    own_move = states.current_role == seat
    one_is_current = jnp.where(states.terminated[one], ~own_move[two], own_move[one])
    current = jnp.where(one_is_current, one, two)
    other = jnp.where(one_is_current, two, one)
    active = jnp.concatenate([jnp.ones(alone, bool), own_move[current], ~own_move[other]])
    return Seating(jnp.concatenate([jnp.arange(alone, dtype=jnp.int32), current, other]), active)


def reordered(tree: Any, order: Array) -> Any:
    """What is said by game as it is said by row, or the other way round: exchanging twice changes nothing."""
    return jax.tree.map(lambda leaf: leaf[order], tree)


def make_asking(network: Network, env: BatchEnv) -> Callable[[Variables], Evaluate]:
    """Folded variables -> what a search asks: the mover's own head, of what the mover observes."""

    def asking(folded: Variables) -> Evaluate:
        def evaluate(states: Any) -> tuple[Array, Array]:
            observation = jax.vmap(env.observe)(states, states.current_role)
            output = network.apply_folded(folded, observation, states.current_role)
            return output.policy_logits, output.value

        return evaluate

    return asking


def by_rows(current: Evaluate, others: Sequence[Evaluate], pairs: int) -> Evaluate:
    """What a search of seated games asks: the current net, but in the last `pairs` rows the others, which have
    equal shares of them.
    """
    if pairs == 0:
        return current
    share = pairs // len(others)

    def evaluate(states: Any) -> tuple[Array, Array]:
        rows = states.terminated.shape[0]
        start = rows - pairs
        bounds = [(current, 0, start)]
        bounds += [(other, start + n * share, start + (n + 1) * share) for n, other in enumerate(others)]
        said = [ask(jax.tree.map(lambda leaf, a=a, z=z: leaf[a:z], states)) for ask, a, z in bounds]
        return jnp.concatenate([logits for logits, _ in said]), jnp.concatenate([value for _, value in said])

    return evaluate
