"""Messages that pages send on the socket."""

from typing import Annotated, Literal

from pydantic import Field

from boardwright.web.server.schemas import Label, Model
from boardwright.web.study.schemas import Analyse


class Watch(Model):
    """Subscribe to a game: its current state, and every change."""

    type: Literal["watch"]
    game: Label


class Unwatch(Model):
    """Unsubscribe from a game."""

    type: Literal["unwatch"]
    game: Label


class WatchMatch(Model):
    """Subscribe to a match."""

    type: Literal["watch-match"]
    match: int | Label


class UnwatchMatch(Model):
    """Unsubscribe from a match."""

    type: Literal["unwatch-match"]
    match: int | Label


class Stop(Model):
    """Stop an analysis."""

    type: Literal["stop"]
    id: Label


ClientMessage = Annotated[Watch | Unwatch | WatchMatch | UnwatchMatch | Analyse | Stop, Field(discriminator="type")]


class RefusedMessage(Model, extra="ignore"):
    """What is read of a message that is refused: the analysis or game it concerns."""

    id: Label | None = None
    game: Label | None = None
