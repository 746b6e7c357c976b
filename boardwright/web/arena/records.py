"""`/api/records`: the games in the record, a page at a time, and one game with all its moves."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from boardwright.games.registry import game_class
from boardwright.records.games import GameFilter, StoredGame, find_games
from boardwright.web.arena.ratings import RulesName
from boardwright.web.players.specs import is_shipped
from boardwright.web.server.http import MAX_ID, PROBLEMS, Model, NotFoundError
from boardwright.web.services import Services
from boardwright.web.study.routes import file_record
from boardwright.web.study.schemas import FileRecord

MAX_LISTED = 100

AnyGame = Annotated[str | None, Query(max_length=100, description="name of a game; all if left out")]
PlayerName = Annotated[str | None, Query(max_length=1000, description="a spec, or its name before the colon")]
Before = Annotated[int | None, Query(ge=0, le=MAX_ID, description="only games of lower ids, for the next page")]


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


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/records", tags=["arena"], responses=PROBLEMS)

    @router.get("")
    async def records(
        game: AnyGame = None,
        rules: RulesName = None,
        player: PlayerName = None,
        before: Before = None,
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 30,
    ) -> list[RecordSummary]:
        """Games, newest first; `before`, the id of the last one, gives the next page."""
        if game is not None:
            game_class(game)  # raises UnknownNameError
        which = GameFilter(game=game, rules=rules, player=player, before=before, limit=limit)
        found = await services.store.read(lambda store: list(find_games(store, which)))
        return [RecordSummary(**_summary(stored)) for stored in reversed(found)]

    @router.get("/{number}")
    async def record(number: Annotated[int, Path(ge=0, le=MAX_ID)]) -> Record:
        """One game."""
        which = GameFilter(id=number)
        stored = await services.store.read(lambda store: next(find_games(store, which), None))
        if stored is None:
            raise NotFoundError(f"there is no stored game {number}")
        played = stored.played
        return Record(
            **_summary(stored),
            record=file_record(played.record, played.players),
            opening=played.opening,
            seconds=[round(seconds, 4) for seconds in played.seconds],
            comments=dict(played.record.comments),
        )

    return router


def _summary(stored: StoredGame) -> dict[str, Any]:
    record = stored.played.record
    return {
        "id": stored.id,
        "game": record.game,
        "rules": record.rules.name,
        "players": list(stored.played.players),
        "result": record.result,
        "reason": record.reason,
        "length": len(record.actions),
        "stored": stored.stored,
        "replayable": is_shipped(record.game, record.rules),
    }
