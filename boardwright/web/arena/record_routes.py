"""The games in the record, over HTTP: a page of them at a time, and one with all its moves."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from boardwright.games.base import Rules
from boardwright.games.registry import game_class
from boardwright.records.games import StoredGame, Wanted, find_games
from boardwright.records.store import Store
from boardwright.web.arena.rating_routes import RulesName
from boardwright.web.play.schemas import FileRecord
from boardwright.web.server.errors import PROBLEMS, NotFoundError
from boardwright.web.server.schemas import Model
from boardwright.web.services import Services

MOST_LISTED = 100
LARGEST_ID = 2**62  # SQLite has no larger numbers

AnyGame = Annotated[str | None, Query(max_length=100, description="name of a game; nothing means all")]
PlayerName = Annotated[str | None, Query(max_length=1000, description="a spec, or its name before the colon")]
Before = Annotated[int | None, Query(ge=0, le=LARGEST_ID, description="only games of lower ids, for the next page")]


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
    replayable: bool  # whether its rules are those that ship under their name


class Record(RecordSummary):
    """A game with its moves."""

    record: FileRecord
    opening: int  # how many of the actions were given, not chosen
    seconds: list[float]  # thinking time by action, or nothing
    comments: dict[int, str]  # by number of actions played


def make_router(services: Services) -> APIRouter:
    """The routes under /api/records."""
    router = APIRouter(prefix="/api/records", tags=["arena"], responses=PROBLEMS)

    @router.get("")
    async def records(
        game: AnyGame = None,
        rules: RulesName = None,
        player: PlayerName = None,
        before: Before = None,
        limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 30,
    ) -> list[RecordSummary]:
        """Games, newest first; the next page follows with `before` the id of the last."""
        if game is not None:
            game_class(game)  # raises if there is none
        wanted = Wanted(game=game, rules=rules, player=player, before=before, limit=limit)
        found = await services.records.look_up(lambda store: list(find_games(store, wanted)))
        return [RecordSummary(**_summary(stored)) for stored in reversed(found)]

    @router.get("/{number}")
    async def record(number: Annotated[int, Path(ge=0, le=LARGEST_ID)]) -> Record:
        """One game."""

        def find(store: Store) -> StoredGame | None:
            return next(find_games(store, Wanted(id=number)), None)

        stored = await services.records.look_up(find)
        if stored is None:
            raise NotFoundError(f"there is no game {number} in the record")
        played = stored.played
        return Record(
            **_summary(stored),
            record=FileRecord(
                start=played.record.start,
                rules=played.record.rules.name,
                actions=list(played.record.actions),
                names=played.players,
                result=played.record.result,
                reason=played.record.reason,
            ),
            opening=played.opening,
            seconds=[round(seconds, 4) for seconds in played.seconds],
            comments=dict(played.record.comments),
        )

    return router


def ships(game: str, rules: Rules) -> bool:
    """Whether a rule set is the one that ships under its name, so that its name is enough to replay a game."""
    return game_class(game).rule_sets().get(rules.name) == rules


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
        "replayable": ships(record.game, record.rules),
    }
