"""`/api/position`: positions for the board of a page."""

from fastapi import APIRouter, Response

from boardwright.web.server.errors import PROBLEMS
from boardwright.web.server.games import bound_game
from boardwright.web.server.schemas import as_json
from boardwright.web.services import Services
from boardwright.web.study.positions import play_texts, replay, view
from boardwright.web.study.schemas import PositionQuery, PositionView


def make_router(services: Services) -> APIRouter:
    """The route."""
    router = APIRouter(prefix="/api", tags=["positions"], responses=PROBLEMS)

    @router.post("/position", response_model=PositionView)
    def position(query: PositionQuery) -> Response:
        """A position with its scene, its legal moves and the line that led to it."""
        game = bound_game(query.game, query.rules)
        return as_json(view(play_texts(replay(game, query.start, query.actions), query.moves)))

    return router
