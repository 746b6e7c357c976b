"""Alpha-beta search in the scalar engine, for every game: `alphabeta:time=2s`, `alphabeta:depth=6,threads=2`.

Iterative deepening with a transposition table and quiescence; see `src/core/search/alphabeta.hpp`. Games with
endgame tables have the option `tables`, and games with evaluation networks the option `net`.
"""

import functools
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardwright.agents.base import Agent, Choice, Limit, Watch
from boardwright.agents.netchoice import NETS_CACHED, check_evaluation, file_stamp
from boardwright.agents.specs import DEFAULT_LIMIT, DEPTH, NODES, THREADS, TIME, Option, Player, limit_of, whole
from boardwright.errors import OutOfMemoryError
from boardwright.games.base import CHANCE, AlphaBetaSearch, Game, Position, SearchResources
from boardwright.nets import shipped

if TYPE_CHECKING:
    from boardwright._core import SearchReport
    from boardwright.nets.netfile import NetFile

HASH = Option("hash", "size of the transposition table in MB", whole(1, 65536), "N", "64")


def _table_folder(text: str) -> Path | None:
    if text == "off":
        return None
    if not Path(text).is_dir():
        raise ValueError("off or a folder made with 'boardwright tablebase build'")
    return Path(text)


TABLES = Option("tables", "folder of endgame tables instead of the shipped ones, or off", _table_folder, "DIR|off", "")
NET = Option("net", "evaluation network: a file, or the name of a shipped net", str, "PATH", "")


class AlphaBetaPlayer(Agent):
    """An alpha-beta search that keeps its transposition table between moves."""

    def __init__(self, search: AlphaBetaSearch, limit: Limit, seed: int | None = None):
        self._search = search
        self._limit = limit
        self._random = random.Random(seed)

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The first move of the principal variation; a random one where chance is to move."""
        if position.role_to_move == CHANCE:
            return Choice(self._random.choice(position.legal_actions()))
        if limit.seconds is None and limit.nodes is None and limit.depth is None:
            limit = self._limit
        found = self._search.search(
            position.core,
            self._depth(position, limit),
            limit.nodes or 0,
            limit.seconds or 0.0,
            None if watch is None else lambda: watch.stopped,
            None if watch is None else lambda found: watch.report(self._choice(found)),
        )
        return self._choice(found)

    def _depth(self, position: Position, limit: Limit) -> int:
        """Whole moves to search ahead; 0 for no bound."""
        return limit.depth or 0

    def _choice(self, found: "SearchReport") -> Choice:
        if abs(found.score) > self._search.DECIDED:
            value = math.copysign(1.0, found.score)
        else:
            value = math.tanh(found.score / self._search.SCALE)
        line = found.principal_variation
        return Choice(line[0], value, line=tuple(line), nodes=found.nodes, depth=found.depth)


def make(game: Game, chosen: Mapping[str, Any], kind: type[AlphaBetaPlayer] = AlphaBetaPlayer) -> Agent:
    """The player with these options; raises BoardwrightError."""
    net = None
    if "net" in chosen:
        path = shipped.find(chosen["net"])
        file = _read(path, file_stamp(path))
        check_evaluation(file, game)
        net = file.weights
    resources = SearchResources(tables=chosen.get("tables", game.shipped_tables), net=net)
    try:
        search = game.alphabeta(chosen["hash"], chosen["threads"], resources)
    except MemoryError:
        raise OutOfMemoryError(
            f"player 'alphabeta': not enough memory for a table of {chosen['hash']} MB: use a smaller hash=N"
        ) from None
    return kind(search, limit_of(chosen, DEFAULT_LIMIT), chosen.get("seed"))


@functools.lru_cache(maxsize=NETS_CACHED)
def _read(path: Path, stamp: object) -> "NetFile":
    """The net in a file, cached between the games of a match; `stamp` changes when the file does."""
    from boardwright.nets import netfile

    return netfile.read(path)


OPTIONS = (TIME, NODES, DEPTH, THREADS, HASH)
SUMMARY = "alpha-beta search with iterative deepening"


def player(game: Game) -> Player:
    """`alphabeta`, with the options that a game supports."""
    summary, options = SUMMARY, OPTIONS
    if game.shipped_tables is not None:
        summary, options = f"{SUMMARY} and endgame tables", (*options, TABLES)
    if game.evaluation_observation is not None:
        options = (*options, NET)
    return Player("alphabeta", summary, make, options)
