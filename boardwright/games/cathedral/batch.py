"""Cathedral in JAX: thousands of games in one array.

All functions here are for one game and are meant for `jax.vmap`. Legality is one matrix product: the table
of placements, with a column for every cell and piece, times what a role may not use (cells occupied or in
enemy territory, pieces not in hand); placements with a zero are legal. Areas are computed in `areas.py`.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright._core import Cathedral, CathedralPosition
from boardwright.games import batched
from boardwright.games.base import CHANCE, DRAW, ONGOING, BatchEnv
from boardwright.games.batched import WORD, WORD_BITS, common_fields, key_words, pack_numbers, xor_where
from boardwright.games.cathedral import pieces
from boardwright.games.cathedral.areas import belongs, claimable, foreign_cells
from boardwright.games.cathedral.rules import LIGHT, Tables

# Reasons a game ends, numbered as in src/core/games/cathedral/rules.hpp and `Cathedral.reasons`.
FEWER_LEFT, EQUAL_LEFT = 1, 2
BY_COIN = 1  # `Tables.first`: who decides about the cathedral
IN_HAND, UNPLACED, GONE = -1, -1, -2  # instead of the placement of a building, of the cathedral
EMPTY, CATHEDRAL_CODE = 0, 2 * pieces.BUILDINGS + 1  # on the board; 1 + building for light's, 15 + building for dark's
WIN_BONUS = 10  # added at the end to shaped rewards


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class State(batched.GameState):
    """One game. C is the number of cells, W that of 32-bit words that hold a bit for every action.

    No cell is in the territory of both sides, so one plane holds them: say a cell is in light's area R,
    which holds nothing of dark's, and in dark's area S. R is connected and free of dark's buildings, so
    it is part of S, and so is a building of light's that R touches; so S holds a foreign piece.
    """

    where: Array  # [2, 14] int32: by role and building, its placement or IN_HAND
    cathedral: Array  # int32: its placement, UNPLACED or GONE
    placed: Array  # [2] int32: how many buildings a role has placed so far, captured ones too; 2 for more
    first_role: Array  # int8: who places the cathedral; light where chance does, or before the coin has fallen
    board: Array  # [C] int8: EMPTY, 1 + building of light, 15 + building of dark, CATHEDRAL_CODE
    territory: Array  # [C] int8: 0 neither's, 1 light's, 2 dark's
    legal: Array  # [W] uint32: a bit for every action

    @property
    def legal_action_mask(self) -> Array:
        """[..., A] bool."""
        bits = (self.legal[..., None] >> jnp.arange(WORD_BITS, dtype=WORD)) & 1
        size = round(self.board.shape[-1] ** 0.5)
        return (bits == 1).reshape(*self.legal.shape[:-1], -1)[..., : len(pieces.placements(size, False))]


@functools.lru_cache(maxsize=64)
def make_env(tables: Tables) -> BatchEnv:
    """The batched engine of one rule set and observation."""
    start = Cathedral(tables).start()
    return batched.make_env_of_tables(tables, set_up, start, _read, move, observe, shaped=tables.shaped)


def _read(core: CathedralPosition) -> tuple[np.ndarray, np.int32, np.ndarray, np.int8, np.int8, np.int32]:
    """The arguments of `set_up`."""
    placed = np.array(core.placed(), np.int32)
    role, first_role = np.int8(core.role_to_move), np.int8(core.first_role)
    return core.where(), np.int32(core.cathedral), placed, role, first_role, np.int32(core.plies)


def set_up(
    tables: Tables,
    where: Array,
    cathedral: Array,
    placed: Array,
    role: Array,
    first_role: Array,
    plies: Array,
    hash_: Array | None = None,
) -> State:
    """The state of a given position; the fields are those of `State`, and `role` can move. Nothing is captured."""
    chance = role == CHANCE
    first_role = jnp.where(chance, LIGHT, first_role).astype(jnp.int8)
    placed = jnp.minimum(placed, 2)
    cells = jnp.asarray(tables.cells)
    board = jnp.where((cathedral >= 0) & cells[0, cathedral], CATHEDRAL_CODE, EMPTY)
    for owner in range(2):
        covers = (where[owner] >= 0)[:, None] & cells[owner, where[owner]]  # [14, C]
        codes = 1 + pieces.BUILDINGS * owner + jnp.arange(pieces.BUILDINGS)
        board = jnp.where(covers.any(axis=0), (covers * codes[:, None]).sum(axis=0), board)
    board = board.astype(jnp.int8)
    light_area, dark_area = (
        claimable(tables, board, where, placed, owner, foreign_cells(tables, where, cathedral, 1 - owner), 0)
        for owner in jnp.arange(2, dtype=jnp.int8)
    )
    territory = (light_area + 2 * dark_area).astype(jnp.int8)
    following = jnp.where(chance, first_role, role).astype(jnp.int8)
    _, result, reason, legal = _settle(tables, board, territory, where, cathedral, first_role, following)
    if tables.first == BY_COIN:
        legal = jnp.where(chance, pack_numbers(jnp.arange(tables.num_actions) < 2, 1), legal)
    return State(
        **common_fields(role, result, reason, hash_, plies),
        where=where,
        cathedral=cathedral,
        placed=placed,
        first_role=first_role,
        board=board,
        territory=territory,
        legal=legal,
    )


def move(tables: Tables, state: State, action: Array) -> State:
    """The state after a legal action of a game that is not over."""
    after = _place(tables, state, action)
    if tables.first == BY_COIN:
        tossed = _toss(tables, state, action)
        after = jax.tree.map(functools.partial(jnp.where, state.current_role == CHANCE), tossed, after)
    return after


def observe(tables: Tables, state: State, role: Array | int) -> Array:
    """[N, N, planes] float32; see `features` for the planes. Chance sees what light sees."""
    board, own = state.board, jnp.maximum(jnp.asarray(role, jnp.int8), LIGHT)
    enemy = 1 - own
    cellwise = [
        belongs(board, own),
        belongs(board, enemy),
        board == CATHEDRAL_CODE,
        state.territory == own + 1,
        state.territory == enemy + 1,
    ]
    if not tables.full_observation:
        return _grid(tables.size, jnp.stack(cellwise, axis=-1)).astype(jnp.float32)
    grid = _grid(tables.size, board)
    right = jnp.pad((grid[:, 1:] == grid[:, :-1]) & (grid[:, 1:] != EMPTY), ((0, 0), (0, 1)))
    below = jnp.pad((grid[1:] == grid[:-1]) & (grid[1:] != EMPTY), ((0, 1), (0, 0)))
    constants = jnp.concatenate(
        [
            state.where[own] < 0,
            state.where[enemy] < 0,
            jnp.stack([state.cathedral != GONE, own == LIGHT]),
            jnp.asarray(tables.mirrored)[jnp.stack([own, enemy])],
        ]
    )
    planes = [
        _grid(tables.size, jnp.stack([*cellwise, right.reshape(-1), below.reshape(-1)], axis=-1)),
        jnp.broadcast_to(constants, (tables.size, tables.size, *constants.shape)),
    ]
    return jnp.concatenate(planes, axis=-1).astype(jnp.float32)


def _toss(tables: Tables, state: State, action: Array) -> State:
    """The state after the coin has chosen light (0) or dark (1) to be first."""
    first_role = action.astype(jnp.int8)
    hash_ = state.hash ^ _role_key(tables, state.current_role) ^ _role_key(tables, first_role)
    return dataclasses.replace(
        state,
        current_role=first_role,
        rewards=jnp.zeros(2, jnp.float32),
        hash=hash_ ^ jnp.where(first_role != LIGHT, key_words(tables.first_role_key), WORD(0)),
        first_role=first_role,
        legal=pack_numbers(jnp.asarray(tables.piece == pieces.CATHEDRAL), 1),
    )


def _place(tables: Tables, state: State, action: Array) -> State:
    """The state after a placement; `owner` is the role that placed, or for which chance placed the cathedral."""
    piece = jnp.asarray(tables.piece)[action]
    is_building = piece != pieces.CATHEDRAL
    owner = jnp.where(is_building, state.current_role, state.first_role)
    opponent = (1 - owner).astype(jnp.int8)
    is_owner = jnp.arange(2) == owner  # [2]

    code = jnp.where(is_building, 1 + pieces.BUILDINGS * owner + piece, CATHEDRAL_CODE).astype(jnp.int8)
    board = jnp.where(jnp.asarray(tables.cells)[owner, action], code, state.board)
    where = jnp.where(is_owner[:, None] & (jnp.arange(pieces.BUILDINGS) == piece), action, state.where)
    cathedral = jnp.where(is_building, state.cathedral, action)
    placed = jnp.minimum(state.placed + (is_owner & is_building), 2)

    # The owner's areas with one foreign piece become his territory when it is gone, so that he gets those
    # and the ones without, and what is in them is captured. Placing the cathedral claims nothing.
    foreign = foreign_cells(tables, where, cathedral, opponent)
    gained = claimable(tables, board, where, placed, owner, foreign, 1) & is_building
    captured = (foreign >= 0) & gained[foreign]  # [15]
    placement_key = key_words(tables.placement_key)
    hash_ = state.hash ^ placement_key[jnp.where(is_building, owner, 0), action]
    hash_ ^= xor_where(captured[:-1], placement_key[opponent, where[opponent]])
    hash_ ^= jnp.where(captured[-1], placement_key[0, cathedral] ^ key_words(tables.cathedral_gone_key), WORD(0))
    hash_ ^= xor_where((placed == 2) & (state.placed < 2), key_words(tables.claims_key))

    board = jnp.where(gained, EMPTY, board).astype(jnp.int8)
    where = jnp.where(captured[:-1] & ~is_owner[:, None], IN_HAND, where)
    cathedral = jnp.where(captured[-1], GONE, cathedral)
    left = claimable(tables, board, where, placed, opponent, foreign_cells(tables, where, cathedral, owner), 0)
    territory = jnp.where(gained, owner + 1, jnp.where(left, opponent + 1, 0)).astype(jnp.int8)
    role, result, reason, legal = _settle(tables, board, territory, where, cathedral, state.first_role, opponent)

    hash_ ^= _role_key(tables, state.current_role) ^ _role_key(tables, role)
    fields = common_fields(role, result, reason, hash_, state.plies + 1)
    if tables.shaped:
        sizes = jnp.asarray(tables.piece_size)
        largest = jnp.where(state.legal_action_mask, sizes[tables.piece], 0).max()
        claimed = (gained & (state.territory != owner + 1)).sum()
        taken = jnp.where(captured[:-1], sizes[:-1], 0).sum()  # a captured cathedral costs neither side
        own = jnp.where(is_building, claimed + sizes[piece] - largest + taken, 0)
        fields["rewards"] = WIN_BONUS * batched.rewards_of(result) + jnp.where(is_owner, own, -taken)
    return dataclasses.replace(
        state,
        **fields,
        where=where,
        cathedral=cathedral,
        placed=placed,
        board=board,
        territory=territory,
        legal=legal,
    )


def _settle(
    tables: Tables, board: Array, territory: Array, where: Array, cathedral: Array, first_role: Array, following: Array
) -> tuple[Array, Array, Array, Array]:
    """(role to move, result, reason, legal actions) where it is `following`'s turn if he can move."""
    in_hand = (where < 0) & (cathedral != UNPLACED)  # [2, 14]
    options = []  # [A] bool by role
    for role in range(2):
        has_cathedral = (cathedral == UNPLACED) & (first_role == role)
        unusable = jnp.concatenate(
            [(board != EMPTY) | (territory == 2 - role), ~jnp.append(in_hand[role], has_cathedral)]
        ).astype(jnp.float32)
        # Exact in every precision a device may choose: zeros and ones go in, and sums stay below 8.
        options.append(unusable @ jnp.asarray(_usage(tables)[role]) == 0)
    can_move = jnp.stack([option.any() for option in options])
    role = jnp.where(can_move[following] | ~can_move.any(), following, 1 - following).astype(jnp.int8)
    legal = pack_numbers(jnp.where(role == LIGHT, options[0], options[1]), 1)  # nothing when neither can move

    unplaced = (jnp.asarray(tables.piece_size)[: pieces.BUILDINGS] * (where < 0)).sum(axis=1)  # [2]
    over, equal = ~can_move.any(), unplaced[0] == unplaced[1]
    result = jnp.where(over, jnp.where(equal, DRAW, jnp.argmin(unplaced)), ONGOING).astype(jnp.int8)
    reason = jnp.where(over, jnp.where(equal, EQUAL_LEFT, FEWER_LEFT), 0).astype(jnp.int8)
    return role, result, reason, legal


@functools.lru_cache(maxsize=64)
def _usage(tables: Tables) -> np.ndarray:
    """[2, C + 15, A] float32, by role: the cells every placement needs, and the piece."""
    needed = np.zeros((2, pieces.PIECES, tables.num_actions))
    needed[:, tables.piece, np.arange(tables.num_actions)] = 1
    return np.concatenate([tables.cells.transpose(0, 2, 1), needed], axis=1).astype(np.float32)


def _grid(size: int, cells: Array) -> Array:
    """[N, N, ...] from [C, ...]."""
    return cells.reshape(size, size, *cells.shape[1:])


def _role_key(tables: Tables, role: Array) -> Array:
    """[2] uint32."""
    return key_words(tables.role_key)[jnp.where(role == CHANCE, 2, role)]
