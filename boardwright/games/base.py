"""The contract every game fulfils, in words and types.

A *game* here is a set of rules bound to one rule set: `boardwright.game("tablut", rules="tablutzero")`.

* Two **roles**, numbered 0 and 1, that may be unequal (attackers and defenders). Roles are not
  players: who plays which role is decided by the code that arranges the game.
* **Actions** are numbers below `num_actions`, the same in both engines. A role may act several times
  running, because its move takes several actions or because the other must pass. Chance may act
  (`CHANCE`): its legal actions are all equally likely. Always look at who is to move.
* The **scalar engine** (C++) walks one game at a time and is reached through `Position`, which is
  immutable and remembers the line of play behind it.
* The **batched engine** (JAX) plays thousands of games at once and is reached through `batch()`.
* **Text** is for people and files: positions, moves, and why a move is illegal.

`tests/contract` holds every registered game to this, and both engines to each other.
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
    BatchState,
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

__all__ = [
    "CHANCE",
    "DRAW",
    "ONGOING",
    "AlphaBetaSearch",
    "BatchEnv",
    "BatchState",
    "Benchmark",
    "Game",
    "GameProtocol",
    "Learning",
    "Move",
    "Opening",
    "Outcome",
    "Paragraph",
    "Peer",
    "PolicyPlanes",
    "PolicyTable",
    "Position",
    "ProvenResults",
    "PuctSearch",
    "Rules",
    "SearchResources",
    "Symmetry",
    "entries_by_cell",
]


class Rules(Protocol):
    """A rule set: a frozen, hashable dataclass with a name."""

    @property
    def name(self) -> str:
        """Which `--rules` and records use."""
        ...


@dataclass(frozen=True)
class Move:
    """What a person calls a move: as a rule one action, but a capture in several hops is several."""

    text: str
    actions: tuple[int, ...]


class Game(ABC):
    """One game under one rule set. Subclasses fill in the class fields and the abstract methods."""

    name: ClassVar[str]
    title: ClassVar[str]
    roles: ClassVar[tuple[str, str]]
    default_rules: ClassVar[str]
    default_summary: ClassVar[str] = ""  # what these are, in a line; other rule sets are described by how they differ
    old_rule_names: ClassVar[Mapping[str, str]] = {}  # former names of shipped rule sets and what they are called now
    rule_titles: ClassVar[Mapping[str, str]] = {}  # of the rule sets that ship, for people, by name
    shipped_rules: ClassVar[Mapping[str, Any]]  # by name
    rules_type: ClassVar[type]
    reasons: ClassVar[tuple[str, ...]]  # words for the engines' reason numbers; 0 stands for no reason
    benchmark: ClassVar[Benchmark]
    has_chance: bool = False  # whether chance ever acts
    # A role's action is a whole move, and its text and gesture never depend on the position.
    stateless_actions: ClassVar[bool] = False
    file_suffix: ClassVar[str] = "txt"  # of game files in its own format
    # Import path of a folder with the modules `batch`, `learning`, `howto` and `picture`, imported when they are first
    # used; None for a game that overrides the methods which use them.
    package: ClassVar[str | None] = None
    game_files: ClassVar[str | None] = None  # import path of the module that reads and writes game files

    # Legal actions of a position that a batched search considers, those of the highest prior; docs/reference/search.md.
    max_search_actions: ClassVar[int] = 128
    observations: ClassVar[tuple[str, ...]] = ("full",)  # ways to observe, the default first
    # The one of these that evaluation networks for alpha-beta are made for; None: its alpha-beta takes none.
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
    planes: tuple[
        str, ...
    ]  # what each plane shows; docs/guides/add-a-game.md: which come first, and how they are named

    def __init__(self, rules: Any, observation: str):
        self.rules = rules
        self.observation = observation  # one of `observations`

    @property
    def rules_title(self) -> str:
        """What the rule set is called for people; a custom one by its name."""
        is_shipped = self.rule_sets().get(self.rules.name) == self.rules
        custom = f"{self.title}, custom rules ({self.rules.name})"
        return self.rule_titles.get(self.rules.name, custom) if is_shipped else custom

    @classmethod
    def _module(cls, name: str, method: str) -> Any:
        """A module of the game's folder, for a method of the contract."""
        if cls.package is None:
            raise BoardwrightError(f"{cls.name} has no {name}: write its Game.{method}")
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
        """The first position."""
        return Position(self, self.engine.start())

    @abstractmethod
    def position(self, text: str) -> Position:
        """The position a text describes, without a past; raises PositionError."""

    def batch(self) -> BatchEnv:
        """The batched engine for this rule set. Imports JAX."""
        return self._module("batch", "batch").make_env(self.tables)

    def learning(self) -> Learning:
        """What a learner keeps of positions and endings. Imports JAX."""
        return self._module("learning", "learning").make_learning(self.tables)

    @abstractmethod
    def alphabeta(self, megabytes: int, threads: int, resources: SearchResources | None = None) -> AlphaBetaSearch:
        """A new alpha-beta search in the scalar engine; `megabytes` is the size of its transposition table.

        `resources`: None stands for the tables that ship and no net. A game ignores what it has no use for.
        """

    @abstractmethod
    def puct(self, megabytes: int, batch: int, seed: int, resources: SearchResources | None = None) -> PuctSearch:
        """A new PUCT search in the scalar engine, with a tree of `megabytes`; it evaluates up to `batch` positions
        at once. `seed` is that of chance moves in the tree; `resources` as for `alphabeta`.
        """

    @abstractmethod
    def symmetries(self) -> tuple[Symmetry, ...]:
        """All symmetries of the rule set and its start, the identity first; together they are a group."""

    def image(self, symmetry: Symmetry, core: Any, action: int) -> int:
        """What an action becomes under a symmetry; chance's that have no place on the board stay."""
        return int(symmetry.actions[action])

    @abstractmethod
    def position_text(self, core: Any) -> str:
        """The text of a position, which `position` reads back; without `_`, which is a blank in the app's addresses."""

    @abstractmethod
    def action_text(self, core: Any, action: int) -> str:
        """The text of a legal action, as game files write it."""

    @abstractmethod
    def parse_action(self, core: Any, text: str) -> int:
        """The number a move text means; raises IllegalMoveError when it is malformed or illegal."""

    @abstractmethod
    def why_illegal(self, core: Any, action: int) -> str:
        """Which rule forbids an action, in words. Only called for an illegal action of a game that is not over."""

    def moves(self, core: Any) -> list[Move]:
        """Every whole move from a position, each with a text of its own."""
        return [Move(self.action_text(core, action), (action,)) for action in core.legal_actions()]

    def parse_move(self, core: Any, text: str) -> tuple[int, ...]:
        """The actions a whole move's text means; raises IllegalMoveError."""
        return (self.parse_action(core, text),)

    def openings(self, deck: str | None) -> list[Opening]:
        """The openings of a deck, or all; raises BoardwrightError where the game has no list of them."""
        raise BoardwrightError(f"{self.name} has no list of openings: leave them to chance")

    def proven_outcome(self, core: Any) -> Outcome | None:
        """The result with best play of a position that is not over, where the game's tables prove it."""
        return None

    def proven_results(self, folder: Path | None = None) -> ProvenResults:
        """The same for batched states, by the tables that ship or those of a folder; raises BoardwrightError where
        the game has none. Imports JAX.
        """
        raise BoardwrightError(f"{self.name} has no endgame tables: leave out what needs them")

    @classmethod
    def read_games(cls, text: str) -> tuple[list[GameRecord], list[GameFileError]]:
        """The games of a file in the game's own format that can be read, and what is wrong with the others."""
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
        """[num_actions] int32: what each action is called on the board as `role` observes it.

        The identity, but for games that turn the board so that every mover sees it alike.
        """
        return np.arange(self.num_actions, dtype=np.int32)

    def policy_planes(self) -> PolicyPlanes | None:
        """Where actions lie on the board; None where they have no places on it."""
        return None

    def policy_table(self) -> PolicyTable | None:
        """Actions as pairs of squares in a table; None for games without such a table."""
        return None

    def how_to_play(self) -> tuple[Paragraph, ...]:
        """The rules of this rule set for people who do not know the game: aim, moves, captures, how it ends."""
        return () if self.package is None else self._module("howto", "how_to_play").how_to_play(self.rules)

    def scene(self, position: Position) -> Scene:
        """A position as something to be drawn."""
        return self._module("picture", "scene").scene(position)

    def gestures(self, core: Any, actions: tuple[int, ...]) -> tuple[Gesture, ...]:
        """What a hand does on the board to make a whole move; nothing where it has no place there, as a coin's fall."""
        return () if self.package is None else self._module("picture", "gestures").gestures(self, core, actions)

    def hints(self, core: Any) -> Mapping[str, tuple[Cell, ...]]:
        """Cells of a position worth showing, by what they are."""
        return {}

    def play_all(self, actions: Sequence[int]) -> Position:
        """The position after `actions` from the start; raises IllegalMoveError naming the ply."""
        return self.start().play_all(actions, unit="ply")
