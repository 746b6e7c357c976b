"""Games of the current net against itself and against other nets in one batch: seats, turns, counts, evaluation.

A net evaluates a fixed range of games, since a batch cannot be cut by who is to move. So nets take turns: in one step
the current net moves in all games against others, in the next step the others do. A game in which the wrong net is to
move skips a step and is in time from then on, so that few searches are wasted.

Games are ordered as [self-play games | games against the first other net | against the second | ...].
"""

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
    """[B] int8: the first roles of the current net; they alternate over the games against others."""
    other = jnp.arange(against_others) % 2
    return jnp.concatenate([jnp.full(games - against_others, BOTH), other]).astype(jnp.int8)


def on_move(states: Any, seat: Array, *, theirs: Array | bool) -> Array:
    """[B] bool: where a step moves that is the current net's or, against others, theirs; `seat` [B] is its role."""
    return (seat == BOTH) | ((states.current_role == seat) != theirs)


def other_seats(seat: Array) -> Array:
    """[B] int8: the roles of the current net in the next games of their places."""
    return jnp.where(seat == BOTH, BOTH, 1 - seat).astype(jnp.int8)


def count_outcomes(over: Array, winner: Array, seat: Array) -> tuple[Array, Array]:
    """([3] games over that role 0 won, role 1 won, were drawn; [2, 3] wins, draws, losses of the current net by role).

    winner: [B] 0, 1 or DRAW where a game is over. The second counts games against others only.
    """
    own = jnp.where(winner == seat, 0, jnp.where(winner == 1 - seat, 2, 1))
    against = [[(over & (seat == role) & (own == what)).sum() for what in range(3)] for role in range(2)]
    ended = jnp.stack([(over & (winner == what)).sum(dtype=jnp.int32) for what in range(3)])
    return ended, jnp.asarray(against, jnp.int32)


def stack_nets(variables: Variables, count: int) -> Variables:
    """Variables of several equal nets, [nets, ...]."""
    return jax.tree.map(lambda leaf: jnp.stack([leaf] * count), variables)


def replace_net(stack: Variables, place: int, variables: Variables) -> Variables:
    """Stacked variables with another net in one place."""
    return jax.tree.map(lambda leaf, new: leaf.at[place].set(new), stack, variables)


def unstack_nets(stack: Variables, count: int) -> list[Variables]:
    """The variables of each net."""
    return [jax.tree.map(lambda leaf, place=place: leaf[place], stack) for place in range(count)]


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
