"""`boardwright paper tablutzero`: its runs are trained or read, measured by its protocol, and set beside the paper's.

Hours on one large accelerator; `--quick` takes minutes anywhere. Stopped or killed, the same command goes on. Runs that
were made elsewhere are read from `--runs`, each in a folder named after its preset.
"""

import math
from pathlib import Path
from typing import Any

from boardwright import __version__
from boardwright.arena.balance import fields
from boardwright.cli.choose import in_range, print_json
from boardwright.cli.files import write_text
from boardwright.cli.paper import Options, make_folder
from boardwright.cli.paper_work import done
from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.games.registry import game_class
from boardwright.papers.tablutzero import claims as tables

MOST_GAMES, MOST_MINUTES = 10**6, 10**6
ALL, NONE = "all", "none"


def run(options: Options) -> None:
    """Prints the targets, or JSON `{targets: […], runs: {…}, meetings: {…}, balance: […]}`."""
    if options.out is None:
        raise BoardwrightError(f"paper {tables.NAME}: say with --out FOLDER where the report goes")
    if options.games is not None and in_range("--games", options.games, 2, MOST_GAMES) % 2:
        raise BoardwrightError(f"--games must be even, half of them in each role, not {options.games}")
    in_range("--seed", options.seed, 0, 2**31 - 1)
    if options.minutes is not None and not 0 <= options.minutes <= MOST_MINUTES:
        raise BoardwrightError(f"--minutes must be from 0 to {MOST_MINUTES}, not {options.minutes:g}")
    wanted = _to_train(options.train)
    work_folder = options.work or options.out / f"{tables.NAME}-work"
    runs = options.runs or work_folder / "runs"
    if options.runs is not None and not options.runs.is_dir() and not wanted:
        raise BoardwrightError(f"--runs {options.runs}: no such folder; give the one that holds {_names()}")
    make_folder("--work", work_folder)
    try:
        from boardwright.papers.tablutzero.matches import everything
        from boardwright.papers.tablutzero.runs import Work
    except ModuleNotFoundError as error:
        raise BoardwrightError(f"training needs {error.name}: pip install -e '.[learn]'") from error
    work = Work(
        folder=work_folder,
        runs=runs,
        train=wanted,
        quick=options.quick,
        games=options.games,
        minutes=options.minutes,
        seed=options.seed,
    )
    results = done(work.folder, lambda watch: everything(work, watch), silent=options.json)
    if not results.runs:
        raise BoardwrightError(f"{runs} holds none of the runs {_names()}: train them, or give another --runs")
    _tell(options, results)


def _tell(options: Options, results: Any) -> None:
    from boardwright.papers.tablutzero.targets import targets
    from boardwright.papers.verdicts import OPEN

    assert options.out is not None
    _write(options.out, options, results)
    if options.json:
        print_json(_fields(results))
        return
    for wanted, ours, met in targets(results):
        verdict = {True: "met", False: "NOT MET", None: OPEN}[met]
        print(f"{wanted}: {ours}: {verdict}".replace("`", ""))
    print(f"{options.out / tables.NAME}.md: all tables")


def _to_train(text: str) -> frozenset[str]:
    """The runs that `--train` names."""
    known = [training.name for training in tables.TRAININGS]
    if text in (ALL, NONE):
        return frozenset(known if text == ALL else ())
    for name in text.split(","):
        if name not in known:
            raise UnknownNameError("run for --train", name, (*known, ALL, NONE))
    return frozenset(text.split(","))


def _names() -> str:
    return ", ".join(training.preset for training in tables.TRAININGS)


def _fields(results: Any) -> dict[str, Any]:
    from boardwright.papers.tablutzero.results import curve, frames_at, iterations_of, total_minutes
    from boardwright.papers.tablutzero.targets import targets

    roles = game_class(tables.GAME).roles
    runs = {}
    for name, found in results.runs.items():
        done = iterations_of(found.history)
        elo = {
            "elo_fixed_parameters" if mode.fixed_parameters else "elo": [
                {"iteration": at.iteration, "elo": at.elo.mean, "low": at.elo.low, "high": at.elo.high}
                for at in curve(found, mode)
            ]
            for mode in tables.RATING_MODES
        }
        minutes = total_minutes(found.history)  # not a number where the run did not measure it
        figures = {"iterations": done, "frames": frames_at(found.history, done)}
        runs[name] = {**figures, "minutes": minutes if math.isfinite(minutes) else None, **elo}
    met = {
        name: {
            "iterations": found.iterations,
            "minutes": found.minutes,
            "pairs": found.pairs,
            "score": found.score.mean,
            "low": found.score.low,
            "high": found.score.high,
        }
        for name, found in results.met.items()
    }
    lines = () if results.balance is None else results.balance.lines
    balance = [fields(line, roles) for line in lines]
    told_targets = [{"wanted": wanted, "ours": ours, "met": met} for wanted, ours, met in targets(results)]
    return {"targets": told_targets, "runs": runs, "meetings": met, "balance": balance}


def _write(out: Path, options: Options, results: Any) -> None:
    from boardwright.papers.tablutzero import report as report
    from boardwright.papers.tablutzero.charts import charts
    from boardwright.views.chart import render

    pictures = {f"{name}.svg": render(chart) for name, chart in charts(results).items()}
    for name, picture in pictures.items():
        write_text(out / name, picture)
    given = [("train", None if options.train == ALL else options.train), ("games", options.games)]
    minutes = None if options.minutes is None else f"{options.minutes:g}"
    given += [("minutes", minutes), ("seed", options.seed or None)]
    chosen = "".join(f" --{name} {value}" for name, value in given if value is not None)
    played_on = " and ".join(results.games_on)
    games = f"games after the training on {played_on}" if played_on else "no games after the training"
    text = report.markdown(
        results,
        command=f"boardwright paper {tables.NAME}{' --quick' if options.quick else ''}{chosen}",
        setting=f"{games}, boardwright {__version__}",
        quick=options.quick,
        pictures=[name for name in pictures if not name.endswith("-balance.svg")],
    )
    write_text(out / f"{tables.NAME}.md", text)
