"""Everything that changes in a run of AlphaZero, as one pytree."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.learn.alphazero.learner import Learner
from boardwright.learn.alphazero.replay import Ending, Replay
from boardwright.learn.alphazero.selfplay import Games, Tally
from boardwright.nets.network import Variables


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TrainingState:
    """T steps an iteration, B games."""

    games: Games
    tally: Tally
    endings: Ending  # [T, B], of this iteration
    first_serial: Array  # [B] int32: numbers of the games when the iteration began
    replay: Replay
    learner: Learner
    reference: Any  # variables that play: with gating those that were promoted last, else None
    league: Any  # variables of the past checkpoints in play, [nets, ...]; None without a league

    @property
    def candidate(self) -> Variables:
        """The variables that learning has arrived at, averaged."""
        return self.learner.averaged

    @property
    def playing(self) -> Variables:
        """The variables that play: with gating those that were promoted last, else the candidate's."""
        return self.candidate if self.reference is None else self.reference


def with_league_net(state: TrainingState, place: int, variables: Variables) -> TrainingState:
    """The state with another net in one place of the league."""
    league = jax.tree.map(lambda leaf, new: leaf.at[place].set(new), state.league, variables)
    return dataclasses.replace(state, league=league)


def with_weights(state: TrainingState, new: Variables) -> TrainingState:
    """The state with other weights in all its nets: learner, reference and league."""

    def put(variables: Variables) -> Variables:
        """A copy for each place, because steps donate their state and may not donate a buffer twice."""
        return jax.tree.map(
            lambda old, leaf: jax.device_put(jnp.broadcast_to(leaf, old.shape).copy(), old.sharding), variables, new
        )

    learner = dataclasses.replace(
        state.learner, variables=put(state.learner.variables), averaged=put(state.learner.averaged)
    )
    reference = None if state.reference is None else put(state.reference)
    league = None if state.league is None else put(state.league)
    return dataclasses.replace(state, learner=learner, reference=reference, league=league)
