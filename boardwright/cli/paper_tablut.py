"""`boardwright paper tablut-heuristics`: its games are played again with our players."""

import os
from collections.abc import Iterator

from boardwright import __version__
from boardwright.arena.event import PlayedGame
from boardwright.cli.choose import in_range, print_json
from boardwright.cli.event_options import MOST_GAMES, EventOptions, interruptible
from boardwright.cli.files import write_text
from boardwright.cli.paper import Options
from boardwright.cli.progress import track
from boardwright.papers import report
from boardwright.papers.tablut_heuristics import claims as tables
from boardwright.papers.tablut_heuristics.claims import Count, Side


def run(options: Options) -> None:
    """Prints ours beside the paper's, or JSON `{sides: [{player, opponent, role, wins, …}]}`."""
    if options.games is not None:
        in_range("--games", options.games, 1, MOST_GAMES)
    event_options = EventOptions(
        game=tables.GAME,
        rules=tables.RULES,
        time=_time(options),
        openings="start",
        workers=options.workers,
        seed=options.seed,
        db=options.db,
    )
    wanted = [(side, options.games or side.games) for side in tables.SIDES]
    played: dict[Side, list[PlayedGame]] = {side: [] for side in tables.SIDES}
    done: list[PlayedGame] = []
    with interruptible(event_options, done):
        for side, game in track(_games(event_options, wanted), sum(games for _, games in wanted), "games"):
            played[side].append(game)
            done.append(game)
    results = [(side, tables.count(games, side.role)) for side, games in played.items()]
    if options.out is not None:
        _write(options, results)
    if options.json:
        print_json({"sides": [_fields(side, ours) for side, ours in results]})
        return
    lines = report.table(results)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _time(options: Options) -> str:
    return options.time or tables.SECONDS


def _games(options: EventOptions, wanted: list[tuple[Side, int]]) -> Iterator[tuple[Side, PlayedGame]]:
    """The games of every side. Of a match's pairs only those are played in which the player has its role."""
    for side, games in wanted:
        event = options.event((side.player, side.opponent))
        for game in options.play([event], 2 * games, only_role=side.role):
            yield side, game


def _fields(side: Side, ours: Count) -> dict[str, object]:
    return {
        "table": side.table,
        "player": side.player,
        "opponent": side.opponent,
        "role": report.ROLES[side.role],
        "games": ours.games,
        "wins": ours.wins,
        "losses": ours.losses,
        "draws": ours.draws,
        "decisive_plies": ours.plies,
        "paper": str(side.paper),
        "target": None if side.target is None else side.target.text,
        "met": None if side.target is None else side.target.met(ours),
    }


def _write(options: Options, results: list[tuple[Side, Count]]) -> None:
    assert options.out is not None
    picture = f"{tables.NAME}.svg"
    games = "" if options.games is None else f" --games {options.games}"
    seed = f" --seed {options.seed}" if options.seed else ""
    command = f"boardwright paper {tables.NAME}{games} --time {_time(options)}{seed} --workers {options.workers}"
    setting = (
        f"rule set `{tables.RULES}`, {_time(options)} a move for players that search, seed {options.seed}, "
        f"{options.workers} games at once on a machine of {os.cpu_count()} cores, boardwright {__version__}"
    )
    text = report.markdown(results, title=tables.TITLE, command=command, setting=setting, picture=picture)
    write_text(options.out / f"{tables.NAME}.md", text)
    write_text(options.out / picture, report.svg(results, title=tables.TITLE))
