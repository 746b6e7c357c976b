"""A random tree as a game, to search in: any shape, any mover, chance of an end at every node.

Everything about a node follows from its number, its path from the root: who moves, which of the actions are
legal, whether the game is over and who has won. Movers follow no pattern unless `alternating`. Not a test itself.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import DRAW, ONGOING, BatchEnv
from boardwright.games.batched import make_env
from boardwright.mcts.tree import Evaluate


def mixed(number: Array, salt: int | Array) -> Array:
    """uint32: a hash of numbers and a salt."""
    x = number.astype(jnp.uint32) * jnp.uint32(0x9E3779B1) + jnp.asarray(salt, jnp.uint32) * jnp.uint32(0x85EBCA77)
    for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
        x = (x ^ (x >> shift)) * jnp.uint32(factor)
    return x ^ (x >> 15)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    number: Array  # uint32: of the node
    depth: Array  # int32
    current_role: Array
    rewards: Array
    terminated: Array
    result: Array
    legal_action_mask: Array


def make_toy(
    actions: int, *, alternating: bool = False, longest: int = 8, ends: int = 12, all_legal: bool = False
) -> BatchEnv:
    """About one in `ends` nodes below the root is an end, and all nodes `longest` below it.

    The last action is never legal, unless all are.
    """

    def arrive(number: Array, depth: Array, by: Array) -> State:
        over = (depth > 0) & ((mixed(number, 1) % ends == 0) | (depth >= longest))
        role = jnp.where(alternating, 1 - by, mixed(number, 2) % 2).astype(jnp.int8)
        result = jnp.where(over, mixed(number, 3) % 3, ONGOING).astype(jnp.int8)
        legal = mixed(number + jnp.arange(actions, dtype=jnp.uint32), 4) % 3 > 0
        legal = legal.at[mixed(number, 5) % (actions - 1)].set(True).at[-1].set(False) | all_legal
        return State(
            rewards=jnp.zeros(2, jnp.float32),
            legal_action_mask=legal & ~over,
            number=number,
            depth=depth,
            current_role=role,
            terminated=over,
            result=result,
        )

    def init(key: Array) -> State:
        return arrive(jax.random.bits(key, (), jnp.uint32), jnp.int32(0), jnp.int8(1))

    def move(state: State, action: Array) -> State:
        return arrive(mixed(state.number, action + 10), state.depth + 1, state.current_role)

    def refuse(*_: object) -> Any:
        raise NotImplementedError

    assert DRAW == 2  # which `result` above relies on
    return make_env(init=init, move=move, observe=refuse, from_position=refuse)


def evaluate_by_number(actions: int) -> Evaluate:
    """An `Evaluate` of toy states, or of real ones by their hash: pseudo-random, but the same for the same state.

    The best legal move has logit 0 and the others distinct ones that bfloat16 holds exactly, for up to 1,024
    actions, so that no choice hangs on rounding.
    """

    def evaluate(states: Any) -> tuple[Array, Array]:
        number = states.number if hasattr(states, "number") else states.hash[:, 0] ^ states.hash[:, 1]
        odd = 2 * (mixed(number, 6) % 512) + 1
        place = (jnp.arange(actions, dtype=jnp.uint32) * odd[:, None] + mixed(number, 7)[:, None]) % 1024
        logits = -(1 + (place % 128) / 128) * 2.0 ** (place // 128 - 4.0)
        best = jnp.where(states.legal_action_mask, logits, -jnp.inf).argmax(axis=1)
        value = mixed(number, 8).astype(jnp.float32) / 2.0**31 - 1.0
        return jnp.where(jnp.arange(actions) == best[:, None], 0.0, logits), value

    return evaluate
