"""Policies that move many games at once, and the seats of nets that share a batch of games.

A policy is a function of a key and states: random moves, a net without search, or a search. That of a net is a
`Partial` with the net's weights as leaves, so that a program compiled for one net also plays the next; a new function
is compiled again, so make constructors once.

A net evaluates a fixed range of games, since a batch cannot be cut by who is to move. So nets take turns: in one step
the current net moves in all games against others, in the next step the others do. A game in which the wrong net is to
move skips a step and is in time from then on, so that few searches are wasted.

Games are ordered as [self-play games | games against the first other net | against the second | ...].
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.tree_util import Partial

from boardwright.games.base import BatchEnv
from boardwright.games.batched import random_action, without_forced
from boardwright.learn.shared.config import SearchConfig
from boardwright.mcts.policies import SearchResult, gumbel_search, puct_search
from boardwright.mcts.puct import temperature_by_ply
from boardwright.mcts.split import split
from boardwright.mcts.tree import Evaluate
from boardwright.nets.network import Network, Variables

BOTH = 2  # instead of the role that the current net has in a game: it has both
Policy = Callable[[Array, Any], Array]  # key, states of B games -> legal actions [B]; any action in games that are over
Search = Callable[[Array, Any], SearchResult]  # key, states -> result without its tree


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


def random_policy(key: Array, states: Any) -> Array:
    """Each legal action with the same probability."""
    keys = jax.random.split(key, states.terminated.shape[0])
    return jax.vmap(random_action)(keys, states.legal_action_mask)


def net_policy(evaluator: Callable[[Variables], Evaluate], temperature: float) -> Callable[[Variables], Policy]:
    """Folded variables -> the policy of a net: drawn from e^(logit / temperature), at 0 the first of the highest.

    Likewise for Q-values, dueling ones included: they differ from the logits by a number that all actions share.
    """

    def choose(folded: Variables, key: Array, states: Any) -> Array:
        logits, _ = evaluator(folded)(states)
        legal = jnp.where(states.legal_action_mask, logits, -jnp.inf)
        if temperature == 0:
            return jnp.argmax(legal, axis=-1).astype(jnp.int32)
        return jax.random.categorical(key, legal / temperature, axis=-1).astype(jnp.int32)

    return lambda folded: Partial(choose, folded)


def search_policy(
    env: BatchEnv, evaluator: NetEvaluator, config: SearchConfig, *, simulations: int, slots: int
) -> Callable[[Sequence[Variables], int], Policy]:
    """Folded variables of some nets, each for an equal share of the games, and plies of the opening -> a policy.

    After a random opening it plays the best action. Without one that would be the same game again and again, so
    there actions are drawn as in self-play.
    """

    def choose(nets: tuple[Variables, ...], noise: Array, key: Array, states: Any) -> Array:
        evaluate = evaluator(nets[0])
        if len(nets) > 1:
            evaluate = opponents_evaluate(evaluator, nets[0], nets, states.terminated.shape[0])
        return make_search(env, config, evaluate, simulations, slots, noise=noise)(key, states).action

    return lambda nets, opening_plies: Partial(choose, tuple(nets), jnp.float32(0.0 if opening_plies else 1.0))


def make_search(
    env: BatchEnv,
    config: SearchConfig,
    evaluate: Evaluate,
    simulations: int,
    slots: int,
    *,
    noise: Array | float | None = None,
) -> Search:
    """A search of the configured kind.

    `noise`: None for that of self-play; else no Dirichlet noise, and the best action for 0, one drawn for 1.
    """
    common: dict[str, Any] = {
        "env": without_forced(env, config.max_forced_plies),
        "evaluate": evaluate,
        "num_simulations": simulations,
        "num_slots": slots,
        "relative": config.values == "relative",
    }

    def search(key: Array, states: Any) -> SearchResult:
        if config.kind == "gumbel":
            result = gumbel_search(
                key,
                states,
                num_considered=min(config.max_considered_actions, slots),
                c_visit=config.c_visit,
                c_scale=config.c_scale,
                gumbel_scale=1.0 if noise is None else noise,
                **common,
            )
        else:
            result = puct_search(
                key,
                states,
                pb_c_init=config.pb_c_init,
                dirichlet_fraction=config.dirichlet_fraction if noise is None else 0.0,
                dirichlet_alpha=config.dirichlet_alpha,
                temperature=temperature_by_ply(states.plies, until=config.temperature_plies)
                if noise is None
                else noise,
                **common,
            )
        return dataclasses.replace(result, action=jnp.maximum(result.action, 0), tree=None)

    return search
