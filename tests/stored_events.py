"""The events in a database: matches, tournaments and imported files."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from boardwright.records.events import read_config
from boardwright.records.store import Store


class StoredEvent(NamedTuple):
    """An event and the number of its games that are stored."""

    id: int
    config: Mapping[str, Any]
    games: int


def events(store: Store) -> list[StoredEvent]:
    """All events, in the order in which they began."""
    query = "SELECT id, config, (SELECT count(*) FROM games WHERE event = events.id) FROM events ORDER BY id"
    with store.reading() as connection:
        rows = connection.execute(query).fetchall()
    return [StoredEvent(number, read_config(store, number, config), games) for number, config, games in rows]
