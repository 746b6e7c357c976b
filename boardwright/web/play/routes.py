"""`/api/play`: games against players."""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Response

from boardwright.web.play.live_game import LiveGame, LiveGameInfo, LiveSummary, MoveQuery, NewGame, Nothing, rematch
from boardwright.web.server.http import PROBLEMS, as_json
from boardwright.web.services import Services

GameId = Annotated[str, Path(max_length=40)]


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api/play", tags=["play"], responses=PROBLEMS)
    live = services.live

    def reply(game: LiveGame) -> Response:
        return as_json(game.as_json(time.monotonic()))

    @router.post("", response_model=LiveGameInfo)
    async def create(query: NewGame) -> Response:
        """Starts a game. Watch it on the socket, or request it again, for the player's moves."""
        return reply(await live.create(query))

    @router.get("", response_model=list[LiveSummary])
    async def list_games() -> Response:
        """The unfinished games without their boards, the most recently moved first."""
        return as_json(live.summaries())

    @router.get("/{game}", response_model=LiveGameInfo)
    async def one(game: GameId) -> Response:
        """The current state of a game."""
        return reply(await live.find(game))

    @router.post("/{game}/move", response_model=LiveGameInfo)
    async def move(game: GameId, query: MoveQuery) -> Response:
        """Plays the person's move."""
        return reply(await live.change(game, lambda changed: changed.play_query(query, time.monotonic())))

    @router.post("/{game}/undo", response_model=LiveGameInfo)
    async def undo(game: GameId, query: Nothing) -> Response:
        """Takes back the person's last move and all later ones."""
        return reply(await live.change(game, lambda changed: changed.take_back(time.monotonic())))

    @router.post("/{game}/resign", response_model=LiveGameInfo)
    async def resign(game: GameId, query: Nothing) -> Response:
        """Resigns the game for the person."""
        return reply(await live.change(game, lambda changed: changed.resign(time.monotonic())))

    @router.post("/{game}/again", response_model=LiveGameInfo)
    async def again(game: GameId, query: Nothing) -> Response:
        """Starts the same game with sides changed."""
        return reply(await live.create(rematch((await live.find(game)).stored)))

    return router
