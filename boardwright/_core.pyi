"""Boardwright's scalar engine: one game at a time, as fast as the machine allows. Built from src/core.

Results are the number of the role that won, 2 for a draw, 3 while the game goes on.
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np

class _Position:
    """A position and the line behind it; immutable. Every game's position class has these."""

    @property
    def role_to_move(self) -> int: ...
    @property
    def result(self) -> int: ...
    @property
    def reason(self) -> int: ...
    @property
    def hash(self) -> int: ...
    @property
    def plies(self) -> int: ...  # whole moves
    @property
    def continues(self) -> bool: ...  # the role to move is in the middle of a move
    @property
    def last_action(self) -> int: ...  # -1 in a first position
    def actions(self) -> list[int]: ...
    def first(self) -> Self: ...  # where the line began
    def count_actions(self) -> int: ...
    def legal_actions(self) -> list[int]: ...
    def legal_mask(self) -> np.ndarray: ...  # [num_actions] bool
    def is_legal(self, action: int) -> bool: ...
    def play(self, action: int) -> Self: ...
    def under(self, game: Any) -> Self: ...  # an engine of the same rules, that may observe otherwise
    def observe(self, role: int) -> np.ndarray: ...  # [rows, columns, planes] float32
    def routes(self) -> list[list[int]]: ...  # the actions of every whole move
    def perft(self, depth: int, distinct: bool = False) -> int: ...
    def playouts(
        self, seed: int, first_game: int, games: int
    ) -> tuple[list[int], int, int, int]: ...  # outcomes by result, plies, actions played, legal actions summed
    def monte_carlo(
        self,
        seed: int,
        simulations: int,
        seconds: float,
        *,
        losses_count: bool = True,
        log_of_children: bool = False,
        foresee: bool = False,
        prove: bool = False,
        depth: int | None = None,
        root_actions: list[int] = [],
        threads: int = 1,
        watch: Callable[[Any], bool] | None = None,
    ) -> tuple[
        list[int], list[int], list[float], list[int], int
    ]: ...  # actions, visits, values, principal variation, simulations done; see search/rollout.hpp

class _AlphaBeta:
    """A player's alpha-beta search, with its table of positions."""

    SCALE: float
    DECIDED: int
    PROVEN: int
    WIN: int
    def search(
        self,
        position: Any,
        depth: int,
        nodes: int,
        seconds: float,
        stopped: Callable[[], bool] | None = None,
        report: Callable[[list[int], int, int, int, float], None] | None = None,
    ) -> tuple[list[int], int, int, int, float]: ...  # line, score, depth, nodes, seconds
    def value(self, position: Any) -> int: ...
    def features(self, position: Any) -> list[tuple[str, int]]: ...

class _Puct:
    """A player's PUCT search, with its tree; see `boardwright.games.engines.PuctSearch`."""

    @property
    def observations(self) -> np.ndarray: ...  # [batch, rows, columns, planes] float32
    @property
    def roles(self) -> np.ndarray: ...  # [batch] int32
    @property
    def done(self) -> bool: ...
    @property
    def ready(self) -> bool: ...
    @property
    def simulations(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def begin(self, position: Any, halving: int = 0) -> None: ...
    def collect(self, batch: int, simulations: int) -> int: ...
    def apply(self, logits: np.ndarray, values: np.ndarray) -> None: ...
    def report(
        self,
    ) -> tuple[
        list[int], list[int], list[float], list[float], list[int], float, int, int
    ]: ...  # actions, visits, values, policy, principal variation, value, simulations, evaluations

class TablutPosition(_Position):
    @property
    def quiet(self) -> int: ...
    @property
    def seen(self) -> int: ...
    def board(self) -> np.ndarray: ...  # [81] int8
    def king_can_be_captured(self) -> bool: ...  # at once, were attackers to move
    def threatened(self, role: int) -> list[int]: ...  # squares of men that some single move would take
    def victory_path(self) -> tuple[int, int]: ...  # PathKind of tablut_tactics.hpp, first action or -1
    def forced_win(self, role: int, plies: int) -> bool: ...  # by looking at every line of play
    def forced_escape(self, threats: int) -> bool: ...  # defenders to move: a path, now or after so many threats
    def greedy_actions(self, wins_first: bool) -> list[int]: ...
    def heuristic_actions(self) -> list[int]: ...
    def heuristic_scores(self) -> dict[int, int]: ...  # by legal action

class TablutAlphaBeta(_AlphaBeta):
    def __init__(self, game: Tablut, megabytes: int, threads: int) -> None: ...

class TablutPuct(_Puct):
    def __init__(self, game: Tablut, megabytes: int, batch: int, seed: int) -> None: ...

class Tablut:
    """The engine of one rule set, made from `boardwright.games.tablut.rules.Tables`."""

    def __init__(self, tables: Any) -> None: ...
    def start(self) -> TablutPosition: ...
    def setup(self, board: np.ndarray, to_move: int, quiet: int, plies: int) -> TablutPosition: ...

class DraughtsPosition(_Position):
    @property
    def black(self) -> int: ...  # 32 bits, square s is bit s - 1
    @property
    def white(self) -> int: ...
    @property
    def kings(self) -> int: ...
    @property
    def continuing(self) -> int: ...  # square of the piece that must go on capturing, or 0
    @property
    def quiet(self) -> int: ...
    @property
    def seen(self) -> int: ...

class DraughtsAlphaBeta(_AlphaBeta):
    """`net`: float32 weights of an evaluation net, by the names of `boardwright.nets.layout`; None: features."""

    def __init__(
        self,
        game: Draughts,
        megabytes: int,
        threads: int,
        tables: str | None = None,
        net: dict[str, np.ndarray] | None = None,
    ) -> None: ...

class DraughtsPuct(_Puct):
    def __init__(self, game: Draughts, megabytes: int, batch: int, seed: int, tables: str | None = None) -> None: ...

class Draughts:
    """The engine of one rule set and view, made from `boardwright.games.draughts.rules.Tables`."""

    def __init__(self, tables: Any) -> None: ...
    def start(self) -> DraughtsPosition: ...
    def setup(
        self, black: int, white: int, kings: int, to_move: int, continuing: int, quiet: int, plies: int
    ) -> DraughtsPosition: ...

class CathedralPosition(_Position):
    def where(self) -> np.ndarray: ...  # [2, 14] int32: action of each building on the board, -1 in hand
    def placed(self) -> list[int]: ...  # buildings placed so far by each role, at most 2
    def rewards(self) -> list[float]: ...  # of the last action, by role
    def territory(self, role: int) -> list[int]: ...  # cells x * size + y
    @property
    def cathedral(self) -> int: ...  # its action; -1 to be placed, -2 captured
    @property
    def first_role(self) -> int: ...

class CathedralAlphaBeta(_AlphaBeta):
    def __init__(self, game: Cathedral, megabytes: int, threads: int) -> None: ...

class CathedralPuct(_Puct):
    def __init__(self, game: Cathedral, megabytes: int, batch: int, seed: int) -> None: ...

class Cathedral:
    """The engine of one rule set and observation, made from `boardwright.games.cathedral.rules.Tables`."""

    def __init__(self, tables: Any) -> None: ...
    def start(self) -> CathedralPosition: ...
    def setup(
        self, where: np.ndarray, cathedral: int, placed: list[int], to_move: int, first_role: int, plies: int
    ) -> CathedralPosition: ...

# The draughts endgame tables; `boardwright.games.draughts.tablebase` is what to use.

TABLEBASE_MOST_PIECES: int

class TablebaseFileError(ValueError): ...

def tablebase_tables(pieces: int) -> list[tuple[str, int]]: ...  # name of each table, numbers of positions in it

class DraughtsTables:
    """The tables of a folder, opened and checked."""

    def __init__(self, folder: str, pieces: int = 0) -> None: ...  # 0: as many as there are files for
    @property
    def pieces(self) -> int: ...
    def probe(
        self, black: int, white: int, kings: int, role: int, going_on: int = 0
    ) -> tuple[int, int | None]: ...  # 0 loss, 1 draw, 2 win of `role`; plies, None for a draw
    def outcome(self, black: int, white: int, kings: int, role: int) -> int: ...  # quicker: no plies
    def counts(self, pieces: int) -> tuple[int, int, int, int, int]: ...  # positions, wins, draws, losses, longest win
    def slice_counts(self, name: str) -> tuple[int, int, int, int, int]: ...  # the mover's pieces first, as KK-K
    # men and kings of the mover, of the enemy, and number of the first position, for each slice; the outcomes, two bits
    # each, sixteen a word, uint32
    def packed(self, threads: int) -> tuple[list[tuple[int, int, int, int, int]], np.ndarray]: ...
    def verify(self, pieces: int, threads: int) -> tuple[int, int, int]: ...  # positions, wrong values, wrong counts

class DraughtsTableBuilder:
    """Solves one table after another, in the order of `tablebase_tables`, into a folder."""

    def __init__(self, folder: str, threads: int) -> None: ...
    def has(self, name: str) -> bool: ...  # whether the table's file is there and whole
    def build(self, name: str, progress: Callable[[int], None] | None = None) -> None: ...  # told positions done
