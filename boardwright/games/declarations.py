"""Declarations of a game other than its rules: openings, rules text, ladder, search, protocols, benchmark."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Opening:
    """An opening that matches start from."""

    number: int  # in the game's list
    moves: tuple[str, ...]
    deck: str  # the part of the list it belongs to
    name: str  # may be empty
    position: str  # text of the position it leads to


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a game's rules text."""

    title: str
    text: str


@dataclass(frozen=True)
class LadderRow:
    """A player whose strength is measured on a game's ladder; see `arena/ladder.py`."""

    spec: str
    label: str | None = None  # shown to people; None: rated, but not offered as an opponent
    after: str = ""  # of a game's own player: the spec of the common row that it follows


@dataclass(frozen=True, eq=False)
class SearchResources:
    """What a search in the scalar engine uses in addition to the rules."""

    tables: Path | None = None  # folder of endgame tables
    net: Mapping[str, np.ndarray] | None = None  # weights of an evaluation network, by the names of `nets/layout.py`


@dataclass(frozen=True)
class GameProtocol:
    """An engine protocol of one game: its client and engine, as import paths `module:attribute`."""

    dialect: str  # the client: `agents.dialects.Dialect`
    engine: str  # the engine: `protocols.session.Engine`


@dataclass(frozen=True)
class Peer:
    """A figure of another program, for comparison."""

    key: str  # of the figure it belongs to, see `bench/engine.py`
    name: str  # what it is and where it was measured
    measure: Callable[[], float | None]  # its figure; None if the other program is not installed
    gpu: bool = False  # comparable only with figures of a GPU


@dataclass(frozen=True)
class Benchmark:
    """What `boardwright bench engine` measures of a game."""

    perft_rules: str
    perft_depth: int
    playout_rules: tuple[str, ...]  # also those of the batched engine; keys of all but the first name them
    peers: tuple[Peer, ...] = ()
    extras: Callable[[], Iterator[tuple[str, str, float, str]]] | None = None  # key, label, value, unit
