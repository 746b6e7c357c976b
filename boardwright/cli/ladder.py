"""List a game's built-in opponents with their ratings, or measure the ratings.

With --db, players of similar strength play each other. Rerun the same command to resume. Each pair of players is a
separate match, so a net added later plays only its own games.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from boardwright import __version__
from boardwright.arena import ladder, ladder_file
from boardwright.arena.event import check_even
from boardwright.arena.ladder_file import RatedField
from boardwright.arena.tally import forfeits
from boardwright.cli.common import N, check_not_database, command_line, in_range, print_json, value, write_text
from boardwright.cli.event_options import MAX_GAMES, EventOptions
from boardwright.errors import BoardwrightError
from boardwright.games.base import Game
from boardwright.games.declarations import LadderRow
from boardwright.games.registry import game_class
from boardwright.papers.report import fill_template, table
from boardwright.records.games import encounters
from boardwright.records.mixtures import comparability_warnings
from boardwright.records.store import open_store
from boardwright.stats.bayeselo import Rating, rate

MAX_MACHINE_LENGTH = 200  # characters
Ranking = list[tuple[LadderRow, Rating | None]]  # strongest first


@dataclass(frozen=True, kw_only=True)
class Options(EventOptions):
    """Which game's ladder, and how it is measured."""

    games_per_pair: N[int] = 20  # Games per pair of players, an even number.
    apart: Annotated[int, value("K")] = 3  # Pair players that are at most K places apart in the list.
    ship: Annotated[str | None, value("MACHINE")] = None
    """Store the ratings in the package, with this description of the machine."""
    out: Annotated[Path | None, value("FILE.md")] = None
    """Write the ratings as a page; without --db, the shipped ratings."""


def run(options: Options) -> None:
    """Prints one line per player, strongest first, or JSON `{game, rules, machine, …, players: [{spec, label, …}]}`.

    Warnings about the ratings go to stderr, in JSON to the key `warnings`.
    """
    game = options.bound_game()
    if options.out is not None:
        check_not_database(options.out)  # fails now rather than after hours
    rows = ladder.rows_of(game, ladder.shipped_nets())
    if options.db is None:
        if options.ship is not None:
            raise BoardwrightError("--ship needs games: name their database with --db FILE")
        rated = ladder_file.shipped_ratings(game)
    else:
        path = _ship_path(options, game)
        rated = _measure(options, game, rows)
        if path is not None:
            ladder_file.write(path, rated)
    if options.out is not None:
        if rated is None:
            raise BoardwrightError(f"--out: {_not_rated(game)}")
        write_text(options.out, page(rated, rows, game.roles[0]))
    doubts = () if rated is None else rated.doubts
    known = {} if rated is None else {rating.name: rating for rating in rated.players}
    strongest = [(row, known.get(row.spec)) for row in reversed(ladder.by_strength(rows, known.values()))]
    if options.json:
        print_json(_fields(game, strongest, rated) | ({"warnings": list(doubts)} if doubts else {}))
        return
    _print_table(game, strongest, rated)
    for doubt in doubts:
        print(f"boardwright: warning: {doubt}", file=sys.stderr)


def _ship_path(options: Options, game: Game) -> Path | None:
    """The package's file of ratings with --ship, else None; raises BoardwrightError for a wrong --ship."""
    if options.ship is None:
        return None
    if not options.ship.strip() or not options.ship.isprintable() or len(options.ship) > MAX_MACHINE_LENGTH:
        raise BoardwrightError(f"--ship: name the machine in one line of at most {MAX_MACHINE_LENGTH} characters")
    path = ladder_file.path_of(game)
    if path is None:
        shipped = ", ".join(game.rule_sets())
        raise BoardwrightError(f"--ship: a ladder of custom rules does not ship; choose a rule set: {shipped}")
    return path


def _measure(options: Options, game: Game, rows: Sequence[LadderRow]) -> RatedField:
    """Plays the missing games; returns ratings by all games of these players in the database."""
    assert options.db is not None
    per_pair = check_even("--games-per-pair", in_range("--games-per-pair", options.games_per_pair, 1, MAX_GAMES))
    pairs = ladder.near_pairs(rows, in_range("--apart", options.apart, 1, 1000))
    together = options.event(tuple(row.spec for row in rows))
    matches = [replace(together, players=pair) for pair in pairs]
    played = options.play_all(matches, per_pair)
    field = {row.spec: "" for row in rows} | dict(together.nets)
    with open_store(options.db, create=False) as store:
        games = encounters(store, game.name, game.rules.name, field)
        everyone = encounters(store, game.name, game.rules.name)
        doubts = comparability_warnings(store, game.name, game.rules.name, field)
    if left_out := sum({met.first, met.second} <= field.keys() for met in everyone) - len(games):
        doubts.append(f"{left_out:,} games of other nets with the same names are ignored")
    ratings = rate(games)
    doubts += [f"{spec} forfeited {count} games" for spec, count in forfeits(played).items()]
    from boardwright.bench.engine import machine

    decisive = ("rules", "games_per_pair", "apart", "time", "clock", "max_plies", "adjudicate", "openings")
    command = command_line(["ladder", options.game], options, (*decisive, "seed", "workers"))
    return RatedField(
        game=game.name,
        rules=game.rules.name,
        command=f"{command} --db FILE",
        machine=machine() if options.ship is None else options.ship.strip(),
        date=datetime.now(UTC).date().isoformat(),
        version=__version__,
        games=len(games),
        advantage=round(ratings.advantage, 1),
        draw=round(ratings.draw, 1),
        doubts=(*ratings.warnings, *doubts),
        players=ladder.from_anchor(ratings),
    )


def _fields(game: Game, strongest: Ranking, rated: RatedField | None) -> dict[str, Any]:
    numbers = ("elo", "plus", "minus", "games")
    about = ("machine", "date", "version", "games", "advantage", "draw")
    return {
        "game": game.name,
        "rules": game.rules.name,
        **{name: getattr(rated, name, None) for name in about},
        "players": [
            {"spec": row.spec, "label": row.label} | {name: getattr(rating, name, None) for name in numbers}
            for row, rating in strongest
        ],
    }


def _not_rated(game: Game) -> str:
    return f"{game.name} {game.rules.name}: not rated yet; measure it with --db FILE"


def _print_table(game: Game, strongest: Ranking, rated: RatedField | None) -> None:
    width = max(len(row.spec) for row, _ in strongest)
    print(f"{'player':<{width}}  {'elo':>7} {'+':>5} {'-':>5} {'games':>8}  name in the app")
    for row, rating in strongest:
        numbers = f"{'-':>7} {'-':>5} {'-':>5} {'-':>8}"
        if rating is not None:
            numbers = f"{rating.elo:>7.0f} {rating.plus:>5.0f} {rating.minus:>5.0f} {rating.games:>8,}"
        print(f"{row.spec:<{width}}  {numbers}  {row.label or ''}".rstrip())
    if rated is None:
        print(_not_rated(game))
        return
    setting = f"{rated.games:,} games on {rated.machine}, {rated.date}"
    print(f"{game.name} {game.rules.name}: {setting}; {ladder.ANCHOR} is 0")
    print(f"advantage of {game.roles[0]}: {rated.advantage:.1f} Elo; draw parameter: {rated.draw:.1f} Elo")


def page(rated: RatedField, rows: Sequence[LadderRow], first_role: str) -> str:
    """A measured ladder as a page of results, in Markdown."""
    labels = {row.spec: row.label or "" for row in rows}
    players = [
        (
            str(place),
            f"`{rating.name}`",
            f"{rating.elo:.0f}",
            f"{rating.elo - rating.minus:.0f} to {rating.elo + rating.plus:.0f}",
            str(rating.games),
            labels.get(rating.name, ""),
        )
        for place, rating in enumerate(rated.players, start=1)
    ]
    return fill_template(
        __file__,
        "ladder.md",
        rated=rated,
        title=game_class(rated.game).title,
        anchor=ladder.ANCHOR,
        players=table([("rank", "player", "Elo", "95 %", "games", "name in the app"), *players]),
        first_role=first_role,
        warnings="".join(f"\n\nWarning: {doubt}." for doubt in rated.doubts),
    )
