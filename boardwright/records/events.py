"""Events: the matches and tournaments that games belong to, so that they can be resumed.

    event = begin_event(store, {"game": name, "players": […], "openings": "random:2", "seed": 1})
    for index in range(games):
        if index not in finished_indices(store, event): …

An event is identified by its configuration, see `arena.event.Event.config`. Starting one with the same configuration
resumes it. An imported file is an event too.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boardwright.records.codec import canonical
from boardwright.records.store import Store


@dataclass(frozen=True)
class StoredEvent:
    """A match, tournament or imported file as it lies in the database."""

    id: int
    config: Mapping[str, Any]  # all that decides which games are played, and nothing else (no number of workers)
    began: str  # UTC, like 2025-01-31T18:00:00Z
    games: int  # stored so far


def begin_event(store: Store, config: Mapping[str, Any]) -> int:
    """The id of the event with this configuration, begun before or now."""
    with store.writing() as connection:
        connection.execute("INSERT INTO events (config) VALUES (?) ON CONFLICT DO NOTHING", [canonical(config)])
        (event,) = connection.execute("SELECT id FROM events WHERE config = ?", [canonical(config)]).fetchone()
    return event


def finished_indices(store: Store, event: int) -> set[int]:
    """Which games of an event are stored."""
    with store.reading() as connection:
        return {index for (index,) in connection.execute("SELECT number FROM games WHERE event = ?", [event])}


def events(store: Store) -> list[StoredEvent]:
    """All events, in the order in which they began."""
    query = """SELECT id, config, began, (SELECT count(*) FROM games WHERE event = events.id)
        FROM events ORDER BY id"""
    with store.reading() as connection:
        return [StoredEvent(number, json.loads(config), *rest) for number, config, *rest in connection.execute(query)]
