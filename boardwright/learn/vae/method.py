"""The training of a β-VAE of boards as a method of the training loop; other methods can start from its encoder.

An iteration is an epoch, after which the validation games are measured.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.errors import RunError
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import on_cpu, out_of_memory_hint
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.boards import Boards, split_by_game
from boardwright.learn.vae.config import VAE_FILE, VaeConfig
from boardwright.learn.vae.learner import MEASURE, ORDER, Run, VaeLearner, measure
from boardwright.nets.network import Variables
from boardwright.nets.vae import Vae, weights_of_vae

MAX_STEPS, MAX_STEPS_ON_CPU = 64, 4  # of learning in one call, so that a run can report progress and be stopped


class VAE(Method[Run]):
    """An auto-encoder of positions of the config's games; a chunk is some steps of learning."""

    name = "vae"
    best_name = VAE_FILE

    def __init__(self, config: VaeConfig, boards: Boards):
        self.config = config
        self.game = make_game(config.game, config.rules, config.observation)
        if boards.shape != self.game.observation_shape:
            expected = self.game.observation_shape
            raise RunError(f"boards of {boards.shape} are not of {self.game.name}: expected {expected}")
        self._vae = Vae(config.encoder.as_plain(), boards.shape)
        self._learner = VaeLearner(config, self._vae)
        train, held = split_by_game(boards, config.boards.validation, config.seed)
        self._train_bits, self._held_bits = (jnp.asarray(boards.bits[places]) for places in (train, held))
        steps = max(1, len(train) // config.batch_size)
        self.chunks = -(-steps // (MAX_STEPS_ON_CPU if on_cpu() else MAX_STEPS))
        self._chunk = -(-steps // self.chunks)
        self._boards_learned = self.chunks * self._chunk * config.batch_size  # in an iteration
        self.initialise = jax.jit(self._learner.init)
        self._learn = jax.jit(self._learner.learn, static_argnums=5, donate_argnums=0)
        key, count = self._learner.key, len(train)
        # [count], by iteration: the order of the boards
        self._order = functools.lru_cache(1)(lambda number: jax.random.permutation(key(ORDER, number, 0), count))

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Array]]:
        order, first = self._order(iteration), chunk * self._chunk
        with out_of_memory_hint("batch_size"):
            return jax.block_until_ready(self._learn(state, self._train_bits, order, iteration, first, self._chunk))

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        return "learning", chunks * self._chunk * self.config.batch_size, self._boards_learned

    def collect_metrics(self, state: Run) -> dict[str, float]:
        return {"selfplay/moves": float(self._boards_learned)}

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        measured = measure(self._vae, state.variables, self._held_bits, self._learner.key(MEASURE, done, 0))
        measured["loss"] = measured["bce"] + self.config.beta * measured["kl"]
        return {f"validation/{name}": value for name, value in measured.items()}

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        return self._vae.config, state.variables

    def save_artifact(
        self, state: Run, nets: Path, iteration: int, training: Mapping[str, Any], *, is_best: bool
    ) -> None:
        config, variables = self.export_net(state)
        encoder_file.write(nets / VAE_FILE, weights_of_vae(variables), config=config, game=self.game, training=training)

    def next_iteration(self, state: Run) -> Run:
        return state
