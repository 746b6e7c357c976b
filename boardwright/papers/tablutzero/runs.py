"""The training runs of the Tablut paper, and the whole of its work: `run_paper`.

A run is in a folder named after its preset. One that was made elsewhere is used as it is, even if only its settings and
metrics are left; one that was stopped here is resumed.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardwright.errors import BoardwrightError, UnknownNameError
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import checkpoint, portable_state, settings
from boardwright.learn.run.config_file import NAME as CONFIG
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import NAME as METRICS
from boardwright.papers.tablutzero import matches
from boardwright.papers.tablutzero.claims import FULL, PAIRINGS, QUICK, QUICK_SETTINGS, TRAININGS, Sizes, Training
from boardwright.papers.tablutzero.results import Results, RunResult, finished_iterations, iterations_of, read_run
from boardwright.papers.work_folder import train_to_end

ALL, NONE = "all", "none"  # values of --train
RUNS = ", ".join(training.preset for training in TRAININGS.values())


@dataclass(frozen=True, kw_only=True)
class Work:
    """What to run, and where."""

    folder: Path
    runs: Path
    train: frozenset[str]  # names of runs to train or resume
    quick: bool = False
    games: int | None = None  # instead of the usual number
    minutes: float | None = None  # of device time at most at which runs are paired; else the smaller of their totals
    seed: int = 0

    @property
    def sizes(self) -> Sizes:
        """How many games are played."""
        usual = QUICK if self.quick else FULL
        return usual if self.games is None else dataclasses.replace(usual, games=self.games)

    @property
    def matches(self) -> Path:
        """The folder of saved games."""
        return self.folder / "matches"

    def run_folder(self, training: Training) -> Path:
        """Folder of a training run."""
        return self.runs / training.preset

    def config(self, training: Training) -> AlphaZeroConfig:
        """The settings of a run that starts here."""
        changes = [*(QUICK_SETTINGS if self.quick else ()), *([f"seed={self.seed}"] if self.seed else [])]
        return settings.apply(PRESETS[training.preset], changes)


def make_work(folder: Path, options: Any) -> Work:
    """The work that the options of `boardwright paper` describe; raises BoardwrightError."""
    names = {ALL: list(TRAININGS), NONE: []}.get(options.train, options.train.split(","))
    for name in names:
        if name not in TRAININGS:
            raise UnknownNameError("run for --train", name, (*TRAININGS, ALL, NONE))
    if options.runs is not None and not options.runs.is_dir() and not names:
        raise BoardwrightError(f"--runs {options.runs}: no such folder; give the one that holds {RUNS}")
    return Work(
        folder=folder,
        runs=options.runs or folder / "runs",
        train=frozenset(names),
        quick=options.quick,
        games=options.games,
        minutes=options.minutes,
        seed=options.seed,
    )


def run_paper(work: Work, observer: RunObserver) -> Results:
    """Trains and plays what is missing; raises StoppedError when the observer stops it."""
    found = {name: train_run(work, training, observer) for name, training in TRAININGS.items()}
    runs = {name: run for name, run in found.items() if run is not None}
    if not runs:
        raise BoardwrightError(f"{work.runs} holds none of the runs {RUNS}: train them, or give another --runs")
    for name, run in runs.items():
        runs[name] = matches.evaluate_by_protocol(work, name, run, observer)
    played = {pairing.name: matches.play_pairing(work, pairing, runs, observer) for pairing in PAIRINGS}
    pairings = {name: result for name, result in played.items() if result is not None}
    balance = matches.play_balance(work, observer)
    return Results(runs, pairings, balance, work.sizes.protocol, games_on=matches.devices_of(work.matches))


def train_run(work: Work, training: Training, observer: RunObserver) -> RunResult | None:
    """A run, after training it to its end if it is to be trained; None: not run."""
    folder = work.run_folder(training)
    there = read_run(folder) if (folder / METRICS).exists() and (folder / CONFIG).exists() else None
    is_unpacked = portable_state.path_in(folder, portable_state.UNPACKED).exists()
    is_begun = there is not None and iterations_of(there.history) > 0  # else starting again loses nothing
    can_resume = not is_begun or is_unpacked or bool(checkpoint.find_checkpoints(folder / "checkpoints"))
    is_finished = there is not None and finished_iterations(there.history) >= there.config.iterations
    if training.name not in work.train or is_finished or not can_resume:
        return there
    config = work.config(training) if there is None else there.config
    observer.message(f"{training.name}: {training.words} ({training.preset})")
    folder.mkdir(parents=True, exist_ok=True)
    train_to_end(AlphaZero(config), folder, dataclasses.replace(observer, message=lambda text: None))
    return read_run(folder)
