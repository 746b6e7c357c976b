"""Tic-tac-toe: small and solved, so that tests can check what learners find. Not a test itself.

    monkeypatch.setitem(registry.GAMES, "tictactoe", "tictactoe:TicTacToe")

Cells are numbered row by row, and so are actions. It fulfils the contract as far as learners need it;
`solved` returns the value of every reachable position.
"""

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from toy_game import ToyCore, ToyGame

from boardwright.games import batched
from boardwright.games.base import (
    DRAW,
    ONGOING,
    BatchEnv,
    Learning,
    PolicyPlanes,
    Position,
    Symmetry,
    entries_by_cell,
)
from boardwright.games.batched import pack_numbers, unpack_numbers
from boardwright.games.geometry import dihedral_group
from boardwright.views.scene import Piece, Scene

SIZE, CELLS = 3, 9
ROWS = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
THREE_IN_A_ROW, FULL_BOARD = 1, 2  # reasons


@dataclass(frozen=True)
class Core(ToyCore):
    """One position and its line; the scalar engine. Role 0 begins."""

    line: tuple[int, ...] = ()
    num_actions: ClassVar = CELLS

    @property
    def board(self) -> tuple[int, ...]:
        """By cell: 0 empty, 1 + role that has it."""
        cells = [0] * CELLS
        for ply, cell in enumerate(self.line):
            cells[cell] = 1 + ply % 2
        return tuple(cells)

    @property
    def role_to_move(self) -> int:
        return len(self.line) % 2

    @property
    def plies(self) -> int:
        return len(self.line)

    @property
    def hash(self) -> int:
        return sum(held * 3**cell for cell, held in enumerate(self.board))

    @property
    def result(self) -> int:
        board = self.board
        for role in range(2):
            if any(all(board[cell] == 1 + role for cell in row) for row in ROWS):
                return role
        return DRAW if len(self.line) == CELLS else ONGOING

    @property
    def reason(self) -> int:
        return {ONGOING: 0, DRAW: FULL_BOARD}.get(self.result, THREE_IN_A_ROW)

    def legal_actions(self) -> list[int]:
        return [] if self.result != ONGOING else [cell for cell, held in enumerate(self.board) if not held]

    def play(self, action: int) -> "Core":
        return Core((*self.line, action))

    def observe(self, role: int) -> np.ndarray:
        board = np.array(self.board)
        return np.stack([board == 1 + role, board == 2 - role], axis=-1).reshape(SIZE, SIZE, 2).astype(np.float32)


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """One position; the batched engine."""

    current_role: Array  # int8
    rewards: Array  # [2] float32
    terminated: Array  # bool
    result: Array  # int8
    reason: Array  # int8
    hash: Array  # [2] uint32
    plies: Array  # int32
    board: Array  # [9] int8: 0 empty, 1 + role that has it

    @property
    def legal_action_mask(self) -> Array:
        """[..., 9] bool."""
        return (self.board == 0) & ~self.terminated[..., None]


def set_up(board: Array) -> State:
    """The position of a board [9], with zero rewards."""
    board = board.astype(jnp.int8)
    plies = (board > 0).sum().astype(jnp.int32)
    has_row = jnp.stack([(board[ROWS] == 1 + role).all(axis=1).any() for role in range(2)])
    result = jnp.where(has_row.any(), has_row.argmax(), jnp.where(plies == CELLS, DRAW, ONGOING)).astype(jnp.int8)
    number = (board.astype(jnp.uint32) * jnp.asarray(3 ** np.arange(CELLS), jnp.uint32)).sum(dtype=jnp.uint32)
    return State(
        current_role=(plies % 2).astype(jnp.int8),
        rewards=jnp.zeros(2, jnp.float32),
        terminated=result != ONGOING,
        result=result,
        reason=jnp.where(has_row.any(), THREE_IN_A_ROW, jnp.where(plies == CELLS, FULL_BOARD, 0)).astype(jnp.int8),
        hash=jnp.stack([number, jnp.uint32(0)]),
        plies=plies,
        board=board,
    )


def init(key: Array) -> State:
    del key
    return set_up(jnp.zeros(CELLS, jnp.int8))


def move(state: State, action: Array) -> State:
    return set_up(jnp.where(jnp.arange(CELLS) == action, 1 + state.current_role, state.board))


def observe(state: State, role: Array) -> Array:
    own, other = state.board == 1 + role, state.board == 2 - role
    return jnp.stack([own, other], axis=-1).reshape(SIZE, SIZE, 2).astype(jnp.float32)


@functools.cache
def solved() -> dict[tuple[int, ...], dict[int, int]]:
    """By board of every reachable position that is not over: the value of each action to the mover with best play,
    1, 0 or -1.
    """
    values: dict[tuple[int, ...], dict[int, int]] = {}

    def value(core: Core) -> int:
        if core.result != ONGOING:
            return 0 if core.result == DRAW else 1 if core.result == core.role_to_move else -1
        if core.board not in values:
            values[core.board] = {action: -value(core.play(action)) for action in core.legal_actions()}
        return max(values[core.board].values())

    value(Core())
    return values


class TicTacToe(ToyGame):
    core_type = Core
    name = "tictactoe"
    title = "Tic-tac-toe"
    roles = ("crosses", "noughts")
    reasons: ClassVar = ("", "three in a row", "full board")
    num_actions = CELLS
    observation_shape = (SIZE, SIZE, 2)
    planes = ("own marks", "enemy marks")

    def batch(self) -> BatchEnv:
        def from_position(position: Position) -> State:
            core: Any = position.core
            return set_up(jnp.asarray(core.board))

        return batched.make_env(init=init, move=move, observe=observe, from_position=from_position)

    def learning(self) -> Learning:
        cells = np.arange(CELLS, dtype=np.int32)
        return Learning(
            pack=lambda state: pack_numbers(state.board, 2),
            unpack=lambda words: set_up(unpack_numbers(words, CELLS, 2)),
            holders=lambda state: state.board,
            margin=lambda state: ((state.result == 0) - 1.0 * (state.result == 1)).astype(jnp.float32),
            views=np.stack([cells, cells]),
        )

    def symmetries(self) -> tuple[Symmetry, ...]:
        return tuple(
            Symmetry(name, np.asarray(cells, np.int32), entries_by_cell(cells, 2))
            for name, cells in dihedral_group(SIZE)
        )

    def policy_planes(self) -> PolicyPlanes:
        return PolicyPlanes(1, np.arange(CELLS, dtype=np.int32))

    def position_text(self, core: Any) -> str:
        return "".join(".xo"[held] for held in core.board)

    def action_text(self, core: Any, action: int) -> str:
        return "abc"[action % SIZE] + str(action // SIZE + 1)

    def why_illegal(self, core: Any, action: int) -> str:
        return f"{self.action_text(core, action)}: the cell is occupied"

    def scene(self, position: Position) -> Scene:
        core: Any = position.core
        pieces = [Piece(divmod(cell, SIZE), held - 1, ".XO"[held]) for cell, held in enumerate(core.board) if held]
        return Scene(rows=SIZE, columns=SIZE, title=self.title, pieces=tuple(pieces))
