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
from boardwright.learn.run.loop import Desk, Method
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.boards import Boards, split_by_game, unpacked
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


def vae_method(config: VaeConfig, boards: Boards) -> Method[Run]:
    """The training of an auto-encoder on positions of the config's games, for `loop.train`."""
    game = make_game(config.game, config.rules, config.observation)
    if boards.shape != game.observation_shape:
        raise RunError(f"boards of {boards.shape} are none of {game.name}, which has {game.observation_shape}")
    vae = make_vae(config.encoder.as_plain(), boards.shape)
    optimiser = optax.adam(config.rate)
    train, held = split_by_game(boards, config.boards.validation, config.seed)
    train_bits, held_bits = (jnp.asarray(boards.bits[places]) for places in (train, held))
    seed = jax.random.key(config.seed)
    chunk, chunks = _pieces(max(1, len(train) // config.batch))

    def key_of(use: int, iteration: Array | int, step: Array | int) -> Array:
        return jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(seed, use), iteration), step)

    def init() -> Run:
        variables = vae.init(key_of(BEGIN, 0, 0))
        return Run(variables, optimiser.init(variables["params"]))

    def loss(params: Any, key: Array, seen: Array) -> tuple[Array, dict[str, Array]]:
        mean, log_variance = vae.encode({"params": params}, seen)
        logits = vae.decode({"params": params}, drawn(key, mean, log_variance))
        terms = {"bce": cross_entropy(logits, seen).mean(), "kl": divergence(mean, log_variance).mean()}
        terms["total"] = terms["bce"] + config.beta * terms["kl"]
        return terms["total"], terms

    def learn(run: Run, bits: Array, order: Array, iteration: Array, first: Array) -> tuple[Run, dict[str, Array]]:
        def one_step(run: Run, step: Array) -> tuple[Run, dict[str, Array]]:
            places = order[(step * config.batch + jnp.arange(config.batch)) % len(order)]
            seen = unpacked(bits[places], boards.shape)
            gradients, terms = jax.grad(loss, has_aux=True)(
                run.variables["params"], key_of(NOISE, iteration, step), seen
            )
            updates, state = optimiser.update(gradients, run.optimiser, run.variables["params"])
            params = optax.apply_updates(run.variables["params"], updates)
            return Run({**run.variables, "params": params}, state), terms

        unrolled = chunk if on_cpu() else 1
        run, terms = jax.lax.scan(one_step, run, first + jnp.arange(chunk), unroll=unrolled)
        return run, {name: values.mean() for name, values in terms.items()}

    jitted_learn = jax.jit(learn, donate_argnums=0)
    measure = make_measure(vae)

    @functools.lru_cache(maxsize=1)
    def order_of(iteration: int) -> Array:
        return jax.random.permutation(key_of(ORDER, iteration, 0), len(train))

    def work(run: Run, iteration: int, piece: int, desk: Desk) -> tuple[Run, Mapping[str, Array]]:
        del desk
        numbers = (jnp.int32(iteration), jnp.int32(piece * chunk))
        with memory("batch"):
            return jax.block_until_ready(jitted_learn(run, train_bits, order_of(iteration), *numbers))

    def evaluate(run: Run, done: int, desk: Desk) -> dict[str, float]:
        del desk
        told = measure(run.variables, held_bits, key_of(MEASURE, done, 0))
        told["loss"] = told["bce"] + config.beta * told["kl"]
        return {f"validation/{name}": value for name, value in told.items()}

    def keep(run: Run, nets: Path, done: int, training: Mapping[str, Any]) -> None:
        del done
        encoder_file.write(
            nets / VAE_FILE, weights_of_vae(run.variables), config=vae.config, game=game, training=training
        )

    return Method(
        name="vae",
        config=config,
        game=game,
        init=jax.jit(init),
        chunks=chunks,
        work=work,
        phase=lambda done: ("learning", done * chunk * config.batch, chunks * chunk * config.batch),
        scalars=lambda run: {"selfplay/moves": float(chunks * chunk * config.batch)},
        player=lambda run: (vae.config, run.variables),
        evaluate=evaluate,
        next_iteration=lambda run: run,
        keep=keep,
        best=VAE_FILE,
    )


def make_measure(vae: Vae) -> Callable[[Variables, Array, Array], dict[str, float]]:
    """variables, bits [N, bytes], key -> what an auto-encoder makes of N boards it has not learned from.

    `bce` and `kl` as in training, from codes drawn with the key; from the mean codes `reconstruction`, the share of
    all cells that are right when rounded, and `occupied`, the same of the cells that are not empty. `all_zeros` is
    the reconstruction of whoever always says that everything is empty.
    """

    def counted(variables: Variables, bits: Array, real: Array, key: Array) -> dict[str, Array]:
        seen = unpacked(bits, vae.shape)
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
