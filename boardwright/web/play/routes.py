"""`/api/play`: games against players."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from boardwright.web.play import schemas
from boardwright.web.play.live_game import Table
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.services import Services
from boardwright.web.study.routes import as_json

GameId = Annotated[str, Path(max_length=40)]


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/play", tags=["play"], responses=PROBLEMS)
    live = services.live

    def shown(table: Table) -> Response:
        return Response(live.text(table), media_type="application/json")

    @router.post("", response_model=schemas.LiveGame)
    async def create(query: schemas.NewGame) -> Response:
        """A new game. The player's moves come over the socket to who watches the game, and by asking for it."""
        return shown(await live.create(query))

    @router.get("", response_model=list[schemas.LiveSummary])
    async def listing() -> Response:
        """The games that go on, the one moved in last first, without their boards."""
        return as_json(live.summaries())

    @router.get("/{game}", response_model=schemas.LiveGame)
    async def one(game: GameId) -> Response:
        """A game as it is now."""
        return shown(await live.find(game))

    @router.post("/{game}/move", response_model=schemas.LiveGame)
    async def move(game: GameId, query: schemas.MoveQuery) -> Response:
        """The person's move."""
        table = await live.find(game)
        await live.move(table, query)
        return shown(table)

    @router.post("/{game}/undo", response_model=schemas.LiveGame)
    async def undo(game: GameId, query: schemas.Nothing) -> Response:
        """Takes back the person's last move and what followed."""
        table = await live.find(game)
        await live.undo(table)
        return shown(table)

    @router.post("/{game}/resign", response_model=schemas.LiveGame)
    async def resign(game: GameId, query: schemas.Nothing) -> Response:
        """The person gives up."""
        table = await live.find(game)
        await live.resign(table)
        return shown(table)

    @router.post("/{game}/again", response_model=schemas.LiveGame)
    async def again(game: GameId, query: schemas.Nothing) -> Response:
        """A new game like this one, with sides changed."""
        return shown(await live.again(await live.find(game)))

    return router
