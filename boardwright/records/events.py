"""Events (matches and tournaments) in the database: resuming them, and the matches of the app.

    for game in play_events(store, [event], games=100, backend=local_backend(workers=4)): ...

An event is identified by its configuration, see `arena.event.Event.config`. Starting one with the same configuration
resumes it. An imported file is an event too. A match of the app is an event, its number of games and its state.
"""

import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal

from boardwright.agents.specs import current_spec, original_spec
from boardwright.arena.backends import Backend, GameTask
from boardwright.arena.event import Clock, Conditions, Event, PlayedGame
from boardwright.errors import BoardwrightError, printable
from boardwright.games import registry
from boardwright.records.codec import READING_ERRORS, canonical, config_of
from boardwright.records.games import GameFilter, find_games, save_game
from boardwright.records.store import Store

State = Literal["waiting", "running", "done", "stopped", "failed"]
_MATCHES = """SELECT matches.id, event, games, state, error, asked, config
    FROM matches JOIN events ON events.id = matches.event"""


@dataclass(frozen=True)
class StoredMatch:
    """A match of the app in the database."""

    id: int
    event: int
    games: int  # to play
    state: State
    error: str  # why it failed; empty if it did not
    asked: str  # when, UTC, like 2025-01-31T18:00:00Z
    config: Mapping[str, Any]  # of its event


@dataclass(frozen=True)
class MatchGame:
    """A finished game of a match, without its moves."""

    id: int
    index: int
    result: int
    reason: str

    @property
    def first_role(self) -> Literal[0, 1]:
        """The role of the match's first player."""
        return 0 if self.index % 2 == 0 else 1


def begin_event(store: Store, config: Mapping[str, Any]) -> int:
    """The id of the event with this configuration, begun before or now."""
    with store.writing() as connection:
        query = "SELECT id FROM events WHERE config IN (?, ?)"
        found = connection.execute(query, [canonical(config), canonical(_with_specs(config, original_spec))]).fetchone()
        if found is None:
            query = "INSERT INTO events (config) VALUES (?) RETURNING id"
            found = connection.execute(query, [canonical(config)]).fetchone()
    return found[0]


def read_config(store: Store, event: int, text: str) -> dict[str, Any]:
    """The configuration of a stored event, with the current names of its players; raises BoardwrightError."""
    try:
        return _with_specs(config_of(text), current_spec)
    except READING_ERRORS as error:
        raise BoardwrightError(f"event {event} in {store.path} cannot be read: {printable(str(error))}") from error


def _with_specs(config: Mapping[str, Any], rename: Callable[[str], str]) -> dict[str, Any]:
    """A configuration with other names of its players."""
    changed = dict(config)
    if "players" in config:
        changed["players"] = [rename(spec) for spec in config["players"]]
    if "nets" in config:
        changed["nets"] = {rename(spec): net for spec, net in config["nets"].items()}
    return changed


def play_events(
    store: Store | None, events: Sequence[Event], games: int, backend: Backend, *, only_role: int | None = None
) -> Generator[PlayedGame, None, None]:
    """Yields the first `games` games of each event: stored games first, then the others as they are finished.

    Args:
        store: where games are kept, each as soon as it ends; None keeps nothing.
        events: different events; they are played in turn, a pair of games of each. A game does not depend on the
            other events.
        games: number of games of each event.
        backend: what plays the missing games; see `arena/backends.py`. One that wraps another can check games, or
            replace their players' names, before they are stored.
        only_role: of matches, only the games in which the first player has this role.

    Raises BoardwrightError for a game that was played by another net than the event's.
    """
    tasks = (task for task in _in_turn(events, games) if only_role in (None, task.scheduled.index % 2))
    ids: dict[Event, int] = {}
    stored: set[tuple[Event, int]] = set()  # event and index
    if store is not None:
        ids = {event: begin_event(store, event.config()) for event in events}
        for event, number in ids.items():
            kept = [found.played for found in find_games(store, GameFilter(event=number))]
            stored.update((event, played.index) for played in kept)
            yield from (played for played in kept if played.index < games and only_role in (None, played.index % 2))
    missing = (task for task in tasks if (task.event, task.scheduled.index) not in stored)
    with closing(backend(missing)) as finished:
        for task, played in finished:
            task.event.check_nets(played)
            if store is None or save_game(store, played, ids[task.event]):
                yield played
            else:  # another process has stored this game meanwhile: that one counts
                yield next(find_games(store, GameFilter(event=ids[task.event], index=played.index))).played


def _in_turn(events: Sequence[Event], games: int) -> Iterator[GameTask]:
    """The first games of several events, two of each in turn."""
    schedules = [(event, itertools.islice(event.schedule(), games)) for event in events]
    for _ in range(0, games, 2):
        for event, schedule in schedules:
            yield from (GameTask(event, scheduled) for scheduled in itertools.islice(schedule, 2))


def add_match(store: Store, event: Event, games: int) -> int:
    """Stores a match that waits to be played, and returns its id."""
    number = begin_event(store, event.config())
    with store.writing() as connection:
        query = "INSERT INTO matches (event, games, state, error) VALUES (?, ?, 'waiting', '') RETURNING id"
        (match,) = connection.execute(query, [number, games]).fetchone()
    return match


def set_state(store: Store, match: int, state: State, error: str = "") -> None:
    """Sets the state of a match."""
    with store.writing() as connection:
        connection.execute("UPDATE matches SET state = ?, error = ? WHERE id = ?", [state, error, match])


def stop_unfinished(store: Store) -> None:
    """Marks waiting and running matches as stopped, after the server that played them has ended."""
    with store.writing() as connection:
        connection.execute("UPDATE matches SET state = 'stopped' WHERE state IN ('waiting', 'running')")


def matches(store: Store, limit: int) -> list[StoredMatch]:
    """The latest matches, newest first."""
    return _read_matches(store, "ORDER BY matches.id DESC LIMIT ?", limit)


def find_match(store: Store, match: int) -> StoredMatch | None:
    """A match by its id."""
    return next(iter(_read_matches(store, "WHERE matches.id = ?", match)), None)


def _read_matches(store: Store, which: str, value: int) -> list[StoredMatch]:
    with store.reading() as connection:
        rows = connection.execute(f"{_MATCHES} {which}", [value]).fetchall()
    return [StoredMatch(*fields, config=read_config(store, fields[1], config)) for *fields, config in rows]


def games_of_match(store: Store, match: StoredMatch) -> list[MatchGame]:
    """The finished games of a match, in order of their numbers."""
    query = "SELECT id, number, result, reason FROM games WHERE event = ? AND number < ? ORDER BY number"
    with store.reading() as connection:
        return [MatchGame(*row) for row in connection.execute(query, [match.event, match.games])]


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
        raise BoardwrightError("this match cannot be resumed: its rules or openings have changed, start a new one")
    return event
