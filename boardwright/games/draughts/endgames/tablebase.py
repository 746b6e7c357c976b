"""Endgame tables: the result of any position with few pieces, and the plies to the end.

Tables to 4 pieces ship with the package; `build` makes those with 5 in a minute or two, and those with 6
in about twenty times as long and 2 GiB of memory. Each file holds one material with either
side to move and is named by the pieces of both, such as `KKM-KM.table`.

Plies are whole moves until the loser has no move. The tables ignore draws by inactivity and repetition: a win
may take longer than the rules of a match allow.
"""

import fcntl
import functools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from boardwright import _core
from boardwright.errors import BoardwrightError, PositionError
from boardwright.games.base import Position
from boardwright.processes import usable_cores

SHIPPED = Path(__file__).parent / "tables"
SHIPPED_PIECES = 4
MAX_PIECES: int = _core.TABLEBASE_MAX_PIECES

Result = Literal["loss", "draw", "win"]
_RESULTS: tuple[Result, ...] = ("loss", "draw", "win")  # by the engine's numbers


class TablebaseError(BoardwrightError):
    """Tables that are missing, damaged or being built by another process."""


@dataclass(frozen=True)
class Probe:
    """The value of a position for the side to move."""

    result: Result
    plies: int | None  # to the end of the game; None for a draw

    def before_the_move(self) -> "Probe":
        """The value of a move to this position, for the mover."""
        turned = _RESULTS[2 - _RESULTS.index(self.result)]
        return Probe(turned, None if self.plies is None else self.plies + 1)

    def rank(self) -> int:
        """Greater is better: quick wins, slow wins, draws, slow losses, quick losses."""
        if self.plies is None:
            return 0
        return 1000 - self.plies if self.result == "win" else self.plies - 1000


class Tablebase:
    """The tables of a folder, checked when they are opened. One object serves one thread."""

    def __init__(self, folder: Path | str | None = None, pieces: int | None = None):
        """By default the shipped tables; `pieces` limits how many of the folder's tables are opened.

        Raises TablebaseError that names a missing or damaged file.
        """
        if pieces is not None:
            _check_pieces(pieces)
            if folder is None and pieces > SHIPPED_PIECES:
                raise TablebaseError(_how_to_get_more(f"tables with {pieces} pieces do not ship", pieces))
        self.folder = SHIPPED if folder is None else Path(folder)
        with file_errors():
            self._tables = _core.DraughtsTables(_text(self.folder), pieces or 0)
        self.pieces = self._tables.pieces  # the most, of both sides, that a position may have

    def probe(self, black: int, white: int, kings: int, role: int, continuing: int = 0) -> Probe:
        """The value of a position for `role`, which is to move.

        Pieces are bits, square s bit s - 1: all black ones, all white ones, and the kings of both.
        `continuing` is the square of a piece in the middle of a capture, which is then completed.
        """
        count = (black | white).bit_count()
        if count > self.pieces:
            complaint = f"the position has {count} pieces, the tables go to {self.pieces}"
            raise PositionError(_how_to_get_more(complaint, count))
        try:
            found = self._tables.probe(black, white, kings, role, continuing)
        except (ValueError, TypeError) as error:
            raise PositionError(f"invalid position: {str(error).splitlines()[0]}") from error
        return Probe(_RESULTS[found.outcome], found.plies)

    def probe_position(self, position: Position) -> Probe:
        """The value of a draughts position for the side to move, also in the middle of a capture."""
        core = position.core_as(_core.DraughtsPosition)
        return self.probe(core.black, core.white, core.kings, core.role_to_move, core.continuing)

    def ranked_moves(self, position: Position) -> list[tuple[str, Probe]]:
        """Every whole move and its result for the mover, the best first."""
        worth = []
        for move in position.moves():
            after = position.play(move).core_as(_core.DraughtsPosition)
            behind = self.probe(after.black, after.white, after.kings, 1 - position.role_to_move)
            worth.append((move, behind.before_the_move()))
        return sorted(worth, key=lambda pair: -pair[1].rank())

    def counts(self, pieces: int) -> _core.SliceCounts:
        """Every position of `pieces` pieces with both sides present, counted by its result for the mover."""
        _check_pieces(pieces)
        if pieces > self.pieces:
            raise TablebaseError(_how_to_get_more(f"the tables in {self.folder} go to {self.pieces} pieces", pieces))
        return self._tables.counts(pieces)

    def packed(self) -> _core.PackedOutcomes:
        """The outcomes of all positions, for a device: two bits each, 0 a loss, 1 a draw, 2 a win, 16 a word."""
        return self._tables.packed(usable_cores())

    def verify(self) -> int:
        """Returns the number of positions; raises TablebaseError if any value does not follow from its moves."""
        found = self._tables.verify(self.pieces, usable_cores())
        if found.wrong_values or found.wrong_counts:
            wrong = f"{found.wrong_values} values, {found.wrong_counts} counts"
            raise TablebaseError(f"the tables in {self.folder} are wrong: {wrong}")
        return found.positions


@dataclass(frozen=True)
class BuildStep:
    """Progress of a build."""

    table: str
    done: int  # positions, of this build
    total: int
    wrote: Path | None  # the table's file, once written


def build(
    pieces: int,
    folder: Path | str,
    progress: Callable[[BuildStep], None] = lambda step: None,
    threads: int | None = None,
) -> list[Path]:
    """Builds all tables up to `pieces` pieces; returns the files it wrote.

    Undamaged files that exist are kept, damaged ones replaced, so that an interrupted build resumes where
    it was. Files are written atomically. `progress` is called several times per second and may raise to stop
    the build.
    """
    _check_pieces(pieces)
    folder = Path(folder)
    with _sole_builder(folder), file_errors():
        builder = _core.DraughtsTableBuilder(_text(folder), threads or usable_cores())
        listed = [table for count in range(2, pieces + 1) for table in _core.tablebase_tables(count)]
        missing = [table for table in listed if not builder.has(table.name)]
        total, before, written = sum(table.positions for table in missing), 0, []
        for table in missing:
            at_first = BuildStep(table.name, before, total, None)
            builder.build(table.name, lambda done, step=at_first: progress(replace(step, done=step.done + done)))
            written.append(folder / f"{table.name}.table")
            before += table.positions
            progress(replace(at_first, done=before, wrote=written[-1]))
    return written


shipped_tables = functools.cache(Tablebase)  # opened once


def _check_pieces(pieces: int) -> None:
    if not 2 <= pieces <= MAX_PIECES:
        raise TablebaseError(f"tables have from 2 to {MAX_PIECES} pieces, not {pieces}")


def _how_to_get_more(complaint: str, pieces: int) -> str:
    if pieces > MAX_PIECES:
        return f"{complaint}, and none can have more than {MAX_PIECES}"
    remedy = f"'boardwright tablebase build --pieces {pieces} --out DIR'"
    return f"{complaint}: build larger ones with {remedy} and name the folder, --dir DIR"


def _text(folder: Path) -> str:
    """A folder's name for the engine, which takes UTF-8 text."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise TablebaseError(f"folder {str(folder)!a}: choose one whose name is UTF-8 text") from None
    return str(folder)


@contextmanager
def file_errors() -> Iterator[None]:
    """Turns the engine's errors about table files into TablebaseError."""
    try:
        yield
    except _core.TablebaseFileError as error:
        raise TablebaseError(str(error)) from error


@contextmanager
def _sole_builder(folder: Path) -> Iterator[None]:
    """Makes the folder and locks it for this process: two builds would corrupt each other's files."""
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TablebaseError(f"another build is running in {folder}: wait for it or use another folder") from error
        except OSError as error:
            raise TablebaseError(f"cannot build tables in {folder}: {error.strerror}") from error
        yield
