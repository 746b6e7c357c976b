"""Play several players against each other. Rerun the same command to resume."""

from dataclasses import asdict, dataclass
from typing import Annotated

from tyro.conf import Positional

from boardwright.agents.specs import current_spec
from boardwright.arena.event import Event, PlayedGame, check_even
from boardwright.arena.tally import encounters, forfeits
from boardwright.cli.common import N, in_range, print_json, value
from boardwright.cli.event_options import MAX_GAMES, EventOptions
from boardwright.errors import BoardwrightError, printable
from boardwright.stats.bayeselo import Ratings, rate
from boardwright.stats.pairings import CrosstableRow, crosstable
from boardwright.stats.score import Score


@dataclass(frozen=True, kw_only=True)
class Options(EventOptions):
    """Who plays, and how often."""

    players: Annotated[tuple[str, ...], Positional, value("PLAYER [PLAYER …]")]
    """Two players or more, such as `random mc:sims=400`; `boardwright agents GAME` lists them."""
    games_per_pair: N[int]  # Games between any two players, an even number.
    gauntlet: bool = False  # The first player against each of the others, instead of all against all.


def run(options: Options) -> None:
    """Prints a crosstable and ratings, or JSON `{games, players: […], pairs: […], ratings: […]}`."""
    per_pair = check_even("--games-per-pair", in_range("--games-per-pair", options.games_per_pair, 1, MAX_GAMES))
    if len(options.players) < 2:
        raise BoardwrightError("a tournament needs two players or more: name them after the game")
    players = tuple(current_spec(player) for player in options.players)
    for player in players:
        if players.count(player) > 1:
            raise BoardwrightError(
                f"player {player!r} is named twice: for a match against itself use boardwright match"
            )
    if options.db is None:
        raise BoardwrightError("a tournament needs a database for its games: add --db FILE")
    event = options.event(players, options.gauntlet)
    played = options.play_all([event], len(event.pairings()) * per_pair)
    games = encounters(played)
    rows, ratings = crosstable(games), rate(games)
    if options.json:
        print_json(_fields(event, played, rows, ratings))
        return
    _print_tables(played, rows, ratings)


def _fields(event: Event, played: list[PlayedGame], rows: list[CrosstableRow], ratings: Ratings) -> dict[str, object]:
    by_name = {row.name: row for row in rows}
    pairs = [(event.players[first], event.players[second]) for first, second in event.pairings()]
    return {
        "games": len(played),
        "players": [{"name": row.name, **_counts(row.total), "score": row.total.share} for row in rows],
        "pairs": [{"a": a, "b": b, **_counts(by_name[a].against[b])} for a, b in pairs],
        "ratings": [{"name": rated.name, "elo": rated.elo, "plus": rated.plus, "minus": rated.minus}
                    for rated in ratings.ratings],
    }  # fmt: skip


def _counts(score: Score) -> dict[str, int]:
    return {"games": score.games, **asdict(score)}


def _print_tables(played: list[PlayedGame], rows: list[CrosstableRow], ratings: Ratings) -> None:
    width = max(len(row.name) for row in rows)
    elo = {rated.name: f"{round(rated.elo):+d} +{rated.plus:.0f} -{rated.minus:.0f}" for rated in ratings.ratings}
    numbers = "".join(f"{number:>12}" for number in range(1, len(rows) + 1))
    print(f"{len(played)} games; Elo with 95 % interval; wins-draws-losses against each player")
    print(f"  {'':>2} {'':<{width}} {'Elo':>16} {'score':>8}{numbers}")
    for number, row in enumerate(rows, start=1):
        cells = "".join(f"{_cell(row.against.get(other.name)):>12}" for other in rows)
        print(
            f"  {number:>2} {printable(row.name):<{width}} {elo[row.name]:>16} {100 * row.total.share:>6.1f} %{cells}"
        )
    for name, games in forfeits(played).items():
        print(f"  {printable(name)} forfeited {games} games")
    for warning in ratings.warnings:
        print(f"  {printable(warning)}")


def _cell(score: Score | None) -> str:
    return "-" if score is None else f"{score.wins}-{score.draws}-{score.losses}"
