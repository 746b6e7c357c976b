"""What DQN and PPO share as methods: a net that plays without search, evaluated against a random player."""

from __future__ import annotations

from typing import Any, TypeVar

import jax
from jax import Array

from boardwright.games.registry import game as make_game
from boardwright.learn.match.against_random import best_metric, make_evaluate
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.shared.encoder import with_encoder
from boardwright.learn.shared.encoder_file import encoder_for
from boardwright.learn.shared.rewards import training_env
from boardwright.nets.network import Variables, make_network

State = TypeVar("State")


class PolicyMethod(Method[State]):
    """A method whose state has a `learner` with the `variables` of the net that plays.

    Without `load_encoder` its net has random weights even if the config names an encoder, for benchmarks.
    """

    def __init__(self, config: Any, dtype: Any, *, load_encoder: bool):
        self.config, self.dtype = config, dtype  # the net computes in `dtype`
        self.game = make_game(config.game, config.rules, config.observation)
        self.env = training_env(self.game, config.rewards)
        self.network = make_network(config.architecture, self.game, dtype=dtype)
        self.best_metric = best_metric(config.evaluation)
        self._encoder = encoder_for(config.encoder, config.architecture, self.game) if load_encoder else None
        self._seed = jax.random.key(config.seed)  # an argument of compiled functions, so that all seeds share them
        self._evaluate = make_evaluate(config.evaluation, config.seed, self.network, self.env, _variables)

    def evaluate(self, state: State, done: int, context: MethodContext) -> dict[str, float]:
        """Games against a random player."""
        return self._evaluate(state, done, context)

    def export_net(self, state: State) -> tuple[Any, Variables]:
        """The learner's net."""
        return self.config.architecture, _variables(state)

    def _new_variables(self, key: Array) -> Variables:
        """Random weights, except those of a trained encoder that the config names."""
        return with_encoder(self.network.init(key), self._encoder)


def _variables(state: Any) -> Variables:
    return state.learner.variables
