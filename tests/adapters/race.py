"""Race, a game made to trip adapters: who moves next follows no pattern, and chance moves.

Two runners start on cell 0; the first on the last cell wins. Chance moves first and calls a runner, or
lets fog fall and moves again; the third fog ends the race in a draw, with chance still to move, but
cannot fall before the race is under way. The runner called walks a cell, and moves again if its new
cell is even, or jumps two cells, which hands over to chance.

Not a test itself. It fulfils the contract as far as the adapters need it.
"""

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from toy_game import ToyCore, ToyGame

from boardwright.games.base import CHANCE, DRAW, ONGOING, BatchEnv, Position
from boardwright.games.batched import make_env
from boardwright.views.scene import Piece, Scene

CALL_0, CALL_1, FOG, WALK, JUMP = range(5)
LAST = 6  # number of the cell on which a runner wins
MAX_PLIES = 2 * 2 * LAST + 3  # plies: a step for each cell of both runners, a call before each, and fogs


@dataclass(frozen=True)
class Core(ToyCore):
    """One position and its line; the scalar engine."""

    cells: tuple[int, int] = (0, 0)
    fogs: int = 0
    role_to_move: int = CHANCE
    line: tuple[int, ...] = ()
    num_actions: ClassVar = 5

    @property
    def result(self) -> int:
        if LAST in self.cells:
            return self.cells.index(LAST)
        return DRAW if self.fogs == 3 else ONGOING

    @property
    def reason(self) -> int:
        return {ONGOING: 0, DRAW: 2}.get(self.result, 1)

    def legal_actions(self) -> list[int]:
        if self.result != ONGOING:
            return []
        if self.role_to_move == CHANCE:
            return [CALL_0, CALL_1, FOG] if self.fogs < 2 or any(self.cells) else [CALL_0, CALL_1]
        return [WALK, JUMP] if self.cells[self.role_to_move] + 2 <= LAST else [WALK]

    def play(self, action: int) -> "Core":
        line = (*self.line, action)
        if action == FOG:
            return Core(self.cells, self.fogs + 1, CHANCE, line)
        if action in (CALL_0, CALL_1):
            return Core(self.cells, self.fogs, action, line)
        role = self.role_to_move
        cell = self.cells[role] + action - WALK + 1
        cells = (cell, self.cells[1]) if role == 0 else (self.cells[0], cell)
        moves_again = action == WALK and cell % 2 == 0
        return Core(cells, self.fogs, role if moves_again else CHANCE, line)

    def observe(self, role: int) -> np.ndarray:
        planes = np.zeros((1, LAST + 1, 3), np.float32)
        planes[0, self.cells[role], 0] = 1
        planes[0, self.cells[1 - role], 1] = 1
        planes[..., 2] = self.role_to_move == role
        return planes


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """One position and its line; the batched engine."""

    current_role: Array
    rewards: Array
    terminated: Array
    result: Array
    cells: Array  # [2] int32
    fogs: Array  # int32
    line: Array  # [MAX_PLIES] int32: the actions so far, then -1

    @property
    def legal_action_mask(self) -> Array:
        chance = self.current_role == CHANCE
        fog = (self.fogs < 2) | self.cells.any()
        jump = self.cells[self.current_role] + 2 <= LAST
        return jnp.stack([chance, chance, chance & fog, ~chance, ~chance & jump]) & ~self.terminated


def init(key: Array) -> State:
    del key
    return State(
        current_role=jnp.int8(CHANCE),
        rewards=jnp.zeros(2, jnp.float32),
        terminated=jnp.bool_(False),
        result=jnp.int8(ONGOING),
        cells=jnp.zeros(2, jnp.int32),
        fogs=jnp.int32(0),
        line=jnp.full(MAX_PLIES, -1, jnp.int32),
    )


def move(state: State, action: Array) -> State:
    walked = jnp.where(action >= WALK, action - WALK + 1, 0)
    cells = state.cells + jnp.where(jnp.arange(2) == state.current_role, walked, 0)
    moves_again = (action == WALK) & (cells[state.current_role] % 2 == 0)
    role = jnp.where(moves_again, state.current_role, CHANCE)
    fogs = state.fogs + (action == FOG)
    won = cells == LAST
    return dataclasses.replace(
        state,
        current_role=jnp.where(action <= CALL_1, action, role).astype(jnp.int8),
        result=jnp.where(won.any(), won.argmax(), jnp.where(fogs == 3, DRAW, ONGOING)).astype(jnp.int8),
        cells=cells,
        fogs=fogs,
        line=state.line.at[(state.line >= 0).sum()].set(action),
    )


def observe(state: State, role: Array) -> Array:
    own, other = (jnp.arange(LAST + 1) == state.cells[runner] for runner in (role, 1 - role))
    turn = jnp.broadcast_to(state.current_role == role, own.shape)
    return jnp.stack([own, other, turn], axis=-1)[None].astype(jnp.float32)


class Race(ToyGame):
    core_type = Core
    has_chance = True
    name = "race"
    title = "Race"
    roles = ("hares", "tortoises")
    reasons: ClassVar = ("", "first home", "fog")
    num_actions = Core.num_actions
    observation_shape = (1, LAST + 1, 3)
    planes = ("own runner", "other runner", "own turn")

    def batch(self) -> BatchEnv:
        return make_env(init=init, move=move, observe=observe, from_position=lambda position: None)

    def position_text(self, core: Core) -> str:
        return f"{core.cells[0]} {core.cells[1]} {core.role_to_move} {core.fogs}"

    def action_text(self, core: Core, action: int) -> str:
        return ("call 0", "call 1", "fog", "walk", "jump")[action]

    def why_illegal(self, core: Core, action: int) -> str:
        return f"{self.action_text(core, action)}: not now"

    def scene(self, position: Position) -> Scene:
        core: Any = position.core
        runners = [Piece((role, cell), role, "HT"[role]) for role, cell in enumerate(core.cells)]
        return Scene(rows=2, columns=LAST + 1, title=self.title, pieces=tuple(runners))
