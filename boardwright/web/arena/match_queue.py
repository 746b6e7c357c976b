"""The queue of matches started from the page, played one at a time by worker processes.

A match is stored before it is played, and every game as it ends. So a match survives a reload of the page and a
restart of the server, after which it is stopped and can be resumed.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from boardwright.agents.specs import seconds, split
from boardwright.arena.backends import Backend, Finished, GameTask, WorkerPool
from boardwright.arena.event import Event
from boardwright.errors import BoardwrightError
from boardwright.records import events
from boardwright.records.store import open_store
from boardwright.web.players.specs import hide_paths, resolve
from boardwright.web.server.http import BusyError, ConflictError, NotFoundError
from boardwright.web.settings import Settings

WORKERS = 1  # processes that play a match; the rest of the machine is for live games
MAX_WAITING = 4  # matches in the queue


class MatchQueue:
    """Plays matches in a thread of its own. Its methods may be called from any thread.

    `on_change` is called in that thread with the id of a match when one of its games or its state has changed.
    """

    def __init__(self, settings: Settings, on_change: Callable[[int], None]):
        self._db, self._settings, self._on_change = settings.db, settings, on_change
        self._changed = threading.Condition()
        self._waiting: list[int] = []
        self._playing: int | None = None
        self._stop_writer: Connection | None = None  # closed to stop the match that is played, see `WorkerPool`
        self._closed = False
        with open_store(self._db, create=True) as store:
            events.stop_unfinished(store)
        self._thread = threading.Thread(target=self._work, name="matches", daemon=True)
        self._thread.start()

    def submit(self, event: Event, games: int) -> int:
        """Queues a match and returns its id; raises BusyError, and BoardwrightError for players not allowed here."""
        event, _ = _resolve(event, self._settings)
        with self._changed:
            self._check_room()
            with open_store(self._db, create=True) as store:
                match = events.add_match(store, event, games)
            self._enqueue(match)
        return match

    def resume(self, match: int) -> None:
        """Queues a match that was stopped or has failed; raises BoardwrightError for any other."""
        with self._changed, open_store(self._db, create=True) as store:
            found = events.find_match(store, match)
            if found is None:
                raise NotFoundError(f"there is no match {match}")
            if found.state not in ("stopped", "failed"):
                raise ConflictError(f"match {match} cannot be resumed: its state is {found.state}")
            _resolve_unchanged(events.event_of(found.config), self._settings)
            self._check_room()
            events.set_state(store, match, "waiting")
            self._enqueue(match)

    def stop(self, match: int) -> None:
        """Stops a match that waits or is played, and keeps its finished games; does nothing for any other.

        A match whose end could not be stored, for example on a full disk, is still running in the database: it stops.
        """
        with self._changed:
            if match == self._playing:
                self._request_stop()
                return
            with open_store(self._db, create=True) as store:
                found = events.find_match(store, match)
                if found is not None and found.state in ("waiting", "running"):
                    events.set_state(store, match, "stopped")
            if match in self._waiting:
                self._waiting.remove(match)

    def close(self) -> None:
        """Stops everything and waits for the workers to end; unfinished matches can be resumed later."""
        with self._changed:
            self._closed = True
            self._request_stop()
            self._changed.notify_all()
        self._thread.join()
        # If this cannot be stored, the next server does it when it starts.
        with contextlib.suppress(BoardwrightError), open_store(self._db, create=True) as store:
            for match in self._waiting:
                events.set_state(store, match, "stopped")

    def _check_room(self) -> None:
        if self._closed:
            raise BusyError("the server is about to stop: start the match when it is back")
        if len(self._waiting) >= MAX_WAITING:
            raise BusyError(f"{MAX_WAITING} matches are waiting already: stop one, or wait")

    def _enqueue(self, match: int) -> None:
        self._waiting.append(match)
        self._changed.notify_all()

    def _request_stop(self) -> None:
        if self._stop_writer is not None:
            self._stop_writer.close()

    def _work(self) -> None:
        """The main loop of the thread: plays one match after the other until the queue is closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                self._playing = match = self._waiting.pop(0)
                stop_reader, self._stop_writer = Pipe(duplex=False)
            try:
                with contextlib.suppress(BoardwrightError):  # the database cannot be opened: try the next match
                    self._play(match, stop_reader)
            finally:
                with self._changed:
                    self._request_stop()
                    self._playing = self._stop_writer = None
                stop_reader.close()

    def _play(self, match: int, stop_reader: Connection) -> None:
        """Plays the missing games of a match and stores its final state."""
        with open_store(self._db, create=True) as store:
            try:
                found = events.find_match(store, match)
                assert found is not None
                events.set_state(store, match, "running")
                self._on_change(match)
                event, finished = events.event_of(found.config), 0
                pool = WorkerPool(WORKERS, stop_reader, self._settings.worker_megabytes)
                backend = _play_resolved(event, _resolve_unchanged(event, self._settings), pool, self._settings)
                with contextlib.closing(events.play_events(store, [event], found.games, backend)) as games:
                    for _ in games:
                        finished += 1
                        self._on_change(match)
                events.set_state(store, match, "done" if finished == found.games else "stopped")
            except Exception as error:  # the next match must still be played
                text = str(error) if isinstance(error, BoardwrightError) else f"{type(error).__name__}: {error}"
                with contextlib.suppress(BoardwrightError):
                    events.set_state(store, match, "failed", text.splitlines()[0] if text else "unknown")
            self._on_change(match)


def _resolve(asked: Event, settings: Settings) -> tuple[Event, Event]:
    """The event with the current nets, and as workers play it; raises BoardwrightError for players not allowed here.

    The record keeps the specs of the client, which have no paths of this machine.
    """
    game = asked.bound_game()
    players = tuple(resolve(spec, game, settings) for spec in asked.players)
    for spec in asked.players:
        _, given = split(spec)
        if "time" in given and seconds(given["time"]) > settings.move_seconds:
            raise BoardwrightError(f"player {spec!r}: time= may be at most {settings.move_seconds:g}s on this server")
    resolved = replace(asked, players=players).with_nets()
    known, named = dict(resolved.nets), zip(resolved.players, asked.players, strict=True)
    nets = {(spec, known[path]) for path, spec in named if path in known}
    return replace(asked, nets=tuple(sorted(nets))), resolved


def _resolve_unchanged(asked: Event, settings: Settings) -> Event:
    """The event as workers play it; raises ConflictError if a net has changed since the match was submitted.

    Matches stored before nets were recorded cannot be resumed if nets play in them.
    """
    current, resolved = _resolve(asked, settings)
    now, then = dict(current.nets), dict(asked.nets)
    for spec in asked.players:
        if now.get(spec) != then.get(spec):
            raise ConflictError(f"this match cannot be resumed: the net of {spec!r} has changed: start a new one")
    return resolved


def _of_event(event: Event, task: GameTask) -> GameTask:
    """A game of a match with the names that another event gives its players."""
    first, second = event.players if task.scheduled.index % 2 == 0 else event.players[::-1]
    return GameTask(event, replace(task.scheduled, players=(first, second)))


def _play_resolved(asked: Event, resolved: Event, pool: Backend, settings: Settings) -> Backend:
    """A backend that plays with the players of the resolved event, and names them by the specs of the client.

    It raises BoardwrightError when a player forfeits before its first move.
    """

    def play(tasks: Iterable[GameTask]) -> Finished:
        with contextlib.closing(pool(_of_event(resolved, task) for task in tasks)) as finished:
            for played, game in finished:
                task = _of_event(asked, played)
                moved = {position.role_to_move for position in list(game.record.positions())[game.opening : -1]}
                if game.forfeited_by is not None and game.forfeited_by not in moved:  # it cannot play any game
                    raise BoardwrightError(hide_paths(game.record.reason, settings))
                yield task, replace(game, players=task.scheduled.players)

    return play
