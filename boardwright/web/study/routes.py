"""`/api/position`: positions for the board of a page; `/api/files`: game files as text, without touching the disk."""

import asyncio
from dataclasses import replace

from fastapi import APIRouter, Response
from fastapi.concurrency import run_in_threadpool

from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import ONGOING
from boardwright.games.record import GameRecord, outcome_of, result_of
from boardwright.web.players.specs import is_shipped
from boardwright.web.server.http import PROBLEMS, as_json
from boardwright.web.services import Services
from boardwright.web.study import schemas
from boardwright.web.study.positions import play_texts, view

MAX_GAMES = 500  # of a file that are shown


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api", responses=PROBLEMS)
    one_at_a_time = asyncio.Lock()  # reading a large file takes a thread seconds

    @router.post("/position", response_model=schemas.PositionView, tags=["positions"])
    def position(query: schemas.PositionQuery) -> Response:
        """A position with its scene, its legal moves and the line that led to it."""
        return as_json(view(play_texts(query.line(), query.moves)))

    @router.post("/files/read", response_model=schemas.FileGames, tags=["files"])
    async def read(query: schemas.FileText) -> Response:
        """The games of a file that can be read, and the errors in the others."""
        async with one_at_a_time:
            return as_json(await run_in_threadpool(_read_games, query))

    @router.post("/files/write", response_model=schemas.FileWritten, tags=["files"])
    def write(query: schemas.FileGame) -> Response:
        """A game as the text of a file, with a suggested file name."""
        last = query.line().position
        if last.core.continues:
            raise BoardwrightError("the game ends in the middle of a move: give all its hops")
        outcome = outcome_of(last, None)
        result, reason = (query.result, query.reason) if outcome is None else (result_of(outcome), outcome.reason)
        tags = {role: name for role, name in zip(last.game.roles, query.names or (), strict=False) if name}
        record = replace(
            GameRecord.of(last, start=query.start, tags=tags),
            result=ONGOING if result is None else result,
            reason=reason,
        )
        return as_json({"text": last.game.write_games([record]), "name": f"{last.game.name}.{last.game.file_suffix}"})

    return router


def _read_games(query: schemas.FileText) -> schemas.FileGames:
    records, errors = registry.game_class(query.game).read_games(query.text)
    games: list[schemas.FileGameInfo] = []
    problems = [str(error) for error in errors]
    for record in records[:MAX_GAMES]:
        if is_shipped(record.game, record.rules):
            games.append(schemas.FileGameInfo(headers=dict(record.tags), record=file_record(record)))
        else:
            problems.append(f"rule set {record.rules.name!r}: only shipped rule sets can be shown here")
    if len(records) > MAX_GAMES:
        problems.append(f"the file has {len(records)} games: the first {MAX_GAMES} are shown")
    return schemas.FileGames(games=games, errors=problems[:100])


def file_record(record: GameRecord, names: tuple[str, str] | None = None) -> schemas.FileRecord:
    """A game record as JSON; players are named by its tags unless `names` are given."""
    first, second = names or (record.tags.get(role, "") for role in registry.game_class(record.game).roles)
    return schemas.FileRecord(**schemas.FileRecord.fields_of(record), names=(first, second))
