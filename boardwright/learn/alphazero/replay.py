"""The replay buffer: packed positions and policies by slots, on the device, in the order they were played.

A row is a step of all games, a column a game; a ring of rows holds the last iterations. A position's result is not
known when it is written. `settle` fills it in at the end of the iteration in which the game ends, in rows of that
iteration and of earlier ones.

A game that was resigned or adjudicated has a result but no final board, so only its result is learned.
"""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.batched import pack_numbers, unpack_numbers, words_needed

# Status: nothing to learn, result unknown, bootstrapped from a value, full ending known, result of a stopped game.
EMPTY, OPEN, BOOTSTRAPPED, KNOWN, RESULT_ONLY = range(5)
WEIGHT_ONE = 64  # what a weight of 1 is stored as, so that draws are exact
MAX_WEIGHT = 8 * WEIGHT_ONE
HOLDER_BITS = 2
pack_holders = functools.partial(pack_numbers, bits=HOLDER_BITS)  # who holds each cell [cells] -> [H] uint32
holder_words = functools.partial(words_needed, bits=HOLDER_BITS)  # number of cells -> H


class Ending(PyTreeNode):
    """How games ended, [...]; meaningless where they did not."""

    over: Array  # bool
    result: Array  # float32: 1 where role 0 won, -1 where role 1 did, 0 for a draw
    plies: Array  # int32: length of the game
    margin: Array  # float32, from the side of role 0
    holders: Array  # [..., H] uint32: who holds each cell, packed; no words if the net has no ownership head
    stopped: Array | None = None  # bool: before its end, so that all but the result is of that moment; None: none are


class Replay(PyTreeNode):
    """R rows of B games; likewise one row [B], or positions [N] to learn from."""

    words: Array  # [R, B, W] uint32: positions, see `Game.learning`
    actions: Array  # [R, B, K] int16: legal actions by slot
    policy: Array  # [R, B, K] bfloat16: of the search
    value: Array  # [R, B] float32: what the search found, from the side of role 0
    surprise: Array  # [R, B] float32: how far the policy is from the prior, in nats
    serial: Array  # [R, B] int32: number of the game in its column
    status: Array  # [R, B] int8
    weight: Array  # [R, B] int16: in units of 1 / WEIGHT_ONE
    result: Array  # [R, B] float32, from the side of role 0
    plies: Array  # [R, B] int16: played before; once the result is known, those until the game was over
    margin: Array  # [R, B] float32, from the side of role 0
    holders: Array  # [R, B, H] uint32

    @property
    def known(self) -> Array:
        """[R, B] bool: the game was played to its end, so that there are plies still to come, a margin and holders."""
        return self.status == KNOWN


def new_replay(rows: int, games: int, *, words: int, slots: int, holder_words: int) -> Replay:
    """An empty replay buffer."""

    def zeros(dtype: Any, *shape: int) -> Array:
        return jnp.zeros((rows, games, *shape), dtype)

    return Replay(
        words=zeros(jnp.uint32, words),
        actions=zeros(jnp.int16, slots),
        policy=zeros(jnp.bfloat16, slots),
        value=zeros(jnp.float32),
        surprise=zeros(jnp.float32),
        serial=zeros(jnp.int32),
        status=zeros(jnp.int8),
        weight=zeros(jnp.int16),
        result=zeros(jnp.float32),
        plies=zeros(jnp.int16),
        margin=zeros(jnp.float32),
        holders=zeros(jnp.uint32, holder_words),
    )


def bytes_per_state(replay: Replay) -> float:
    """Bytes of memory per position."""
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(replay)) / replay.status.size


def write_row(replay: Replay, index: Array, row: Replay) -> Replay:
    """The replay with another row in the place of row `index`; its fields are [B, ...]."""
    return jax.tree.map(lambda all_rows, new: all_rows.at[index].set(new.astype(all_rows.dtype)), replay, row)


def settle(
    replay: Replay, endings: Ending, first_row: Array, first_serial: Array, *, surprise: float, bootstrap: bool
) -> Replay:
    """The replay with the results of the games that ended in the T rows from `first_row`.

    endings: [T, B], of the game that was played in each row; first_serial: [B], the game of each column before
    the first of these rows. With `bootstrap` an unfinished game has the value of its last search as a result.
    """
    steps = endings.over.shape[0]
    fresh: Replay = jax.tree.map(lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, first_row, steps), replay)
    fresh, first_end = _fill(fresh, endings)
    if bootstrap:
        fresh = _bootstrap(fresh)
    fresh = fresh.replace(weight=_weights(fresh, surprise))
    waiting = (replay.status == OPEN) | (replay.status == BOOTSTRAPPED)  # in games that began earlier
    replay = _fill_in(replay, waiting & first_end.over & (replay.serial == first_serial), first_end)
    return jax.tree.map(
        lambda leaf, new: jax.lax.dynamic_update_slice_in_dim(leaf, new.astype(leaf.dtype), first_row, 0), replay, fresh
    )


def draw(key: Array, replay: Replay, count: int) -> Array:
    """[count] int32: places of positions to learn from, flattened [R * B], drawn in proportion to their weights."""
    upto = jnp.cumsum(jnp.where(_usable(replay), replay.weight, 0).reshape(-1).astype(jnp.int32))
    drawn = jax.random.randint(key, (count,), 0, jnp.maximum(upto[-1], 1))
    return jnp.searchsorted(upto, drawn, side="right").astype(jnp.int32)


def take(replay: Replay, places: Array) -> Replay:
    """The positions [N] in places [N], as `draw` gives them."""
    columns = replay.status.shape[1]
    return jax.tree.map(lambda leaf: leaf[places // columns, places % columns], replay)


def usable_states(replay: Replay) -> Array:
    """int32: positions that can be learned from."""
    return _usable(replay).sum(dtype=jnp.int32)


def unpack_holders(words: Array, cells: int) -> Array:
    """[cells] int32: 0 empty, 1 role 0, 2 role 1."""
    return unpack_numbers(words, cells, HOLDER_BITS).astype(jnp.int32)


def _usable(replay: Replay) -> Array:
    """[R, B] bool: the position has a result, or a value in its place, to learn from."""
    return replay.status >= BOOTSTRAPPED


def _fill(rows: Replay, endings: Ending) -> tuple[Replay, Ending]:
    """T rows with the results of games that ended in them, and the first ending in each column."""

    def earlier(next_end: Ending, ending: Ending) -> tuple[Ending, Ending]:
        end: Ending = jax.tree.map(lambda this, later: _where(ending.over, this, later), ending, next_end)
        end = end.replace(over=ending.over | next_end.over)
        return end, end

    nothing = jax.tree.map(lambda leaf: jnp.zeros_like(leaf[0]), endings)
    first_end, ends = jax.lax.scan(earlier, nothing, endings, reverse=True)
    return _fill_in(rows, ends.over & (rows.status == OPEN), ends), first_end


def _fill_in(rows: Replay, ended: Array, ends: Ending) -> Replay:
    """Rows with the endings [..., B] where games have ended [T, B]."""
    status = KNOWN if ends.stopped is None else jnp.where(ends.stopped, RESULT_ONLY, KNOWN)
    return dataclasses.replace(
        rows,
        status=jnp.where(ended, status, rows.status).astype(jnp.int8),
        result=jnp.where(ended, ends.result, rows.result),
        plies=jnp.where(ended, ends.plies - rows.plies, rows.plies).astype(jnp.int16),
        margin=jnp.where(ended, ends.margin, rows.margin),
        holders=_where(ended, jnp.broadcast_to(ends.holders, rows.holders.shape), rows.holders),
    )


def _bootstrap(rows: Replay) -> Replay:
    """Rows whose open games have the value of their last search as a result."""

    def later(last: Array, row: tuple[Array, Array]) -> tuple[Array, Array]:
        value, status = row
        found = jnp.where((status == OPEN) & jnp.isnan(last), value, last)
        return found, found

    unknown = jnp.full_like(rows.value[0], jnp.nan)
    _, last = jax.lax.scan(later, unknown, (rows.value, rows.status), reverse=True)
    waiting = rows.status == OPEN
    return dataclasses.replace(
        rows,
        status=jnp.where(waiting, BOOTSTRAPPED, rows.status).astype(jnp.int8),
        result=jnp.where(waiting, last, rows.result),
    )


def _weights(rows: Replay, surprise: float) -> Array:
    """[T, B] int16: weights of positions, a share `surprise` of which is proportional to the policy surprise."""
    counts = rows.status != EMPTY
    mean = jnp.where(counts, rows.surprise, 0.0).sum() / jnp.maximum(counts.sum(), 1)
    relative = rows.surprise / jnp.maximum(mean, 1e-6)
    weight = WEIGHT_ONE * ((1 - surprise) + surprise * relative)
    return jnp.where(counts, jnp.clip(jnp.round(weight), 1, MAX_WEIGHT), 0).astype(jnp.int16)


def _where(condition: Array, new: Array, old: Array) -> Array:
    """`jnp.where` with a condition [..., B] for arrays [..., B, any]."""
    return jnp.where(condition.reshape(*condition.shape, *[1] * (old.ndim - condition.ndim)), new, old)
