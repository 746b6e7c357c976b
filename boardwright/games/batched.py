"""The batched engine, generic over games: `BatchEnv` from a game's functions, random moves and chance."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.games.base import CHANCE, ONGOING, BatchEnv, Position

GROUP = 64  # actions counted together when one is drawn
WORD = jnp.uint32
WORD_BITS = 32


@dataclasses.dataclass(frozen=True)
class GameState:
    """The fields of the states of all games; games add their own and register the class as a pytree."""

    current_role: Array  # int8: 0, 1 or CHANCE; when the game is over, who would have been next
    rewards: Array  # [2] float32 by role, of the last step
    terminated: Array  # bool
    result: Array  # int8: role that won, DRAW or ONGOING
    reason: Array  # int8: index into `Game.reasons`
    hash: Array  # [2] uint32: low and high half of the scalar engine's hash
    plies: Array  # int32: whole moves since the start of the game

    @property
    def legal_action_mask(self) -> Array:
        """[num_actions] bool; nothing once terminated."""
        raise NotImplementedError


def common_fields(role: Array, result: Array, reason: Array, hash_: Array | None, plies: Array) -> dict[str, Array]:
    """The fields of `GameState`, without rewards: `make_env` adds those of a step. No hash is zeros."""
    rewards, terminated = jnp.zeros(2, jnp.float32), result != ONGOING
    hash_ = jnp.zeros(2, WORD) if hash_ is None else hash_
    return vars(GameState(role, rewards, terminated, result, reason, hash_, plies))


def first_end(ends: Sequence[tuple[Array, Array | int, int]]) -> tuple[Array, Array]:
    """(result, reason) of the first end that holds, of (whether it holds, result, reason); else ONGOING and 0."""
    result, reason = jnp.int8(ONGOING), jnp.int8(0)
    for holds, winner, why in reversed(ends):
        result = jnp.where(holds, jnp.asarray(winner, jnp.int8), result)
        reason = jnp.where(holds, jnp.int8(why), reason)
    return result, reason


def key_words(keys: np.ndarray | int) -> Array:
    """[..., 2] uint32: low and high half of [...] 64-bit keys of a hash, or of one key."""
    return jnp.asarray(np.asarray(keys, "<u8")[..., None].view("<u4"))


def xor_where(chosen: Array, keys: Array) -> Array:
    """[2] uint32: the XOR of those keys [n, 2] that are chosen [n]."""
    return jax.lax.reduce(jnp.where(chosen[:, None], keys, WORD(0)), np.uint32(0), jax.lax.bitwise_xor, (0,))


def occurrences(same: Array) -> Array:
    """int8: how many of the past positions [H] are the same."""
    return jnp.minimum(same.sum(dtype=jnp.int32), 127).astype(jnp.int8)


def make_env(
    *,
    init: Callable[[Array], Any],
    move: Callable[[Any, Array], Any],
    observe: Callable[[Any, Array], Array],
    from_position: Callable[[Position], Any],
    shaped: bool = False,
) -> BatchEnv:
    """The batched engine of a game, from the game's own functions.

    `move` returns the state after a legal action of a game that is not over, and must set `result`; its `terminated`
    is ignored, and so are its `rewards` unless they are `shaped`. The returned `step` derives both from `result`,
    and leaves a terminated state as it is, with zero rewards. The other arguments are fields of `BatchEnv`.
    """

    def step(state: Any, action: Array, key: Array) -> Any:
        del key  # chance's moves are actions too
        after = move(state, action.astype(jnp.int32))
        after = dataclasses.replace(
            after,
            terminated=after.result != ONGOING,
            rewards=after.rewards if shaped else rewards_of(after.result),
        )
        stay = dataclasses.replace(state, rewards=jnp.zeros(2, jnp.float32))
        return jax.tree.map(functools.partial(jnp.where, state.terminated), stay, after)

    return BatchEnv(init=init, step=step, observe=observe, from_position=from_position)


def make_env_of_tables(
    tables: Any,
    set_up: Callable[..., Any],
    start: Any,
    read: Callable[[Any], Sequence[Any]],
    move: Callable[[Any, Any, Array], Any],
    observe: Callable[[Any, Any, Array], Array],
    *,
    shaped: bool = False,
) -> BatchEnv:
    """The batched engine of a game that begins at one position, from functions that take its tables first.

    `set_up` makes the state of a position from the numbers and arrays of numpy that `read` takes from a position of the
    scalar engine, and its hash [2]; `start` is the first of these positions.
    """
    jitted = jax.jit(functools.partial(set_up, tables))

    def state_of(core: Any) -> Any:
        return jitted(*read(core), key_words(core.hash))

    return make_env(
        init=lambda key: state_of(start),
        move=functools.partial(move, tables),
        observe=functools.partial(observe, tables),
        from_position=lambda position: state_of(position.core_as(type(start))),
        shaped=shaped,
    )


def rewards_of(result: Array) -> Array:
    """[2] float32: +1 for the role that won, -1 for the other; zeros for a draw or an ongoing game."""
    # Not `arange(2) == result`: XLA would compute everything that leads to `result` once per role.
    won = jnp.stack([result == 0, result == 1]).astype(jnp.float32)
    return won - won[::-1]


def random_action(key: Array, mask: Array) -> Array:
    """A uniformly random legal action of a mask [num_actions]; 0 if no action is legal.

    Counts by group first and then within one group, so that the mask is read once and no array of its size is
    written.
    """
    padded = jnp.pad(mask, (0, -mask.shape[0] % GROUP)).reshape(-1, GROUP)
    upto = jnp.cumsum(padded.sum(axis=1, dtype=jnp.int32))
    drawn = jax.random.randint(key, (), 0, jnp.maximum(upto[-1], 1))
    group = jnp.argmax(upto > drawn)
    inside = drawn - jnp.where(group > 0, upto[group - 1], 0)
    place = jnp.argmax(jnp.cumsum(padded[group].astype(jnp.int32)) > inside)
    return jnp.where(upto[-1] > 0, group * GROUP + place, 0).astype(jnp.int32)


def where_games(chosen: Array, new: Any, old: Any) -> Any:
    """States of B games: `new` in those chosen [B], `old` in the others; `new` may be one state for all."""

    def pick(new_leaf: Array, old_leaf: Array) -> Array:
        return jnp.where(chosen.reshape(-1, *[1] * (old_leaf.ndim - 1)), new_leaf, old_leaf)

    return jax.tree.map(pick, new, old)


def without_chance(env: BatchEnv) -> BatchEnv:
    """The same game, but `init` and `step` sample chance's moves with their key until a role is to move."""

    def init(key: Array) -> Any:
        start_key, chance_key = jax.random.split(key)
        return after_chance(env, env.init(start_key), chance_key)

    def step(state: Any, action: Array, key: Array) -> Any:
        step_key, chance_key = jax.random.split(key)
        return after_chance(env, env.step(state, action, step_key), chance_key)

    return dataclasses.replace(env, init=init, step=step)


def without_forced(env: BatchEnv, plies: int) -> BatchEnv:
    """The same game, but `step` continues through up to `plies` positions with one legal action.

    For search and self-play: a forced position adds nothing to the one after it. The rewards are those of the last
    step.
    """
    if not plies:
        return env

    def play_forced(number: Array, state: Any, key: Array) -> Any:
        mask = state.legal_action_mask
        forced = (mask.sum(dtype=jnp.int32) == 1) & ~state.terminated
        after = env.step(state, jnp.argmax(mask), jax.random.fold_in(key, number))
        return jax.tree.map(functools.partial(jnp.where, forced), after, state)

    def step(state: Any, action: Array, key: Array) -> Any:
        return jax.lax.fori_loop(0, plies, functools.partial(play_forced, key=key), env.step(state, action, key))

    return dataclasses.replace(env, step=step)


def with_openings(env: BatchEnv, plies: int) -> BatchEnv:
    """The same game, but `init` plays 0 to `plies` random actions, drawn with its key; none of them ends the game."""
    if not plies:
        return env

    def init(key: Array) -> Any:
        start_key, count_key, play_key = jax.random.split(key, 3)
        count = jax.random.randint(count_key, (), 0, plies + 1)

        def at_random(number: Array, state: Any) -> Any:
            action_key, step_key = jax.random.split(jax.random.fold_in(play_key, number))
            after = env.step(state, random_action(action_key, state.legal_action_mask), step_key)
            is_played = (number < count) & ~after.terminated
            return jax.tree.map(functools.partial(jnp.where, is_played), after, state)

        return jax.lax.fori_loop(0, plies, at_random, env.init(start_key))

    return dataclasses.replace(env, init=init)


def after_chance(env: BatchEnv, state: Any, key: Array) -> Any:
    """The state after chance's moves, when a role is to move or the game is over.

    The rewards are those of the last step, chance's if it moved.
    """

    def awaits_chance(drawing: tuple[Any, Array]) -> Array:
        return (drawing[0].current_role == CHANCE) & ~drawing[0].terminated

    def draw(drawing: tuple[Any, Array]) -> tuple[Any, Array]:
        state, key = drawing
        key, action_key, step_key = jax.random.split(key, 3)
        return env.step(state, random_action(action_key, state.legal_action_mask), step_key), key

    return jax.lax.while_loop(awaits_chance, draw, (state, key))[0]


# Small whole numbers packed into 32-bit words, for the millions of positions in a replay buffer.


def words_needed(count: int, bits: int) -> int:
    """How many words hold `count` numbers of `bits` bits; a number never spans two words."""
    return -(-count // (WORD_BITS // bits))


def pack_numbers(numbers: Array, bits: int) -> Array:
    """[W] uint32 of numbers [n], each from 0 to 2^bits - 1."""
    each = WORD_BITS // bits
    padded = jnp.pad(numbers.astype(WORD), (0, -numbers.shape[0] % each)).reshape(-1, each)
    return (padded << (bits * jnp.arange(each, dtype=WORD))).sum(axis=1, dtype=WORD)


def unpack_numbers(words: Array, count: int, bits: int) -> Array:
    """[count] uint32: the inverse of `pack_numbers`."""
    each = WORD_BITS // bits
    spread = (words[:, None] >> (bits * jnp.arange(each, dtype=WORD))) & WORD((1 << bits) - 1)
    return spread.reshape(-1)[:count]
