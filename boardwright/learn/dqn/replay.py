"""The replay buffer of Q-learning: a ring of transitions on the device, drawn uniformly or by priority.

A transition is what one action did: the observation before it, the mover's reward, and the observation of the next
mover, with `side` saying who that is. Priorities are stored as weights, |error + a constant| to the power of alpha, so
that a draw only needs sums. These are computed for every draw, in two steps of about the square root of the capacity:
on a GPU that is a few small kernels, whereas a sum tree would be a sequential walk.

Observations and masks are packed without loss, one bit for every flag. Packed positions (`Game.learning`) would be
smaller, but their legal actions must be generated each time they are read, and Q-learning reads a transition hundreds
of times. Planes hold flags, 0 or 1, except those whose name is a fraction (`plies played / maximum`), which hold one
number on the whole board.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import Game
from boardwright.games.batched import WORD, pack_numbers, unpack_numbers, words_needed

pack_flags = functools.partial(pack_numbers, bits=1)  # flags [n] -> [W] uint32
FRACTION = " / "  # in the name of a plane
ACTION_BITS = 28  # of the word that an action shares with role and side
SAME_ROLE, OTHER_ROLE, GAME_OVER = 1, -1, 0  # side: the sign of the next mover's value to the mover


@dataclass(frozen=True, eq=False)
class ObservationCodec:
    """Packs the observations of one game into 32-bit words: flags as bits, then fractions."""

    shape: tuple[int, int, int]  # rows, columns, planes
    is_fraction: np.ndarray  # [planes] bool

    @classmethod
    def of(cls, game: Game) -> ObservationCodec:
        """The codec of a game's current way to observe."""
        return cls(game.observation_shape, np.array([FRACTION in name for name in game.planes]))

    @property
    def words(self) -> int:
        """Number of 32-bit words of an observation."""
        rows, columns, _ = self.shape
        flags = rows * columns * int((~self.is_fraction).sum())
        return words_needed(flags, 1) + int(self.is_fraction.sum())

    def pack(self, observation: Array) -> Array:
        """[words] uint32 of one observation [rows, columns, planes]."""
        flags = observation[..., np.flatnonzero(~self.is_fraction)].reshape(-1)
        fractions = observation[0, 0, np.flatnonzero(self.is_fraction)]
        return jnp.concatenate([pack_numbers(flags, 1), fractions.astype(jnp.float32).view(WORD)])

    def unpack(self, words: Array) -> Array:
        """[N, rows, columns, planes] float32 of [N, words]."""
        rows, columns, planes = self.shape
        fractions = int(self.is_fraction.sum())
        flags = unpack_flags(words[:, : self.words - fractions], rows * columns * (planes - fractions))
        board = flags.reshape(-1, rows, columns, planes - fractions).astype(jnp.float32)
        if not fractions:
            return board
        shares = words[:, self.words - fractions :].view(jnp.float32)
        constant = jnp.broadcast_to(shares[:, None, None, :], (*board.shape[:3], fractions))
        order = np.argsort(np.argsort(self.is_fraction, kind="stable"))  # place of each plane in [flags, fractions]
        return jnp.concatenate([board, constant], axis=-1)[..., order]


def unpack_flags(words: Array, count: int) -> Array:
    """[N, count] bool of [N, W]."""
    return jax.vmap(lambda row: unpack_numbers(row, count, 1))(words) == 1


class Transition(NamedTuple):
    """N transitions, packed; the learner's are unpacked to observations [N, rows, columns, planes] and masks [N, A]."""

    before: Array  # [N, W] uint32: what the mover observed, see `ObservationCodec`
    legal: Array  # [N, L] uint32: its legal actions, a bit each
    role: Array  # [N] int8: the mover
    action: Array  # [N] int32
    reward: Array  # [N] float32: the mover's own
    side: Array  # [N] int8: SAME_ROLE or OTHER_ROLE acts next, or GAME_OVER
    after: Array  # [N, W] uint32: what the next mover observes; undefined if the game is over
    legal_after: Array  # [N, L] uint32

    @property
    def role_after(self) -> Array:
        """[N] int8: the next mover."""
        return jnp.where(self.side == OTHER_ROLE, 1 - self.role, self.role)


class Replay(PyTreeNode):
    """A ring of C transitions, each one row of words, so that a batch is one gather."""

    rows: Array  # [C, 2 W + 2 L + 2] uint32
    weight: Array  # [C] float32: priorities; 0 where nothing is stored yet
    greatest: Array  # float32: the greatest weight so far, which new transitions start with
    written: Array  # int32: transitions so far; the next is written at this place modulo C


def new_replay(capacity: int, *, words: int, legal_words: int) -> Replay:
    """An empty replay; `words` of an observation, `legal_words` of a mask."""
    rows = jnp.zeros((capacity, 2 * words + 2 * legal_words + 2), WORD)
    return Replay(rows, jnp.zeros(capacity, jnp.float32), jnp.float32(1), jnp.int32(0))


def pack(new: Transition) -> Array:
    """[N, 2 W + 2 L + 2] uint32: rows of the ring."""
    who = (new.side.astype(jnp.int32) + 1) * 2 + new.role
    small = jnp.stack([new.action.astype(jnp.int32).view(WORD), new.reward.astype(jnp.float32).view(WORD)], axis=1)
    small = small.at[:, 0].add(who.astype(WORD) << ACTION_BITS)
    return jnp.concatenate([new.before, new.after, new.legal, new.legal_after, small], axis=1)


def unpack(rows: Array, words: int) -> Transition:
    """Transitions of rows [N, ...]; `words` of an observation."""
    legal_words = (rows.shape[1] - 2 * words - 2) // 2
    ends = np.cumsum([words, words, legal_words, legal_words, 1])
    before, after, legal, legal_after, small, reward = jnp.split(rows, ends, axis=1)
    who = (small[:, 0] >> ACTION_BITS).astype(jnp.int8)
    return Transition(
        before=before,
        legal=legal,
        role=who % 2,
        action=(small[:, 0] & WORD((1 << ACTION_BITS) - 1)).astype(jnp.int32),
        reward=reward[:, 0].view(jnp.float32),
        side=who // 2 - 1,
        after=after,
        legal_after=legal_after,
    )


def add(replay: Replay, new: Transition) -> Replay:
    """The replay with N more transitions, at most C, which replace the oldest."""
    count, capacity = new.action.shape[0], replay.weight.shape[0]
    places = (replay.written + jnp.arange(count)) % capacity
    # Counted modulo twice the capacity, so that a run of any length neither overflows nor looks empty again.
    total = replay.written + count
    total = jnp.where(total >= 2 * capacity, total - capacity, total)
    return dataclasses.replace(
        replay,
        rows=replay.rows.at[places].set(pack(new)),
        weight=replay.weight.at[places].set(replay.greatest),
        written=total,
    )


def size(replay: Replay) -> Array:
    """int32: how many transitions are stored."""
    return jnp.minimum(replay.written, replay.weight.shape[0])


def draw_uniformly(uniform: Array, replay: Replay) -> Array:
    """[...] int32: places, all equally likely, from random numbers [...] in [0, 1)."""
    count = size(replay)
    return jnp.minimum((uniform * count).astype(jnp.int32), count - 1)


def draw_by_weight(uniform: Array, weight: Array) -> Array:
    """[N] int32: places in proportion to their weight [C], from random numbers [N] in [0, 1).

    The draws are stratified: one from each N-th part of the total weight.
    """
    count, capacity = uniform.shape[0], weight.shape[0]
    width = math.isqrt(capacity - 1) + 1
    rows = jnp.pad(weight, (0, -capacity % width)).reshape(-1, width)
    upto_rows = jnp.cumsum(rows.sum(axis=1))
    target = (jnp.arange(count) + uniform) / count * upto_rows[-1]
    # If rounding puts a target past the last weight, argmax is 0: place 0, which is filled first.
    row = (upto_rows > target[:, None]).argmax(axis=1)
    inside = target - jnp.where(row > 0, upto_rows[row - 1], 0.0)
    column = (jnp.cumsum(rows[row], axis=1) > inside[:, None]).argmax(axis=1)
    return (row * width + column).astype(jnp.int32)


def importance_weights(replay: Replay, places: Array, beta: Array) -> Array:
    """[N] float32: (C P)^-beta for samples drawn by weight, scaled so that the greatest of the batch is 1."""
    weight = replay.weight[places]
    return (weight / weight.min()) ** -beta


def update_weights(replay: Replay, places: Array, errors: Array, alpha: float, epsilon: float) -> Replay:
    """The replay with new priorities at places [N], from TD errors [N]."""
    weight = (jnp.abs(errors) + epsilon) ** alpha
    return replay.replace(
        weight=replay.weight.at[places].set(weight), greatest=jnp.maximum(replay.greatest, weight.max())
    )
