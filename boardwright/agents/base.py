"""The interface of a player: it gets a position and a limit, and answers with a choice."""

from dataclasses import dataclass, field, fields, replace
from typing import Protocol

from boardwright.errors import BoardwrightError
from boardwright.games.base import Position


@dataclass(frozen=True)
class Limit:
    """How long a player may think about one move; the first bound reached ends it, None bounds nothing."""

    seconds: float | None = None
    nodes: int | None = None  # positions a tree search looks at
    simulations: int | None = None  # games or evaluations of a Monte Carlo search
    depth: int | None = None  # whole moves ahead

    def __post_init__(self) -> None:
        for bound in fields(self):
            value = getattr(self, bound.name)
            if value is not None and not value > 0:
                raise BoardwrightError(f"limit {bound.name} must be positive, got {value}")

    @property
    def bounds_nothing(self) -> bool:
        """Whether a player is left to its own limit."""
        return self == Limit()


@dataclass(frozen=True)
class Choice:
    """A player's answer."""

    action: int
    value: float | None = None  # expected result, -1 to 1, from the side of the role to move
    policy: dict[int, float] = field(default_factory=dict)  # share of the search by action
    line: tuple[int, ...] = ()  # the expected continuation, beginning with `action`
    nodes: int = 0
    simulations: int = 0
    depth: int = 0  # whole moves looked ahead
    visits: dict[int, int] = field(default_factory=dict)  # by action, of a tree search that was kept from before too
    values: dict[int, float] = field(default_factory=dict)  # by action that was tried, from the side of the mover
    prior: dict[int, float] = field(default_factory=dict)  # by action: what a net held of it before any search


class Watch(Protocol):
    """Follows a player's search and may stop it."""

    @property
    def stopped(self) -> bool:
        """Whether the player should answer now; asked many times a second, from the thread that thinks."""
        ...

    def report(self, choice: Choice) -> None:
        """Called with the best choice so far, from time to time."""
        ...


class Agent(Protocol):
    """A player, to be derived from. It must answer with a legal action for any position that is not over."""

    def choose(self, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
        """The move it plays. A limit that bounds nothing leaves the player its own."""
        ...

    def prepare(self) -> None:
        """Gets ready for a game, before its clock runs; most need not. It changes no move."""

    def close(self) -> None:
        """Frees what the player holds (processes, tables); it cannot be used afterwards. Most hold nothing."""


@dataclass(frozen=True)
class _StopOnly:
    """Stops a player when another watch does, and drops its reports."""

    watch: Watch

    @property
    def stopped(self) -> bool:
        return self.watch.stopped

    def report(self, choice: Choice) -> None:
        pass


def choose_move(agent: Agent, position: Position, limit: Limit, watch: Watch | None = None) -> Choice:
    """A whole move: `line` holds at least all its actions, though the player was perhaps asked for each.

    A search whose line covers a capture to its end is not asked again for every hop of it. Where it is, its reports are
    dropped: they would be about positions in the middle of a move.
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
    """The actions of `choose_move`'s answer that make up the move itself."""
    after, played = position.play(choice.line[0]), 1
    while after.core.continues:
        after = after.play(choice.line[played])
        played += 1
    return choice.line[:played]
