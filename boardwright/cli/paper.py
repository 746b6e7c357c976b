"""Reproduce a published paper: train, play and measure, and compare the results with the published ones.

Papers that train take hours on one large accelerator, minutes with --quick. Rerun the same command to resume.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from boardwright import __version__
from boardwright.arena.event import PlayedGame
from boardwright.cli.common import (
    FILE,
    FOLDER,
    JsonOption,
    N,
    command_line,
    in_range,
    make_folder,
    print_json,
    value,
    write_text,
)
from boardwright.cli.event_options import MAX_GAMES, MAX_WORKERS, EventOptions, interruptible
from boardwright.cli.progress import phases, track
from boardwright.cli.stopping import stop_on_signal
from boardwright.cli.train import cache_compilations
from boardwright.errors import BoardwrightError, UnknownNameError

if TYPE_CHECKING:
    from boardwright.papers.tablut_heuristics.claims import Side


@dataclass(frozen=True)
class Paper:
    """A paper that can be reproduced: its package, with `runs` and `report`, and the options that not all papers have.

    `runs` has `make_work(folder, options)` and `run_paper(work, observer)`; `report` has `page`, `summary`, `to_json`.
    """

    package: str
    options: tuple[str, ...]
    archived: tuple[str, ...] = ()  # files of a run that a page needs, in addition to settings, metrics and results


HEURISTICS = "tablut-heuristics"
PAPERS = {
    HEURISTICS: Paper("tablut_heuristics", ("time", "db")),
    "cathedral": Paper("cathedral", ("quick", "seeds", "work", "archive", "at_once")),
    "tablutzero": Paper("tablutzero", ("quick", "work", "archive", "runs", "train", "minutes")),
    "draughts": Paper("draughtszero", ("quick", "work", "archive", "nets", "tables", "positions"), ("best.net",)),
}
RANGES = {"workers": MAX_WORKERS, "seeds": 100, "at_once": 64, "positions": 10**5}  # from 1
REPEATED = ("quick", "train", "seed", "seeds", "games", "positions", "minutes")  # options that a page's command shows


@dataclass(frozen=True, kw_only=True)
class Options(JsonOption):
    """Which paper, and how much of it."""

    paper: Positional[str]
    """Its name: `tablut-heuristics`, which plays games, or `cathedral`, `tablutzero` or `draughts`, which train."""
    games: N[int | None] = None
    """Games: per player and role (tablut-heuristics); per table cell and seed (cathedral); per match and per balance
    row (tablutzero); per opponent (draughts). Default: the paper's number, or ours."""
    workers: N[int] = 1  # Concurrent games, each in its own process.
    seed: int = 0  # Seed of the players, or the first seed of the training runs.
    nets: tuple[str, ...] = ()  # Only draughts: other nets whose endings are measured; files, or names of shipped nets.
    tables: Annotated[Path | None, value("DIR")] = None
    """Only draughts: endgame tables that prove and defend the endings. Default: the shipped ones, to 4 pieces."""
    positions: N[int | None] = None  # Only draughts: won endings per number of pieces. Default: 100, or 4 with --quick.
    out: FOLDER[Path | None] = None  # Write a report and plots into this folder, which is made if missing.
    time: Annotated[str | None, value("2s")] = None
    """Only tablut-heuristics: time per move for players that search. Default: 2s, the paper's."""
    db: FILE[Path | None] = None  # Only tablut-heuristics: store the games in this database; the same command resumes.
    quick: bool = False  # Only papers that train: minutes instead of hours, with small nets and few games.
    seeds: N[int | None] = None
    """Only cathedral: seeds of every training run; the longest runs have fewer. Default: 5, or 1 with --quick."""
    at_once: N[int] = 1  # Only cathedral: concurrent training runs, each in a process; ten or more fit on a large GPU.
    work: FOLDER[Path | None] = None
    """Only papers that train: the folder of runs and matches, which the same command resumes; or an archive of one,
    from which only the page is made. Default: `PAPER-work` in --out."""
    archive: Annotated[Path | None, value("FILE.tar.xz")] = None
    """Only papers that train: also write the data of the page into one compressed file, for `--work`."""
    runs: FOLDER[Path | None] = None
    """Only tablutzero: the folder of the runs, each in a folder named after its preset. Default: `runs` in --work."""
    train: Annotated[str, value("NAME,…")] = "all"
    """Only tablutzero: runs to train or resume, of paper, augment, baseline and fast; or `none`: only report."""
    minutes: Annotated[float | None, value("M")] = None
    """Only tablutzero: GPU-minutes at which two runs are compared. Default: the smaller of their totals."""


def run(options: Options) -> None:
    """Prints published and our figures, or JSON: see `to_json` of the paper's report."""
    if options.paper not in PAPERS:
        raise UnknownNameError("paper", options.paper, PAPERS)
    own = PAPERS[options.paper].options
    for option in dict.fromkeys(option for paper in PAPERS.values() for option in paper.options):
        if option not in own and getattr(options, option) != getattr(Options, option):
            *first, last = (name for name, paper in PAPERS.items() if option in paper.options)
            whose = f"{', '.join(first)} and {last}" if first else last
            name = f"--{option.replace('_', '-')}"
            raise BoardwrightError(f"{name} is an option of {whose}, not of {options.paper}: leave it out")
    if options.out is not None:
        make_folder("--out", options.out)  # fails now rather than after hours
    if options.paper == HEURISTICS:
        _play_heuristics(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.work is not None and options.work.is_file():
            from boardwright.papers import archive

            archive.unpack(options.work, Path(folder))
            options = replace(options, work=Path(folder))
        _reproduce(options)


def _reproduce(options: Options) -> None:
    """Trains, plays and reports a paper; every part that is done is saved in the work folder."""
    if options.out is None:
        raise BoardwrightError(f"paper {options.paper}: --out FOLDER is required, for the report and the runs")
    _check_numbers(options)
    folder = options.work or options.out / f"{options.paper}-work"
    make_folder("--work", folder)
    paper = PAPERS[options.paper]
    runs, report = (import_module(f"boardwright.papers.{paper.package}.{name}") for name in ("runs", "report"))
    work = runs.make_work(folder, options)
    results = _run_interruptibly(runs, work, silent=options.json)
    given = (name for name in REPEATED if getattr(options, name) != getattr(Options, name))
    text, charts = report.page(results, work, command_line(["paper", options.paper], options, given))
    from boardwright.views.chart import render

    for name, chart in charts.items():
        write_text(options.out / f"{name}.svg", render(chart))
    write_text(options.out / f"{options.paper}.md", text)
    if options.archive is not None:
        from boardwright.papers import archive

        archive.pack(folder, options.archive, paper.archived)
    if options.json:
        print_json(report.to_json(results))
        return
    for line in report.summary(results):
        print(line)
    print(f"{options.out / options.paper}.md: all tables")


def _check_numbers(options: Options) -> None:
    for name, most in RANGES.items():
        in_range(f"--{name.replace('_', '-')}", getattr(options, name), 1, most)
    in_range("--seed", options.seed, 0, 2**31 - 1 - (options.seeds or 0))
    if options.games is not None and in_range("--games", options.games, 2, 10**6) % 2:
        raise BoardwrightError(f"--games must be even, half of them in each role, not {options.games}")
    if options.minutes is not None and not 0 <= options.minutes <= 10**6:
        raise BoardwrightError(f"--minutes must be from 0 to {10**6}, not {options.minutes:g}")


def _run_interruptibly(runs: Any, work: Any, *, silent: bool) -> Any:
    """The results of all the work; Ctrl-C stops it at the next checkpoint and ends the program."""
    from boardwright.learn.run.method import RunObserver
    from boardwright.papers.work_folder import StoppedError

    cache_compilations(work.folder)
    with stop_on_signal() as stop, phases() as show:
        message = (lambda text: None) if silent else show.line
        try:
            return runs.run_paper(work, RunObserver(progress=show.phase, message=message, stopped=stop.is_set))
        except StoppedError:
            print("boardwright: stopped; rerun the same command to resume", file=sys.stderr)
            sys.exit(130)


def _play_heuristics(options: Options) -> None:
    """Plays the Tablut heuristics paper; prints a table, or JSON `{sides: [{player, opponent, role, wins, …}]}`."""
    from boardwright.papers.tablut_heuristics import claims, report

    in_range("--games", options.games, 1, MAX_GAMES)
    event_options = EventOptions(
        game=claims.GAME,
        rules=claims.RULES,
        time=options.time or claims.SECONDS,
        openings="start",
        workers=options.workers,
        seed=options.seed,
        db=options.db,
    )
    counts = {side: options.games or side.games for side in claims.SIDES}
    played: dict[Side, list[PlayedGame]] = {side: [] for side in counts}
    done: list[PlayedGame] = []
    with interruptible(event_options, done):
        for side, game in track(_games(event_options, counts), sum(counts.values()), "games"):
            played[side].append(game)
            done.append(game)
    results = [(side, claims.count(games, side.role)) for side, games in played.items()]
    if options.out is not None:
        given = ("games", "time", *(["seed"] if options.seed else []), "workers")
        command = command_line(["paper", HEURISTICS], replace(options, time=event_options.time), given)
        setting = (
            f"rule set `{claims.RULES}`, {event_options.time} per move for players that search, seed {options.seed}, "
            f"{options.workers} concurrent games on {os.cpu_count()} cores, boardwright {__version__}"
        )
        write_text(options.out / f"{HEURISTICS}.md", report.page(results, command, setting))
        write_text(options.out / f"{HEURISTICS}.svg", report.svg(results))
    if options.json:
        print_json({"sides": [report.to_json(side, ours) for side, ours in results]})
        return
    lines = report.rows(results)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _games(options: EventOptions, counts: "dict[Side, int]") -> "Iterator[tuple[Side, PlayedGame]]":
    """The games of every side: of a match's pairs those in which the player has its role."""
    for side, games in counts.items():
        event = options.event((side.player, side.opponent))
        for game in options.play([event], 2 * games, only_role=side.role):
            yield side, game
