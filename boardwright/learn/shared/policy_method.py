"""What DQN and PPO share as methods: a net that plays without search, evaluated against a random player."""

import dataclasses
import functools
from abc import abstractmethod
from pathlib import Path
from typing import Any, Literal, TypeVar

import jax
from jax import Array

from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import out_of_memory_hint
from boardwright.learn.match.matches import env_of, play_pairs
from boardwright.learn.match.policies import make_net_evaluator, net_policy, random_policy
from boardwright.learn.run.method import Method, MethodContext, fold_in
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.tally import clear
from boardwright.nets.config import PlainConfig
from boardwright.nets.network import Variables, make_network

MEASURE = 16  # a use of random numbers, next to those of the methods
SCORE = "evaluation/random"
State = TypeVar("State")


class PolicyMethod(Method[State]):
    """A method whose state has a `learner` with the `variables` of the net that plays.

    Without `load_encoder` its net has random weights even if the config names an encoder, for benchmarks.
    """

    def __init__(self, config: Any, dtype: Any, *, load_encoder: bool):
        self.config, self.dtype = config, dtype  # the net computes in `dtype`
        self.game = make_game(config.game, config.rules, config.observation)
        self.env = env_of(with_rewards(self.game, config.rewards))
        self.network = make_network(config.architecture, self.game, dtype=dtype)
        self.best_metric = SCORE if config.evaluation.keep == "best" else None
        self._encoder = None
        if load_encoder and config.encoder is not None:
            file = encoder_file.read(Path(config.encoder))
            if isinstance(config.architecture, PlainConfig):
                file.check_fits(config.architecture, self.game)
            self._encoder = file.weights
        self._seed = jax.random.key(config.seed)  # an argument of compiled functions, so that all seeds share them
        self._policy = net_policy(make_net_evaluator(self.network, self.env), config.evaluation.temperature)
        self._fold = jax.jit(self.network.fold)
        self.initialise = functools.partial(jax.jit(self._init), self._seed)
        self.next_iteration = jax.jit(self._reset, donate_argnums=0)

    @abstractmethod
    def _init(self, seed: Array) -> State:
        """The state of a new run."""

    def _reset(self, state: Any) -> Any:
        """The state with the sums of an iteration set to zero."""
        return state.replace(tally=clear(state.tally))

    def evaluate(self, state: State, done: int, context: MethodContext) -> dict[str, float]:
        """The score and the mean reward of a game against a random player."""
        config = self.config.evaluation
        if not config.every or done % config.every:
            return {}
        key, policy = fold_in(self._seed, MEASURE, done), self._policy(self._fold(self.export_net(state)[1]))
        with out_of_memory_hint("evaluation.games"):
            show = functools.partial(context.observer.show_share, "evaluation", config.games)
            result = play_pairs(key, self.env, policy, random_policy, games=config.games, on_share=show)
        return {SCORE: result.points, f"{SCORE}_reward": result.reward_per_game[0]}

    def export_net(self, state: Any) -> tuple[Any, Variables]:
        """The learner's net."""
        return self.config.architecture, state.learner.variables

    def _new_variables(self, key: Array) -> Variables:
        """Random weights, except those of a trained encoder that the config names."""
        return encoder_file.with_encoder(self.network.init(key), self._encoder)


def with_rewards(game: Game, rewards: Literal["sparse", "shaped"]) -> Game:
    """The same game with other rewards; its positions, actions and observations do not change. Raises RunError."""
    if rewards == "sparse" and getattr(game.rules, "rewards", "sparse") == "sparse":
        return game
    if not hasattr(game.rules, "rewards"):
        raise RunError(f"setting rewards: {game.name} has rewards at the end only: set it to sparse")
    return make_game(game.name, dataclasses.replace(game.rules, rewards=rewards), game.observation)
