"""Generalised advantage estimation over each player's own decisions.

Between two decisions of a player, any number of moves of either player may lie. The state that follows a decision is
that of the same player's next decision, and its reward is the sum of all rewards to that player until then, the end of
the game included. The discount applies once per decision.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array


def advantages(
    rewards: Array, values: Array, decided: Array, over: Array, last_value: Array, *, discount: float, trace: float
) -> Array:
    """[T, B] advantages of one player's decisions in B games over T rows; undefined where it made none.

    rewards: [T, B] to the player in a row, after its decision if it made one
    values: [T, B] the player's estimate when it decided; ignored elsewhere
    decided: [T, B] bool
    over: [T, B] bool: a game ended in the row, and the next row belongs to another game
    last_value: [B] the estimate at its next decision, after all rows
    trace: lambda; 0 is one step, 1 is Monte Carlo up to the last row

    An advantage plus its value is the return that the value learns.
    """

    def step_back(
        following: tuple[Array, Array, Array], row: tuple[Array, Array, Array, Array]
    ) -> tuple[tuple[Array, Array, Array], Array]:
        value, advantage, paid = following  # of the next decision in the game; rewards before it
        reward, here, decides, ends = row
        value, advantage, paid = (jnp.where(ends, 0.0, number) for number in (value, advantage, paid))
        paid = paid + reward
        estimate = paid + discount * value - here + discount * trace * advantage
        before = (
            jnp.where(decides, here, value),
            jnp.where(decides, estimate, advantage),
            jnp.where(decides, 0.0, paid),
        )
        return before, estimate

    zero = jnp.zeros_like(last_value)
    return jax.lax.scan(step_back, (last_value, zero, zero), (rewards, values, decided, over), reverse=True)[1]
