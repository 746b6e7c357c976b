"""`/api/matches`: starting, following, stopping and resuming matches."""

import asyncio
import contextlib
import math
import secrets
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Path
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from boardwright.arena.event import Conditions, Event
from boardwright.errors import BoardwrightError
from boardwright.records.events import MatchGame, StoredMatch, find_match, games_of_match, matches
from boardwright.records.store import Store, open_store
from boardwright.stats.score import Score, elo_of_score, score_interval
from boardwright.web.arena.match_queue import MatchQueue
from boardwright.web.players.specs import bound_game
from boardwright.web.server.http import MAX_ID, PROBLEMS, Json, Model, Name, NotFoundError, Spec
from boardwright.web.services import Services

MAX_LISTED = 50
MAX_GAMES = 1000
OPENINGS = r"^(start|random:([1-9]|1[0-9]|20))$"
PUBLISH_SECONDS = 0.5  # between two messages about a running match

MatchId = Annotated[int, Path(ge=0, le=MAX_ID)]


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


def make_router(services: Services) -> APIRouter:
    """The routes. The match queue opens and closes with the server."""
    queue: MatchQueue

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        nonlocal queue
        publisher = MatchPublisher(services, asyncio.get_running_loop())
        services.topics.add_source("match", publisher.current)
        queue = await run_in_threadpool(MatchQueue, services.settings, publisher.publish)
        try:
            yield
        finally:
            await run_in_threadpool(queue.close)

    router = APIRouter(prefix="/api/matches", tags=["arena"], responses=PROBLEMS, lifespan=lifespan)

    @router.post("", status_code=201)
    def start(query: MatchRequest) -> MatchNumber:
        """Queues a match; one is played at a time."""
        game = bound_game(query.game, query.rules)
        event = Event(
            game=game.name,
            rules=game.rules,
            players=(query.first, query.second),
            openings=query.openings,
            seed=secrets.randbelow(2**31),  # the same players play other games
            conditions=Conditions(seconds=query.time),
        )
        return MatchNumber(id=queue.submit(event, query.games))

    @router.get("")
    async def latest() -> list[MatchSummary]:
        """Matches, newest first."""
        return await services.store.read(
            lambda store: [summary(match, games_of_match(store, match)) for match in matches(store, MAX_LISTED)]
        )

    @router.get("/{number}")
    async def one(number: MatchId) -> MatchInfo:
        """A match with its table and its games."""
        return await services.store.read(lambda store: _info(store, number))

    @router.delete("/{number}")
    async def stop(number: MatchId) -> MatchInfo:
        """Stops a match; its finished games are kept, and it can be resumed."""
        await run_in_threadpool(queue.stop, number)
        return await services.store.read(lambda store: _info(store, number))

    @router.post("/{number}/resume")
    async def resume(number: MatchId) -> MatchInfo:
        """Resumes a match that was stopped, or interrupted by the end of the server."""
        await run_in_threadpool(queue.resume, number)
        return await services.store.read(lambda store: _info(store, number))

    return router


class MatchPublisher:
    """Publishes matches as `{"type": "match", "match": MatchSummary}`."""

    def __init__(self, services: Services, loop: asyncio.AbstractEventLoop):
        self._services, self._loop = services, loop
        self._next = 0.0  # earliest time of the next message about a running match

    def current(self, name: str) -> Json | None:
        """The message about a match; None if there is no match of this id."""
        if not (name.isascii() and name.isdigit() and len(name) < 16):
            return None
        with open_store(self._services.settings.db, create=False) as store:
            match = find_match(store, int(name))
            if match is None:
                return None
            return {"type": "match", "match": summary(match, games_of_match(store, match)).model_dump()}

    def publish(self, match: int) -> None:
        """Publishes a match, a running one at most every `PUBLISH_SECONDS`; called by the queue's thread."""
        topic = f"match:{match}"
        if not self._services.topics.has_subscribers(topic):
            return
        with contextlib.suppress(BoardwrightError, RuntimeError):  # no database; the server has ended
            message = self.current(str(match))
            assert message is not None
            if message["match"]["state"] == "running" and time.monotonic() < self._next:
                return
            self._next = time.monotonic() + PUBLISH_SECONDS
            self._loop.call_soon_threadsafe(self._services.topics.publish, topic, message)


def _info(store: Store, number: int) -> MatchInfo:
    match = find_match(store, number)
    if match is None:
        raise NotFoundError(f"there is no match {number}")
    played = games_of_match(store, match)
    games = [GameOfMatch(**vars(game), first_role=game.first_role) for game in played]
    return MatchInfo(**dict(summary(match, played)), games=games)


def summary(match: StoredMatch, played: Sequence[MatchGame]) -> MatchSummary:
    """A match with the results of its games."""
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
    """The first player's results; the interval treats both games of a pair as one sample."""
    pairs: dict[int, list[MatchGame]] = defaultdict(list)
    for game in played:
        pairs[game.index // 2].append(game)
    both = _count(list(pairs.values()))
    elos = [elo_of_score(score) for score in (both.score, both.low, both.high)]
    elo, low, high = (value if math.isfinite(value) else None for value in elos)
    by_role = [_count([[game] for game in played if game.first_role == role]) for role in (0, 1)]
    return MatchTable(**dict(both), by_role=by_role, elo=elo, elo_low=low, elo_high=high)


def _count(groups: Sequence[Sequence[MatchGame]]) -> Count:
    """The first player's results in groups of games that are one sample each."""
    scores = [[Score.of(game.result, game.first_role) for game in group] for group in groups]
    total = sum((score for group in scores for score in group), Score())
    share = score_interval([[score.points for score in group] for group in scores])
    return Count(**vars(total), games=total.games, score=share.mean, low=share.low, high=share.high)
