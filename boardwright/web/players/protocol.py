"""Messages between the server and its search workers: a request goes to a worker, events come back."""

from dataclasses import dataclass

from boardwright.agents.base import Choice, Limit


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """A position to search, the player that searches, and its time."""

    game: str
    rules: str  # name of a shipped rule set
    start: str | None
    actions: tuple[int, ...]
    spec: str  # as `specs.resolve` returned it
    limit: Limit  # an empty one leaves the player its own
    seconds: float  # after which it must answer, even within its limit
    analyse: bool = False  # whether to send progress

    @property
    def player(self) -> tuple[str, str, str]:
        """What the player is made from."""
        return self.game, self.rules, self.spec


@dataclass(frozen=True)
class Waiting:
    """No worker is free for an analysis. Sent by the pool, not by a worker."""


@dataclass(frozen=True)
class Preparing:
    """The worker makes the player: it reads a net or allocates a table."""


@dataclass(frozen=True)
class Started:
    """The search begins."""


@dataclass(frozen=True)
class Progress:
    """The best choice so far."""

    choice: Choice
    seconds: float  # since the search began


@dataclass(frozen=True)
class Answer:
    """The final choice."""

    choice: Choice
    move: tuple[int, ...]  # the actions of the whole move; empty for an analysis
    seconds: float
    net: str = ""  # checksum of the player's net, if it has one


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    error: str
    lost: bool = False  # the worker died or was replaced: a retry may help


Event = Waiting | Preparing | Started | Progress | Answer | Failure
