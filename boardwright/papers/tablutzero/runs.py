"""Runs of the Tablut paper: those that are there, those to be trained, and which nets of them are kept.

A run lies in a folder named after its preset. One that was made elsewhere is taken as it is, be it only its settings
and metrics; one that was stopped here goes on.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from boardwright.errors import NetError
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import checkpoint, league, loop, portable_state, settings
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.league import BEST
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import NAME as METRICS
from boardwright.learn.run.metrics import History
from boardwright.nets import netfile
from boardwright.papers.stopping import StoppedError
from boardwright.papers.tablutzero.claims import FULL, QUICK, QUICK_SETTINGS, Sizes, Training
from boardwright.papers.tablutzero.results import finished_iterations, iterations_of, minutes_at, read_run


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is wanted, and where it is kept."""

    folder: Path  # of matches
    runs: Path
    train: frozenset[str]  # names of runs to train, or to go on with, where they are not finished
    quick: bool = False
    games: int | None = None  # instead of the usual number
    minutes: float | None = None  # of device time at most at which runs meet; else the smaller of their totals
    seed: int = 0

    @property
    def sizes(self) -> Sizes:
        """How much is played."""
        usual = QUICK if self.quick else FULL
        return usual if self.games is None else dataclasses.replace(usual, games=self.games)

    def run_folder(self, training: Training) -> Path:
        """Of a run."""
        return self.runs / training.preset

    def config(self, training: Training) -> AlphaZeroConfig:
        """What a run is told that begins here."""
        changes = [*(QUICK_SETTINGS if self.quick else ()), *([f"seed={self.seed}"] if self.seed else [])]
        return settings.apply(PRESETS[training.preset], changes)


def trained(work: Work, training: Training, watch: RunObserver) -> tuple[AlphaZeroConfig, History] | None:
    """A run's settings and what it measured, after it has come to its end if it is to be trained; None: not run."""
    folder = work.run_folder(training)
    there = read_run(folder) if (folder / METRICS).exists() and (folder / CONFIG).exists() else None
    is_unpacked = portable_state.path_in(folder, portable_state.UNPACKED).exists()
    is_begun = there is not None and iterations_of(there[1]) > 0  # else nothing is lost by beginning anew
    can_resume = not is_begun or is_unpacked or bool(checkpoint.numbered(folder / "checkpoints"))
    is_finished = there is not None and finished_iterations(there[1]) >= there[0].iterations
    if training.name not in work.train or is_finished or not can_resume:
        return there
    config = work.config(training) if there is None else there[0]
    watch.message(f"{training.name}: {training.words} ({training.preset})")
    folder.mkdir(parents=True, exist_ok=True)
    quiet = dataclasses.replace(watch, on_iteration=lambda *_: None, message=lambda _: None)
    if loop.train(AlphaZero(config), folder, quiet).iteration < config.iterations:
        raise StoppedError
    return read_run(folder)


def kept_nets(folder: Path) -> dict[int, Path]:
    """Nets in a run's folder by iteration; the best one, where its own iteration says so, stands in for a lost one."""
    nets = {int(path.stem): path for path in (folder / "nets").glob(f"[0-9]*{league.SUFFIX}") if path.stem.isdigit()}
    best = folder / "nets" / BEST
    if best.exists():
        try:
            iteration = netfile.read(best).training.get("iteration")
        except NetError:
            iteration = None
        if isinstance(iteration, int):
            nets.setdefault(iteration, best)
    return dict(sorted(nets.items()))


def net_at(nets: dict[int, Path], history: History, minutes: float) -> int | None:
    """The latest kept net behind which there are at most so many minutes; None where there is none."""
    return max((number for number in nets if minutes_at(history, number) <= minutes), default=None)
