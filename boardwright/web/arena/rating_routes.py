"""Ratings and crosstable of the games in the record, over HTTP.

Rating is work: it happens in one thread of its own, and what was found is kept until the record changes.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query

from boardwright.arena.bayeselo import Rating, Ratings, rate, rate_by_role
from boardwright.arena.pairings import Encounter, condense, groups
from boardwright.games.base import DRAW
from boardwright.games.registry import game_class
from boardwright.records.games import encounters, rule_set_names
from boardwright.records.mixtures import mixtures
from boardwright.records.store import Store, open_store
from boardwright.web.server.errors import PROBLEMS
from boardwright.web.server.schemas import Model
from boardwright.web.services import Services

MOST_IN_CROSSTABLE = 60  # players, those with the most games
MOST_KEPT = 64  # answers

GameName = Annotated[str, Query(max_length=100, description="name of a game, as /api/games lists them")]
RulesName = Annotated[str | None, Query(max_length=100, description="name of a rule set; nothing means all")]


class RatingRow(Model):
    """One player's strength: elo lies between elo - minus and elo + plus with 95 % confidence."""

    name: str
    elo: float
    plus: float
    minus: float
    games: int
    score: float  # share of the points


class RatingList(Model):
    """All players of a game, the strongest first."""

    game: str
    rules: str | None
    rule_sets: list[str]  # under which games are in the record
    games: int
    advantage: float  # of the first role, in Elo
    draw: float  # the larger, the more draws between equals
    connected: bool  # whether all ratings compare
    warnings: list[str]
    ratings: list[RatingRow]
    role_names: list[str]
    roles: list[list[RatingRow]]  # by role, each with mean 0


class Cell(Model):
    """Games of a player against another, from its side."""

    wins: int
    draws: int
    losses: int


class CrosstableRow(Model):
    """One player's results; `against` in the order of the rows, null where they never met."""

    name: str
    total: Cell
    score: float
    against: list[Cell | None]


class Crosstable(Model):
    """Who scored what against whom, the best score first."""

    rows: list[CrosstableRow]
    left_out: int  # players with fewer games than those shown


class _Kept:
    """Answers by question, valid for a state of the record."""

    def __init__(self, db: Path):
        self._db = db
        self._answers: dict[tuple[str, str, str | None], tuple[tuple[int, int], Model]] = {}

    def ratings(self, game: str, rules: str | None) -> RatingList:
        """The rating list."""
        answer = self._answer("ratings", game, rules)
        assert isinstance(answer, RatingList)
        return answer

    def crosstable(self, game: str, rules: str | None) -> Crosstable:
        """The crosstable."""
        answer = self._answer("crosstable", game, rules)
        assert isinstance(answer, Crosstable)
        return answer

    def _answer(self, what: str, game: str, rules: str | None) -> Model:
        game_class(game)  # raises if there is none
        question = (what, game, rules)
        with open_store(self._db, create=True) as store:
            now = _state(store)
            known = self._answers.get(question)
            if known is not None and known[0] == now:
                return known[1]
            answer = rating_list(store, game, rules) if what == "ratings" else crosstable(store, game, rules)
        if len(self._answers) >= MOST_KEPT:
            self._answers.clear()
        self._answers[question] = (now, answer)
        return answer


def make_router(services: Services) -> APIRouter:
    """The routes /api/ratings and /api/crosstable."""
    router = APIRouter(prefix="/api", tags=["arena"], responses=PROBLEMS)
    kept = _Kept(services.settings.db)
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ratings")

    @router.get("/ratings")
    async def ratings(game: GameName, rules: RulesName = None) -> RatingList:
        """Strengths by BayesElo, in Elo points with mean 0, of all players and of each role by itself."""
        return await asyncio.get_running_loop().run_in_executor(thread, kept.ratings, game, rules)

    @router.get("/crosstable")
    async def table(game: GameName, rules: RulesName = None) -> Crosstable:
        """What everybody scored, and against whom."""
        return await asyncio.get_running_loop().run_in_executor(thread, kept.crosstable, game, rules)

    return router


def rating_list(store: Store, game: str, rules: str | None) -> RatingList:
    """The ratings of a game's players; empty without games."""
    roles, played = game_class(game).roles, rule_set_names(store, game)
    games = encounters(store, game, rules)
    both, apart = (rate(games), rate_by_role(games, roles)) if games else (None, None)
    warnings = [*(() if both is None else both.warnings), *mixtures(store, game, rules)]
    return RatingList(
        game=game,
        rules=rules,
        rule_sets=sorted(set(played)),
        games=len(games),
        advantage=0.0 if both is None else both.advantage,
        draw=0.0 if both is None else both.draw,
        connected=len(groups(condense(games))) <= 1,
        warnings=warnings,
        ratings=_rows(both, _scores(games, (0, 1))),
        role_names=list(roles),
        roles=[_rows_of_role(apart, role, name, games) for role, name in enumerate(roles)],
    )


def crosstable(store: Store, game: str, rules: str | None) -> Crosstable:
    """The table of a game's players; what they scored against themselves tells nothing."""
    cells: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for first, second, result in encounters(store, game, rules):
        if first == second:
            continue
        for role, (one, other) in enumerate(((first, second), (second, first))):
            what = "draws" if result == DRAW else "wins" if result == role else "losses"
            cells[one][other][what] += 1
    totals = {name: sum(against.values(), Counter()) for name, against in cells.items()}
    shown = sorted(totals, key=lambda name: (-totals[name].total(), name))[:MOST_IN_CROSSTABLE]
    shown.sort(key=lambda name: (-_share(totals[name]), name))
    rows = [
        CrosstableRow(
            name=name,
            total=_cell(totals[name]),
            score=_share(totals[name]),
            against=[_cell(cells[name][other]) if other in cells[name] else None for other in shown],
        )
        for name in shown
    ]
    return Crosstable(rows=rows, left_out=len(totals) - len(shown))


def _state(store: Store) -> tuple[int, int]:
    """What changes with the games in the record."""
    with store.reading() as connection:
        return connection.execute("SELECT count(*), coalesce(max(id), 0) FROM games").fetchone()


def _rows(ratings: Ratings | None, scores: dict[str, float]) -> list[RatingRow]:
    return [] if ratings is None else [_row(rating, rating.name, scores) for rating in ratings.ratings]


def _rows_of_role(ratings: Ratings | None, role: int, role_name: str, games: Sequence[Encounter]) -> list[RatingRow]:
    """Those of one role: `rate_by_role` names them "PLAYER as ROLE"."""
    if ratings is None:
        return []
    scores, ending = _scores(games, (role,)), f" as {role_name}"
    names = {f"{name}{ending}": name for name in scores}
    return [_row(rating, names[rating.name], scores) for rating in ratings.ratings if rating.name in names]


def _row(rating: Rating, name: str, scores: dict[str, float]) -> RatingRow:
    return RatingRow(
        name=name, elo=rating.elo, plus=rating.plus, minus=rating.minus, games=rating.games, score=scores[name]
    )


def _scores(games: Sequence[Encounter], roles: Sequence[int]) -> dict[str, float]:
    """Each player's share of the points in the games it had one of these roles in."""
    points: dict[str, float] = defaultdict(float)
    played = Counter[str]()
    for first, second, result in games:
        for role in roles:
            player = (first, second)[role]
            played[player] += 1
            points[player] += 0.5 if result == DRAW else float(result == role)
    return {name: points[name] / count for name, count in played.items()}


def _share(total: Counter[str]) -> float:
    return (total["wins"] + total["draws"] / 2) / max(total.total(), 1)


def _cell(counts: Counter[str]) -> Cell:
    return Cell(wins=counts["wins"], draws=counts["draws"], losses=counts["losses"])
