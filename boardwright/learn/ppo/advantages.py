"""Advantages of decisions, by generalised advantage estimation over a player's own decisions.

Between two decisions of a player others may move, also several times, and so may it itself. What counts is its own
line: the state that follows a decision is that of its next one, and the reward of a decision is all that the player
was paid until then, whoever moved, the end of the game included. A discount is for one decision.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array


def advantages(
    rewards: Array, values: Array, decided: Array, over: Array, last_value: Array, *, discount: float, trace: float
) -> Array:
    """[T, B] advantages of one player's decisions in B games over T rows; nothing is meant where none was made.

    rewards: [T, B] paid to the player in a row, after its decision where it made one
    values: [T, B] what it expected when it decided; anything elsewhere
    decided: [T, B] bool
    over: [T, B] bool: a game ended in the row, and the next row is another game's
    last_value: [B] what it expects of its next decision, after all rows
    trace: lambda; 0 looks one decision ahead, 1 as far as there are rows

    An advantage and its value add up to the return that the value is to learn.
    """

    def back(
        following: tuple[Array, Array, Array], row: tuple[Array, Array, Array, Array]
    ) -> tuple[tuple[Array, Array, Array], Array]:
        value, advantage, paid = following  # of the next decision in the game; what was paid before it
        reward, here, decides, ends = row
        value, advantage, paid = (jnp.where(ends, 0.0, number) for number in (value, advantage, paid))
        paid = paid + reward
        found = paid + discount * value - here + discount * trace * advantage
        before = (
            jnp.where(decides, here, value),
            jnp.where(decides, found, advantage),
            jnp.where(decides, 0.0, paid),
        )
        return before, found

    nothing = jnp.zeros_like(last_value)
    rows = (rewards, values, decided, over)
    return jax.lax.scan(back, (last_value, nothing, nothing), rows, reverse=True)[1]
