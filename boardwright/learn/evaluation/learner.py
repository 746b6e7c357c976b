"""The learner of an evaluation network, and its replay buffer: a ring of the latest positions on the device.

The target of a position is the expected result, from -1 to 1: a blend of the game's result and the search's value. The
loss is the binary cross-entropy of winning, which is least where tanh of the net's output is the expected result.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax.struct import PyTreeNode
from jax import Array

from boardwright.learn.evaluation.config import AlphaBetaConfig
from boardwright.learn.evaluation.selfplay import Samples
from boardwright.learn.shared.boards import unpack
from boardwright.learn.shared.schedules import warmup_cosine
from boardwright.nets import evaluation


class Replay(PyTreeNode):
    """A ring of C positions, see `Samples`."""

    bits: Array  # [C, bytes] uint8
    values: Array  # [C] float32
    results: Array  # [C] int8
    place: Array  # int32: where the next one is written
    filled: Array  # int32: positions stored


def new_replay(capacity: int, shape: tuple[int, int, int]) -> Replay:
    """An empty replay, for observations of a shape."""
    rows, columns, planes = shape
    bits = jnp.zeros((capacity, -(-rows * columns * planes // 8)), jnp.uint8)
    return Replay(bits, jnp.zeros(capacity), jnp.zeros(capacity, jnp.int8), jnp.int32(0), jnp.int32(0))


def add(replay: Replay, samples: Samples) -> Replay:
    """The replay with samples in the place of the oldest ones; its buffers are reused."""
    capacity, count = len(replay.bits), min(len(samples.bits), len(replay.bits))
    if count == 0:
        return replay
    room = 1 << (count - 1).bit_length()  # few sizes, since each is compiled separately
    latest = (array[len(array) - count :] for array in samples)
    bits, values, results = (np.pad(array, [(0, room - count)] + [(0, 0)] * (array.ndim - 1)) for array in latest)
    places = (int(replay.place) + np.arange(room)) % capacity
    places[count:] = capacity  # padding, dropped
    return _write(replay, bits, values, results, places.astype(np.int32), np.int32(count))


@functools.partial(jax.jit, donate_argnums=0)
def _write(replay: Replay, bits: Any, values: Any, results: Any, places: Any, count: Any) -> Replay:
    capacity = len(replay.bits)
    return Replay(
        replay.bits.at[places].set(bits, mode="drop"),
        replay.values.at[places].set(values, mode="drop"),
        replay.results.at[places].set(results, mode="drop"),
        (replay.place + count) % capacity,
        jnp.minimum(replay.filled + count, capacity),
    )


class LearnerState(PyTreeNode):
    """What learning changes."""

    params: Any
    optimiser: Any
    steps: Array  # int32: so far


class EvaluationLearner:
    """The learner of a run whose game has observations of a shape. Its methods are pure, for `jax.jit`."""

    def __init__(self, config: AlphaBetaConfig, shape: tuple[int, int, int]):
        self.config, self.shape, self.inputs = config, shape, shape[0] * shape[1] * shape[2]
        rates = config.learner
        self.schedule = warmup_cosine(rates.lr_peak, rates.lr_final, 0, config.iterations * rates.steps)
        self.optimiser = optax.adam(self.schedule)

    def init(self, key: Array) -> LearnerState:
        """The state before the first step."""
        params = evaluation.init(key, self.config.net, self.inputs)
        return LearnerState(params, self.optimiser.init(params), jnp.int32(0))

    def step(self, state: LearnerState, replay: Replay, key: Array) -> tuple[LearnerState, Array]:
        """The state after one step, and its loss. One step per call: on a CPU a loop inside JAX is slower."""
        config = self.config.learner
        chosen = jax.random.randint(key, (config.batch_size,), 0, jnp.maximum(replay.filled, 1))
        seen = unpack(replay.bits[chosen], self.shape).reshape(config.batch_size, self.inputs)
        expected = config.result_share * replay.results[chosen] + (1 - config.result_share) * replay.values[chosen]
        loss, gradients = jax.value_and_grad(mean_loss)(state.params, seen, expected)
        updates, optimiser = self.optimiser.update(gradients, state.optimiser, state.params)
        return LearnerState(optax.apply_updates(state.params, updates), optimiser, state.steps + 1), loss


def mean_loss(params: Any, seen: Array, expected: Array) -> Array:
    """Mean cross-entropy in nats, for observations [B, inputs] and expected results [B]."""
    logits = 2 * evaluation.outputs(params, seen)  # the logistic function of 2 z is (1 + tanh z) / 2
    return optax.sigmoid_binary_cross_entropy(logits, (1 + expected) / 2).mean()
