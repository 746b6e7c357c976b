"""The interface of a player: it gets a position and a limit, and answers with a choice."""

from dataclasses import dataclass, field, fields, replace
from typing import Protocol

from boardwright.errors import BoardwrightError
from boardwright.games.base import Position
from boardwright.games.lines import each_move


@dataclass(frozen=True)
class Limit:
    """How long a player may search for one move: the first bound reached ends the search; None is no bound."""

    seconds: float | None = None
    nodes: int | None = None  # positions of a tree search
    simulations: int | None = None  # games or evaluations of a Monte Carlo search
    depth: int | None = None  # in whole moves

    def __post_init__(self) -> None:
        for bound in fields(self):
            value = getattr(self, bound.name)
            if value is not None and not value > 0:
                raise BoardwrightError(f"limit {bound.name} must be positive, got {value}")


@dataclass(frozen=True)
class Choice:
    """A player's move, with what its search found."""

    action: int
    value: float | None = None  # expected result, -1 to 1, from the side of the role to move
    policy: dict[int, float] = field(default_factory=dict)  # share of the search by action
    line: tuple[int, ...] = ()  # principal variation, beginning with `action`
    nodes: int = 0
    simulations: int = 0
    depth: int = 0  # in whole moves
    visits: dict[int, int] = field(default_factory=dict)  # by action, including those of a reused tree
    values: dict[int, float] = field(default_factory=dict)  # by visited action, from the side of the mover
    prior: dict[int, float] = field(default_factory=dict)  # by action: the net's policy, without search


class Watch(Protocol):
    """Follows a player's search and may stop it."""

    @property
    def stopped(self) -> bool:
        """Whether the player should answer now; read many times per second, from the searching thread."""
        ...

    def report(self, choice: Choice) -> None:
        """Called with the best choice so far, from time to time."""


class Agent(Protocol):
    """Base class of players. It must choose a legal action in any position that is not terminal."""

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The move it plays. Without any bound in `limit` the player's own limit applies."""
        ...

    def prepare(self) -> None:
        """Prepares for a game, before its clock runs. Optional; must not change the moves."""

    def close(self) -> None:
        """Frees processes and tables; the player cannot be used afterwards. Optional."""


@dataclass(frozen=True)
class _StopOnly(Watch):
    """Stops a player when another watch does, and drops its reports."""

    watch: Watch

    @property
    def stopped(self) -> bool:
        return self.watch.stopped


def choose_move(agent: Agent, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
    """A whole move: `line` holds at least all its actions.

    Calls the player again for later hops of a capture only if its first line does not cover them. Reports of these
    calls are dropped: they would be about positions in the middle of a move.
    """
    choice = agent.choose(position, limit, watch)
    line = list(choice.line or (choice.action,))
    after, played = position.play(line[0]), 1
    while after.core.continues:
        if played == len(line):
            line.append(agent.choose(after, limit, None if watch is None else _StopOnly(watch)).action)
        after = after.play(line[played])
        played += 1
    return replace(choice, line=tuple(line))


def move_actions(position: Position, choice: Choice) -> tuple[int, ...]:
    """The actions of a choice of `choose_move` that make up the move itself."""
    _, actions = next(each_move(position, choice.line))
    return actions
