"""How a net for alpha-beta learns: the positions it remembers, and steps of gradient descent on some of them.

What is learned of a position is the expected result, from -1 to 1: a blend of how its game ended and of what the
search said of it. The loss is the cross-entropy of a game that is won with the chance that goes with that, which is
least where the hyperbolic tangent of the net's output is the expected result.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from boardwright.learn.evaluation.config import AlphaBetaConfig, AlphaBetaLearnerConfig
from boardwright.learn.evaluation.selfplay import Samples
from boardwright.learn.shared.boards import unpacked
from boardwright.nets import evaluation


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Replay:
    """A ring of the latest positions, see `Samples`; C is how many it has room for."""

    bits: Array  # [C, bytes] uint8
    values: Array  # [C] float32
    results: Array  # [C] int8
    place: Array  # int32: where the next one goes
    filled: Array  # int32: places that hold one


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Learner:
    """What learning changes."""

    params: Any
    optimiser: Any
    steps: Array  # int32: taken so far


@dataclasses.dataclass(frozen=True)
class LearnerFunctions:
    """Pure functions of one learner, for `jax.jit`."""

    init: Callable[[Array], Learner]  # key -> learner
    # learner, replay, key: after a step, and its loss. One at a time: inside a loop of JAX a processor takes longer
    step: Callable[[Learner, Replay, Array], tuple[Learner, Array]]
    rate: Callable[[Any], Any]  # steps taken -> learning rate


def new_replay(capacity: int, shape: tuple[int, int, int]) -> Replay:
    """An empty one, for observations of a shape."""
    rows, columns, planes = shape
    bits = jnp.zeros((capacity, -(-rows * columns * planes // 8)), jnp.uint8)
    return Replay(bits, jnp.zeros(capacity), jnp.zeros(capacity, jnp.int8), jnp.int32(0), jnp.int32(0))


def remembered(replay: Replay, samples: Samples) -> Replay:
    """The replay, which is used up, with samples in the place of the oldest ones."""
    capacity, count = len(replay.bits), min(len(samples.bits), len(replay.bits))
    if count == 0:
        return replay
    room = 1 << (count - 1).bit_length()  # few sizes, as each is compiled by itself
    latest = (array[len(array) - count :] for array in (samples.bits, samples.values, samples.results))
    bits, values, results = (np.pad(array, [(0, room - count)] + [(0, 0)] * (array.ndim - 1)) for array in latest)
    places = (int(replay.place) + np.arange(room)) % capacity
    places[count:] = capacity  # nowhere
    return _written(replay, bits, values, results, places.astype(np.int32), np.int32(count))


@functools.partial(jax.jit, donate_argnums=0)
def _written(replay: Replay, bits: Any, values: Any, results: Any, places: Any, count: Any) -> Replay:
    capacity = len(replay.bits)
    return Replay(
        replay.bits.at[places].set(bits, mode="drop"),
        replay.values.at[places].set(values, mode="drop"),
        replay.results.at[places].set(results, mode="drop"),
        (replay.place + count) % capacity,
        jnp.minimum(replay.filled + count, capacity),
    )


def make_learner(config: AlphaBetaConfig, shape: tuple[int, int, int]) -> LearnerFunctions:
    """The learner of a run whose game has observations of a shape."""
    settings, inputs = config.learner, shape[0] * shape[1] * shape[2]
    rate = _rate(settings, config.iterations * settings.steps)
    optimiser = optax.adam(rate)

    def init(key: Array) -> Learner:
        params = evaluation.init(key, config.net, inputs)
        return Learner(params, optimiser.init(params), jnp.int32(0))

    def step(learner: Learner, replay: Replay, key: Array) -> tuple[Learner, Array]:
        chosen = jax.random.randint(key, (settings.batch,), 0, jnp.maximum(replay.filled, 1))
        seen = unpacked(replay.bits[chosen], shape).reshape(settings.batch, inputs)
        expected = _blend(settings, replay.values[chosen], replay.results[chosen])
        loss, gradients = jax.value_and_grad(mean_loss)(learner.params, seen, expected)
        updates, state = optimiser.update(gradients, learner.optimiser, learner.params)
        return Learner(optax.apply_updates(learner.params, updates), state, learner.steps + 1), loss

    return LearnerFunctions(init, step, rate)


def mean_loss(params: Any, seen: Array, expected: Array) -> Array:
    """Nats a position, over observations [B, inputs] and expected results [B]."""
    logits = 2 * evaluation.outputs(params, seen)  # the logistic function of 2 z is (1 + tanh z) / 2
    return optax.sigmoid_binary_cross_entropy(logits, (1 + expected) / 2).mean()


def _blend(config: AlphaBetaLearnerConfig, values: Array, results: Array) -> Array:
    return config.result_share * results + (1 - config.result_share) * values


def _rate(config: AlphaBetaLearnerConfig, steps: int) -> optax.Schedule:
    """A cosine from the peak to the least."""
    return optax.warmup_cosine_decay_schedule(
        init_value=config.peak,
        peak_value=config.peak,
        warmup_steps=0,
        decay_steps=steps,
        end_value=min(config.least, config.peak),
    )
