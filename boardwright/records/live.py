"""Live games of a person against a player, stored after every move so that they survive a crash of the server.

A game that has ended is also stored in the record, in the same transaction, so it is neither lost nor stored twice.
"""

import json
import math
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, fields

from boardwright.agents.specs import current_spec
from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError
from boardwright.games.base import ONGOING
from boardwright.records import codec
from boardwright.records.games import insert_game
from boardwright.records.store import Store, insert


@dataclass(frozen=True, kw_only=True)
class ClockState:
    """A stopped clock, in seconds."""

    base: float
    increment: float
    remaining: tuple[float, float]  # by role


@dataclass(frozen=True, kw_only=True)
class StoredLiveGame:
    """A game, unfinished or ended."""

    id: str
    game: str
    rules: str
    start: str | None
    actions: tuple[int, ...]
    seconds: tuple[float, ...]  # thinking time by action
    person: int  # which role
    opponent: str  # spec
    clock: ClockState | None
    created: str  # UTC, like 2025-01-31T18:00:00Z
    undone: int = 0  # moves taken back
    result: int = ONGOING
    reason: str = ""
    version: int = 0  # rises with every change


MAX_VERSION = 2**62  # SQLite has no larger numbers than 2**63 - 1
_FIELDS = [field.name for field in fields(StoredLiveGame)]


class StaleGameError(BoardwrightError):
    """A live game whose stored version is not the one that was read: another process has changed it."""


def save_live_game(
    store: Store, game: StoredLiveGame, finished: PlayedGame | None = None, *, replaces: int | None = None
) -> None:
    """Stores a game, and when it has just ended, `finished`, in the record too.

    `replaces` is the stored version that the change was made to, None for a new game; raises StaleGameError if the
    database has another one.
    """
    clock = game.clock
    row = {
        **vars(game),
        **codec.to_blobs(game.actions, game.seconds),
        "clock": None if clock is None else codec.canonical([clock.base, clock.increment, *clock.remaining]),
    }
    changes = ", ".join(f"{name} = :{name}" for name in row)
    query = f"UPDATE live_games SET {changes} WHERE id = :id AND version = :replaces"
    with store.writing() as connection:
        if replaces is None:
            _require(insert(connection, "live_games", row))
        else:
            _require(connection.execute(query, {**row, "replaces": replaces}).rowcount == 1)
        if finished is not None:
            insert_game(connection, finished)


def move_to_record(store: Store, game: StoredLiveGame, unfinished: PlayedGame, *, replaces: int | None) -> None:
    """Deletes a game that was abandoned; its moves, if any, are stored in the record. Raises StaleGameError."""
    with store.writing() as connection:
        query = "DELETE FROM live_games WHERE id = ? AND version = ?"
        _require(connection.execute(query, [game.id, replaces]).rowcount == 1)
        if unfinished.record.actions:
            insert_game(connection, unfinished)


def _require(changed: bool) -> None:
    if not changed:
        raise StaleGameError("the game was changed by another process: reload it")


def find_live_game(store: Store, game: str) -> StoredLiveGame | None:
    """A game by its id; raises BoardwrightError for a damaged one."""
    with store.reading() as connection:
        found = connection.execute("SELECT rowid FROM live_games WHERE id = ?", [game]).fetchone()
        return None if found is None else _read(store, *found)


def open_live_games(store: Store, on_damage: Callable[[str], None]) -> list[StoredLiveGame]:
    """The unfinished games, the oldest first; damaged ones are left out, and reported to `on_damage`."""
    query = f"SELECT rowid FROM live_games WHERE result = {ONGOING} ORDER BY created, rowid"
    with store.reading() as connection:
        numbers = [number for (number,) in connection.execute(query)]
        games = []
        for number in numbers:
            try:
                games.append(_read(store, number))
            except BoardwrightError as error:
                on_damage(str(error))
        return games


def _read(store: Store, number: int) -> StoredLiveGame:
    """The game of a row; raises BoardwrightError for a damaged one."""
    try:
        query = f"SELECT {', '.join(_FIELDS)} FROM live_games WHERE rowid = ?"
        stored = dict(zip(_FIELDS, store.connection.execute(query, [number]).fetchone(), strict=True))
        if stored["clock"] is not None:
            base, increment, first, second = map(float, json.loads(stored["clock"]))
            if not all(0 <= seconds < math.inf for seconds in (base, increment, first, second)):
                raise ValueError(f"invalid clock {stored['clock']}")
            stored["clock"] = ClockState(base=base, increment=increment, remaining=(first, second))
        if not 0 <= stored["version"] < MAX_VERSION:
            raise ValueError(f"invalid version {stored['version']}")
        stored["opponent"] = current_spec(stored["opponent"])
        stored["actions"], stored["seconds"] = codec.from_blobs(stored["actions"], stored["seconds"])
        return StoredLiveGame(**stored)
    except (sqlite3.Error, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BoardwrightError(f"live game {number} in {store.path} is damaged: {error}") from error
