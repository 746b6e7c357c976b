"""Games of a person against a player while they go on, so that they survive whatever happens to the server.

A game is written whole after every move, in one transaction. When it is over it is also stored among the games of
the record, in the same transaction: no game is lost between the two, and none is stored twice.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from boardwright.agents.specs import current_spec
from boardwright.arena.event import PlayedGame
from boardwright.games.base import ONGOING
from boardwright.records import codec
from boardwright.records.games import insert_game
from boardwright.records.store import Store


@dataclass(frozen=True, kw_only=True)
class ClockState:
    """A clock when nobody's time runs, in seconds."""

    base: float
    increment: float
    remaining: tuple[float, float]  # by role


@dataclass(frozen=True, kw_only=True)
class StoredLiveGame:
    """A game that goes on, or has ended."""

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


_FIELDS = "id, game, rules, start, actions, seconds, person, opponent, clock, undone, result, reason, version, created"


def save_live_game(store: Store, game: StoredLiveGame, finished: PlayedGame | None = None) -> None:
    """Stores a game as it is now, and when it has just ended, `finished`, in the record too."""
    clock = None
    if game.clock is not None:
        clock = codec.canonical([game.clock.base, game.clock.increment, *game.clock.remaining])
    row = {
        **{name: getattr(game, name) for name in _FIELDS.split(", ")},
        "actions": codec.actions_blob(game.actions),
        "seconds": codec.seconds_blob(game.seconds),
        "clock": clock,
    }
    places = ", ".join(f":{name}" for name in row)
    changes = ", ".join(f"{name} = excluded.{name}" for name in row)
    with store.writing() as connection:
        connection.execute(
            f"INSERT INTO live_games ({_FIELDS}) VALUES ({places}) ON CONFLICT (id) DO UPDATE SET {changes}", row
        )
        if finished is not None:
            insert_game(connection, finished)


def forget_live_game(store: Store, game: str, unfinished: PlayedGame) -> None:
    """Puts a game away that nobody goes on with: what was played of it goes into the record."""
    with store.writing() as connection:
        connection.execute("DELETE FROM live_games WHERE id = ?", [game])
        if unfinished.record.actions:
            insert_game(connection, unfinished)


def find_live_game(store: Store, game: str) -> StoredLiveGame | None:
    """The game of an id."""
    return next(_rows(store, "WHERE id = ?", [game]), None)


def open_live_games(store: Store) -> list[StoredLiveGame]:
    """Those that are not over, the oldest first."""
    return list(_rows(store, f"WHERE result = {ONGOING} ORDER BY created, rowid", []))


def _rows(store: Store, which: str, values: list[str]) -> Iterator[StoredLiveGame]:
    with store.reading() as connection:
        for row in connection.execute(f"SELECT {_FIELDS} FROM live_games {which}", values).fetchall():
            fields = dict(zip(_FIELDS.split(", "), row, strict=True))
            clock = None
            if fields["clock"] is not None:
                base, increment, *remaining = json.loads(fields["clock"])
                clock = ClockState(base=base, increment=increment, remaining=tuple(remaining))
            fields["opponent"] = current_spec(fields["opponent"])
            fields["actions"] = codec.actions_of(fields["actions"])
            fields["seconds"] = codec.seconds_of(fields["seconds"])
            yield StoredLiveGame(**{**fields, "clock": clock})
