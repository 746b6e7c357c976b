"""What a game declares in addition to its rules: openings, rules text, ladder, search, protocols, benchmark."""

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
    name: str  # empty where it has none
    position: str  # text of the position it leads to


@dataclass(frozen=True)
class Paragraph:
    """A part of what a person reads to learn a game."""

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
    """A protocol that programs of one game speak: its two sides, as import paths `module:attribute`."""

    dialect: str  # asks such a program for a move: `agents.dialects.Dialect`
    engine: str  # is such a program: `protocols.serve.Engine`


@dataclass(frozen=True)
class Peer:
    """Another program's figure, to compare ours with."""

    key: str  # of the figure it belongs to, see `bench/engine.py`
    name: str  # what it is and where it was measured
    measure: Callable[[], float | None]  # its figure; None where the other program is not installed
    gpu: bool = False  # only to be compared with figures of a GPU


@dataclass(frozen=True)
class Benchmark:
    """What `boardwright bench engine` measures of a game."""

    perft_rules: str
    perft_depth: int
    playout_rules: tuple[str, ...]  # also those of the batched engine; keys of all but the first name them
    peers: tuple[Peer, ...] = ()
    extras: Callable[[], Iterator[tuple[str, str, float, str]]] | None = None  # key, label, value, unit
