"""The metrics of a run: scalars by iteration, and evaluation matches between its nets.

They are in `DIR/metrics.sqlite`; `DIR/tensorboard/` has a copy of the scalars for TensorBoard, by frames. Reading needs
no JAX and does not disturb a running training. NaN is stored as NULL, since SQLite has no NaN.
"""

import math
import operator
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Self, SupportsFloat, SupportsIndex

import numpy as np

from boardwright.database import Database, Kind, open_database
from boardwright.errors import RunError
from boardwright.learn.reporting.tensorboard import EventFile

NAME = "metrics.sqlite"
ON_DEVICE = "time/device_seconds/"  # before the kind of a device, in the name of the seconds used on that kind
CORRECTED = "evaluation/"  # how the names of scalars begin whose past values change
KIND = Kind(
    noun="metrics",
    application=0x42576D74,  # "BWmt"
    migrations=(
        (
            """CREATE TABLE scalars (
                name TEXT NOT NULL,
                iteration INTEGER NOT NULL,
                frames INTEGER NOT NULL, -- positions played in the run until then
                value REAL, -- NULL is NaN
                PRIMARY KEY (name, iteration)
            ) STRICT, WITHOUT ROWID""",
            """CREATE TABLE matches (
                iteration INTEGER NOT NULL, -- when the games were played
                role0_net INTEGER NOT NULL, -- nets by the iteration they are of
                role1_net INTEGER NOT NULL,
                wins0 INTEGER NOT NULL,
                draws INTEGER NOT NULL,
                wins1 INTEGER NOT NULL,
                plies INTEGER NOT NULL, -- of all the games together
                PRIMARY KEY (iteration, role0_net, role1_net)
            ) STRICT, WITHOUT ROWID""",
        ),
    ),
    missing="give the folder of a training run",
)


@dataclass(frozen=True, eq=False)
class Series:
    """One scalar over a run, in the order of iterations."""

    iterations: np.ndarray  # [N] int64
    frames: np.ndarray  # [N] int64
    values: np.ndarray  # [N] float64


@dataclass(frozen=True)
class Match:
    """Games of one net as role 0 against another as role 1; nets by the iteration they are of."""

    iteration: int  # when the games were played
    role0_net: int
    role1_net: int
    wins0: int
    draws: int
    wins1: int
    plies: int  # of all the games together


@dataclass(frozen=True)
class History:
    """All metrics of a run so far."""

    scalars: Mapping[str, Series]  # by name
    matches: tuple[Match, ...]

    def by_iteration(self, name: str) -> dict[int, float]:
        """The values of a scalar by iteration, empty if it was never logged."""
        series = self.scalars.get(name)
        return {} if series is None else dict(zip(series.iterations.tolist(), series.values.tolist(), strict=True))

    @property
    def devices(self) -> tuple[str, ...]:
        """The kinds of device it learned on; empty in metrics of older versions."""
        return tuple(sorted(name.removeprefix(ON_DEVICE) for name in self.scalars if name.startswith(ON_DEVICE)))


class Metrics:
    """The metrics of a run, to add to; use it in a `with` statement. The folder must exist."""

    def __init__(self, folder: Path):
        self._database = open_database(folder / NAME, KIND, create=True)
        try:
            with self._database.reading() as connection:  # a checkpoint that is on the disk must find its past there
                connection.execute("PRAGMA synchronous = FULL")
            self._events = EventFile(folder / "tensorboard")
        except BaseException:
            self._database.close()
            raise

    def log(self, iteration: SupportsIndex, frames: SupportsIndex, scalars: Mapping[str, SupportsFloat]) -> None:
        """Stores the scalars of an iteration together; what was logged under the same name there is replaced."""
        self.correct(iteration, frames, scalars)
        self._events.scalars(operator.index(frames), {name: float(value) for name, value in scalars.items()})

    def correct(self, iteration: SupportsIndex, frames: SupportsIndex, scalars: Mapping[str, SupportsFloat]) -> None:
        """The same for a past iteration, such as a rating that later games change; not written for TensorBoard."""
        at = operator.index(iteration), operator.index(frames)
        values = {name: float(value) for name, value in scalars.items()}
        rows = [(name, *at, None if math.isnan(value) else value) for name, value in values.items()]
        with self._database.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO scalars VALUES (?, ?, ?, ?)", rows)

    def log_match(self, match: Match) -> None:
        """Stores a match; an earlier one of the same nets in the same iteration is replaced."""
        with self._database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(match))

    def truncate_after(self, iteration: int) -> None:
        """Deletes what came after an iteration, which a resumed run measures again."""
        with self._database.writing() as connection:
            for table in ("scalars", "matches"):
                connection.execute(f"DELETE FROM {table} WHERE iteration > ?", [iteration])
            (frames,) = connection.execute("SELECT max(frames) FROM scalars").fetchone()
        self._events.restart_at(0 if frames is None else frames + 1)

    def read(self) -> History:
        """All metrics so far."""
        return _history(self._database)

    def close(self) -> None:
        """Closes the files."""
        self._events.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_metrics(folder: Path, after: int = -1) -> History:
    """The metrics of the run in a folder; raises RunError if it has none.

    With `after`, what came after that iteration, and all ratings, since later games correct them.
    """
    with _open(folder) as database:
        return _history(database, after)


def progress(folder: Path) -> tuple[int, int]:
    """(iterations, frames) that the run in a folder has logged."""
    with _open(folder) as database, database.reading() as connection:
        iterations, frames = connection.execute("SELECT max(iteration), max(frames) FROM scalars").fetchone()
    return iterations or 0, frames or 0


def snapshot(folder: Path) -> bytes:
    """The metrics file of a run as of this moment, also while another process writes it; raises RunError."""
    with _open(folder) as database, database.reading() as connection:
        return connection.serialize()


def _open(folder: Path) -> Database:
    if not (folder / NAME).exists():
        raise RunError(f"{folder} is not a run folder, it has no {NAME}: give the --out of a training run")
    return open_database(folder / NAME, KIND, create=False)


def _history(database: Database, after: int = -1) -> History:
    columns: dict[str, list[tuple[int, int, float]]] = {}
    with database.snapshot() as connection:
        query = f"SELECT * FROM scalars WHERE iteration > ? OR name GLOB '{CORRECTED}*' ORDER BY name, iteration"
        for name, iteration, frames, value in connection.execute(query, [after]):
            columns.setdefault(name, []).append((iteration, frames, math.nan if value is None else value))
        query = "SELECT * FROM matches WHERE iteration > ? ORDER BY iteration, role0_net, role1_net"
        rows = connection.execute(query, [after]).fetchall()
    scalars = {}
    for name, points in columns.items():
        iterations, frames, values = zip(*points, strict=True)
        scalars[name] = Series(np.array(iterations, np.int64), np.array(frames, np.int64), np.array(values, np.float64))
    return History(scalars, tuple(Match(*row) for row in rows))
