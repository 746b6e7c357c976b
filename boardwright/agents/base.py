"""What a player is: it looks at a position, thinks within a limit, and answers with a choice."""

from dataclasses import dataclass, field
from typing import Protocol

from boardwright.errors import BoardwrightError
from boardwright.games.base import Position


@dataclass(frozen=True)
class Limit:
    """How long a player may think about one move; the first bound reached ends it."""

    seconds: float | None = None
    simulations: int | None = None

    def __post_init__(self) -> None:
        for name, bound in (("seconds", self.seconds), ("simulations", self.simulations)):
            if bound is not None and not bound > 0:
                raise BoardwrightError(f"a limit of {bound} {name} leaves no time to think: give more than 0")


@dataclass(frozen=True)
class Choice:
    """A player's answer."""

    action: int
    value: float | None = None  # expected result, -1 to 1, from the side of the role to move
    policy: dict[int, float] = field(default_factory=dict)  # share of the search by action
    line: tuple[int, ...] = ()  # the expected continuation, beginning with `action`
    simulations: int = 0


class Agent(Protocol):
    """A player. It must answer with a legal action for any position that is not over."""

    def choose(self, position: Position, limit: Limit) -> Choice:
        """The move it plays."""
        ...
