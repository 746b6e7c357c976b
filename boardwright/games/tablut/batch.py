"""Tablut in JAX: thousands of games in one array.

All functions here are for one game and are meant for `jax.vmap`. Legal moves are found by arithmetic
on bits: for every square and direction, the squares ahead form a binary number whose lowest set bit
is the first obstacle, so `x & -x` gives the reach at once; no table of moves and no loop.

Repetition compares 64-bit hashes of the positions since the last capture. Two different positions of
one game would be taken for the same with a chance below 2e-17 a ply (at most 200 comparisons at 2^-64
for the shipped rule sets); the scalar engine compares boards and is exact.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright._core import Tablut, TablutPosition
from boardwright.games import batched
from boardwright.games.base import DRAW, ONGOING, BatchEnv
from boardwright.games.batched import common_fields, first_end, key_words, occurrences
from boardwright.games.tablut import board as b
from boardwright.games.tablut.features import HISTORY
from boardwright.games.tablut.rules import Tables

# Reasons a game ends, numbered as in src/core/games/tablut/rules.hpp and `Tablut.reasons`.
KING_CAPTURED, KING_ESCAPED, SURROUNDED, REPETITION, NO_MOVE, QUIET_PLIES, PLY_LIMIT = range(1, 8)
OFF_BOARD = b.SQUARES  # where a step over the edge leads in the tables below


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State(batched.GameState):
    """One game. H is one more than the most plies that can pass without a capture."""

    quiet: Array  # int32: plies since the last capture
    legal: Array  # [81] uint32: one bit for each of a square's 32 actions
    recent: Array  # [8, 81] int8: the last boards, newest first
    recent_seen: Array  # [8] int8: how often each had occurred before
    past: Array  # [H, 2] uint32: hashes since the last capture, by `quiet`; 0 where unknown

    @property
    def board(self) -> Array:
        """[..., 81] int8: 0 empty, 1 attacker, 2 defender, 3 king."""
        return self.recent[..., 0, :]

    @property
    def legal_action_mask(self) -> Array:
        """[..., 2592] bool."""
        bits = (self.legal[..., None] >> jnp.arange(b.PLANES_PER_SQUARE, dtype=jnp.uint32)) & 1
        return (bits == 1).reshape(*self.legal.shape[:-1], b.NUM_ACTIONS)


@functools.lru_cache(maxsize=64)
def make_env(tables: Tables) -> BatchEnv:
    """The batched engine of one rule set."""
    return batched.make_env_of_tables(tables, set_up, Tablut(tables).start(), _read, move, observe)


def _read(core: TablutPosition) -> tuple[np.ndarray, np.int8, np.int32, np.int32]:
    """The arguments of `set_up`."""
    return core.board(), np.int8(core.role_to_move), np.int32(core.quiet), np.int32(core.plies)


def set_up(tables: Tables, board: Array, role: Array, quiet: Array, plies: Array, hash_: Array | None = None) -> State:
    """The state of a given position, without history."""
    past = jnp.zeros((tables.longest_quiet + 1, 2), jnp.uint32)
    if tables.count_start and hash_ is not None:
        past = past.at[quiet].set(hash_, mode="drop")
    seen = jnp.int8(0)
    result, reason, legal = _settle(tables, board, role, seen, quiet, plies)
    return State(
        **common_fields(role, result, reason, hash_, plies),
        quiet=quiet,
        legal=legal,
        recent=jnp.zeros((HISTORY, b.SQUARES), jnp.int8).at[0].set(board),
        recent_seen=jnp.zeros(HISTORY, jnp.int8).at[0].set(seen),
        past=past,
    )


def move(tables: Tables, state: State, action: Array) -> State:
    """The state after a legal action of a game that is not over."""
    mover = state.current_role
    following = (1 - mover).astype(jnp.int8)
    board, change, captured = _move_piece(tables, state.board, mover, action)
    hash_ = state.hash ^ change ^ key_words(tables.defenders_to_move_key)
    plies = state.plies + 1
    quiet = jnp.where(captured, 0, state.quiet + 1)

    moment = jnp.arange(state.past.shape[0], dtype=jnp.int32)
    matches = (state.past == hash_).all(axis=-1) & (moment < quiet)
    seen = occurrences(matches)
    result, reason, legal = _settle(tables, board, following, seen, quiet, plies)
    return dataclasses.replace(
        state,
        **common_fields(following, result, reason, hash_, plies),
        quiet=quiet,
        legal=legal,
        recent=jnp.concatenate([board[None], state.recent[:-1]]),
        recent_seen=jnp.concatenate([seen[None], state.recent_seen[:-1]]),
        past=jnp.where((moment == quiet)[:, None], hash_, state.past),
    )


def observe(tables: Tables, state: State, role: Array | int) -> Array:
    """[9, 9, 43] float32; see `features` for the planes."""
    boards = state.recent
    seen = jnp.broadcast_to(state.recent_seen[:, None], boards.shape)
    planes = jnp.stack(
        [boards == role + 1, boards == 2 - role, boards == b.KING, seen >= 1, seen >= 2], axis=-1
    )  # [8, 81, 5]
    history = planes.transpose(1, 0, 2).reshape(b.SIZE, b.SIZE, 5 * HISTORY).astype(jnp.float32)
    constants = jnp.stack(
        [
            (state.current_role == b.ATTACKERS).astype(jnp.float32),
            jnp.minimum(1, state.plies.astype(jnp.float32) * np.float32(tables.ply_scale)),
            jnp.minimum(1, state.quiet.astype(jnp.float32) * np.float32(tables.quiet_scale)),
        ]
    )
    return jnp.concatenate([history, jnp.broadcast_to(constants, (b.SIZE, b.SIZE, 3))], axis=-1)


def _move_piece(tables: Tables, board: Array, mover: Array, action: Array) -> tuple[Array, Array, Array]:
    """(board, change of hash, whether anything was captured) after moving and capturing."""
    neighbour, beyond_of = jnp.asarray(_targets()[..., 0]), jnp.asarray(_targets()[..., 1])
    offsets = jnp.array([row * b.SIZE + column for row, column in b.DIRECTIONS], jnp.int32)
    origin = action // b.PLANES_PER_SQUARE
    target = origin + offsets[action % b.PLANES_PER_SQUARE // b.DISTANCES] * (action % b.DISTANCES + 1)
    squares = jnp.arange(b.SQUARES)
    piece = board[origin]
    board = jnp.where(squares == origin, b.EMPTY, jnp.where(squares == target, piece, board)).astype(jnp.int8)

    padded = jnp.append(board, jnp.int8(b.EMPTY))
    adjacent, beyond = neighbour[target], beyond_of[target]  # [4] each
    victims, anvils = padded[adjacent], padded[beyond]

    attacking = mover == b.ATTACKERS
    hostile = jnp.pad(jnp.asarray(tables.hostile), ((0, 0), (0, 1)))
    helps = (anvils == b.EMPTY) & jnp.where(attacking, hostile[b.DEFENDERS], hostile[b.ATTACKERS])[beyond]
    friendly = anvils == mover + 1
    if tables.king_armed:
        friendly |= ~attacking & (anvils == b.KING)
    if tables.throne_hostile_under_king:
        helps |= attacking & (beyond == tables.throne) & (anvils == b.KING)
    between = friendly | helps
    men_taken = (victims == 2 - mover) & between
    if not tables.king_armed:
        men_taken &= piece != b.KING

    king_square = jnp.where(victims == b.KING, adjacent, 0).sum()  # valid only if he is adjacent
    sides = padded[neighbour[king_square]]
    closed = (sides == b.ATTACKER) | ((sides == b.EMPTY) & hostile[b.DEFENDERS][neighbour[king_square]])
    strong = jnp.asarray(tables.strong)[king_square]
    king_taken = attacking & (victims == b.KING) & jnp.where(strong, closed.all(), between)

    taken = men_taken | king_taken
    removed = (squares[:, None] == jnp.where(taken, adjacent, OFF_BOARD)).any(axis=1)
    keys = jnp.pad(key_words(tables.piece_key), ((1, 0), (0, 1), (0, 0)))  # no piece, and off the board: no change
    change = keys[piece, origin] ^ keys[piece, target]
    losses = jnp.where(taken[:, None], keys[victims, adjacent], jnp.uint32(0))  # [4, 2]
    change ^= losses[0] ^ losses[1] ^ losses[2] ^ losses[3]
    return jnp.where(removed, b.EMPTY, board).astype(jnp.int8), change, taken.any()


def _settle(
    tables: Tables, board: Array, following: Array, seen: Array, quiet: Array, plies: Array
) -> tuple[Array, Array, Array]:
    """(result, reason, legal actions) of a position, ends tested in the order the rules give."""
    legal = _legal(tables, board, following)
    can_move = legal.any()
    king = board == b.KING
    repeated = DRAW if tables.repetition_draws else following
    ends: list[tuple[Array, Array | int, int]] = [(~king.any(), b.ATTACKERS, KING_CAPTURED)]
    escaped = ((king & tables.escape).any(), b.DEFENDERS, KING_ESCAPED)
    if tables.both_sides_need_moves:
        other_can_move = _legal(tables, board, 1 - following).any()
        defenders_next = following == b.DEFENDERS
        ends.append((~jnp.where(defenders_next, can_move, other_can_move), b.ATTACKERS, NO_MOVE))
        ends.append(escaped)
        ends.append((~jnp.where(defenders_next, other_can_move, can_move), b.DEFENDERS, NO_MOVE))
    else:
        ends.append(escaped)
    if tables.surround_loses:
        ends.append((_is_surrounded(tables, board), b.ATTACKERS, SURROUNDED))
    if tables.repetition_limit:
        ends.append((seen + 1 >= tables.repetition_limit, repeated, REPETITION))
    if not tables.both_sides_need_moves:
        ends.append((~can_move, 1 - following, NO_MOVE))
    if tables.max_quiet_plies:
        ends.append((quiet >= tables.max_quiet_plies, DRAW, QUIET_PLIES))
    if tables.max_plies:
        ends.append((plies >= tables.max_plies, DRAW, PLY_LIMIT))

    result, reason = first_end(ends)
    return result, reason, jnp.where(result == ONGOING, legal, jnp.uint32(0))


def _legal(tables: Tables, board: Array, role: Array) -> Array:
    """[81] uint32: for every square the bits of its legal actions."""
    obstacles, landings = _ahead(tables)
    occupied = (board != b.EMPTY).astype(jnp.uint32).reshape(b.SIZE, b.SIZE)
    rising = jnp.asarray(1 << np.arange(b.SIZE), jnp.uint32)
    falling = rising[::-1]
    lines = (  # each line of the board as a number, its bits in the order a direction meets them
        (occupied * falling[:, None]).sum(axis=0, dtype=jnp.uint32)[None, :],  # up
        (occupied * rising[:, None]).sum(axis=0, dtype=jnp.uint32)[None, :],  # down
        (occupied * falling).sum(axis=1, dtype=jnp.uint32)[:, None],  # left
        (occupied * rising).sum(axis=1, dtype=jnp.uint32)[:, None],  # right
    )
    is_king = board == b.KING
    men = jnp.where(role == b.ATTACKERS, b.ATTACKER, b.DEFENDER)
    own = (board == men) | ((role == b.DEFENDERS) & is_king)
    row, column = np.divmod(np.arange(b.SQUARES), b.SIZE)
    index = (8 - row, row, 8 - column, column)  # a square's place on its line, by direction
    legal = jnp.zeros(b.SQUARES, jnp.uint32)
    for direction in range(4):
        line = jnp.broadcast_to(lines[direction], (b.SIZE, b.SIZE)).reshape(b.SQUARES)
        barred, landing = (  # for the kind of piece on each square
            jnp.where(is_king, table[2, direction], jnp.where(role == b.ATTACKERS, *table[:2, direction]))
            for table in (obstacles, landings)
        )
        obstacle = (line >> jnp.asarray(index[direction] + 1, jnp.uint32)) | barred
        reach = (obstacle & (~obstacle + 1)) - 1
        legal |= (reach & landing) << (b.DISTANCES * direction)
    return jnp.where(own, legal, jnp.uint32(0))


def _is_surrounded(tables: Tables, board: Array) -> Array:
    """Whether no defender, nor the king, has a way to an edge past the attackers."""
    open_squares = jnp.pad((board != b.ATTACKER).reshape(b.SIZE, b.SIZE), 1)
    start = jnp.pad((board >= b.DEFENDER).reshape(b.SIZE, b.SIZE), 1)

    def spread(flood: tuple[Array, Array]) -> tuple[Array, Array]:
        _, now = flood
        grown = now
        for axis in (0, 1):
            grown |= jnp.roll(now, 1, axis) | jnp.roll(now, -1, axis)
        return now, grown & open_squares

    _, reached = jax.lax.while_loop(lambda f: (f[0] != f[1]).any(), spread, (jnp.zeros_like(start), start))
    return ~(reached[1:-1, 1:-1].reshape(-1) & tables.edge).any()


@functools.cache
def _targets() -> np.ndarray:
    """[82, 4, 8] int32: the squares ahead in each direction; OFF_BOARD beyond the edge, and from there."""
    squares = map(b.decode_action, range(b.NUM_ACTIONS))
    targets = np.array([OFF_BOARD if pair is None else pair[1] for pair in squares], np.int32)
    return np.pad(targets.reshape(b.SQUARES, 4, b.DISTANCES), ((0, 1), (0, 0), (0, 0)), constant_values=OFF_BOARD)


@functools.lru_cache(maxsize=64)
def _ahead(tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """[3, 4, 81] uint32 for piece, direction and square, bit d - 1 for the square d steps ahead:
    what the rules let the piece not enter (the edge is the last such), and where it may stop.
    """
    targets = _targets()[:-1].transpose(1, 0, 2)  # [4, 81, 8]
    enter, stop = (np.pad(table, [(0, 0)] * (table.ndim - 1) + [(0, 1)]) for table in (tables.enter, tables.stop))
    may_enter = enter[:, np.arange(4)[:, None, None], targets]  # [3, 4, 81, 8]
    bits = 1 << np.arange(b.DISTANCES)
    obstacles = (~may_enter * bits).sum(axis=-1) | 1 << b.DISTANCES
    return obstacles.astype(np.uint32), (may_enter & stop[:, targets]).dot(bits).astype(np.uint32)
