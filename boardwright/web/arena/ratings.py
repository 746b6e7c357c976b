"""`/api/ratings` and `/api/crosstable` of the games in the record.

Both are computed in one thread of their own, and cached until the record changes.
"""

import asyncio
import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query

from boardwright.games.registry import game_class
from boardwright.records.games import encounters, rule_set_names
from boardwright.records.mixtures import comparability_warnings
from boardwright.records.store import Store, open_store
from boardwright.stats import pairings
from boardwright.stats.bayeselo import Rating, rate, rate_by_role
from boardwright.stats.pairings import Encounter
from boardwright.stats.score import Score
from boardwright.web.server.http import PROBLEMS, EloInterval, Model
from boardwright.web.services import Services

MAX_ROWS = 60  # of a crosstable: the players with the most games
MAX_CACHED = 32  # answers of each kind

GameName = Annotated[str, Query(max_length=100, description="name of a game, as /api/games lists them")]
RulesName = Annotated[str | None, Query(max_length=100, description="name of a rule set; all if left out")]
Answer = TypeVar("Answer")


class RatingRow(EloInterval):
    """One player's rating."""

    name: str
    games: int
    score: float  # share of the points


class RatingList(Model):
    """All players of a game, the strongest first."""

    game: str
    rules: str | None
    rule_sets: list[str]  # that have games in the record
    games: int
    advantage: float  # of the first role, in Elo
    draw: float  # the larger, the more draws between equal players
    connected: bool  # whether all ratings are comparable
    warnings: list[str]
    ratings: list[RatingRow]
    role_names: list[str]
    roles: list[list[RatingRow]]  # by role, each with mean 0


class CrosstableRow(Model):
    """One player's results; `against` in the order of the rows, null without games."""

    name: str
    total: Score
    score: float
    against: list[Score | None]


class Crosstable(Model):
    """Results of each player against each other, the best score first."""

    rows: list[CrosstableRow]
    left_out: int  # number of players with fewer games than those shown


def make_router(services: Services) -> APIRouter:
    """The routes."""
    router = APIRouter(prefix="/api", tags=["arena"], responses=PROBLEMS)
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ratings")
    rate_games, tabulate = _cached(services.settings.db, rating_list), _cached(services.settings.db, crosstable)

    @router.get("/ratings")
    async def get_ratings(game: GameName, rules: RulesName = None) -> RatingList:
        """Ratings by BayesElo with mean 0, of all players and of each role separately."""
        return await asyncio.get_running_loop().run_in_executor(thread, rate_games, game, rules)

    @router.get("/crosstable")
    async def get_crosstable(game: GameName, rules: RulesName = None) -> Crosstable:
        """Results of each player against each other."""
        return await asyncio.get_running_loop().run_in_executor(thread, tabulate, game, rules)

    return router


def _cached(db: Path, compute: Callable[[Store, str, str | None], Answer]) -> Callable[[str, str | None], Answer]:
    """A function of a game and rule set in the record, computed again when the record has changed."""

    @functools.lru_cache(maxsize=MAX_CACHED)
    def compute_version(game: str, rules: str | None, version: tuple[int, int]) -> Answer:
        with open_store(db, create=True) as store:
            return compute(store, game, rules)

    def get(game: str, rules: str | None) -> Answer:
        game_class(game)  # raises UnknownNameError
        with open_store(db, create=True) as store, store.reading() as connection:
            version = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM games").fetchone()
        return compute_version(game, rules, version)

    return get


def rating_list(store: Store, game: str, rules: str | None) -> RatingList:
    """The ratings of a game's players; empty without games."""
    roles, games = game_class(game).roles, encounters(store, game, rules)
    both, apart = rate(games), rate_by_role(games, roles)
    return RatingList(
        game=game,
        rules=rules,
        rule_sets=sorted(set(rule_set_names(store, game))),
        games=len(games),
        advantage=both.advantage,
        draw=both.draw if games else 0.0,
        connected=len(pairings.groups(pairings.condense(games))) <= 1,
        warnings=[*both.warnings, *comparability_warnings(store, game, rules)],
        ratings=_rows(both.ratings, games, (0, 1)),
        role_names=list(roles),
        roles=[_rows(apart.of_role(role), games, (role,)) for role in (0, 1)],
    )


def _rows(ratings: Sequence[Rating], games: Sequence[Encounter], roles: Sequence[int]) -> list[RatingRow]:
    """The ratings, each with the player's share of the points in its games with one of these roles."""
    scores: dict[str, Score] = {}
    for game in games:
        for role in roles:
            player = (game.first, game.second)[role]
            scores[player] = scores.get(player, Score()) + Score.of(game.result, role)
    return [RatingRow(**vars(rating), score=scores[rating.name].share) for rating in ratings]


def crosstable(store: Store, game: str, rules: str | None) -> Crosstable:
    """The crosstable of a game's players, without games against themselves."""
    rows = pairings.crosstable(encounters(store, game, rules))
    most = {row.name for row in sorted(rows, key=lambda row: (-row.total.games, row.name))[:MAX_ROWS]}
    shown = [row for row in rows if row.name in most]
    table = []
    for row in shown:
        against = [row.against.get(other.name) for other in shown]
        table.append(CrosstableRow(name=row.name, total=row.total, score=row.total.share, against=against))
    return Crosstable(rows=table, left_out=len(rows) - len(shown))
