"""Play the games of a published paper again with our players, and set the results beside the paper's."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from boardwright import __version__
from boardwright.arena.played import PlayedGame
from boardwright.cli.choose import in_range, print_json
from boardwright.cli.contest import MOST_GAMES, ContestOptions, interruptible
from boardwright.cli.files import write_text
from boardwright.cli.progress import track
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.papers import report
from boardwright.papers import tablut_heuristics as tables
from boardwright.papers.tablut_heuristics import Count, Side


@dataclass(frozen=True, kw_only=True)
class Options:
    """Which paper, and how much of it."""

    paper: tyro.conf.Positional[str]
    """Its name: `tablut-heuristics`."""
    games: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Games of each player in each role. Default: as many as the targets ask for, or the paper played."""
    time: Annotated[str, tyro.conf.arg(metavar="2s")] = tables.SECONDS
    """Time a move for players that search."""
    workers: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Games played at once, each in a process of its own."""
    seed: int = 0
    """Seed of the players."""
    db: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Keep the games in this database, and go on where the same command was stopped."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Write a report and a plot into this folder, which is made if need be."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints ours beside the paper's, or JSON `{sides: [{player, opponent, role, wins, …}]}`."""
    if options.paper != tables.NAME:
        raise UnknownNameError("paper", options.paper, [tables.NAME])
    if options.games is not None:
        in_range("--games", options.games, 1, MOST_GAMES)
    if options.out is not None:
        try:
            options.out.mkdir(parents=True, exist_ok=True)  # rather now than after hours of play
        except OSError as error:
            raise BoardwrightError(f"--out {options.out}: {error.strerror}") from error
    contest = ContestOptions(
        game=tables.GAME,
        rules=tables.RULES,
        time=options.time,
        openings="start",
        workers=options.workers,
        seed=options.seed,
        db=options.db,
    )
    wanted = [(side, options.games or side.games) for side in tables.SIDES]
    played: dict[Side, list[PlayedGame]] = {side: [] for side in tables.SIDES}
    done: list[PlayedGame] = []
    with interruptible(contest, done):
        for side, game in track(_games(contest, wanted), sum(games for _, games in wanted), "games"):
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


def _games(contest: ContestOptions, wanted: list[tuple[Side, int]]) -> Iterator[tuple[Side, PlayedGame]]:
    """The games of every side. Of a match's pairs only those are played in which the player has its role."""
    for side, games in wanted:
        event = contest.event((side.player, side.opponent))
        for game in contest.play(event, 2 * games, only_role=side.role):
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
    command = f"boardwright paper {tables.NAME}{games} --time {options.time}{seed} --workers {options.workers}"
    setting = (
        f"rule set `{tables.RULES}`, {options.time} a move for players that search, seed {options.seed}, "
        f"{options.workers} games at once on a machine of {os.cpu_count()} cores, boardwright {__version__}"
    )
    text = report.markdown(results, title=tables.TITLE, command=command, setting=setting, picture=picture)
    write_text(options.out / f"{tables.NAME}.md", text)
    write_text(options.out / picture, report.svg(results, title=tables.TITLE))
