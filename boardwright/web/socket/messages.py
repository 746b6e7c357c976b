"""The messages of the socket."""

from typing import Annotated, Literal

from pydantic import Field

from boardwright.web.server.schemas import Actions, Model, Name, PositionText, Role, Spec

Label = Annotated[str, Field(min_length=1, max_length=40)]  # a client's own name for an analysis


class Watch(Model):
    """Tell me of a game: as it is, and whenever it changes."""

    type: Literal["watch"]
    game: Label


class Unwatch(Model):
    """No longer."""

    type: Literal["unwatch"]
    game: Label


class WatchMatch(Model):
    """Tell me of a match."""

    type: Literal["watch-match"]
    match: int | Label


class UnwatchMatch(Model):
    """No longer."""

    type: Literal["unwatch-match"]
    match: int | Label


class Analyse(Model):
    """Have a player think about a position aloud; an analysis of the same id is replaced."""

    type: Literal["analyse"]
    id: Label
    game: Name
    rules: Name | None = None
    start: PositionText | None = None
    actions: Actions = Field(default=[])
    agent: Spec
    seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] | None = None


class Stop(Model):
    """End an analysis."""

    type: Literal["stop"]
    id: Label


ClientMessage = Annotated[Watch | Unwatch | WatchMatch | UnwatchMatch | Analyse | Stop, Field(discriminator="type")]


class Unheard(Model, extra="ignore"):
    """What is read of a message that is refused: whom the refusal concerns."""

    id: Label | None = None
    game: Label | None = None


class SocketError(Model):
    """Something went wrong; `id` says with which analysis or game, if with one."""

    type: Literal["error"]
    id: str | None = None
    error: str


class Candidate(Model):
    """A move a player considers; what it does not know is null. `value` is role 0's."""

    actions: list[int]
    text: str
    visits: int | None
    policy: float | None
    value: float | None


class ExpectedMove(Model):
    """A whole move of the expected line."""

    text: str
    actions: list[int]


class Info(Model):
    """What a player thinks so far. `value` is role 0's, -1 to 1; `policy` is what a net held of a move at first sight.

    `side` is to move; `nps` are positions or simulations a second. `waiting` says that it does not think now, as other
    analyses have their turn; one that has not begun yet tells no candidates.
    """

    type: Literal["info"]
    id: str
    value: float | None
    side: Role
    depth: int
    nodes: int
    simulations: int
    nps: float
    candidates: list[Candidate]
    line: list[ExpectedMove]
    seconds: float
    waiting: bool
