"""Matches started from the page: a short queue, played one match at a time by worker processes.

What is asked for is noted in the record first, and every game is stored as it ends, so a match survives a page
that is reloaded and a server that is restarted: it is then stopped, and goes on when told.
"""

import contextlib
import secrets
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from boardwright.agents.specs import seconds, split
from boardwright.arena.event import Event
from boardwright.arena.played import PlayedGame
from boardwright.arena.workers import play_apart
from boardwright.errors import BoardwrightError
from boardwright.records.events import finished_indices
from boardwright.records.games import save_game
from boardwright.records.matches import (
    ask_for_match,
    event_of,
    find_match,
    set_state,
    stop_unfinished,
)
from boardwright.records.store import open_store
from boardwright.web.players.specs import resolved, without_paths
from boardwright.web.server.errors import BusyError, ConflictError, NotFoundError
from boardwright.web.settings import Settings

WORKERS = 1  # processes that play a match: others want to think too
MOST_WAITING = 4  # matches in the queue
LARGEST_SEED = 2**31


class MatchDesk:
    """Plays matches in a thread of its own, which begins with the first. Its methods may be called from any thread.

    `changed` is told the id of a match whenever a game of it has ended or its state is another; from that thread.
    """

    def __init__(self, settings: Settings, changed: Callable[[int], None]):
        self._db, self._settings, self._told = settings.db, settings, changed
        self._changed = threading.Condition()
        self._waiting: list[int] = []
        self._playing: int | None = None
        self._rope: Connection | None = None  # closed to stop what is played, see `play_apart`
        self._closed = False
        self._thread: threading.Thread | None = None
        with open_store(self._db, create=True) as store:
            stop_unfinished(store)

    def ask(self, event: Event, games: int) -> int:
        """Queues a match; its id. Raises BusyError, and BoardwrightError for players clients may not ask for."""
        asked = replace(event, nets=_nets(event, resolved_event(event, self._settings)))
        with self._changed:
            self._make_room()
            with open_store(self._db, create=True) as store:
                match = ask_for_match(store, asked, games)
            self._queue(match)
        return match

    def resume(self, match: int) -> None:
        """Queues a match again that was stopped or has failed; raises BoardwrightError for any other."""
        with self._changed, open_store(self._db, create=True) as store:
            found = find_match(store, match)
            if found is None:
                raise NotFoundError(f"there is no match {match}")
            if found.state not in ("stopped", "failed"):
                raise ConflictError(f"match {match} cannot go on: it was not stopped")
            _same_event(event_of(found.config), self._settings)
            self._make_room()
            set_state(store, match, "waiting")
            self._queue(match)

    def stop(self, match: int) -> None:
        """Ends a match that waits or is played; games that have ended are kept. Others are left as they are."""
        with self._changed:
            if match in self._waiting:
                self._waiting.remove(match)
                with open_store(self._db, create=True) as store:
                    set_state(store, match, "stopped")
            elif match == self._playing:
                self._ring()

    def close(self) -> None:
        """Stops everything and waits until the workers are gone; what was not finished can go on later."""
        with self._changed:
            self._closed = True
            self._ring()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        with open_store(self._db, create=True) as store:
            for match in self._waiting:
                set_state(store, match, "stopped")

    def _make_room(self) -> None:
        if self._closed:
            raise BusyError("the server is about to stop: start the match when it is back")
        if len(self._waiting) >= MOST_WAITING:
            raise BusyError(f"{MOST_WAITING} matches are waiting already: stop one, or wait")

    def _queue(self, match: int) -> None:
        self._waiting.append(match)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="matches", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _ring(self) -> None:
        if self._rope is not None:
            self._rope.close()

    def _work(self) -> None:
        """The thread's life: the next match, until the desk is closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                self._playing = match = self._waiting.pop(0)
                bell, self._rope = Pipe(duplex=False)
            try:
                with contextlib.suppress(BoardwrightError):  # the database cannot be opened: the next may find it
                    self._play(match, bell)
            finally:
                with self._changed:
                    self._ring()
                    self._playing = self._rope = None
                bell.close()

    def _play(self, match: int, bell: Connection) -> None:
        """Plays what is missing of a match, and notes how it ended."""
        with open_store(self._db, create=True) as store:
            try:
                found = find_match(store, match)
                assert found is not None
                set_state(store, match, "running")
                self._told(match)
                asked, finished = event_of(found.config), finished_indices(store, found.event)
                event = _same_event(asked, self._settings)
                missing = (game for game in islice(event.schedule(), found.games) if game.index not in finished)
                bounds = {"bell": bell, "megabytes": self._settings.worker_megabytes}
                with contextlib.closing(play_apart(event, missing, WORKERS, **bounds)) as games:
                    for game in games:
                        _check_seated(game, self._settings)
                        first, second = asked.players if game.index % 2 == 0 else asked.players[::-1]
                        named = replace(game, players=(first, second))
                        asked.check_nets(named)
                        save_game(store, named, found.event)
                        self._told(match)
                left = set(range(found.games)) - finished_indices(store, found.event)
                set_state(store, match, "stopped" if left else "done")
            except Exception as error:  # whatever it is, the next match is to be played
                told = str(error) if isinstance(error, BoardwrightError) else f"{type(error).__name__}: {error}"
                with contextlib.suppress(BoardwrightError):
                    set_state(store, match, "failed", told.splitlines()[0] if told else "unknown")
            self._told(match)


def resolved_event(event: Event, settings: Settings) -> Event:
    """The event as workers play it, with the nets that are there now; raises BoardwrightError for players that
    clients may not ask for.

    The record keeps the specs as they were asked for, which name no folder of this machine.
    """
    game = event.bound_game()
    players = tuple(resolved(spec, game, settings) for spec in event.players)
    for spec in event.players:
        _, given = split(spec)
        if "time" in given and seconds(given["time"]) > settings.move_seconds:
            raise BoardwrightError(f"player {spec!r}: time= may be at most {settings.move_seconds:g}s on this server")
    return replace(event, players=players).with_nets()


def _nets(asked: Event, resolved: Event) -> tuple[tuple[str, str], ...]:
    """The nets of an event's players by the specs they were asked for by."""
    known, named = dict(resolved.nets), zip(resolved.players, asked.players, strict=True)
    return tuple(sorted({(spec, known[path]) for path, spec in named if path in known}))


def _same_event(asked: Event, settings: Settings) -> Event:
    """The event as workers go on with it; raises ConflictError where a net is another than when it was asked for.

    Of matches from before nets were noted nobody knows, so they do not go on where nets play.
    """
    event = resolved_event(asked, settings)
    now, then = dict(_nets(asked, event)), dict(asked.nets)
    for spec in asked.players:
        if now.get(spec) != then.get(spec):
            raise ConflictError(f"this match cannot go on: the net of {spec!r} has changed: start a new one")
    return event


def _check_seated(game: PlayedGame, settings: Settings) -> None:
    """Raises BoardwrightError where a player forfeited before it made a move: it can play no game of the match.

    What it says of a net names it as it was asked for, not by the file that was played.
    """
    moved = {position.role_to_move for position in list(game.record.positions())[game.opening : -1]}
    if game.forfeited_by is None or game.forfeited_by in moved:
        return
    raise BoardwrightError(without_paths(game.record.reason, settings))


def new_seed() -> int:
    """So that the same two players asked twice play other games."""
    return secrets.randbelow(LARGEST_SEED)
