"""DQN as a method of the training loop: when it acts, learns and is evaluated.

An iteration is `acting.steps` actions in each game, of any number of episodes; a run counts episodes as it proceeds
(`selfplay/episodes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax

from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import memory
from boardwright.learn.dqn import dqn
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.dqn.dqn import Run
from boardwright.learn.match.against_random import chosen_by, make_evaluate
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.shared.encoder_file import encoder_for
from boardwright.nets.network import Variables


class DQN(Method[Run]):
    """A chunk is one action in every game and the updates that follow it."""

    name = "dqn"

    def __init__(self, config: DQNConfig):
        self.config = config
        self.game = make_game(config.game, config.rules, config.observation)
        self.functions = dqn.make_dqn(config, encoder=encoder_for(config.encoder, config.architecture, self.game))
        self.chunks = config.acting.steps
        self.best_metric = chosen_by(config.evaluation)
        functions = self.functions
        self._evaluate = make_evaluate(config.evaluation, config.seed, functions.network, functions.env, dqn.player)

    def initialise(self) -> Run:
        """New games, net and replay."""
        return self.functions.init()

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        """One action in every game and the updates that follow it."""
        del context
        with memory("acting.games, transitions.capacity, learner.batch_size or learner.merge"):
            return jax.block_until_ready(dqn.stepped(self.functions, state, iteration, chunk))

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """In actions of each game."""
        return "learning", chunks, self.chunks

    def collect_metrics(self, state: Run) -> dict[str, float]:
        """Of acting and learning."""
        return self.functions.scalars(state)

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        """Games against a random player."""
        return self._evaluate(state, done, context)

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        """The net of Q-values."""
        return self.config.architecture, dqn.player(state)

    def next_iteration(self, state: Run) -> Run:
        """With a new tally."""
        return self.functions.next_iteration(state)
