"""Rating lists and crosstables of the games in the record."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from boardwright.games.base import DRAW
from boardwright.games.registry import game_class
from boardwright.records.games import encounters, rule_set_names
from boardwright.records.mixtures import mixtures
from boardwright.records.store import Store
from boardwright.stats.bayeselo import Rating, Ratings, rate, rate_by_role
from boardwright.stats.pairings import Encounter, condense, groups
from boardwright.web.arena.schemas import Cell, Crosstable, CrosstableRow, RatingList, RatingRow

MAX_ROWS = 60  # of a crosstable: the players with the most games


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
    """The crosstable of a game's players, without games against themselves."""
    cells: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for first, second, result in encounters(store, game, rules):
        if first == second:
            continue
        for role, (one, other) in enumerate(((first, second), (second, first))):
            kind = "draws" if result == DRAW else "wins" if result == role else "losses"
            cells[one][other][kind] += 1
    totals = {name: sum(against.values(), Counter()) for name, against in cells.items()}
    shown = sorted(totals, key=lambda name: (-totals[name].total(), name))[:MAX_ROWS]
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


def _rows(ratings: Ratings | None, scores: dict[str, float]) -> list[RatingRow]:
    return [] if ratings is None else [_row(rating, rating.name, scores) for rating in ratings.ratings]


def _rows_of_role(ratings: Ratings | None, role: int, role_name: str, games: Sequence[Encounter]) -> list[RatingRow]:
    """The ratings of one role, which `rate_by_role` names "PLAYER as ROLE"."""
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
    """Each player's share of the points in its games with one of these roles."""
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
