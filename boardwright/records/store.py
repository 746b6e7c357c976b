"""The file that games are kept in: a SQLite database, opened, brought up to date, and written in whole steps.

A game is stored in one transaction, so a process may be killed at any instant and loses at most the game it
was playing. Several processes may write to the same file: each waits for the others, `BUSY_SECONDS` at most.

The journal is a write-ahead log, so readers never wait for writers. `synchronous = NORMAL` hands every
finished transaction to the operating system, which survives the death of the process; only a power cut may
take back the last moments, without harm to what is older. To wait for the disk (FULL) took 5 ms a game instead
of 0.2, more than a short game itself, to save what a tournament that is resumed simply plays again.

`user_version` says how many of `MIGRATIONS` a file has seen. A file from a newer version is refused.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from boardwright.errors import BoardwrightError

APPLICATION = 0x42576774  # in the header of our files: "BWgt"
BUSY_SECONDS = 60.0

_NOW = "(strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))"
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # The rules in full, so that a game can be replayed when nobody has the rule file any more.
        """CREATE TABLE rule_sets (
            id INTEGER PRIMARY KEY,
            game TEXT NOT NULL,
            name TEXT NOT NULL,
            options TEXT NOT NULL, -- JSON, every option of the rule set
            UNIQUE (game, options)
        ) STRICT""",
        """CREATE TABLE players (
            id INTEGER PRIMARY KEY,
            spec TEXT NOT NULL, -- or a person's name
            version TEXT NOT NULL, -- of boardwright; empty for players from elsewhere
            UNIQUE (spec, version)
        ) STRICT""",
        f"""CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            config TEXT NOT NULL UNIQUE, -- JSON, all that decides which games are played
            began TEXT NOT NULL DEFAULT {_NOW}
        ) STRICT""",
        f"""CREATE TABLE games (
            id INTEGER PRIMARY KEY,
            event INTEGER REFERENCES events, -- null for a game by itself
            number INTEGER NOT NULL, -- which game of the event, from 0
            rule_set INTEGER NOT NULL REFERENCES rule_sets,
            first INTEGER NOT NULL REFERENCES players, -- who had role 0
            second INTEGER NOT NULL REFERENCES players,
            start TEXT, -- the first position, if not that of the rules
            actions BLOB NOT NULL, -- 16 bits each, low byte first
            opening INTEGER NOT NULL, -- how many of the actions were given
            seconds BLOB NOT NULL, -- thinking time of each action, 32-bit floats, low byte first; or nothing
            result INTEGER NOT NULL CHECK (result BETWEEN 0 AND 3), -- role that won, 2 a draw, 3 not over
            reason TEXT NOT NULL,
            resigned INTEGER CHECK (resigned BETWEEN 0 AND 1),
            forfeited_by INTEGER CHECK (forfeited_by BETWEEN 0 AND 1),
            remarks TEXT, -- JSON: comments, marks and variations, if any
            tags TEXT NOT NULL, -- JSON: event, date and the like
            stored TEXT NOT NULL DEFAULT {_NOW},
            UNIQUE (event, number) -- no game twice, whoever writes
        ) STRICT""",
        "CREATE INDEX games_for_ratings ON games (rule_set, first, second, result)",
    ),
)


class Store:
    """An open file of games; use it in a `with` statement. Made by `open_store`."""

    def __init__(self, path: Path, connection: sqlite3.Connection):
        self.path = path
        self.connection = connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to ask; what SQLite has to complain about becomes one line."""
        try:
            yield self.connection
        except sqlite3.Error as error:
            raise _explained(self.path, error) from error
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


def open_store(path: Path, *, create: bool) -> Store:
    """The games in a file, which is made where there is none if `create`; raises BoardwrightError.

    A file that may not be written is opened for reading.
    """
    try:
        exists = path.exists()
        if exists and not path.is_file():
            raise BoardwrightError(f"cannot open {path}: not an ordinary file")
        if not exists and not create:
            raise BoardwrightError(f"there is no file {path}: give a database of games with --db")
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
        raise _explained(path, error) from error
    store = Store(path, connection)
    try:
        _prepare(store, writable)
    except BaseException:
        store.close()
        raise
    return store


def _prepare(store: Store, writable: bool) -> None:
    """Checks that the file is ours, and brings it up to date."""
    with store.reading() as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        if _seen_migrations(store) == len(MIGRATIONS):
            return
        if not writable:
            raise BoardwrightError(f"{store.path} is from an older version and read-only: make it writable once")
        _use_write_ahead_log(connection)
    with store.writing() as connection:  # somebody else may have been faster: look again
        for number in range(_seen_migrations(store), len(MIGRATIONS)):
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _seen_migrations(store: Store) -> int:
    """How many migrations the file has seen; 0 for an empty one. Refuses what is not ours or too new."""
    (version,) = store.connection.execute("PRAGMA user_version").fetchone()
    (application,) = store.connection.execute("PRAGMA application_id").fetchone()
    (tables,) = store.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION and (application or version or tables):
        raise BoardwrightError(f"{store.path} is a database, but not of games: give another file")
    if version > len(MIGRATIONS):
        raise BoardwrightError(f"{store.path} was written by a newer version of boardwright: update boardwright")
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


def _explained(path: Path, error: sqlite3.Error) -> BoardwrightError:
    """What went wrong, and what to do about it."""
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF  # errors of the Python module have no code
    match kind:
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
            text = f"{path} is not a database of games: give another file"
        case sqlite3.SQLITE_CORRUPT:
            text = f"{path} is damaged ({error}): restore a copy of it"
        case _:
            text = f"{path}: {error}"
    return BoardwrightError(text)
