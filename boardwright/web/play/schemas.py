"""Schemas of live games."""

from typing import Annotated, Literal

from pydantic import Field

from boardwright.web.server.schemas import Actions, Model, MoveText, Name, PositionText, Role, Spec
from boardwright.web.study.schemas import OutcomeInfo, PositionView


class ClockQuery(Model):
    """Time for all moves of a role, and the increment per move, in seconds."""

    base: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
    increment: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0


class NewGame(Model):
    """A game to start against a player."""

    game: Name
    rules: Name | None = None
    role: Role | Literal["random"] = "random"
    opponent: Spec
    clock: ClockQuery | None = None
    position: PositionText | None = None


class MoveQuery(Model):
    """A whole move, as actions or as text, for one version of the game."""

    actions: Annotated[Actions, Field(max_length=64)] | None = None
    text: MoveText | None = None
    version: int


class Nothing(Model):
    """A request without a body."""


class ClockInfo(Model):
    """Seconds left to each role, and the role whose time runs."""

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
    failure: str | None  # why the player stopped; requesting the game retries it
    result: OutcomeInfo | None
    created: str
    version: int


class LiveGameInfo(LiveSummary):
    """A game of a person against a player."""

    view: PositionView
