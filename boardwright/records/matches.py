"""Matches asked for by people: how many games of an event are wanted, and what has become of it.

    match = ask_for_match(store, event, games=100)
    set_state(store, match, "running")

The games themselves belong to the event, which can always go on; a match that was stopped does so too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from boardwright.arena.event import Clock, Conditions, Event
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.records.codec import canonical
from boardwright.records.events import begin_event, read_config
from boardwright.records.store import Store

State = Literal["waiting", "running", "done", "stopped", "failed"]
_QUERY = """SELECT matches.id, event, games, state, error, asked, config
    FROM matches JOIN events ON events.id = matches.event"""


@dataclass(frozen=True, kw_only=True)
class StoredMatch:
    """A match as it lies in the database."""

    id: int
    event: int
    games: int  # wanted
    state: State
    error: str  # why it failed; empty if it did not
    asked: str  # when, UTC, like 2025-01-31T18:00:00Z
    config: Mapping[str, Any]  # of its event


@dataclass(frozen=True, kw_only=True)
class MatchGame:
    """A finished game of a match, without its moves."""

    id: int
    index: int  # the first player of the match has role 0 in games of even index
    result: int
    reason: str


def ask_for_match(store: Store, event: Event, games: int) -> int:
    """Notes a match that waits to be played; its id."""
    number = begin_event(store, event.config())
    with store.writing() as connection:
        query = "INSERT INTO matches (event, games, state, error) VALUES (?, ?, 'waiting', '') RETURNING id"
        (match,) = connection.execute(query, [number, games]).fetchone()
    return match


def set_state(store: Store, match: int, state: State, error: str = "") -> None:
    """Says what has become of a match."""
    with store.writing() as connection:
        connection.execute("UPDATE matches SET state = ?, error = ? WHERE id = ?", [state, error, match])


def stop_unfinished(store: Store) -> None:
    """Marks as stopped what waits or runs: whoever played it is gone."""
    with store.writing() as connection:
        connection.execute("UPDATE matches SET state = 'stopped' WHERE state IN ('waiting', 'running')")


def matches(store: Store, limit: int) -> list[StoredMatch]:
    """The latest matches, newest first."""
    with store.reading() as connection:
        return [_match(row) for row in connection.execute(f"{_QUERY} ORDER BY matches.id DESC LIMIT ?", [limit])]


def find_match(store: Store, match: int) -> StoredMatch | None:
    """A match by its id."""
    with store.reading() as connection:
        row = connection.execute(f"{_QUERY} WHERE matches.id = ?", [match]).fetchone()
    return None if row is None else _match(row)


def games_of_match(store: Store, match: StoredMatch) -> list[MatchGame]:
    """The finished games of a match, in order of their numbers."""
    query = "SELECT id, number, result, reason FROM games WHERE event = ? AND number < ? ORDER BY number"
    with store.reading() as connection:
        rows = connection.execute(query, [match.event, match.games]).fetchall()
    return [MatchGame(id=number, index=index, result=result, reason=reason) for number, index, result, reason in rows]


def event_of(config: Mapping[str, Any]) -> Event:
    """The event that has this configuration; raises BoardwrightError where openings came from a file."""
    conditions = dict(config["conditions"])
    if conditions["clock"] is not None:
        conditions["clock"] = Clock(**conditions["clock"])
    event = Event(
        game=config["game"],
        rules=registry.game(config["game"], config["rules"]).rules,
        players=tuple(config["players"]),
        openings=config["openings"],
        seed=config["seed"],
        conditions=Conditions(**conditions),
        gauntlet=config["gauntlet"],
        nets=tuple(config.get("nets", {}).items()),
    )
    if canonical(event.config()) != canonical(config):
        raise BoardwrightError("this match cannot go on: what it was played by has changed, start a new one")
    return event


def _match(row: tuple[Any, ...]) -> StoredMatch:
    number, event, games, state, error, asked, config = row
    return StoredMatch(
        id=number, event=event, games=games, state=state, error=error, asked=asked, config=read_config(config)
    )
