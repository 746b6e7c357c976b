"""`boardwright paper draughts`: our variant of the paper's run, matches, and how many won endings its net wins.

Hours on two cores, minutes on an accelerator and for `--quick`. Rerun the same command to resume.
"""

from typing import Any

from boardwright import __version__
from boardwright.cli.choose import in_range, print_json
from boardwright.cli.files import write_text
from boardwright.cli.paper import Options, make_folder
from boardwright.cli.paper_work import done
from boardwright.errors import BoardwrightError

MOST = 10**5


def run(options: Options) -> None:
    """Prints the verdicts, or JSON `{claims: [{claim, ours, verdict, note}], endings: [{net, asked, pieces, …}]}`."""
    if options.out is None:
        raise BoardwrightError("paper draughts: say with --out FOLDER where the report and the run go")
    try:
        from boardwright.papers.draughtszero import runs
    except ModuleNotFoundError as error:
        raise BoardwrightError(f"training needs {error.name}: pip install -e '.[learn]'") from error
    usual = (runs.QUICK_GAMES, runs.QUICK_POSITIONS) if options.quick else (runs.GAMES, runs.POSITIONS)
    games = usual[0] if options.games is None else options.games
    if in_range("--games", games, 2, MOST) % 2:
        raise BoardwrightError(f"--games must be even, half of them in each role, not {games}")
    work = runs.Work(
        folder=options.work or options.out / "draughts-work",
        seed=in_range("--seed", options.seed, 0, 2**31 - 1),
        games=games,
        positions=in_range("--positions", usual[1] if options.positions is None else options.positions, 1, MOST),
        quick=options.quick,
        workers=in_range("--workers", options.workers, 1, 1024),
        nets=options.nets,
        tables=options.tables,
    )
    make_folder("--work", work.folder)
    results = done(work.folder, lambda watch: runs.everything(work, watch), silent=options.json)
    _write(options, work, results)
    if options.json:
        claims = [claim._asdict() for claim in results.claims()]
        endings = [
            {"net": net, "asked": asked, "pieces": one.pieces, "won": one.won, "positions": one.endings}
            for (net, asked), found in results.endings.items()
            for one in found
        ]
        print_json({"claims": claims, "endings": endings})
        return
    for one in results.claims():
        print(f"{one.claim}: {one.ours}: {one.verdict}: {one.note}")
    print(f"{options.out / runs.NAME}.md: all tables")


def _write(options: Options, work: Any, results: Any) -> None:
    from boardwright.games.draughts.endgames.tablebase import Tablebase
    from boardwright.papers.draughtszero import report as report
    from boardwright.papers.draughtszero.runs import NAME
    from boardwright.views.chart import render

    assert options.out is not None
    pictures = {f"{name}.svg": render(chart) for name, chart in report.curves(results).items()}
    for name, picture in pictures.items():
        write_text(options.out / name, picture)
    given = [("seed", options.seed or None), ("games", options.games), ("positions", options.positions)]
    chosen = "".join(f" --{name} {value}" for name, value in given if value is not None)
    most = Tablebase(options.tables).pieces
    text = report.markdown(
        results,
        work.config(),
        command=f"boardwright paper {NAME}{' --quick' if options.quick else ''}{chosen}",
        setting=f"{work.games} games a match, {work.positions} endings a row, {work.simulations} simulations a move "
        f"where nets search, boardwright {__version__}",
        quick=options.quick,
        proven_by=f"proven by tables to {most} pieces, beyond them by alpha-beta that reaches them by force",
        pictures=list(pictures),
    )
    write_text(options.out / f"{NAME}.md", text)
