"""English draughts in JAX: thousands of games in one array, one hop per step.

All functions here are for one game and are meant for `jax.vmap`. A board is three 32-bit words (black,
white, kings), so that whole sets of pieces move by shifting. Repetition compares boards and is exact.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright._core import Draughts, DraughtsPosition
from boardwright.games import batched
from boardwright.games.base import DRAW, ONGOING, BatchEnv
from boardwright.games.batched import WORD, common_fields, first_end, key_words, occurrences
from boardwright.games.draughts import board as b
from boardwright.games.draughts.rules import Tables

# Reasons a game ends, numbered as in src/core/games/draughts/rules.hpp and `Draughts.reasons`.
NO_MOVE, REPETITION, INACTIVITY, PLY_LIMIT = range(1, 5)
EVEN_ROWS, ODD_ROWS = 0x0F0F0F0F, 0xF0F0F0F0
NOT_RIGHT_EDGE, NOT_LEFT_EDGE = 0x07070707, 0xE0E0E0E0  # of the even rows, of the odd rows


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State(batched.GameState):
    """One game. H is one more than the most plies without a capture or a man's move; N the history."""

    quiet: Array  # int32: plies of inactivity
    reversible: Array  # int32: plies since a capture or a man's move
    continuing: Array  # uint32: the piece that must continue capturing, as a bit; 0 for none
    legal: Array  # [4] uint32: by direction, from where one may move
    recent: Array  # [N, 3] uint32: the last boards (black, white, kings), newest first
    recent_seen: Array  # [N] int8: how often each had occurred before
    past: Array  # [H, 3] uint32: boards since the last capture or man's move, by `reversible`

    @property
    def board(self) -> Array:
        """[..., 3] uint32: black, white, kings."""
        return self.recent[..., 0, :]

    @property
    def legal_action_mask(self) -> Array:
        """[..., 128] bool."""
        bits = (self.legal[..., None, :] >> jnp.arange(b.SQUARES, dtype=WORD)[:, None]) & 1
        return (bits == 1).reshape(*self.legal.shape[:-1], b.NUM_ACTIONS)


@functools.lru_cache(maxsize=64)
def make_env(tables: Tables) -> BatchEnv:
    """The batched engine of one rule set and view."""
    return batched.make_env_of_tables(tables, set_up, Draughts(tables).start(), _read, move, observe)


def _read(core: DraughtsPosition) -> tuple[np.ndarray, np.int8, np.uint32, np.int32, np.int32]:
    """The arguments of `set_up`."""
    board = np.array([core.black, core.white, core.kings], np.uint32)
    continuing = np.uint32(1 << (core.continuing - 1) if core.continuing else 0)
    return board, np.int8(core.role_to_move), continuing, np.int32(core.quiet), np.int32(core.plies)


def set_up(
    tables: Tables,
    board: Array,
    role: Array,
    continuing: Array,
    quiet: Array,
    plies: Array,
    hash_: Array | None = None,
) -> State:
    """The state of a given position, without history."""
    result, reason, legal = _settle(tables, board, role, continuing, jnp.int8(0), quiet, plies)
    return State(
        **common_fields(role, result, reason, hash_, plies),
        quiet=quiet,
        reversible=jnp.int32(0),
        continuing=continuing,
        legal=legal,
        recent=jnp.zeros((tables.history, 3), WORD).at[0].set(board),
        recent_seen=jnp.zeros(tables.history, jnp.int8),
        past=jnp.zeros((tables.longest_quiet + 1, 3), WORD).at[0].set(board),
    )


def move(tables: Tables, state: State, action: Array) -> State:
    """The state after a legal hop in a game that is not over."""
    mover = state.current_role
    board, change, landing, jump, man, continues = _hop(tables, state, action)
    continuing = jnp.where(continues, landing, WORD(0))
    following = jnp.where(continues, mover, 1 - mover).astype(jnp.int8)
    reversible = jnp.where(jump | man, 0, state.reversible + 1)
    active = jump if tables.man_moves_are_quiet else jump | man
    quiet = jnp.where(continues, state.quiet, jnp.where(active, 0, state.quiet + 1))
    plies = state.plies + ~continues
    hash_ = state.hash ^ change ^ jnp.where(continues, WORD(0), key_words(tables.white_to_move_key))

    moment = jnp.arange(state.past.shape[0], dtype=jnp.int32)
    same_side = (moment < reversible) & ((reversible - moment) % 2 == 0)
    seen = occurrences((state.past == board).all(axis=-1) & same_side & ~continues)
    result, reason, legal = _settle(tables, board, following, continuing, seen, quiet, plies)
    return dataclasses.replace(
        state,
        **common_fields(following, result, reason, hash_, plies),
        quiet=quiet,
        reversible=jnp.where(continues, state.reversible, reversible),
        continuing=continuing,
        legal=legal,
        recent=jnp.concatenate([board[None], state.recent[:-1]]),
        recent_seen=jnp.concatenate([seen[None], state.recent_seen[:-1]]),
        past=jnp.where((moment == jnp.where(continues, -1, reversible))[:, None], board, state.past),
    )


def observe(tables: Tables, state: State, role: Array | int) -> Array:
    """[8, 8, planes] float32, the board turned so that `role` moves up; see `features` for the planes."""
    own, enemy = jnp.where(role == b.BLACK, 0, 1), jnp.where(role == b.BLACK, 1, 0)
    pieces, kings = state.recent[:, :2], state.recent[:, 2]
    words = jnp.stack(
        [pieces[:, own] & ~kings, pieces[:, own] & kings, pieces[:, enemy] & ~kings, pieces[:, enemy] & kings], axis=1
    )  # [N, 4]
    planes = [spread(words)]  # [64, N, 4]
    if tables.extra_planes:
        seen = jnp.broadcast_to((state.recent_seen >= 1).astype(jnp.float32)[None, :, None], (64, tables.history, 1))
        planes.append(seen)
    history = jnp.concatenate(planes, axis=-1).reshape(64, -1)
    if tables.extra_planes:
        black_to_move = (state.current_role == b.BLACK).astype(jnp.float32)
        inactivity = jnp.minimum(1, state.quiet.astype(jnp.float32) * np.float32(tables.quiet_scale))
        constant = jnp.broadcast_to(jnp.stack([black_to_move, inactivity]), (64, 2))
        continuing = spread(state.continuing[None])
        history = jnp.concatenate([history, constant[:, :1], continuing, constant[:, 1:]], axis=-1)
    return jnp.where(role == b.BLACK, history[::-1], history).reshape(b.SIZE, b.SIZE, -1)


def spread(words: Array) -> Array:
    """[64, ...] float32: the bits of words laid out on the cells of the whole board, light ones empty."""
    squares = np.array([b.square_at(*divmod(cell, b.SIZE)) or 0 for cell in range(64)])
    shifts = jnp.asarray(np.maximum(squares - 1, 0), WORD).reshape(64, *[1] * words.ndim)
    dark = jnp.asarray(squares > 0).reshape(shifts.shape)
    return (((words >> shifts) & 1 == 1) & dark).astype(jnp.float32)


def _hop(tables: Tables, state: State, action: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
    """(board, change of hash, landing square as a bit, jump?, a man?, must continue?) after one hop."""
    adjacent_of, behind_of = (jnp.asarray(table) for table in _targets())
    piece_key, continuing_key = key_words(tables.piece_key), key_words(tables.continuing_key)
    mover, board = state.current_role, state.board
    black_moves = mover == b.BLACK
    own, enemy = jnp.where(black_moves, board[0], board[1]), jnp.where(black_moves, board[1], board[0])

    origin = action // 4
    adjacent = adjacent_of[action]
    jump = ((enemy >> adjacent.astype(WORD)) & 1) == 1
    target = jnp.where(jump, behind_of[action], adjacent)
    from_bit, adjacent_bit, to_bit = (WORD(1) << square.astype(WORD) for square in (origin, adjacent, target))
    is_king = (board[2] & from_bit) != 0
    crowned = ~is_king & ((to_bit & jnp.where(black_moves, WORD(b.CROWN_ROWS[0]), WORD(b.CROWN_ROWS[1]))) != 0)
    taken_bit = jnp.where(jump, adjacent_bit, WORD(0))
    taken_king = ((board[2] & adjacent_bit) != 0).astype(jnp.int32)

    own = (own ^ from_bit) | to_bit
    enemy = enemy & ~taken_bit
    kings = (board[2] & ~(from_bit | taken_bit)) | jnp.where(is_king | crowned, to_bit, WORD(0))
    after = jnp.stack([jnp.where(black_moves, own, enemy), jnp.where(black_moves, enemy, own), kings])

    change = piece_key[2 * mover + is_king, origin] ^ piece_key[2 * mover + (is_king | crowned), target]
    change ^= jnp.where(jump, piece_key[2 * (1 - mover) + taken_king, adjacent], WORD(0))
    change ^= jnp.where(state.continuing != 0, continuing_key[origin], WORD(0))
    continues = jump & ~crowned & ((_any(_jumps(after, mover)) & to_bit) != 0)
    change ^= jnp.where(continues, continuing_key[target], WORD(0))
    return after, change, to_bit, jump, ~is_king, continues


def _settle(
    tables: Tables, board: Array, role: Array, continuing: Array, seen: Array, quiet: Array, plies: Array
) -> tuple[Array, Array, Array]:
    """(result, reason, [4] uint32: from where one may move, by direction), ends tested in the order the rules give."""
    jumps, empty = _jumps(board, role), ~(board[0] | board[1])
    steps = jnp.stack([_shift(empty, 3 - d) & _able(board, role, d) for d in range(4)])
    legal = jnp.where(continuing != 0, jumps & continuing, jnp.where(_any(jumps) != 0, jumps, steps))
    ends: list[tuple[Array, Array | int, int]] = [(~legal.any(), 1 - role, NO_MOVE)]
    if tables.repetition_limit:
        ends.append((seen + 1 >= tables.repetition_limit, DRAW, REPETITION))
    if tables.max_quiet_plies:
        ends.append((quiet >= tables.max_quiet_plies, DRAW, INACTIVITY))
    if tables.max_plies:
        ends.append((plies >= tables.max_plies, DRAW, PLY_LIMIT))
    whole = continuing == 0  # nothing ends in the middle of a move
    result, reason = first_end([(holds & whole, winner, why) for holds, winner, why in ends])
    return result, reason, jnp.where(result == ONGOING, legal, WORD(0))


def _jumps(board: Array, role: Array) -> Array:
    """[4] uint32: by direction, the pieces of a role that can capture."""
    enemy = jnp.where(role == b.BLACK, board[1], board[0])
    empty = ~(board[0] | board[1])
    return jnp.stack([_shift(_shift(empty, 3 - d) & enemy, 3 - d) & _able(board, role, d) for d in range(4)])


def _able(board: Array, role: Array, direction: int) -> Array:
    """The pieces of a role that can move in a direction: men forward only."""
    own = jnp.where(role == b.BLACK, board[0], board[1])
    forward = (role == b.BLACK) == (direction >= 2)
    return jnp.where(forward, own, own & board[2])


def _shift(squares: Array, direction: int) -> Array:
    """A set of squares moved one step; what would leave the board drops out."""
    if direction == 0:
        return ((squares & WORD(EVEN_ROWS)) >> 4) | ((squares & WORD(NOT_LEFT_EDGE)) >> 5)
    if direction == 1:
        return ((squares & WORD(NOT_RIGHT_EDGE)) >> 3) | ((squares & WORD(ODD_ROWS)) >> 4)
    if direction == 2:
        return ((squares & WORD(EVEN_ROWS)) << 4) | ((squares & WORD(NOT_LEFT_EDGE)) << 3)
    return ((squares & WORD(NOT_RIGHT_EDGE)) << 5) | ((squares & WORD(ODD_ROWS)) << 4)


def _any(sets: Array) -> Array:
    """The union of [4] sets."""
    return sets[0] | sets[1] | sets[2] | sets[3]


@functools.cache
def _targets() -> tuple[np.ndarray, np.ndarray]:
    """[128] the next square (from 0) and the one behind it, by action; 31 for none, which no legal action uses."""
    tables = []
    for steps in (1, 2):
        squares = [b.neighbour(*b.decode_action(action), steps) for action in range(b.NUM_ACTIONS)]
        tables.append(np.array([square - 1 if square else 31 for square in squares], np.int32))
    return tables[0], tables[1]
