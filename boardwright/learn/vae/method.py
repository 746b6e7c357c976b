"""A β-VAE of boards: codes of a few numbers from which boards can be drawn again, and an encoder for other learners.

The loss of a board is the cross-entropy of its cells, drawn from a code near its mean, plus β times the divergence
of the code's distribution from the standard normal one; both in nats, so that with β = 1 it bounds the surprise at
the board from above. An iteration is an epoch, after which the games held back are measured.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from boardwright.errors import RunError
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import memory, on_cpu
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.boards import Boards, split_by_game, unpack
from boardwright.learn.vae.config import VAE_FILE, VaeConfig
from boardwright.nets.network import Variables
from boardwright.nets.vae import Vae, make_vae, weights_of_vae

BEGIN, ORDER, NOISE, MEASURE = range(4)  # what random numbers are for
MOST_STEPS, MOST_STEPS_ON_CPU = 64, 4  # of learning in one call, so that a run can be watched and stopped
MEASURED = 1024  # boards at a time


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """All that changes."""

    variables: Any
    optimiser: Any


def divergence(mean: Array, log_variance: Array) -> Array:
    """[B] nats: from the standard normal distribution, of normal ones with these means and variances [B, L]."""
    return 0.5 * (jnp.exp(log_variance) + jnp.square(mean) - 1.0 - log_variance).sum(axis=-1)


def cross_entropy(logits: Array, boards: Array) -> Array:
    """[B] nats: of the cells of boards, zeros and ones [B, ...], under what a decoder says of each."""
    each = jax.nn.softplus(logits) - boards * logits
    return each.reshape(len(boards), -1).sum(axis=1)


def drawn(key: Array, mean: Array, log_variance: Array) -> Array:
    """[B, L]: a code for each board."""
    return mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape)


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
        self._vae = make_vae(config.encoder.as_plain(), boards.shape)
        self._optimiser = optax.adam(config.lr)
        train, held = split_by_game(boards, config.boards.validation, config.seed)
        self._train_bits, self._held_bits = (jnp.asarray(boards.bits[places]) for places in (train, held))
        self._seed = jax.random.key(config.seed)
        self._chunk, self.chunks = _pieces(max(1, len(train) // config.batch_size))
        self._boards_learned = self.chunks * self._chunk * config.batch_size  # in an iteration
        self._init, self._learn = jax.jit(self._new_state), jax.jit(self._learn_chunk, donate_argnums=0)
        self._measure = make_measure(self._vae)
        self._order = functools.lru_cache(maxsize=1)(self._order_of)

    def initialise(self) -> Run:
        """New weights and optimiser."""
        return self._init()

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Array]]:
        """Some steps of learning."""
        del context
        numbers = (jnp.int32(iteration), jnp.int32(chunk * self._chunk))
        with memory("batch_size"):
            return jax.block_until_ready(self._learn(state, self._train_bits, self._order(iteration), *numbers))

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """In boards."""
        return "learning", chunks * self._chunk * self.config.batch, self._boards_learned

    def collect_metrics(self, state: Run) -> dict[str, float]:
        """The boards learned from count as moves."""
        del state
        return {"selfplay/moves": float(self._boards_learned)}

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        """Losses and accuracy on the games held back."""
        del context
        measured = self._measure(state.variables, self._held_bits, self._key(MEASURE, done, 0))
        measured["loss"] = measured["bce"] + self.config.beta * measured["kl"]
        return {f"validation/{name}": value for name, value in measured.items()}

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        """The auto-encoder, which does not play."""
        return self._vae.config, state.variables

    def save_artifact(
        self, state: Run, nets: Path, iteration: int, training: Mapping[str, Any], *, is_best: bool
    ) -> None:
        """Saves the auto-encoder in place of the one before."""
        del iteration, is_best
        config, variables = self.export_net(state)
        encoder_file.write(nets / VAE_FILE, weights_of_vae(variables), config=config, game=self.game, training=training)

    def next_iteration(self, state: Run) -> Run:
        """Nothing is counted."""
        return state

    def _key(self, use: int, iteration: Array | int, step: Array | int) -> Array:
        return jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(self._seed, use), iteration), step)

    def _order_of(self, iteration: int) -> Array:
        return jax.random.permutation(self._key(ORDER, iteration, 0), len(self._train_bits))

    def _new_state(self) -> Run:
        variables = self._vae.init(self._key(BEGIN, 0, 0))
        return Run(variables, self._optimiser.init(variables["params"]))

    def _loss(self, params: Any, key: Array, seen: Array) -> tuple[Array, dict[str, Array]]:
        mean, log_variance = self._vae.encode({"params": params}, seen)
        logits = self._vae.decode({"params": params}, drawn(key, mean, log_variance))
        terms = {"bce": cross_entropy(logits, seen).mean(), "kl": divergence(mean, log_variance).mean()}
        terms["total"] = terms["bce"] + self.config.beta * terms["kl"]
        return terms["total"], terms

    def _learn_chunk(
        self, run: Run, bits: Array, order: Array, iteration: Array, first: Array
    ) -> tuple[Run, dict[str, Array]]:
        batch = self.config.batch

        def one_step(run: Run, step: Array) -> tuple[Run, dict[str, Array]]:
            places = order[(step * batch + jnp.arange(batch)) % len(order)]
            seen = unpack(bits[places], self._vae.shape)
            gradients, terms = jax.grad(self._loss, has_aux=True)(
                run.variables["params"], self._key(NOISE, iteration, step), seen
            )
            updates, state = self._optimiser.update(gradients, run.optimiser, run.variables["params"])
            params = optax.apply_updates(run.variables["params"], updates)
            return Run({**run.variables, "params": params}, state), terms

        unrolled = self._chunk if on_cpu() else 1
        run, terms = jax.lax.scan(one_step, run, first + jnp.arange(self._chunk), unroll=unrolled)
        return run, {name: values.mean() for name, values in terms.items()}


def make_measure(vae: Vae) -> Callable[[Variables, Array, Array], dict[str, float]]:
    """variables, bits [N, bytes], key -> what an auto-encoder makes of N boards it has not learned from.

    `bce` and `kl` as in training, from codes drawn with the key; from the mean codes `reconstruction`, the share of
    all cells that are right when rounded, and `occupied`, the same of the cells that are not empty. `all_zeros` is
    the reconstruction of whoever always says that everything is empty.
    """

    def counted(variables: Variables, bits: Array, real: Array, key: Array) -> dict[str, Array]:
        seen = unpack(bits, vae.shape)
        mean, log_variance = vae.encode(variables, seen)
        some = vae.decode(variables, drawn(key, mean, log_variance))
        right = ((vae.decode(variables, mean) > 0) == (seen > 0.5)) & real[:, None, None, None]
        occupied = seen * real[:, None, None, None]
        return {
            "bce": (cross_entropy(some, seen) * real).sum(),
            "kl": (divergence(mean, log_variance) * real).sum(),
            "right": right.sum(),
            "occupied": occupied.sum(),
            "occupied_right": (occupied * right).sum(),
        }

    jitted = jax.jit(counted)

    def measure(variables: Variables, bits: Array, key: Array) -> dict[str, float]:
        sums: dict[str, float] = {}
        size = min(MEASURED, len(bits))
        for number, first in enumerate(range(0, len(bits), size)):
            block = bits[first : first + size]
            real = jnp.arange(size) < len(block)
            block = jnp.pad(block, ((0, size - len(block)), (0, 0)))
            for name, value in jitted(variables, block, real, jax.random.fold_in(key, number)).items():
                sums[name] = sums.get(name, 0.0) + float(value)
        boards, cells = len(bits), len(bits) * int(np.prod(vae.shape))
        return {
            "bce": sums["bce"] / boards,
            "kl": sums["kl"] / boards,
            "reconstruction": sums["right"] / cells,
            "all_zeros": 1 - sums["occupied"] / cells,
            "occupied": sums["occupied_right"] / max(sums["occupied"], 1.0),
        }

    return measure


def _pieces(steps: int) -> tuple[int, int]:
    """(steps in one call, calls): at least so many steps in calls of one size."""
    calls = -(-steps // (MOST_STEPS_ON_CPU if on_cpu() else MOST_STEPS))
    return -(-steps // calls), calls
