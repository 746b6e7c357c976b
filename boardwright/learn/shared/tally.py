"""Sums over the games of an iteration, and the metrics that all methods make of them.

A tally is a pytree whose fields are `count()` or `total()`: `Tally()` has all sums zero.
"""

import dataclasses
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

Tally = TypeVar("Tally")


def count(*shape: int) -> Any:
    """A field of a tally: whole numbers, int32 of a shape."""
    return dataclasses.field(default_factory=lambda: jnp.zeros(shape, jnp.int32))


def total() -> Any:
    """A field of a tally: a float32 sum."""
    return dataclasses.field(default_factory=lambda: jnp.float32(0))


def clear(tally: Tally) -> Tally:
    """A tally with all sums zero."""
    return jax.tree.map(jnp.zeros_like, tally)


def game_metrics(counted: Any) -> dict[str, float]:
    """Metrics of the games of an iteration, from a tally on the host with `moves`, `ended` and `plies`.

    `ended` counts games that role 0 won, role 1 won, and were drawn, and perhaps some that ended in other ways.
    """
    games, outcomes = int(counted.ended.sum()), counted.ended[:3]
    names = ("selfplay/role0_wins", "selfplay/role1_wins", "selfplay/draws")
    metrics: dict[str, float] = {"selfplay/games": games, "selfplay/moves": int(counted.moves)}
    if outcomes.sum():
        metrics |= {name: int(ended) / int(outcomes.sum()) for name, ended in zip(names, outcomes, strict=True)}
    if games:
        metrics["selfplay/plies"] = float(counted.plies) / games
    return metrics


def opponent_scores(against: Any) -> dict[str, float]:
    """The learner's score in each role, from its wins, draws and losses against opponents [2, 3]."""
    return {
        f"league/role{role}_score": (int(won) + int(drawn) / 2) / int(won + drawn + lost)
        for role, (won, drawn, lost) in enumerate(against)
        if won + drawn + lost
    }
