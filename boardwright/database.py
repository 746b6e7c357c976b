"""SQLite files of ours: opened, brought up to date, and written in whole steps.

Several processes may write to the same file: each waits for the others, `BUSY_SECONDS` at most. The journal is
a write-ahead log, so readers never wait for writers. `synchronous = NORMAL` hands every finished transaction to
the operating system, which survives the death of the process; only a power cut may take back the last moments,
without harm to what is older.

`user_version` says how many of its kind's migrations a file has seen. A file from a newer version is refused.
"""

import inspect
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from boardwright.errors import BoardwrightError

BUSY_SECONDS = 60.0


@dataclass(frozen=True)
class Kind:
    """What a file holds."""

    noun: str  # in messages: "games"
    application: int  # in the header of its files
    migrations: tuple[tuple[str, ...], ...]  # statements, a step each version
    missing: str  # what to do where there is no file
    functions: Mapping[str, Callable[..., str]] = field(default_factory=dict)  # by name, for the statements


class Database:
    """An open file; use it in a `with` statement. Made by `open_database`."""

    def __init__(self, path: Path, kind: Kind, connection: sqlite3.Connection):
        self.path = path
        self.kind = kind
        self.connection = connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to ask; what SQLite has to complain about becomes one line."""
        try:
            yield self.connection
        except sqlite3.Error as error:
            raise _explained(self.path, self.kind, error) from error
        except UnicodeEncodeError as error:  # bytes of a command line that are no text
            text = f"{str(error.object)[:80]!r} is not UTF-8 text: {self.path} cannot hold it"
            raise BoardwrightError(text) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all that is written in it is stored together, or nothing is."""
        with self.reading():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Lets go of the file."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def open_database(path: Path, kind: Kind, *, create: bool) -> Database:
    """A file of a kind, which is made where there is none if `create`; raises BoardwrightError.

    A file that may not be written is opened for reading.
    """
    try:
        exists = path.exists()
        if exists and not path.is_file():
            raise BoardwrightError(f"cannot open {path}: not an ordinary file")
        if not exists and not create:
            raise BoardwrightError(f"there is no file {path}: {kind.missing}")
        if not exists and not path.absolute().parent.is_dir():
            raise BoardwrightError(f"cannot make {path}: there is no folder {path.absolute().parent}")
        folder = path.resolve().parent
        writable = os.access(path if exists else folder, os.W_OK) and os.access(folder, os.W_OK)
        if not exists and not writable:
            raise BoardwrightError(f"cannot make {path}: its folder is read-only")
    except (OSError, ValueError) as error:
        if isinstance(error, BoardwrightError):
            raise
        reason = error.strerror if isinstance(error, OSError) else "not a file's name"
        raise BoardwrightError(f"cannot open {str(path)!r}: {reason}") from error
    # SQLite cannot read a file it may not write beside, unless told that nobody changes it: then no log is there.
    unchanging = not path.with_name(f"{path.name}-wal").exists()
    mode = ("rwc" if create else "rw") if writable else "ro&immutable=1" if unchanging else "ro"
    try:
        address = f"{path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    except sqlite3.Error as error:
        raise _explained(path, kind, error) from error
    database = Database(path, kind, connection)
    try:
        _prepare(database, writable)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: Database, writable: bool) -> None:
    """Checks that the file is ours, and brings it up to date."""
    with database.reading() as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        if _seen_migrations(database) == len(database.kind.migrations):
            return
        if not writable:
            raise BoardwrightError(f"{database.path} is from an older version and read-only: make it writable once")
        _use_write_ahead_log(connection)
    for name, function in database.kind.functions.items():
        connection.create_function(name, len(inspect.signature(function).parameters), function)
    with database.writing() as connection:  # somebody else may have been faster: look again
        for number in range(_seen_migrations(database), len(database.kind.migrations)):
            for statement in database.kind.migrations[number]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {database.kind.application}")
        connection.execute(f"PRAGMA user_version = {len(database.kind.migrations)}")


def _seen_migrations(database: Database) -> int:
    """How many migrations the file has seen; 0 for an empty one. Refuses what is not ours or too new."""
    (version,) = database.connection.execute("PRAGMA user_version").fetchone()
    (application,) = database.connection.execute("PRAGMA application_id").fetchone()
    (tables,) = database.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != database.kind.application and (application or version or tables):
        raise BoardwrightError(f"{database.path} is a database, but not of {database.kind.noun}: give another file")
    if version > len(database.kind.migrations):
        raise BoardwrightError(f"{database.path} was written by a newer version of boardwright: update boardwright")
    return version


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switches the journal; SQLite does not wait by itself while another process does the same."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _explained(path: Path, kind: Kind, error: sqlite3.Error) -> BoardwrightError:
    """What went wrong, and what to do about it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # errors of the Python module have no code
    match code:
        case sqlite3.SQLITE_FULL:
            text = f"cannot write {path}: the disk is full: make room and go on, what is stored is safe"
        case sqlite3.SQLITE_IOERR:
            text = f"cannot write {path}: {error}: see whether the disk is full or failing, what is stored is safe"
        case sqlite3.SQLITE_READONLY:
            text = f"cannot write {path}: it is read-only"
        case sqlite3.SQLITE_BUSY:
            text = f"cannot write {path}: another program keeps it locked: try again when that has finished"
        case sqlite3.SQLITE_CANTOPEN:
            text = f"cannot open {path}: see whether its folder exists and may be written"
        case sqlite3.SQLITE_NOTADB:
            text = f"{path} is not a database of {kind.noun}: give another file"
        case sqlite3.SQLITE_CORRUPT:
            text = f"{path} is damaged ({error}): restore a copy of it"
        case _:
            text = f"{path}: {error}"
    return BoardwrightError(text)
