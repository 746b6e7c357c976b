"""The replay buffer of an evaluation network: a ring of the latest positions on the device."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.learn.evaluation.selfplay import Samples


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Replay:
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
    latest = (array[len(array) - count :] for array in (samples.bits, samples.values, samples.results))
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
