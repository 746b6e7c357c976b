"""`/api/games`: the games, their rule sets, and the opponents of each."""

from fastapi import APIRouter, Response

from boardwright.web.players.catalogue import games_json
from boardwright.web.players.schemas import GameInfo
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.server.schemas import as_json
from boardwright.web.services import Services


def make_router(services: Services) -> APIRouter:
    """The route."""
    router = APIRouter(prefix="/api", tags=["positions"], responses=PROBLEMS)

    @router.get("/games", response_model=list[GameInfo])
    def games() -> Response:
        """Every game with its rule sets, opponents and kinds of players."""
        return as_json(games_json())

    return router
