"""The replay of Q-learning: a ring of transitions on the device, drawn evenly or in proportion to their priority.

A transition is what one action did: the observation before it, its reward to whoever acted, and the observation
of whoever acts next, with `side` saying who that is. Priorities are kept as what they weigh, |error + a little|
to the power of alpha, so that a draw needs sums alone. Those are made anew for every draw, in two steps of about
the square root of the ring's length: on a GPU that is a few small kernels, where a tree would be a walk.
"""

from __future__ import annotations

import dataclasses
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.bits import WORD

ACTION_BITS = 28  # of the word that an action shares with who acted
SAME_ROLE, OTHER_ROLE, NOBODY = 1, -1, 0  # side: the sign of what comes next, to whoever acted


class Transition(NamedTuple):
    """N transitions."""

    before: Array  # [N, W] uint32: what the mover observed, see `sights`
    legal: Array  # [N, L] uint32: what it might have done, a bit an action
    role: Array  # [N] int8: who it was
    action: Array  # [N] int32
    reward: Array  # [N] float32: the mover's own
    side: Array  # [N] int8: whether the same role acts next, the other, or nobody
    after: Array  # [N, W] uint32: what the next mover observes; anything where there is none
    legal_after: Array  # [N, L] uint32


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Replay:
    """A ring of C transitions, each a row of words, so that a batch of them is read at once."""

    rows: Array  # [C, 2 W + 2 L + 2] uint32
    weight: Array  # [C] float32: in proportion to which they are drawn; 0 where nothing is held yet
    greatest: Array  # float32: the greatest weight so far, which new ones begin with
    written: Array  # int32: transitions so far; the next is written at this place modulo C


def new_replay(capacity: int, *, words: int, legal_words: int) -> Replay:
    """An empty one, of observations and masks of so many words."""
    rows = jnp.zeros((capacity, 2 * words + 2 * legal_words + 2), WORD)
    return Replay(rows, jnp.zeros(capacity, jnp.float32), jnp.float32(1), jnp.int32(0))


def packed(new: Transition) -> Array:
    """[N, 2 W + 2 L + 2] uint32: rows of the ring."""
    who = (new.side.astype(jnp.int32) + 1) * 2 + new.role
    small = jnp.stack([new.action.astype(jnp.int32).view(WORD), new.reward.astype(jnp.float32).view(WORD)], axis=1)
    small = small.at[:, 0].add(who.astype(WORD) << ACTION_BITS)
    return jnp.concatenate([new.before, new.after, new.legal, new.legal_after, small], axis=1)


def unpacked(rows: Array, words: int) -> Transition:
    """Transitions of rows [N, ...], whose observations have so many words."""
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


def written(replay: Replay, new: Transition) -> Replay:
    """The replay with N transitions more, at most C, in the place of the oldest."""
    count, capacity = new.action.shape[0], replay.weight.shape[0]
    places = (replay.written + jnp.arange(count)) % capacity
    # Counted modulo twice the capacity, so that a run of any length neither overflows nor looks empty again.
    total = replay.written + count
    total = jnp.where(total >= 2 * capacity, total - capacity, total)
    return dataclasses.replace(
        replay,
        rows=replay.rows.at[places].set(packed(new)),
        weight=replay.weight.at[places].set(replay.greatest),
        written=total,
    )


def held_count(replay: Replay) -> Array:
    """int32: how many transitions are held."""
    return jnp.minimum(replay.written, replay.weight.shape[0])


def drawn_evenly(uniform: Array, replay: Replay) -> Array:
    """[...] int32: places, each as likely as the next, from numbers [...] drawn from 0 to 1."""
    count = held_count(replay)
    return jnp.minimum((uniform * count).astype(jnp.int32), count - 1)


def drawn_by_weight(uniform: Array, weight: Array) -> Array:
    """[N] int32: places in proportion to their weight [C], from numbers [N] drawn from 0 to 1.

    The draws are spread: one from each N-th part of all weight, so that places of much weight come as often as they
    should in every batch.
    """
    count, capacity = uniform.shape[0], weight.shape[0]
    width = math.isqrt(capacity - 1) + 1
    rows = jnp.pad(weight, (0, -capacity % width)).reshape(-1, width)
    upto_rows = jnp.cumsum(rows.sum(axis=1))
    wanted = (jnp.arange(count) + uniform) / count * upto_rows[-1]
    # Where sums have been rounded past the last weight, nothing is found, and that is place 0 of a ring that is
    # filled from there.
    row = (upto_rows > wanted[:, None]).argmax(axis=1)
    inside = wanted - jnp.where(row > 0, upto_rows[row - 1], 0.0)
    column = (jnp.cumsum(rows[row], axis=1) > inside[:, None]).argmax(axis=1)
    return (row * width + column).astype(jnp.int32)


def importance(replay: Replay, places: Array, beta: Array) -> Array:
    """[N] float32: what a sample counts that was drawn by weight, so that the batch speaks for all that is held.

    (C P)^-beta, the greatest of the batch being 1; all alike where beta is 0, an unbiased mean where it is 1.
    """
    weight = replay.weight[places]
    return (weight / weight.min()) ** -beta


def weighed(replay: Replay, places: Array, errors: Array, alpha: float, least: float) -> Replay:
    """The replay with new priorities for places [N], of what was learned to be wrong there by so much [N]."""
    weight = (jnp.abs(errors) + least) ** alpha
    return dataclasses.replace(
        replay,
        weight=replay.weight.at[places].set(weight),
        greatest=jnp.maximum(replay.greatest, weight.max()),
    )
