"""The live games of a server: persons against players, stored after every change and published to the pages."""

import asyncio
import random
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import replace

from starlette.concurrency import run_in_threadpool

from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Outcome
from boardwright.records.live import find_live_game, move_to_record, open_live_games, save_live_game
from boardwright.records.store import Store
from boardwright.web.play.clock import time_for
from boardwright.web.play.live_game import LiveGame, MoveQuery, NewGame, new_game
from boardwright.web.players.pool import SearchPool
from boardwright.web.players.specs import bound_game, check_fits, current_net, resolve
from boardwright.web.players.worker import Answer, Event, Failure, Preparing, SearchRequest, Started
from boardwright.web.server.http import BusyError, Json, NotFoundError, one_line
from boardwright.web.server.store_thread import StoreThread
from boardwright.web.server.topics import Topics, error_message
from boardwright.web.settings import Settings
from boardwright.web.study.positions import check_start

KEPT_FINISHED = 200  # finished games in memory
KEPT_VIEWS = 64  # games whose view of the board is in memory
MAX_FAILURES = 3  # of a player in a row; then it is retried only when the game is opened again
RETRY_SECONDS = 1.0
IDLE_SECONDS = 3600.0  # after which a game may be abandoned for a new one


class LiveGames:
    """All live games, on the event loop of the server."""

    def __init__(self, settings: Settings, store: StoreThread, pool: SearchPool, topics: Topics):
        self._settings = settings
        self._store_thread = store
        self._pool = pool
        self._topics = topics
        self._open: OrderedDict[str, LiveGame] = OrderedDict()
        self._finished: OrderedDict[str, LiveGame] = OrderedDict()
        self._viewed: OrderedDict[str, LiveGame] = OrderedDict()
        self._flags: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        topics.add_source("game", self._current)

    async def start(self) -> None:
        """Resumes the unfinished games; their clocks were paused while the server was down."""
        for stored in await self._store_thread.run(open_live_games):
            try:
                live = LiveGame(stored, bound_game(stored.game, stored.rules), time.monotonic())
            except BoardwrightError:  # this version has not its rules: it stays in the database
                continue
            self._open[stored.id] = live
            self._continue(live)

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
            stored = await self._store_thread.run(lambda store: find_live_game(store, name))
            if stored is None:
                raise NotFoundError(f"there is no game {name!r}")
            live = LiveGame(stored, bound_game(stored.game, stored.rules), time.monotonic())
            self._keep_finished(live)
        elif not live.over and live.ticket is None and live.failures >= MAX_FAILURES:
            live.failures = 0
            self._retry(live)
        return live

    def as_json(self, live: LiveGame) -> Json:
        """A game as `LiveGameInfo`. The views of the games requested last are kept."""
        self._viewed.pop(live.stored.id, None)
        self._viewed[live.stored.id] = live
        while len(self._viewed) > KEPT_VIEWS:
            self._viewed.popitem(last=False)[1].drop_view()
        return live.as_json(time.monotonic())

    async def create(self, query: NewGame) -> LiveGame:
        """Starts a game; raises BoardwrightError if it cannot be played, BusyError if there are too many."""
        game = bound_game(query.game, query.rules)
        await run_in_threadpool(check_fits, query.opponent, game, self._settings)
        check_start(game, query.position)
        await self._make_room()
        stored = new_game(query, game)
        live = LiveGame(stored, game, time.monotonic())
        self._open[stored.id] = live
        self._continue(live)
        await self._store(live)
        return live

    async def move(self, name: str, query: MoveQuery) -> LiveGame:
        """Plays the person's move; raises NotFoundError, ConflictError, IllegalMoveError."""
        live = await self.find(name)
        live.check_turn(query.version)
        if (query.actions is None) == (query.text is None):
            raise BoardwrightError("give a move either as actions or as text")
        actions = live.parse(query.text) if query.text is not None else tuple(query.actions or ())
        now = time.monotonic()
        live.play(actions, now, now - live.turn_began)
        await self._after_move(live)
        return live

    async def undo(self, name: str) -> LiveGame:
        """Takes back the person's last move and the player's answer; raises NotFoundError, ConflictError."""
        live = await self.find(name)
        live.take_back(time.monotonic())
        self._cancel_search(live)
        self._continue(live)
        await self._store(live)
        return live

    async def resign(self, name: str) -> LiveGame:
        """Ends the game with a loss of the person; raises NotFoundError, ConflictError."""
        live = await self.find(name)
        live.check_open()
        person = live.stored.person
        outcome = Outcome(1 - person, f"{live.game.roles[person]} resigned")
        await self._end(live, outcome, resigned=person)
        return live

    async def _after_move(self, live: LiveGame) -> None:
        """Ends or continues the game after a move, and stores it."""
        outcome = live.line.position.outcome
        if outcome is not None:
            await self._end(live, outcome)
            return
        self._continue(live)
        await self._store(live)

    async def _end(
        self, live: LiveGame, outcome: Outcome, *, resigned: int | None = None, flagged: int | None = None
    ) -> None:
        self._cancel_search(live)
        finished = live.end(outcome, time.monotonic(), resigned=resigned, flagged=flagged)
        self._open.pop(live.stored.id, None)
        self._keep_finished(live)
        self._set_flag_timer(live)
        await self._store(live, finished)

    def _keep_finished(self, live: LiveGame) -> None:
        self._finished[live.stored.id] = live
        while len(self._finished) > KEPT_FINISHED:
            self._finished.popitem(last=False)

    async def _make_room(self) -> None:
        """Abandons the game idle longest if there are too many; raises BusyError if none is idle long enough."""
        if len(self._open) < self._settings.open_games:
            return
        idle = min(self._open.values(), key=lambda live: live.touched)
        if time.monotonic() - idle.touched < IDLE_SECONDS:
            raise BusyError(f"{len(self._open)} games are being played here: finish or resign one first")
        self._cancel_search(idle)
        del self._open[idle.stored.id]
        name, unfinished = idle.stored.id, idle.abandon()
        await self._store_thread.run(lambda store: move_to_record(store, name, self._add_net(idle, unfinished)))

    def _continue(self, live: LiveGame) -> None:
        """Plays chance moves, then starts the person's clock or the player's search."""
        while live.to_move == CHANCE and not live.over:
            live.play((random.choice(live.line.position.legal_actions()),), time.monotonic(), 0.0)
            if (outcome := live.line.position.outcome) is not None:
                self._start_task(self._end(live, outcome))
                return
        if live.to_move == live.stored.person:
            live.start_clock(time.monotonic())
        else:
            self._start_search(live)
        self._set_flag_timer(live)

    def _start_search(self, live: LiveGame) -> None:
        """Submits the player's search; its clock starts with the search, not while it waits or reads a net."""
        stored = live.stored
        try:
            spec = resolve(stored.opponent, live.game, self._settings)
            limit, seconds = time_for(
                stored.opponent, live.clock, live.to_move, time.monotonic(), self._settings.move_seconds
            )
            request = SearchRequest(
                game=stored.game,
                rules=stored.rules,
                start=stored.start,
                actions=stored.actions,
                spec=spec,
                limit=limit,
                seconds=seconds,
            )
            live.ticket = self._pool.submit(request, stored.id, lambda event: self._on_event(live, event))
        except BoardwrightError as error:
            self._on_failure(live, str(error))
            return
        live.thinking = True

    def _on_event(self, live: LiveGame, event: Event) -> None:
        """Handles an event of the player's search. Runs on the event loop and must not block."""
        now = time.monotonic()
        match event:
            case Preparing():
                live.preparing = True
                self._publish_change(live)
            case Started():
                changed = live.preparing or live.clock is not None
                live.preparing = False
                live.start_clock(now)
                self._set_flag_timer(live)
                if changed:
                    self._publish_change(live)
            case Answer():
                live.player_stopped()
                live.failures = 0
                try:
                    live.play(event.move, now, event.seconds)
                except BoardwrightError as error:
                    self._on_failure(live, str(error))
                    return
                live.nets.add(event.net)
                self._start_task(self._after_move(live))
            case Failure():
                self._on_failure(live, event.error)

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

    def _set_flag_timer(self, live: LiveGame) -> None:
        """Ends the game when the running clock reaches zero."""
        flag = self._flags.pop(live.stored.id, None)
        if flag is not None:
            flag.cancel()
        clock = live.clock
        if clock is None or clock.running is None or live.over:
            return
        left = clock.remaining(time.monotonic())[clock.running]
        loop = asyncio.get_running_loop()
        self._flags[live.stored.id] = loop.call_later(left, self._on_flag, live, clock.running)

    def _on_flag(self, live: LiveGame, role: int) -> None:
        if not live.over:
            outcome = Outcome(1 - role, f"{live.game.roles[role]} ran out of time")
            self._start_task(self._end(live, outcome, flagged=role))

    async def _store(self, live: LiveGame, finished: PlayedGame | None = None) -> None:
        snapshot = replace(live.stored)

        def save(store: Store) -> None:
            save_live_game(store, snapshot, None if finished is None else self._add_net(live, finished))

        await self._store_thread.run(save)
        self._publish(live)

    def _add_net(self, live: LiveGame, played: PlayedGame) -> PlayedGame:
        """The record with the checksum of the player's net: empty if it used several, the current one if it has not
        moved. It reads the net: do not call it on the event loop.
        """
        nets = live.nets or {current_net(live.stored.opponent, live.game, self._settings)}
        net = "" if len(nets) > 1 else next(iter(nets))
        return replace(played, nets=("", net) if live.stored.person == 0 else (net, ""))

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
        return {"type": "game", "game": self.as_json(live)}

    def _start_task(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
