"""The interface of a game.

A *game* here is a set of rules bound to one rule set: `boardwright.game("tablut", rules="tablutzero")`.

* Two **roles**, numbered 0 and 1, that may be unequal (attackers and defenders). Roles are not
  players: the code that starts a game assigns players to roles.
* **Actions** are numbers below `num_actions`, the same in both engines. A role may act several times
  in a row, because its move takes several actions or because the other must pass. Chance may act
  (`CHANCE`): its legal actions are all equally likely. Never assume alternating turns: read `role_to_move`.
* The **scalar engine** (C++) walks one game at a time and is reached through `Position`, which is
  immutable and holds the line of play that led to it.
* The **batched engine** (JAX) plays thousands of games at once and is reached through `batch()`.
* **Text** is for people and files: positions, moves, and why a move is illegal.

`tests/contract` checks every registered game against this interface, and both engines against each other.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from boardwright.errors import BoardwrightError, GameFileError
from boardwright.games.declarations import Benchmark, GameProtocol, Opening, Paragraph, Peer, SearchResources
from boardwright.games.engines import (
    CHANCE,
    DRAW,
    ONGOING,
    AlphaBetaSearch,
    BatchEnv,
    Learning,
    ProvenResults,
    PuctSearch,
)
from boardwright.games.geometry import PolicyPlanes, PolicyTable, Symmetry, entries_by_cell
from boardwright.games.position import Outcome, Position

if TYPE_CHECKING:
    from pathlib import Path

    from boardwright.games.declarations import LadderRow
    from boardwright.games.record import GameRecord
    from boardwright.views.scene import Cell, Gesture, Scene


class Rules(Protocol):
    """A rule set: a frozen, hashable dataclass with a name."""

    @property
    def name(self) -> str: ...  # in `--rules` and records


@dataclass(frozen=True)
class Move:
    """A whole move: usually one action; a capture in several hops is several."""

    text: str
    actions: tuple[int, ...]


class Game(ABC):
    """One game under one rule set. Subclasses fill in the class fields and the abstract methods."""

    name: ClassVar[str]
    title: ClassVar[str]
    roles: ClassVar[tuple[str, str]]
    default_rules: ClassVar[str]
    default_summary: ClassVar[str] = ""  # one line about the default rules; others are described by their differences
    old_rule_names: ClassVar[Mapping[str, str]] = {}  # current names of renamed rule sets, by former name
    rule_titles: ClassVar[Mapping[str, str]] = {}  # display titles of shipped rule sets, by name
    shipped_rules: ClassVar[Mapping[str, Any]]  # by name
    rules_type: ClassVar[type]
    reasons: ClassVar[tuple[str, ...]]  # texts of the engines' reason numbers; 0: no reason
    benchmark: ClassVar[Benchmark]
    has_chance: bool = False  # whether chance ever acts
    # A role's action is a whole move, and its text and gesture never depend on the position.
    stateless_actions: ClassVar[bool] = False
    file_suffix: ClassVar[str] = "txt"  # of game files in its own format
    # Import path of a folder with the modules `batch`, `learning` and `picture`, imported when they are first used, and
    # `howto.toml`; None for a game that overrides the methods which use them.
    package: ClassVar[str | None] = None
    game_files: ClassVar[str | None] = None  # import path of the module that reads and writes game files

    # Legal actions of a position that a batched search considers, those of the highest prior; docs/reference/search.md.
    max_search_actions: ClassVar[int] = 128
    observations: ClassVar[tuple[str, ...]] = ("full",)  # ways to observe, the default first
    # The observation of evaluation networks for alpha-beta; None: alpha-beta supports no net.
    evaluation_observation: ClassVar[str | None] = None
    shipped_tables: ClassVar[Path | None] = None  # folder of the endgame tables that ship; None: the game has no tables
    # Import path `module:attribute` of its own players, a tuple of `agents.specs.Player`. One that has the name of a
    # player for all games replaces it.
    players: ClassVar[str | None] = None
    ladder: ClassVar[tuple[LadderRow, ...]] = ()  # rows of its own players and options
    protocols: ClassVar[Mapping[str, GameProtocol]] = {}  # by name, in addition to the line protocol

    engine: Any  # the scalar engine of the rule set and the observation
    tables: Any  # what both engines are built from
    num_actions: int
    observation_shape: tuple[int, int, int]  # rows, columns, planes
    planes: tuple[str, ...]  # what each plane shows; docs/guides/add-a-game.md: their order and names

    def __init__(self, rules: Any, observation: str):
        self.rules = rules
        self.observation = observation  # one of `observations`

    @property
    def rules_title(self) -> str:
        """The display title of the rule set; of a custom one, with its name."""
        is_shipped = self.rule_sets().get(self.rules.name) == self.rules
        custom = f"{self.title}, custom rules ({self.rules.name})"
        return self.rule_titles.get(self.rules.name, custom) if is_shipped else custom

    @classmethod
    def _module(cls, name: str, method: str) -> Any:
        """A module of the game's folder that implements a method."""
        if cls.package is None:
            raise BoardwrightError(f"{cls.name} has no module {name}: implement Game.{method}")
        return importlib.import_module(f"{cls.package}.{name}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and unpickles a game by its name, so the process that reads it must know the game."""
        from boardwright.games.registry import game

        return game, (self.name, self.rules, self.observation)

    @classmethod
    def rule_sets(cls) -> Mapping[str, Any]:
        """The rule sets that ship with the game, by name."""
        return cls.shipped_rules

    def start(self) -> Position:
        """The initial position."""
        return Position(self, self.engine.start())

    @abstractmethod
    def position(self, text: str) -> Position:
        """The position a text describes, without history; raises PositionError."""

    def batch(self) -> BatchEnv:
        """The batched engine for this rule set. Imports JAX."""
        return self._module("batch", "batch").make_env(self.tables)

    def learning(self) -> Learning:
        """How a learner stores positions and final states. Imports JAX."""
        return self._module("learning", "learning").make_learning(self.tables)

    @abstractmethod
    def alphabeta(self, megabytes: int, threads: int, resources: SearchResources | None = None) -> AlphaBetaSearch:
        """A new alpha-beta search in the scalar engine; `megabytes` is the size of its transposition table.

        `resources`: None means the shipped tables and no net. A game ignores what it does not support.
        """

    @abstractmethod
    def puct(self, megabytes: int, batch: int, seed: int, resources: SearchResources | None = None) -> PuctSearch:
        """A new PUCT search in the scalar engine, with a tree of `megabytes`; it evaluates up to `batch` positions
        at once. `seed` is that of chance moves in the tree; `resources` as for `alphabeta`.
        """

    @abstractmethod
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the rule set and its start, the identity first; together they are a group."""

    @abstractmethod
    def position_text(self, core: Any) -> str:
        """The text of a position, which `position` reads back; without `_`, which is a space in the app's addresses."""

    @abstractmethod
    def action_text(self, core: Any, action: int) -> str:
        """The text of a legal action, as game files write it."""

    @abstractmethod
    def parse_action(self, core: Any, text: str) -> int:
        """The action of a move text; raises IllegalMoveError if it is malformed or illegal."""

    @abstractmethod
    def why_illegal(self, core: Any, action: int) -> str:
        """Which rule forbids an action, in words. Only called for an illegal action of a game that is not over."""

    def moves(self, core: Any) -> list[Move]:
        """Every whole move from a position, each with a different text."""
        return [Move(self.action_text(core, action), (action,)) for action in core.legal_actions()]

    def parse_move(self, core: Any, text: str) -> tuple[int, ...]:
        """The actions a whole move's text means; raises IllegalMoveError."""
        return (self.parse_action(core, text),)

    def openings(self, deck: str | None) -> list[Opening]:
        """The openings of a deck, or all; raises BoardwrightError if the game has no list of openings."""
        raise BoardwrightError(f"{self.name} has no list of openings: use random:K instead")

    def proven_outcome(self, core: Any) -> Outcome | None:
        """The result with best play of an ongoing position, if the game's tables prove it."""
        return None

    def proven_results(self, folder: Path | None = None) -> ProvenResults:
        """The same for batched states, by the shipped tables or those of a folder; raises BoardwrightError if the
        game has none. Imports JAX.
        """
        raise BoardwrightError(f"{self.name} has no endgame tables")

    @classmethod
    def read_games(cls, text: str) -> tuple[list[GameRecord], list[GameFileError]]:
        """The readable games of a file in the game's own format, and the errors of the others."""
        return cls._game_files().read_all(text)

    @classmethod
    def write_games(cls, records: Iterable[GameRecord]) -> str:
        """Games as the text of such a file; raises BoardwrightError for one that cannot be written."""
        return cls._game_files().write_all(records)

    @classmethod
    def _game_files(cls) -> Any:
        if cls.game_files is None:
            raise GameFileError(f"{cls.name} has no format of game files")
        return importlib.import_module(cls.game_files)

    def action_view(self, role: int) -> np.ndarray:
        """[num_actions] int32: the number of each action on the board as `role` observes it.

        The identity, except for games that turn the board for the mover.
        """
        return np.arange(self.num_actions, dtype=np.int32)

    def policy_planes(self) -> PolicyPlanes | None:
        """Where actions are on the board; None if they have no places on it."""
        return None

    def policy_table(self) -> PolicyTable | None:
        """Actions as pairs of squares in a table; None for games without such a table."""
        return None

    def how_to_play(self) -> tuple[Paragraph, ...]:
        """The rules of this rule set for beginners: aim, moves, captures, end of the game; see `howto.py`."""
        from boardwright.games.howto import read_paragraphs

        return () if self.package is None else read_paragraphs(self.package, self.rules, self.facts())

    def facts(self) -> dict[str, str]:
        """What `howto.toml` says of the rule set in addition to its options, by the names it has in braces."""
        return {}

    def scene(self, position: Position) -> Scene:
        """A position as a scene for the renderers."""
        return self._module("picture", "scene").scene(position)

    def gestures(self, core: Any, actions: tuple[int, ...]) -> tuple[Gesture, ...]:
        """The gestures on the board that make a whole move; empty for a move without a place there, as a coin flip."""
        return () if self.package is None else self._module("picture", "gestures").gestures(self, core, actions)

    def hints(self, core: Any) -> Mapping[str, tuple[Cell, ...]]:
        """Cells to highlight, by kind of hint."""
        return {}

    def play_all(self, actions: Sequence[int]) -> Position:
        """The position after `actions` from the start; raises IllegalMoveError naming the ply."""
        return self.start().play_all(actions, unit="ply")
