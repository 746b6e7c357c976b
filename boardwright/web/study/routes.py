"""`/api/games` and `/api/position`."""

from typing import Any

from fastapi import APIRouter, Response
from pydantic_core import to_json

from boardwright.web.players import catalogue
from boardwright.web.server import schemas
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.services import Services
from boardwright.web.study.positions import bound_game, play_texts, replay, view_text


def as_json(value: Any) -> Response:
    """JSON of something that is known to have the right form: boards are large, and checking them takes longest."""
    return Response(to_json(value), media_type="application/json")


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api", tags=["positions"], responses=PROBLEMS)

    @router.get("/games", response_model=list[schemas.GameInfo])
    def games() -> Response:
        """What can be played here, by which rules, and against whom."""
        return as_json(catalogue.games_json())

    @router.post("/position", response_model=schemas.PositionView)
    def position(query: schemas.PositionQuery) -> Response:
        """A position with its scene, its legal moves and the line that led to it."""
        game = bound_game(query.game, query.rules)
        played = play_texts(replay(game, query.start, query.actions), query.moves)
        return Response(view_text(played), media_type="application/json")

    return router
