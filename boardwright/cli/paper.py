"""Reproduce a published paper: train, play and measure, and compare the results with the published ones."""

import contextlib
import importlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from boardwright.errors import BoardwrightError, UnknownNameError

PAPERS = {  # the module that does it, and options that not all have
    "tablut-heuristics": ("boardwright.cli.paper_tablut", ("time", "db")),
    "cathedral": ("boardwright.cli.paper_cathedral", ("quick", "seeds", "work", "archive", "at_once")),
    "tablutzero": ("boardwright.cli.paper_tablutzero", ("quick", "work", "archive", "runs", "train", "minutes")),
    "draughts": ("boardwright.cli.paper_draughts", ("quick", "work", "archive", "nets", "tables", "positions")),
}
ARCHIVED_NETS = {"draughts": ("best.net",)}  # files besides settings, metrics and results that a page is made of


@dataclass(frozen=True, kw_only=True)
class Options:
    """Which paper, and how much of it."""

    paper: tyro.conf.Positional[str]
    """Its name: `tablut-heuristics`, whose players meet, or `cathedral`, `tablutzero` or `draughts`, which train."""
    games: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Games of each player in each role (tablut-heuristics), of a cell for each seed (cathedral), of a meeting and of
    each line of the balance (tablutzero), or against each opponent (draughts). Default: the paper's, or enough."""
    workers: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Games played at once, each in a process of its own."""
    seed: int = 0
    """Seed of the players, or the first of the learners'."""
    nets: tuple[str, ...] = ()
    """Of draughts: other nets, files or names of some that ship, whose endings are measured as well."""
    tables: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None
    """Of draughts: endgame tables that prove endings and defend them. Default: those that ship, to 4 pieces."""
    positions: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Of draughts: won endings for each number of pieces. Default: 100, or 4 with --quick."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Write a report and plots into this folder, which is made if need be."""
    time: Annotated[str | None, tyro.conf.arg(metavar="2s")] = None
    """Of tablut-heuristics: time a move for players that search. Default: 2s, the paper's."""
    db: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Of tablut-heuristics: keep the games in this database, and go on where the same command was stopped."""
    quick: bool = False
    """Of all that train: a look in minutes, with small nets, little training and few games."""
    seeds: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Of cathedral: how often every learner is trained, the longest less often. Default: 5, or 1 with --quick."""
    at_once: Annotated[int, tyro.conf.arg(metavar="N")] = 1
    """Of cathedral: runs trained at once, each in a process of its own. A large GPU has room for ten or more."""
    work: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Of all that train: where runs and matches are kept, to resume from; or an archive of such a folder, from which
    only the page is made. Default: `PAPER-work` in --out."""
    archive: Annotated[Path | None, tyro.conf.arg(metavar="FILE.tar.xz")] = None
    """Of all that train: also write what the page is made of into one compressed file, for `--work`."""
    runs: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None
    """Of tablutzero: where the runs are, each in a folder named after its preset. Default: `runs` in --work."""
    train: Annotated[str, tyro.conf.arg(metavar="NAME,…")] = "all"
    """Of tablutzero: runs to train or to go on with, of paper, augment, baseline and fast; or `none`: only report."""
    minutes: Annotated[float | None, tyro.conf.arg(metavar="M")] = None
    """Of tablutzero: minutes of the device after which two runs meet. Default: the smaller of what they took."""
    json: bool = False
    """Print one JSON object and nothing else."""


def run(options: Options) -> None:
    """Prints published and our figures, or JSON; see the modules of the papers."""
    if options.paper not in PAPERS:
        raise UnknownNameError("paper", options.paper, PAPERS)
    module, own = PAPERS[options.paper]
    for option in dict.fromkeys(option for _, theirs in PAPERS.values() for option in theirs):
        if option not in own and getattr(options, option) != getattr(Options, option):
            *first, last = (paper for paper, (_, theirs) in PAPERS.items() if option in theirs)
            whose = f"{', '.join(first)} and {last}" if first else last
            name = f"--{option.replace('_', '-')}"
            raise BoardwrightError(f"{name} is an option of {whose}, not of {options.paper}: leave it out")
    if options.out is not None:
        make_folder("--out", options.out)  # rather now than after hours
    with _unpacked(options) as unpacked:
        importlib.import_module(module).run(unpacked)
        if options.archive is not None and unpacked.out is not None:
            from boardwright.papers import archive

            work = unpacked.work or unpacked.out / f"{options.paper}-work"
            archive.pack(work, options.archive, ARCHIVED_NETS.get(options.paper, ()))


@contextlib.contextmanager
def _unpacked(options: Options) -> Iterator[Options]:
    """The options with a temporary folder in place of an archive that `--work` names."""
    if options.work is None or not options.work.is_file():
        yield options
        return
    from boardwright.papers import archive

    with tempfile.TemporaryDirectory() as folder:
        archive.unpack(options.work, Path(folder))
        yield replace(options, work=Path(folder))


def make_folder(option: str, folder: Path) -> None:
    """Makes a folder that an option names; raises BoardwrightError where it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BoardwrightError(f"{option} {folder}: {error.strerror}") from error
