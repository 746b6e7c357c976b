"""Climb, a game whose matches can be predicted exactly: on the device and in plain Python.

The mover climbs 0, 1 or 2 steps (the action); who climbed 1 moves again. Who first stands on step `TOP` has won;
after `MAX_PLIES` actions it is a draw. In the first `free` actions no one climbs and movers alternate.
A net is a taste: [2, 2, 3] numbers by role, by whether the mover stands on an odd step, and by action.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import DRAW, ONGOING, BatchEnv
from boardwright.learn.match.policies import NetEvaluator

TOP, MAX_PLIES = 9, 20


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State:
    steps: Array  # [2] int32: where each role stands
    plies: Array
    current_role: Array
    rewards: Array
    terminated: Array
    result: Array
    legal_action_mask: Array

    @property
    def hash(self) -> Array:
        """[..., 2] uint32: hash of a position among those of equal age."""
        return self.steps.astype(jnp.uint32)


def make_climb(free: int) -> BatchEnv:
    def init(key: Array) -> State:
        del key
        return State(
            steps=jnp.zeros(2, jnp.int32),
            plies=jnp.int32(0),
            current_role=jnp.int8(0),
            rewards=jnp.zeros(2),
            terminated=jnp.bool_(False),
            result=jnp.int8(ONGOING),
            legal_action_mask=jnp.ones(3, bool),
        )

    def step(state: State, action: Array, key: Array) -> State:
        del key
        climbs = state.plies >= free
        role = state.current_role
        steps = state.steps.at[role].add(jnp.where(climbs, action, 0))
        won, plies = steps[role] >= TOP, state.plies + 1
        result = jnp.where(won, role, jnp.where(plies >= MAX_PLIES, DRAW, ONGOING)).astype(jnp.int8)
        after = State(
            steps=steps,
            plies=plies,
            current_role=jnp.where(climbs & (action == 1), role, 1 - role).astype(jnp.int8),
            rewards=jnp.zeros(2),
            terminated=result != ONGOING,
            result=result,
            legal_action_mask=jnp.full(3, result == ONGOING),
        )
        return jax.tree.map(lambda old, new: jnp.where(state.terminated, old, new), state, after)

    def refuse(*_: object) -> None:
        raise NotImplementedError

    return BatchEnv(init=init, step=step, observe=refuse, from_position=refuse)


def _say(taste: Any, states: State) -> tuple[Array, Array]:
    """A net likes moves by its taste and has no opinion of positions."""
    games = jnp.arange(states.plies.shape[0])
    odd = states.steps[games, states.current_role] % 2
    return taste[states.current_role, odd], jnp.zeros(games.shape)


evaluator = NetEvaluator(observe=lambda states: states, evaluate=_say)


def predict(tastes: tuple[np.ndarray, np.ndarray], free: int) -> tuple[int, int]:
    """result and plies of a game between two nets, by role, that play what they like best."""
    steps, role = [0, 0], 0
    for ply in range(MAX_PLIES):
        action = int(tastes[role][role, steps[role] % 2].argmax())
        if ply >= free:
            steps[role] += action
            if steps[role] >= TOP:
                return role, ply + 1
        if ply < free or action != 1:
            role = 1 - role
    return DRAW, MAX_PLIES
