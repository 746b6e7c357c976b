"""SQLite files: opening, migrations, transactions, and error messages.

Several processes may write to the same file: each waits for the others, at most `BUSY_SECONDS`. The journal is a
write-ahead log, so readers never wait for writers. With `synchronous = NORMAL` a finished transaction survives the end
of the process; only a power cut may lose the last ones, and never damages older data.

`user_version` is the number of migrations that were applied to a file. A file from a newer version is refused.
"""

import inspect
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from boardwright.errors import BoardwrightError, printable

BUSY_SECONDS = 60.0
_ADVICE = {  # by error code of SQLite
    sqlite3.SQLITE_FULL: "cannot write {path}: the disk is full: free some space and try again; what is stored is safe",
    sqlite3.SQLITE_IOERR: (
        "cannot write {path}: {error}: check whether the disk is full or failing; what is stored is safe"
    ),
    sqlite3.SQLITE_READONLY: "cannot write {path}: it is read-only",
    sqlite3.SQLITE_BUSY: "cannot write {path}: another program keeps it locked: try again when that has finished",
    sqlite3.SQLITE_CANTOPEN: "cannot open {path}: check that its folder exists and is writable",
    sqlite3.SQLITE_NOTADB: "{path} is not a database of {noun}: give another file",
    sqlite3.SQLITE_CORRUPT: "{path} is damaged ({error}): restore a copy of it",
}


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    noun: str  # in messages: "games"
    application: int  # in the header of its files
    migrations: tuple[tuple[str, ...], ...]  # the statements of each version
    missing: str  # advice if there is no file
    functions: Mapping[str, Callable[..., str]] = field(default_factory=dict)  # by name, for the statements


class Database(AbstractContextManager["Database"]):
    """An open file; use it in a `with` statement. Made by `open_database`."""

    def __init__(self, path: Path, kind: Kind, connection: sqlite3.Connection):
        self.path = path
        self.kind = kind
        self.connection = connection
        self._has_failed = False  # whether a transaction is open that is to be undone

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for queries; errors of SQLite are raised as BoardwrightError."""
        try:
            self._undo_failed()
            yield self.connection
        except (sqlite3.Error, MemoryError) as error:
            raise _explained(self.path, self.kind, error) from error
        except UnicodeDecodeError as error:  # in a message of SQLite that quotes the schema
            advice = _ADVICE[sqlite3.SQLITE_CORRUPT]
            raise BoardwrightError(advice.format(path=self.path, error="its schema is not UTF-8 text")) from error
        except UnicodeEncodeError as error:  # bytes of a command line that are not text
            text = f"{str(error.object)[:80]!r} is not UTF-8 text: {self.path} cannot hold it"
            raise BoardwrightError(text) from error

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A transaction, which is stored as a whole or not at all."""
        return self._transaction("BEGIN IMMEDIATE")

    def snapshot(self) -> AbstractContextManager[sqlite3.Connection]:
        """The connection, for several queries as of one moment."""
        return self._transaction("BEGIN")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self.reading():
            try:
                self.connection.execute(begin)
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                self._has_failed = True
                with suppress(sqlite3.Error, MemoryError):
                    self._undo_failed()
                raise

    def _undo_failed(self) -> None:
        """Undoes a transaction that failed. Without memory that fails too, and is done before the next use."""
        if self._has_failed and self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self._has_failed = False

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()

    def __exit__(self, *error: object) -> None:
        self.close()


def open_database(path: Path, kind: Kind, *, create: bool) -> Database:
    """Opens a file of a kind, which `create` creates if it is missing; raises BoardwrightError.

    A read-only file is opened for reading.
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
        reason = error.strerror if isinstance(error, OSError) else "not a valid file name"
        raise BoardwrightError(f"cannot open {str(path)!r}: {reason}") from error
    # In a read-only folder SQLite reads a file only if it is declared immutable, which it is without a log.
    unchanging = not path.with_name(f"{path.name}-wal").exists()
    mode = ("rwc" if create else "rw") if writable else "ro&immutable=1" if unchanging else "ro"
    try:
        address = f"{path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(address, timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    except (sqlite3.Error, MemoryError) as error:
        raise _explained(path, kind, error) from error
    connection.text_factory = lambda data: data.decode(errors="replace")  # damaged text is shown, not refused
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
        if _applied_migrations(database) == len(database.kind.migrations):
            return
        if not writable:
            raise BoardwrightError(f"{database.path} is from an older version and read-only: make it writable once")
        _use_write_ahead_log(connection)
    for name, function in database.kind.functions.items():
        connection.create_function(name, len(inspect.signature(function).parameters), function)
    with database.writing() as connection:  # another process may have been faster: check again
        for number in range(_applied_migrations(database), len(database.kind.migrations)):
            for statement in database.kind.migrations[number]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {database.kind.application}")
        connection.execute(f"PRAGMA user_version = {len(database.kind.migrations)}")


def _applied_migrations(database: Database) -> int:
    """The number of migrations applied to the file; raises BoardwrightError for a foreign or newer file."""
    (tables,) = database.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (version,) = database.connection.execute("PRAGMA user_version").fetchone()
    # Last: if another process fills the new file meanwhile, what was read before is of its transaction or of none.
    (application,) = database.connection.execute("PRAGMA application_id").fetchone()
    if application != database.kind.application and (application or version or tables):
        raise BoardwrightError(f"{database.path} is a database, but not of {database.kind.noun}: give another file")
    if version < 0:
        raise BoardwrightError(f"{database.path} is damaged (its version is {version}): restore a copy of it")
    if version > len(database.kind.migrations):
        raise BoardwrightError(f"{database.path} was written by a newer version of boardwright: update boardwright")
    return version


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switches the journal mode; SQLite itself does not wait while another process does the same."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _explained(path: Path, kind: Kind, error: sqlite3.Error | MemoryError) -> BoardwrightError:
    """The error as one line with advice."""
    if isinstance(error, MemoryError):
        return BoardwrightError(f"cannot use {path}: not enough memory: end other programs and try again")
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # errors of the Python module have no code
    if "user-defined function" in str(error):  # it got a value that we never write
        code = sqlite3.SQLITE_CORRUPT
    text = _ADVICE.get(code, "{path}: {error}").format(path=path, error=printable(str(error)), noun=kind.noun)
    return BoardwrightError(text)
