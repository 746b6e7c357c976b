"""`/api/ratings` and `/api/crosstable` of the games in the record.

Ratings are computed in one thread of their own, and cached until the record changes.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from fastapi import APIRouter, Query

from boardwright.games.registry import game_class
from boardwright.records.store import Store, open_store
from boardwright.web.arena.ratings import crosstable, rating_list
from boardwright.web.arena.schemas import Crosstable, RatingList
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.services import Services

MAX_CACHED = 32  # answers of each kind

GameName = Annotated[str, Query(max_length=100, description="name of a game, as /api/games lists them")]
RulesName = Annotated[str | None, Query(max_length=100, description="name of a rule set; all if left out")]
Answer = TypeVar("Answer")


class _Cache(Generic[Answer]):
    """The results of a function of the record, valid until the record changes."""

    def __init__(self, db: Path, compute: Callable[[Store, str, str | None], Answer]):
        self._db = db
        self._compute = compute
        self._answers: dict[tuple[str, str | None], tuple[tuple[int, int], Answer]] = {}

    def get(self, game: str, rules: str | None) -> Answer:
        """The result for a game and rule set; raises UnknownNameError."""
        game_class(game)
        with open_store(self._db, create=True) as store:
            version, cached = _version(store), self._answers.get((game, rules))
            if cached is not None and cached[0] == version:
                return cached[1]
            answer = self._compute(store, game, rules)
        if len(self._answers) >= MAX_CACHED:
            self._answers.clear()
        self._answers[game, rules] = (version, answer)
        return answer


def _version(store: Store) -> tuple[int, int]:
    """Changes with the games in the record."""
    with store.reading() as connection:
        return connection.execute("SELECT count(*), coalesce(max(id), 0) FROM games").fetchone()


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api", tags=["arena"], responses=PROBLEMS)
    ratings, table = _Cache(services.settings.db, rating_list), _Cache(services.settings.db, crosstable)
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ratings")

    @router.get("/ratings")
    async def get_ratings(game: GameName, rules: RulesName = None) -> RatingList:
        """Ratings by BayesElo with mean 0, of all players and of each role separately."""
        return await asyncio.get_running_loop().run_in_executor(thread, ratings.get, game, rules)

    @router.get("/crosstable")
    async def get_crosstable(game: GameName, rules: RulesName = None) -> Crosstable:
        """Results of each player against each other."""
        return await asyncio.get_running_loop().run_in_executor(thread, table.get, game, rules)

    return router
