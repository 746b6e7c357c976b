"""Schemas of matches, ratings and recorded games."""

from typing import Annotated, Literal

from pydantic import Field

from boardwright.web.server.schemas import Model, Name, Spec
from boardwright.web.study.schemas import FileRecord

MAX_GAMES = 1000
OPENINGS = r"^(start|random:([1-9]|1[0-9]|20))$"


class MatchRequest(Model):
    """A match to play; every opening is played twice with the roles swapped."""

    game: Name
    rules: Name | None = None
    first: Spec
    second: Spec
    games: Annotated[int, Field(ge=2, le=MAX_GAMES, multiple_of=2)] = 20
    time: Annotated[float, Field(gt=0, le=60)] | None = None  # seconds per move of players whose spec sets no limit
    openings: Annotated[str, Field(pattern=OPENINGS)] = "random:2"


class MatchNumber(Model):
    """The id of a match."""

    id: int


class Count(Model):
    """Results of the first player; `low` to `high` is the 95 % interval of the score."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float


class MatchTable(Count):
    """Results of all games, results by the first player's role, and its Elo difference to the other."""

    by_role: list[Count]
    elo: float | None  # null: infinite, every game was won or lost
    elo_low: float | None
    elo_high: float | None


class GameOfMatch(Model):
    """A finished game; /api/records/ID has its moves."""

    id: int
    index: int
    first_role: Literal[0, 1]  # of the first player
    result: int  # the role that won, 2 a draw
    reason: str


class MatchSummary(Model):
    """A match and its progress."""

    id: int
    game: str
    rules: str
    players: list[str]
    openings: str
    seconds: float | None
    state: Literal["waiting", "running", "done", "stopped", "failed"]
    error: str  # why it failed
    asked: str  # UTC
    done: int
    total: int
    table: MatchTable


class MatchInfo(MatchSummary):
    """A match with its games."""

    games: list[GameOfMatch]


class RecordSummary(Model):
    """A game without its moves."""

    id: int
    game: str
    rules: str
    players: list[str]  # by role
    result: int  # the role that won, 2 a draw, 3 not over
    reason: str
    length: int  # actions
    stored: str  # UTC
    replayable: bool  # whether its rules equal the shipped ones of their name


class Record(RecordSummary):
    """A game with its moves."""

    record: FileRecord
    opening: int  # number of actions that were given, not chosen
    seconds: list[float]  # thinking time by action, or empty
    comments: dict[int, str]  # by number of actions played
