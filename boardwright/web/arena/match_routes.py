"""Matches over HTTP: start one, follow it, stop it, let it go on."""

import asyncio
import contextlib
import json
import math
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Path
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from boardwright.arena.conditions import Conditions
from boardwright.arena.event import Event
from boardwright.arena.intervals import elo_of_score, score_interval
from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW
from boardwright.records.matches import MatchGame, StoredMatch, find_match, games_of_match, matches
from boardwright.records.store import Store, open_store
from boardwright.web.arena.match_queue import MatchDesk, new_seed
from boardwright.web.server.errors import PROBLEMS, NotFoundError
from boardwright.web.server.schemas import Model, Name, Spec
from boardwright.web.services import Services
from boardwright.web.study.positions import bound_game

MOST_GAMES = 1000
MOST_LISTED = 50
SECONDS_BETWEEN_NEWS = 0.5  # of a match that runs
LARGEST_ID = 2**62  # SQLite has no larger numbers
OPENINGS = r"^(start|random:([1-9]|1[0-9]|20))$"

MatchId = Annotated[int, Path(ge=0, le=LARGEST_ID)]


class MatchRequest(Model):
    """Who is to play whom, and how often; every opening is played twice with the roles swapped."""

    game: Name
    rules: Name | None = None
    first: Spec
    second: Spec
    games: Annotated[int, Field(ge=2, le=MOST_GAMES, multiple_of=2)] = 20
    time: Annotated[float, Field(gt=0, le=60)] | None = None  # seconds a move of players whose spec sets no limit
    openings: Annotated[str, Field(pattern=OPENINGS)] = "random:2"


class MatchNumber(Model):
    """The id of a match."""

    id: int


class Count(Model):
    """Games from the first player's side; the true score lies between low and high with 95 % confidence."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float


class MatchTable(Count):
    """All games of a match and those of each role the first player had, and its Elo above the other."""

    by_role: list[Count]
    elo: float | None  # null is beyond all numbers: everything was won, or lost
    elo_low: float | None
    elo_high: float | None


class GameOfMatch(Model):
    """A finished game; its moves are at /api/records/ID."""

    id: int
    index: int
    first_role: Literal[0, 1]  # that the first player had
    result: int  # the role that won, 2 a draw
    reason: str


class MatchSummary(Model):
    """How far a match is."""

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


def make_router(services: Services) -> APIRouter:
    """The routes under /api/matches. The desk that plays opens and closes with the server."""
    desks: list[MatchDesk] = []  # one, while the server runs

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        news = News(services, asyncio.get_running_loop())
        services.hub.provide("match", news.present)
        desks.append(await run_in_threadpool(MatchDesk, services.settings, news.tell))
        try:
            yield
        finally:
            await run_in_threadpool(desks.pop().close)

    router = APIRouter(prefix="/api/matches", tags=["arena"], responses=PROBLEMS, lifespan=lifespan)

    @router.post("", status_code=201)
    def start(wanted: MatchRequest) -> MatchNumber:
        """Queues a match; one is played at a time."""
        game = bound_game(wanted.game, wanted.rules)
        event = Event(
            game=game.name,
            rules=game.rules,
            players=(wanted.first, wanted.second),
            openings=wanted.openings,
            seed=new_seed(),
            conditions=Conditions(seconds=wanted.time),
        )
        return MatchNumber(id=desks[0].ask(event, wanted.games))

    @router.get("")
    async def latest() -> list[MatchSummary]:
        """Matches, newest first."""

        def find(store: Store) -> list[MatchSummary]:
            return [summary(match, games_of_match(store, match)) for match in matches(store, MOST_LISTED)]

        return await services.records.look_up(find)

    @router.get("/{number}")
    async def one(number: MatchId) -> MatchInfo:
        """A match with its table and its games."""
        return await services.records.look_up(lambda store: _info(store, number))

    @router.delete("/{number}")
    async def stop(number: MatchId) -> MatchInfo:
        """Stops a match; what is finished is kept, and it can go on later."""
        await services.records.look_up(lambda store: _info(store, number))  # raises if there is none
        await run_in_threadpool(desks[0].stop, number)
        return await services.records.look_up(lambda store: _info(store, number))

    @router.post("/{number}/resume")
    async def resume(number: MatchId) -> MatchInfo:
        """Lets a match go on that was stopped, or interrupted by the end of the server."""
        await run_in_threadpool(desks[0].resume, number)
        return await services.records.look_up(lambda store: _info(store, number))

    return router


class News:
    """What pages that follow a match on the socket are told: `{"type": "match", "match": MatchSummary}`."""

    def __init__(self, services: Services, loop: asyncio.AbstractEventLoop):
        self._services, self._loop = services, loop
        self._next = 0.0  # when there may be news of a match that goes on

    def present(self, name: str) -> str | None:
        """How a match stands; None where there is none of this id."""
        if not (name.isascii() and name.isdigit() and len(name) < 16):
            return None
        with open_store(self._services.settings.db, create=False) as store:
            match = find_match(store, int(name))
            if match is None:
                return None
            return json.dumps({"type": "match", "match": summary(match, games_of_match(store, match)).model_dump()})

    def tell(self, match: int) -> None:
        """Passes on that a match has changed, a few times a second at most while it runs; called by the desk."""
        topic = f"match:{match}"
        if not self._services.hub.followed(topic):
            return
        with contextlib.suppress(BoardwrightError, RuntimeError):  # news that cannot be had; the server has ended
            message = self.present(str(match))
            assert message is not None
            if json.loads(message)["match"]["state"] == "running" and time.monotonic() < self._next:
                return
            self._next = time.monotonic() + SECONDS_BETWEEN_NEWS
            self._loop.call_soon_threadsafe(self._services.hub.publish, topic, message)


def _info(store: Store, number: int) -> MatchInfo:
    match = find_match(store, number)
    if match is None:
        raise NotFoundError(f"there is no match {number}")
    played = games_of_match(store, match)
    games = [
        GameOfMatch(id=game.id, index=game.index, first_role=_first_role(game), result=game.result, reason=game.reason)
        for game in played
    ]
    return MatchInfo(**summary(match, played).model_dump(), games=games)


def summary(match: StoredMatch, played: Sequence[MatchGame]) -> MatchSummary:
    """A match and what its games add up to."""
    config = match.config
    return MatchSummary(
        id=match.id,
        game=config["game"],
        rules=config["rules"]["name"],
        players=config["players"],
        openings=config["openings"],
        seconds=config["conditions"]["seconds"],
        state=match.state,
        error=match.error,
        asked=match.asked,
        done=len(played),
        total=match.games,
        table=table(played),
    )


def table(played: Sequence[MatchGame]) -> MatchTable:
    """The first player's results. Both games of a pair count as one when it comes to how sure they are."""
    pairs: dict[int, list[float]] = defaultdict(list)
    for game in played:
        pairs[game.index // 2].append(_points(game))
    both = _count(played, list(pairs.values()))
    apart = [[game for game in played if _first_role(game) == role] for role in (0, 1)]
    elos = [elo_of_score(score) for score in (both.score, both.low, both.high)]
    elo, low, high = (value if math.isfinite(value) else None for value in elos)
    return MatchTable(
        **both.model_dump(),
        by_role=[_count(games, [[_points(game)] for game in games]) for games in apart],
        elo=elo,
        elo_low=low,
        elo_high=high,
    )


def _count(played: Sequence[MatchGame], groups: Sequence[Sequence[float]]) -> Count:
    points, score = [_points(game) for game in played], score_interval(groups)
    return Count(
        games=len(points),
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        score=score.score,
        low=score.low,
        high=score.high,
    )


def _first_role(game: MatchGame) -> Literal[0, 1]:
    return 0 if game.index % 2 == 0 else 1


def _points(game: MatchGame) -> float:
    """Of the first player."""
    return 0.5 if game.result == DRAW else float(game.result == _first_role(game))
