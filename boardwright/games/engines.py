"""Interfaces of the two engines of a game: the scalar one in C++, the batched one in JAX.

Both number roles 0 and 1 and results alike: the role that won, `DRAW`, or `ONGOING`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from boardwright._core import PlayoutTally, PuctReport, RolloutReport, SearchReport
    from boardwright.games.base import Position

CHANCE = -1  # the role to move of chance
DRAW, ONGOING = 2, 3


class CorePosition(Protocol):
    """Interface of the position classes of the C++ engine; see `src/core/bindings/position.hpp`."""

    role_to_move: int
    result: int
    reason: int
    hash: int
    plies: int
    continues: bool  # the role to move is in the middle of a move
    last_action: int

    def actions(self) -> list[int]: ...
    def first(self) -> CorePosition: ...  # where the line began
    def count_actions(self) -> int: ...
    def legal_actions(self) -> list[int]: ...
    def legal_mask(self) -> np.ndarray: ...
    def is_legal(self, action: int) -> bool: ...
    def play(self, action: int) -> CorePosition: ...
    def play_all(self, actions: Sequence[int]) -> CorePosition: ...  # raises ValueError at the first illegal one
    def under(self, game: Any) -> CorePosition: ...  # an engine of the same rules, that may observe otherwise
    def observe(self, role: int) -> np.ndarray: ...
    def routes(self) -> list[list[int]]: ...
    def perft(self, depth: int, distinct: bool = False) -> int: ...
    def playouts(self, seed: int, first_game: int, games: int) -> PlayoutTally: ...
    def monte_carlo(self, seed: int, simulations: int, seconds: float, **options: Any) -> RolloutReport: ...


class AlphaBetaSearch(Protocol):
    """Interface of the alpha-beta searches of the C++ engine; see `src/core/bindings/search.hpp`.

    A score is a whole number from the side of the role to move; beyond `DECIDED` it is a forced win, beyond
    `PROVEN` that or a win by endgame tables.
    """

    SCALE: float  # the score that is worth about +0.76 of a game: tanh(score / SCALE)
    DECIDED: int
    PROVEN: int
    WIN: int

    # 0: no limit; `report` is called after every depth
    def search(
        self,
        position: Any,
        depth: int,
        nodes: int,
        seconds: float,
        stopped: Callable[[], bool] | None = None,
        report: Callable[[SearchReport], None] | None = None,
    ) -> SearchReport: ...
    def value(self, position: Any) -> int: ...  # static, of an ongoing position


class PuctSearch(Protocol):
    """Interface of the PUCT searches of the C++ engine; see `src/core/search/puct.hpp`.

    The caller alternates `collect` and `apply`, and evaluates in between what waits in `observations`.
    """

    @property
    def observations(self) -> np.ndarray: ...  # [batch, rows, columns, planes] float32: the first ones wait
    @property
    def roles(self) -> np.ndarray: ...  # [batch] int32: who is to move there
    @property
    def done(self) -> bool: ...  # the root is proven, or the memory is full
    @property
    def ready(self) -> bool: ...  # the position to search is evaluated, so there is something to report
    @property
    def simulations(self) -> int: ...  # since `begin`
    @property
    def nodes(self) -> int: ...  # in the tree
    def begin(self, position: Any, halving: int = 0) -> None: ...  # halving: the simulations of a Gumbel search
    def collect(self, batch: int, simulations: int) -> int: ...  # how many wait; 0 simulations: no limit
    def apply(self, logits: np.ndarray, values: np.ndarray) -> None: ...  # [n, num_actions], [n], float32
    def report(self) -> PuctReport: ...


@dataclass(frozen=True, eq=False)
class Learning:
    """How a learner stores positions and final states, as pure functions of one game.

    A replay buffer holds millions of positions, so `pack` encodes one in a few 32-bit words, and `unpack` returns a
    state with the same observation, role to move and legal actions. The history for repetitions is not stored, so an
    unpacked state must not be played on.
    """

    pack: Callable[[Any], Any]  # state -> [W] uint32
    unpack: Callable[[Any], Any]  # [W] uint32 -> state
    holders: Callable[[Any], Any]  # state -> [cells] int8: 0 neither, 1 role 0, 2 role 1 holds a cell
    margin: Callable[[Any], Any]  # state -> float32: by how much role 0 is ahead, from about -1 to 1
    views: np.ndarray  # [2, cells] int32: which cell is where each role observes it


@dataclass(frozen=True, eq=False)
class ProvenResults:
    """A game's endgame tables for batched states. The tables are megabytes: pass them as data."""

    tables: Any  # a pytree of arrays
    # tables, state -> int8: the role that wins with best play, DRAW, or ONGOING if not covered
    result: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class BatchEnv:
    """The batched engine: pure functions of one game, for `jax.jit` and `jax.vmap`.

    `step` expects a legal action; a state that has terminated stays as it is, with zero rewards. What
    chance does is an action like any other, chosen by the caller: keys are there for games whose
    start is drawn.
    """

    init: Callable[[Any], Any]  # key -> state
    step: Callable[[Any, Any, Any], Any]  # state, action, key -> state
    observe: Callable[[Any, Any], Any]  # state, role -> [rows, columns, planes] float32
    from_position: Callable[[Position], Any]  # a scalar position without its past -> state


def zobrist_keys(count: int, seed: int) -> np.ndarray:
    """[count] uint64 from SplitMix64 for hashing positions: the same for ever, since records hold hashes."""
    keys = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
