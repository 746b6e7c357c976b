"""`boardwright paper cathedral`: trains variants of the paper's learners, plays them, and compares with the paper.

Hours on one large accelerator; `--quick` takes minutes anywhere. Rerun the same command to resume.
"""

import dataclasses
from pathlib import Path
from typing import Any

from boardwright import __version__
from boardwright.cli.choose import in_range, print_json
from boardwright.cli.files import write_text
from boardwright.cli.paper import Options, make_folder
from boardwright.cli.paper_work import done
from boardwright.errors import BoardwrightError
from boardwright.papers.cathedral import claims as tables

MOST_GAMES, MOST_SEEDS, MOST_WORKERS, MOST_AT_ONCE = 10**6, 100, 1024, 64


def run(options: Options) -> None:
    """Prints the verdicts, or JSON `{findings: [{claim, verdict, note, figure, low, high, …}], targets: […]}`."""
    if options.out is None:
        raise BoardwrightError("paper cathedral: say with --out FOLDER where the report and the runs go")
    work_folder = options.work or options.out / "cathedral-work"
    make_folder("--work", work_folder)
    usual = (tables.QUICK_GAMES, tables.QUICK_SEEDS) if options.quick else (tables.GAMES, tables.SEEDS)
    games = usual[0] if options.games is None else options.games
    if in_range("--games", games, 2, MOST_GAMES) % 2:
        raise BoardwrightError(f"--games must be even, half of them in each role, not {games}")
    count = usual[1] if options.seeds is None else options.seeds
    in_range("--seeds", count, 1, MOST_SEEDS)
    in_range("--seed", options.seed, 0, 2**31 - 1 - count)
    in_range("--workers", options.workers, 1, MOST_WORKERS)
    in_range("--at-once", options.at_once, 1, MOST_AT_ONCE)
    try:
        from boardwright.papers.cathedral.results import targets, verdicts
        from boardwright.papers.cathedral.runs import Work, everything
    except ModuleNotFoundError as error:
        raise BoardwrightError(f"training needs {error.name}: pip install -e '.[learn]'") from error
    work = Work(
        folder=work_folder,
        seeds=tuple(range(options.seed, options.seed + count)),
        games=games,
        arena_games=min(games, tables.QUICK_ARENA_GAMES if options.quick else tables.ARENA_GAMES),
        quick=options.quick,
        workers=options.workers,
        at_once=options.at_once,
    )
    results = done(work.folder, lambda watch: everything(work, watch), silent=options.json)
    _write(options.out, options, results, games=games, seeds=count)
    if options.json:
        print_json(
            {
                "findings": [_fields(decided) for decided in verdicts(results)],
                "targets": [
                    {
                        **dataclasses.asdict(target),
                        "score": score.mean,
                        "low": score.low,
                        "high": score.high,
                        "met": met,
                    }
                    for target, score, met in targets(results)
                ],
            }
        )
        return
    for decided in verdicts(results):
        print(f"{decided.claim}: {decided.verdict}{decided.note and f', {decided.note}'}")
    print(f"{options.out / tables.NAME}.md: all tables")


def _fields(decided: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(decided, name) for name in ("claim", "words", "verdict", "note")}
    if decided.figure is not None:
        fields["figure"] = decided.figure.mean
        if decided.figure.is_bounded:
            fields |= {"low": decided.figure.low, "high": decided.figure.high}
        if decided.single is not None and decided.single.is_bounded:
            fields["one_seed_more"] = [decided.single.low, decided.single.high]
    return fields


def _write(out: Path, options: Options, results: Any, *, games: int, seeds: int) -> None:
    from boardwright.papers.cathedral import report as report
    from boardwright.views.chart import render

    pictures = {f"{name}.svg": render(chart) for name, chart in report.curves(results).items()}
    for name, picture in pictures.items():
        write_text(out / name, picture)
    quick = " --quick" if options.quick else ""
    given = [("seed", options.seed or None), ("seeds", options.seeds), ("games", options.games)]
    chosen = "".join(f" --{name} {value}" for name, value in given if value is not None)
    devices = " and ".join(results.devices()) or "devices not recorded"
    text = report.markdown(
        results,
        command=f"boardwright paper {tables.NAME}{quick}{chosen}",
        setting=(
            f"rule set `{tables.RULES}`, {games:,} games a cell and seed (fewer against simple players), "
            f"on {devices}, boardwright {__version__}"
        ),
        seeds=seeds,
        quick=options.quick,
        pictures=list(pictures),
    )
    write_text(out / f"{tables.NAME}.md", text)
