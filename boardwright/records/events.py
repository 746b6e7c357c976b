"""Events: the matches and tournaments that games belong to, so that they can be resumed.

    event = begin_event(store, {"game": name, "players": […], "openings": "random:2", "seed": 1})
    for index in range(games):
        if index not in finished_indices(store, event): …

An event is identified by its configuration, see `arena.event.Event.config`. Starting one with the same configuration
resumes it. An imported file is an event too.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from boardwright.agents.specs import current_spec, original_spec
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
        query = "SELECT id FROM events WHERE config IN (?, ?)"
        found = connection.execute(query, [canonical(config), canonical(_with_specs(config, original_spec))]).fetchone()
        if found is None:
            query = "INSERT INTO events (config) VALUES (?) RETURNING id"
            found = connection.execute(query, [canonical(config)]).fetchone()
    return found[0]


def read_config(text: str) -> dict[str, Any]:
    """The configuration of a stored event, with the current names of its players."""
    return _with_specs(json.loads(text), current_spec)


def _with_specs(config: Mapping[str, Any], rename: Callable[[str], str]) -> dict[str, Any]:
    """A configuration with other names of its players."""
    changed = dict(config)
    if "players" in config:
        changed["players"] = [rename(spec) for spec in config["players"]]
    if "nets" in config:
        changed["nets"] = {rename(spec): net for spec, net in config["nets"].items()}
    return changed


def finished_indices(store: Store, event: int) -> set[int]:
    """Which games of an event are stored."""
    with store.reading() as connection:
        return {index for (index,) in connection.execute("SELECT number FROM games WHERE event = ?", [event])}


def events(store: Store) -> list[StoredEvent]:
    """All events, in the order in which they began."""
    query = """SELECT id, config, began, (SELECT count(*) FROM games WHERE event = events.id)
        FROM events ORDER BY id"""
    with store.reading() as connection:
        return [StoredEvent(number, read_config(config), *rest) for number, config, *rest in connection.execute(query)]
