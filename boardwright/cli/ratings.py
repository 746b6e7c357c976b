"""Rate players by their games (BayesElo), stored ones or a table of results."""

import math
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from boardwright.cli.common import FILE, GAME, RULES, JsonOption, only_game, print_json, read_bytes
from boardwright.errors import BoardwrightError, UnknownNameError, printable
from boardwright.games.registry import current_rule_name, game_class
from boardwright.records.files import read_results
from boardwright.records.games import GameFilter, count_games, encounters, rule_set_names
from boardwright.records.mixtures import comparability_warnings
from boardwright.records.store import open_store
from boardwright.stats.bayeselo import Ratings, rate, rate_by_role
from boardwright.stats.pairings import Encounter

MAX_CSV_BYTES = 256 << 20


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which games."""

    db: FILE[Path | None] = None  # Database of games, as `tournament --db` writes it.
    game: GAME[str | None] = None  # The game whose players are rated; required if the database has several games.
    rules: RULES[str | None] = None  # Name of the rule set. Default: all rule sets in the database.
    csv: FILE[Path | None] = None
    """Instead of --db, a table of results with the columns first,second,result (first, second or draw)."""
    by_role: bool = False  # Rate every player separately in each role.
    fixed_parameters: bool = False
    """Fit ratings only, for an advantage of 32.8 and a draw parameter of 97.3: BayesElo's `mm`. Default: fit all
    three, its `mm 1 1`."""


def run(options: Options) -> None:
    """Prints a table, or JSON `{advantage, draw, ratings: [{name, elo, plus, minus, games}]}`, strongest first.

    Warnings about the ratings go to stderr, in JSON to the key `warnings`.
    """
    if (options.db is None) == (options.csv is None):
        raise BoardwrightError("give either --db FILE or --csv FILE")
    if options.by_role and options.fixed_parameters:
        raise BoardwrightError("--by-role fits the advantage: it cannot be combined with --fixed-parameters")
    games, roles, doubts = _from_table(options) if options.csv is not None else _from_database(options)
    ratings = rate_by_role(games, roles) if options.by_role else rate(games, fixed_parameters=options.fixed_parameters)
    doubts = [*ratings.warnings, *doubts]
    if options.json:
        fields = {"advantage": ratings.advantage, "draw": ratings.draw}
        fields |= {"ratings": [asdict(rating) for rating in ratings.ratings]}
        print_json(fields | ({"warnings": doubts} if doubts else {}))
        return
    _print_table(ratings, roles[0], fixed=options.fixed_parameters)
    for doubt in doubts:
        print(f"boardwright: warning: {printable(doubt)}", file=sys.stderr)


def _from_table(options: Options) -> tuple[list[Encounter], tuple[str, str], list[str]]:
    """The games, the names of the roles, and what is doubtful."""
    assert options.csv is not None
    if options.rules is not None:
        raise BoardwrightError("--rules needs --db: a table of results has no rule sets")
    games = read_results(read_bytes(options.csv, MAX_CSV_BYTES), str(options.csv))
    if not games:
        raise BoardwrightError(f"{options.csv}: there are no games to rate")
    roles = ("first", "second") if options.game is None else game_class(options.game).roles
    return games, roles, []


def _from_database(options: Options) -> tuple[list[Encounter], tuple[str, str], list[str]]:
    """The games, the names of the roles, and what is doubtful."""
    assert options.db is not None
    if options.game is not None:
        game_class(options.game)  # raises if there is no such game
    with open_store(options.db, create=False) as store:
        kinds = [*count_games(store, GameFilter())]
        name = options.game or only_game(kinds, options.db, "there are no games to rate")
        played = rule_set_names(store, name)
        rules = current_rule_name(name, options.rules)
        if rules is not None and rules not in played and played:
            raise UnknownNameError(f"rule set of {name} in {options.db}", rules, played)
        games = encounters(store, name, rules)
        if not games:
            raise BoardwrightError(f"{options.db}: there are no finished games of {name} to rate")
        doubts = comparability_warnings(store, name, rules)
    return games, game_class(name).roles, doubts


def _print_table(ratings: Ratings, first_role: str, *, fixed: bool) -> None:
    width = max([len(rating.name) for rating in ratings.ratings] + [6])
    print(f"{'player':<{width}}  {'elo':>7} {'+':>5} {'-':>5} {'games':>8}  stronger than the next")
    for place, rating in enumerate(ratings.ratings):
        numbers = f"{rating.elo:>7.1f} {rating.plus:>5.0f} {rating.minus:>5.0f} {rating.games:>8,}"
        below = ratings.superiority[place, place + 1 :]
        chances = [f"  {100 * chance:.1f} %" for chance in below if not math.isnan(chance)]
        print(f"{printable(rating.name):<{width}}  {numbers}" + "".join(chances[:1]))
    parameters = f"advantage of {first_role}: {ratings.advantage:.1f} Elo; draw parameter: {ratings.draw:.1f} Elo"
    print(f"{parameters} (both fixed)" if fixed else parameters)
