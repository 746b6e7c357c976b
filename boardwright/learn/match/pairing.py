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
from boardwright.mcts.split import split
from boardwright.mcts.tree import Evaluate
from boardwright.nets.network import Network, Variables

BOTH = 2  # instead of the role that the current net has in a game: it has both


def first_seats(games: int, against_others: int) -> Array:
    """[B] int8: the role the current net has at first, either in every second game against others."""
    other = jnp.arange(against_others) % 2
    return jnp.concatenate([jnp.full(games - against_others, BOTH), other]).astype(jnp.int8)


def on_move(states: Any, seat: Array, *, theirs: Array | bool) -> Array:
    """[B] bool: where a step moves that is the current net's or, against others, theirs; `seat` [B] is its role."""
    return (seat == BOTH) | ((states.current_role == seat) != theirs)


@dataclass(frozen=True)
class NetEvaluator:
    """Evaluates states with nets: `evaluator(folded variables)` is what a search calls with its states."""

    observe: Callable[[Any], Any]  # states -> the inputs of nets, arrays [B, ...]
    evaluate: Callable[[Variables, Any], tuple[Array, Array]]  # folded variables, inputs -> logits, values

    def __call__(self, folded: Variables) -> Evaluate:
        """Evaluates all states with one net."""
        return lambda states: self.evaluate(folded, self.observe(states))


def make_net_evaluator(network: Network, env: BatchEnv) -> NetEvaluator:
    """Evaluates with the head of the role to move, from what that role observes."""

    def observe(states: Any) -> tuple[Array, Array]:
        return jax.vmap(env.observe)(states, states.current_role), states.current_role

    def evaluate(folded: Variables, inputs: tuple[Array, Array]) -> tuple[Array, Array]:
        output = network.apply_folded(folded, *inputs)
        return output.policy_logits, output.value

    return NetEvaluator(observe, evaluate)


def opponents_evaluate(
    evaluator: NetEvaluator, current: Variables, others: Sequence[Variables], against_others: int
) -> Evaluate:
    """Evaluates in a step of the other nets: each of them in its share of the last games.

    Positions are observed all at once, as that costs as much for a few as for many.
    """
    share = against_others // len(others)

    def evaluate(states: Any) -> tuple[Array, Array]:
        inputs, start = evaluator.observe(states), states.terminated.shape[0] - against_others
        bounds = [(current, 0, start)] if start else []
        bounds += [(other, start + n * share, start + (n + 1) * share) for n, other in enumerate(others)]
        outputs = [
            evaluator.evaluate(net, split(jax.tree.map(lambda leaf, a=a, z=z: leaf[a:z], inputs)))
            for net, a, z in bounds
        ]
        return split(tuple(jnp.concatenate(parts) for parts in zip(*outputs, strict=True)))

    return evaluate
