"""The training of a β-VAE of boards as a method of the training loop; other methods can start from its encoder.

An iteration is an epoch, after which the validation games are measured.
"""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax.struct import PyTreeNode
from jax import Array

from boardwright.errors import RunError
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import on_cpu, out_of_memory_hint
from boardwright.learn.run.method import Method, MethodContext, fold_in
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.boards import Boards, split_by_game, unpack
from boardwright.learn.vae.config import VAE_FILE, VaeConfig
from boardwright.learn.vae.learner import cross_entropy, divergence, draw_codes, measure
from boardwright.nets.network import Variables
from boardwright.nets.vae import Vae, weights_of_vae

INIT, ORDER, NOISE, MEASURE = range(4)  # uses of random numbers
MAX_STEPS, MAX_STEPS_ON_CPU = 64, 4  # of learning in one call, so that a run can report progress and be stopped


class Run(PyTreeNode):
    """Everything that changes in a run; checkpoints use the names of its fields."""

    variables: Any
    optimiser: Any


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
        self._optimiser = optax.adam(config.lr)
        self._key = functools.partial(fold_in, jax.random.key(config.seed))  # of a use, an iteration and a step
        train, held = split_by_game(boards, config.boards.validation, config.seed)
        self._train_bits, self._held_bits = (jnp.asarray(boards.bits[places]) for places in (train, held))
        steps = max(1, len(train) // config.batch_size)
        self.chunks = -(-steps // (MAX_STEPS_ON_CPU if on_cpu() else MAX_STEPS))
        self._chunk = -(-steps // self.chunks)
        self._boards_learned = self.chunks * self._chunk * config.batch_size  # in an iteration
        self.initialise = jax.jit(self._init)
        self._jitted_learn = jax.jit(self._learn, static_argnums=5, donate_argnums=0)
        # [N], by iteration: the order of the boards
        self._order = functools.lru_cache(1)(
            lambda number: jax.random.permutation(self._key(ORDER, number, 0), len(train))
        )

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Array]]:
        order, first = self._order(iteration), chunk * self._chunk
        with out_of_memory_hint("batch_size"):
            learned = self._jitted_learn(state, self._train_bits, order, iteration, first, self._chunk)
            return jax.block_until_ready(learned)

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        return "learning", chunks * self._chunk * self.config.batch_size, self._boards_learned

    def collect_metrics(self, state: Run) -> dict[str, float]:
        return {"selfplay/moves": float(self._boards_learned)}

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        measured = measure(self._vae, state.variables, self._held_bits, self._key(MEASURE, done, 0))
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

    def _init(self) -> Run:
        variables = self._vae.init(self._key(INIT, 0, 0))
        return Run(variables, self._optimiser.init(variables["params"]))

    def _learn(
        self, run: Run, bits: Array, order: Array, iteration: Array, first: Array, steps: int
    ) -> tuple[Run, dict[str, Array]]:
        """The run after a (static) number of steps from number `first` of an epoch on, and the mean of every loss.

        bits: [N, bytes] boards; order: [N] in which the epoch takes them; iteration: number of the epoch
        """
        batch = self.config.batch_size

        # Keys are derived inside: as an argument they change the rounding of the compiled steps.
        def one_step(run: Run, step: Array) -> tuple[Run, dict[str, Array]]:
            places = order[(step * batch + jnp.arange(batch)) % len(order)]
            seen, params = unpack(bits[places], self._vae.shape), run.variables["params"]
            gradients, terms = jax.grad(self._loss, has_aux=True)(params, self._key(NOISE, iteration, step), seen)
            updates, state = self._optimiser.update(gradients, run.optimiser, params)
            return Run({**run.variables, "params": optax.apply_updates(params, updates)}, state), terms

        run, terms = jax.lax.scan(one_step, run, first + jnp.arange(steps), unroll=steps if on_cpu() else 1)
        return run, {name: values.mean() for name, values in terms.items()}

    def _loss(self, params: Any, key: Array, seen: Array) -> tuple[Array, dict[str, Array]]:
        mean, log_variance = self._vae.encode({"params": params}, seen)
        logits = self._vae.decode({"params": params}, draw_codes(key, mean, log_variance))
        terms = {"bce": cross_entropy(logits, seen).mean(), "kl": divergence(mean, log_variance).mean()}
        terms["total"] = terms["bce"] + self.config.beta * terms["kl"]
        return terms["total"], terms
