"""The live games of a server: persons against players, stored with every change and published to the pages.

A change is made to a copy of a game, which becomes the game once it is stored. Changes of one game wait for each other.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine

from starlette.concurrency import run_in_threadpool

from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Outcome
from boardwright.records import live as live_records
from boardwright.records.live import StaleGameError, StoredLiveGame
from boardwright.records.store import Store
from boardwright.web.play.clock import time_for
from boardwright.web.play.live_game import LiveGame, NewGame, new_game
from boardwright.web.players.pool import SearchPool, Ticket
from boardwright.web.players.specs import bound_game, check_fits, resolve
from boardwright.web.players.worker import Answer, Event, Failure, Phase, SearchRequest
from boardwright.web.server.http import BusyError, Json, NotFoundError, StoreError, one_line
from boardwright.web.server.reports import report_once
from boardwright.web.server.store_thread import StoreThread
from boardwright.web.server.topics import Topics, error_message
from boardwright.web.settings import Settings

KEPT_FINISHED = 200  # finished games in memory
MAX_FAILURES = 3  # of a player in a row; then it is retried only when the game is opened again
RETRY_SECONDS = 1.0
IDLE_SECONDS = 3600.0  # after which a game may be abandoned for a new one


class LiveGames:
    """All live games, on the event loop of the server."""

    def __init__(self, settings: Settings, store: StoreThread, pool: SearchPool, topics: Topics):
        self._settings = settings
        self._thread = store
        self._pool = pool
        self._topics = topics
        self._open: OrderedDict[str, LiveGame] = OrderedDict()
        self._finished: OrderedDict[str, LiveGame] = OrderedDict()
        self._flags: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        topics.add_source("game", self._current)

    async def start(self) -> None:
        """Resumes the unfinished games; their clocks were paused while the server was down."""
        for stored in await self._thread.run(lambda store: live_records.open_live_games(store, report_once)):
            try:
                self._take_up(stored)
            except Exception as error:  # damaged, or of unknown rules: it stays in the database
                self._open.pop(stored.id, None)
                report_once(f"live game {stored.id} cannot be resumed: {error}")

    async def close(self) -> None:
        """Waits for changes that are being stored."""
        self._closing = True
        for flag in self._flags.values():
            flag.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)

    def summaries(self) -> list[Json]:
        """The unfinished games, the most recently moved first."""
        now = time.monotonic()
        return [live.summary(now) for live in sorted(self._open.values(), key=lambda live: live.touched, reverse=True)]

    async def find(self, name: str) -> LiveGame:
        """A game by its id; raises NotFoundError. A player that had failed too often is retried."""
        live = self._open.get(name) or self._finished.get(name)
        if live is None:
            stored = await self._thread.run(lambda store: live_records.find_live_game(store, name))
            if stored is None:
                raise NotFoundError(f"there is no game {name!r}")
            live = self._open.get(name) or self._finished.get(name) or self._take_up(stored)
        elif not live.over and live.ticket is None and live.failures >= MAX_FAILURES:
            live.failures = 0
            self._retry(live)
        return live

    def _take_up(self, stored: StoredLiveGame) -> LiveGame:
        """Adds a game from the database, and resumes an unfinished one; raises BoardwrightError."""
        live = LiveGame(stored, bound_game(stored.game, stored.rules), time.monotonic())
        live.stored_version = stored.version
        self._add(live)
        return live

    def _add(self, live: LiveGame) -> None:
        if live.over:
            self._finished[live.stored.id] = live
            while len(self._finished) > KEPT_FINISHED:
                self._finished.popitem(last=False)
        else:
            self._open[live.stored.id] = live
            self._continue(live)

    async def create(self, query: NewGame) -> LiveGame:
        """Starts a game; raises BoardwrightError if it cannot be played, BusyError if there are too many."""
        game = bound_game(query.game, query.rules)
        await run_in_threadpool(check_fits, query.opponent, game, self._settings)
        live = LiveGame(new_game(query, game), game, time.monotonic())
        if (outcome := live.line.position.outcome) is not None:
            raise BoardwrightError(f"the game is over in this position: {outcome.reason}")
        await self._make_room()
        await self._commit(live, live.copy())
        return live

    async def change(self, name: str, change: Callable[[LiveGame], PlayedGame | None]) -> LiveGame:
        """Changes a game; `change` gets a copy, and returns the record if it ends the game.

        Raises NotFoundError, StoreError, and what `change` raises.
        """
        live = await self.find(name)
        async with live.lock:
            changed = live.copy()
            await self._commit(live, changed, change(changed))
        return live

    async def _commit(self, live: LiveGame, changed: LiveGame, finished: PlayedGame | None = None) -> None:
        """Stores a changed copy of a game with the chance moves that follow; then it is the game, and continues.

        A change that ends the game is stored together with its record. If it cannot be stored, for example on a full
        disk, it is not played: raises StoreError, and StaleGameError, which drops the game.
        """
        finished, replaces = finished or changed.play_chance(time.monotonic()), live.stored_version

        def save(store: Store) -> None:
            record = None if finished is None else changed.with_net(finished, self._settings)
            live_records.save_live_game(store, changed.stored, record, replaces=replaces)

        try:
            await self._thread.run(save)
        except StaleGameError:
            self._forget(live)
            raise
        except StoreError as error:
            raise StoreError(f"not played, because it cannot be stored: {error}") from error
        live.adopt(changed)
        self._cancel_search(live)
        if live.over:
            self._forget(live)
        self._add(live)
        self._publish(live)

    async def _try_commit(self, live: LiveGame, changed: LiveGame) -> None:
        """Stores a change that no request waits for; a failure is published, and the change is retried later."""
        try:
            await self._commit(live, changed)
        except BoardwrightError as error:
            if not isinstance(error, StaleGameError):
                self._on_failure(live, str(error))

    def _forget(self, live: LiveGame) -> None:
        """Ends the player's search and the clock of a game that is over, or that another process has changed."""
        self._cancel_search(live)
        self._open.pop(live.stored.id, None)
        self._cancel_flag_timer(live)

    async def _make_room(self) -> None:
        """Abandons the game idle longest if there are too many; raises BusyError if none is idle long enough."""
        if len(self._open) < self._settings.open_games:
            return
        idle = min(self._open.values(), key=lambda live: live.touched)
        async with idle.lock:
            if time.monotonic() - idle.touched < IDLE_SECONDS:
                raise BusyError(f"{len(self._open)} games are being played here: finish or resign one first")
            stored, replaces = idle.stored, idle.stored_version

            def move_to_record(store: Store) -> None:
                played = idle.with_net(idle.record("abandoned"), self._settings)
                live_records.move_to_record(store, stored, played, replaces=replaces)

            await self._thread.run(move_to_record)
            self._forget(idle)

    def _continue(self, live: LiveGame) -> None:
        """Starts the person's clock or the player's search."""
        if live.to_move == CHANCE or live.line.position.outcome is not None:  # stored by an older version
            self._start_task(self._advance(live))
        elif live.to_move == live.stored.person:
            live.start_clock(time.monotonic())
            self._set_flag_timer(live)
        else:
            self._start_search(live)
            self._set_flag_timer(live)

    async def _advance(self, live: LiveGame) -> None:
        """Plays the chance moves that are due, and ends the game if it is over."""
        async with live.lock:
            await self._try_commit(live, live.copy())

    def _start_search(self, live: LiveGame) -> None:
        """Submits the player's search; its clock starts with the search, not while it waits or reads a net."""
        stored, longest = live.stored, self._settings.move_seconds
        try:
            limit, seconds = time_for(stored.opponent, live.clock, live.to_move, time.monotonic(), longest)
            request = SearchRequest(
                game=stored.game,
                rules=stored.rules,
                start=stored.start,
                actions=stored.actions,
                spec=resolve(stored.opponent, live.game, self._settings),
                limit=limit,
                seconds=seconds,
            )
            live.ticket = self._pool.submit(request, stored.id, lambda event: self._on_event(live, event))
            live.thinking = True
        except BoardwrightError as error:
            self._on_failure(live, str(error))

    def _on_event(self, live: LiveGame, event: Event) -> None:
        """Handles an event of the player's search. Runs on the event loop and must not block."""
        now = time.monotonic()
        match event:
            case Phase.PREPARING:
                live.preparing = True
                self._publish_change(live)
            case Phase.STARTED:
                changed = live.preparing or live.clock is not None
                live.preparing = False
                live.start_clock(now)
                self._set_flag_timer(live)
                if changed:
                    self._publish_change(live)
            case Answer():
                self._start_task(self._play_answer(live, live.ticket, event, now))
            case Failure():
                self._on_failure(live, event.error)

    async def _play_answer(self, live: LiveGame, ticket: Ticket | None, answer: Answer, now: float) -> None:
        """Plays the player's move, unless its search was cancelled while another change was stored."""
        async with live.lock:
            if live.ticket is not ticket or live.over:
                return
            changed = live.copy()
            try:
                changed.play(answer.move, now, answer.seconds)
            except BoardwrightError as error:
                self._on_failure(live, str(error))
                return
            changed.nets |= {answer.net}
            await self._try_commit(live, changed)

    def _on_failure(self, live: LiveGame, error: str) -> None:
        """Publishes a failure of the player, and retries it a few times."""
        live.player_failed(one_line(error), MAX_FAILURES, time.monotonic())
        self._topics.publish(f"game:{live.stored.id}", error_message(live.stored.id, error))
        version = live.stored.version

        def retry_if_unchanged() -> None:
            if not live.over and live.ticket is None and live.stored.version == version and not self._closing:
                self._retry(live)

        if live.failures < MAX_FAILURES and not self._closing:
            asyncio.get_running_loop().call_later(RETRY_SECONDS, retry_if_unchanged)
        self._publish(live)

    def _retry(self, live: LiveGame) -> None:
        """Starts the player's search again, and publishes that it thinks."""
        live.failure = None
        self._continue(live)
        if live.thinking:
            self._publish_change(live)

    def _cancel_search(self, live: LiveGame) -> None:
        if live.ticket is not None:
            self._pool.cancel(live.ticket)
        live.player_stopped()
        live.failures, live.failure = 0, None

    def _set_flag_timer(self, live: LiveGame, earliest: float = 0.0) -> None:
        """Ends the game when the running clock reaches zero, but not within `earliest` seconds."""
        self._cancel_flag_timer(live)
        clock = live.clock
        if clock is None or clock.running is None or live.over:
            return
        role, loop = clock.running, asyncio.get_running_loop()
        seconds = max(earliest, clock.remaining(time.monotonic())[role])
        self._flags[live.stored.id] = loop.call_later(seconds, lambda: self._start_task(self._end_on_time(live, role)))

    def _cancel_flag_timer(self, live: LiveGame) -> None:
        if (flag := self._flags.pop(live.stored.id, None)) is not None:
            flag.cancel()

    async def _end_on_time(self, live: LiveGame, role: int) -> None:
        """Ends a game whose clock has run out; tries again later if that cannot be stored."""
        async with live.lock:
            now = time.monotonic()
            if live.over or not live.has_flagged(role, now):
                self._set_flag_timer(live)
                return
            changed = live.copy()
            outcome = Outcome(1 - role, f"{live.game.roles[role]} ran out of time")
            try:
                await self._commit(live, changed, changed.end(outcome, now, flagged=role))
            except BoardwrightError as error:
                if not self._closing and not isinstance(error, StaleGameError):
                    self._set_flag_timer(live, RETRY_SECONDS)

    def _publish_change(self, live: LiveGame) -> None:
        live.bump_version()
        self._publish(live)

    def _publish(self, live: LiveGame) -> None:
        topic = f"game:{live.stored.id}"
        if self._topics.has_subscribers(topic):
            self._topics.publish(topic, self._message(live))

    def _current(self, name: str) -> Json | None:
        live = self._open.get(name) or self._finished.get(name)
        return None if live is None else self._message(live)

    def _message(self, live: LiveGame) -> Json:
        return {"type": "game", "game": live.as_json(time.monotonic())}

    def _start_task(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
