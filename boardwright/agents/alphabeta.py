"""Alpha-beta search in the scalar engine, for every game: `alphabeta:time=2s`, `alphabeta:depth=6,threads=2`.

Iterative deepening with a transposition table and quiescence; see `src/core/search/alphabeta.hpp`. In
Cathedral `dynamic=on` plays to that game's paper: one move ahead with 100 or more legal moves, else two. In draughts
`net=PATH` asks a small net how positions stand.
"""

import functools
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.netchoice import NETS_KEPT, check_evaluation, written
from boardwright.agents.specs import A_SECOND, DEPTH, NODES, SEED, TIME, Option, Player, limit_of, on_off, whole
from boardwright.errors import OutOfMemoryError
from boardwright.games.base import CHANCE, AlphaBetaSearch, Game, Position
from boardwright.nets import shipped

if TYPE_CHECKING:
    from boardwright._core import SearchReport
    from boardwright.nets.netfile import NetFile

MANY_MOVES = 100  # legal moves from which the Cathedral paper looks one move ahead only

HASH = Option("hash", "megabytes of memory for positions met before", whole(1, 65536), "N", "64")
THREADS = Option("threads", "threads that search together", whole(1, 256), "N", "1")
DYNAMIC = Option("dynamic", "the paper's depth: 1 with 100 or more legal moves, else 2", on_off, "on|off", "off")


def _table_folder(text: str) -> Path | None:
    if text == "off":
        return None
    if not Path(text).is_dir():
        raise ValueError("off or a folder made with 'boardwright tablebase build'")
    return Path(text)


TABLES = Option("tables", "folder of endgame tables instead of those that ship, or off", _table_folder, "DIR|off", "")
NET = Option("net", "a net to evaluate positions with: a file, or the name of one that ships", str, "PATH", "")


class AlphaBetaPlayer(Agent):
    """Keeps its transposition table from move to move."""

    def __init__(self, search: AlphaBetaSearch, limit: Limit, seed: int | None = None, dynamic: bool = False):
        self._search = search
        self._limit = limit
        self._dynamic = dynamic
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The first move of the principal variation; a random one where chance is to move."""
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(position.legal_actions()))
        if limit.seconds is None and limit.nodes is None and limit.depth is None:
            limit = self._limit
        depth = limit.depth or 0
        if self._dynamic:
            depth = 1 if position.count_actions() >= MANY_MOVES else 2
        found = self._search.search(
            position.core,
            depth,
            limit.nodes or 0,
            limit.seconds or 0.0,
            None if watch is None else lambda: watch.stopped,
            None if watch is None else lambda found: watch.report(self._choice(found)),
        )
        return self._choice(found)

    def _choice(self, found: "SearchReport") -> Choice:
        if abs(found.score) > self._search.DECIDED:
            value = math.copysign(1.0, found.score)
        else:
            value = math.tanh(found.score / self._search.SCALE)
        line = found.principal_variation
        return Choice(line[0], value, line=tuple(line), nodes=found.nodes, depth=found.depth)


def _make(game: Game, chosen: Mapping[str, Any]) -> Agent:
    extra: dict[str, Any] = {"tables": chosen["tables"]} if "tables" in chosen else {}
    if "net" in chosen:
        extra["net"] = _weights(chosen["net"], game)
    try:
        search = game.alphabeta(megabytes=chosen["hash"], threads=chosen["threads"], **extra)
    except MemoryError:
        raise OutOfMemoryError(
            f"player 'alphabeta': no memory for a table of {chosen['hash']} MB: give a smaller hash=N"
        ) from None
    return AlphaBetaPlayer(search, limit_of(chosen, A_SECOND), chosen.get("seed"), chosen.get("dynamic", False))


def _weights(net: str, game: Game) -> Mapping[str, np.ndarray]:
    """What the search is told of a net, by the names of `nets/layout.py`; raises NetError for one it cannot ask."""
    path = shipped.find(net)
    file = _read(path, written(path))
    check_evaluation(file, game)
    return file.weights


@functools.lru_cache(maxsize=NETS_KEPT)
def _read(path: Path, when: object) -> "NetFile":
    """The net in a file that was last written then: players are made anew for every game of a match, nets are not."""
    del when  # one that is written anew is another
    from boardwright.nets import netfile

    return netfile.read(path)


_OPTIONS = (TIME, NODES, DEPTH, THREADS, HASH)
_SUMMARY = "alpha-beta search with iterative deepening"

PLAYERS = (
    Player("alphabeta", _SUMMARY, _make, _OPTIONS),
    Player("alphabeta", f"{_SUMMARY} and endgame tables", _make, (*_OPTIONS, TABLES, NET), games=("draughts",)),
    Player("alphabeta", _SUMMARY, _make, (*_OPTIONS, DYNAMIC, SEED), games=("cathedral",)),
)
