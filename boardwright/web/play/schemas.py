"""What goes over the wire about games against players, and about game files."""

from typing import Annotated, Literal

from pydantic import Field

from boardwright.web.server.schemas import (
    Actions,
    Model,
    MoveText,
    Name,
    OutcomeInfo,
    PositionText,
    PositionView,
    Role,
    Spec,
)


class ClockQuery(Model):
    """Time for all moves of a side, and what each move adds, seconds."""

    base: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
    increment: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0


class NewGame(Model):
    """A game to be played against a player."""

    game: Name
    rules: Name | None = None
    role: Role | Literal["random"] = "random"
    opponent: Spec
    clock: ClockQuery | None = None
    position: PositionText | None = None


class MoveQuery(Model):
    """A whole move, by its action numbers or as text, on the board of a version."""

    actions: Annotated[Actions, Field(max_length=64)] | None = None
    text: MoveText | None = None
    version: int


class Nothing(Model):
    """A request that says all by its address."""


class ClockInfo(Model):
    """What is left to each role, seconds, and whose time runs."""

    remaining: tuple[float, float]
    running: Role | None


class LiveSummary(Model):
    """A game of a person against a player, without its board; `version` rises with every change."""

    id: str
    game: str
    rules: str
    human: Role
    opponent: str
    ply: int
    clock: ClockInfo | None
    thinking: bool
    preparing: bool
    failure: str | None  # why the player is asked no more; asking for the game has it try again
    result: OutcomeInfo | None
    created: str
    version: int


class LiveGame(LiveSummary):
    """A game of a person against a player."""

    view: PositionView


class FileText(Model):
    """A game file as text: PDN, OpenTafl's or Cathedral's format, as the game has it."""

    game: Name
    text: Annotated[str, Field(max_length=3_000_000)]


class FileRecord(Model):
    """A game of a file; `result` is the role that won, 2 for a draw, 3 for a game not over."""

    start: str | None
    rules: str
    actions: list[int]
    names: tuple[str, str]
    result: int
    reason: str


class FileGameInfo(Model):
    """A game of a file, and what else the file says of it."""

    headers: dict[str, str]
    record: FileRecord


class FileGames(Model):
    """The games of a file that can be read, and what is wrong with the others."""

    games: list[FileGameInfo]
    errors: list[str]


class FileGame(Model):
    """A game to be written; `result` as in records, and `reason`, where the board does not decide it."""

    game: Name
    rules: Name | None = None
    start: PositionText | None = None
    actions: Actions = Field(default=[])
    names: tuple[Spec, Spec] | None = None
    result: Literal[0, 1, 2, 3] | None = None
    reason: Annotated[str, Field(max_length=2000)] = ""  # an engine that forfeits may say much


class FileWritten(Model):
    """The text of a file, and a name for it."""

    text: str
    name: str
