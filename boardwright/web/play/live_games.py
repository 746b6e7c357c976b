"""Games of people against players: kept, moved on, stored after every change, and told to whoever follows them."""

import asyncio
import random
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import replace

from starlette.concurrency import run_in_threadpool

from boardwright.arena.played import PlayedGame
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Outcome
from boardwright.records.live import find_live_game, forget_live_game, open_live_games, save_live_game
from boardwright.records.store import Store
from boardwright.web.play import schemas
from boardwright.web.play.clock import time_for
from boardwright.web.play.live_game import Table, game_again, new_game
from boardwright.web.players.pool import Engines
from boardwright.web.players.specs import check_fits, net_now, resolved
from boardwright.web.players.worker import Answer, Event, Failure, Preparing, Question, Thinking
from boardwright.web.server.database import Records
from boardwright.web.server.errors import BusyError, NotFoundError
from boardwright.web.server.topics import Hub
from boardwright.web.settings import Settings
from boardwright.web.socket import messages
from boardwright.web.study.positions import Json, bound_game, checked_start

KEPT_FINISHED = 200  # games that have ended and are still at hand
KEPT_BOARDS = 64  # whose JSON is
MOST_FAILURES = 3  # of a player running, then it waits until somebody looks at the game again
RETRY_SECONDS = 1.0
IDLE_SECONDS = 3600.0  # after which a game may be put away for a new one


class LiveGames:
    """All of a server's, on its event loop."""

    def __init__(self, settings: Settings, records: Records, engines: Engines, hub: Hub):
        self._settings = settings
        self._records = records
        self._engines = engines
        self._hub = hub
        self._open: OrderedDict[str, Table] = OrderedDict()
        self._finished: OrderedDict[str, Table] = OrderedDict()
        self._shown: OrderedDict[str, Table] = OrderedDict()
        self._flags: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        hub.provide("game", self._present)

    async def start(self) -> None:
        """Takes up the games where they were; nobody's time ran meanwhile."""
        for stored in await self._records.run(open_live_games):
            try:
                table = Table(stored, bound_game(stored.game, stored.rules), time.monotonic())
            except BoardwrightError:  # its rules are gone with a version: it stays in the database as it is
                continue
            self._open[stored.id] = table
            self._go_on(table)

    async def close(self) -> None:
        """Stores what is left to store."""
        self._closing = True
        for flag in self._flags.values():
            flag.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)

    def summaries(self) -> list[Json]:
        """The games that go on, the one moved in last first, so that none is lost among those begun since."""
        now = time.monotonic()
        latest_first = sorted(self._open.values(), key=lambda table: table.touched, reverse=True)
        return [table.summary(now) for table in latest_first]

    async def find(self, name: str) -> Table:
        """A game by its id; raises NotFoundError. A player that had given up is asked again."""
        table = self._open.get(name) or self._finished.get(name)
        if table is None:
            stored = await self._records.run(lambda store: find_live_game(store, name))
            if stored is None:
                raise NotFoundError(f"there is no game {name!r}")
            table = Table(stored, bound_game(stored.game, stored.rules), time.monotonic())
            self._keep_finished(table)
        elif not table.over and table.ticket is None and table.failures >= MOST_FAILURES:
            table.failures = 0
            self._ask_again(table)
        return table

    def text(self, table: Table) -> str:
        """A game as JSON. The boards of those asked for last are kept."""
        self._shown.pop(table.stored.id, None)
        self._shown[table.stored.id] = table
        while len(self._shown) > KEPT_BOARDS:
            self._shown.popitem(last=False)[1].forget_view()
        return table.text(time.monotonic())

    async def create(self, query: schemas.NewGame) -> Table:
        """A new game; raises BoardwrightError for what cannot be played, BusyError for one too many."""
        game = bound_game(query.game, query.rules)
        await run_in_threadpool(check_fits, query.opponent, game, self._settings)
        checked_start(game, query.position)
        await self._make_room()
        stored = new_game(query, game)
        table = Table(stored, game, time.monotonic())
        self._open[stored.id] = table
        self._go_on(table)
        await self._store(table)
        return table

    async def again(self, table: Table) -> Table:
        """A new game from the same position, against the same player and by the same clock, with sides changed."""
        return await self.create(game_again(table.stored))

    async def move(self, table: Table, query: schemas.MoveQuery) -> None:
        """The person's move; raises ConflictError, IllegalMoveError."""
        table.check_turn(query.version)
        if (query.actions is None) == (query.text is None):
            raise BoardwrightError("give a move either as actions or as text")
        actions = table.parse(query.text) if query.text is not None else tuple(query.actions or ())
        now = time.monotonic()
        table.play(actions, now, now - table.turn_began)
        await self._moved(table)

    async def undo(self, table: Table) -> None:
        """Takes back the person's last move, and what the player answered."""
        table.take_back(time.monotonic())
        self._stop_thinking(table)
        self._go_on(table)
        await self._store(table)

    async def resign(self, table: Table) -> None:
        """The person gives up."""
        table.check_open()
        person = table.stored.person
        outcome = Outcome(1 - person, f"{table.game.roles[person]} resigned")
        await self._end(table, outcome, resigned=person)

    async def _moved(self, table: Table) -> None:
        """After a move: the game ends or goes on, and is stored."""
        outcome = table.played.position.outcome
        if outcome is not None:
            await self._end(table, outcome)
            return
        self._go_on(table)
        await self._store(table)

    async def _end(
        self, table: Table, outcome: Outcome, *, resigned: int | None = None, flagged: int | None = None
    ) -> None:
        self._stop_thinking(table)
        finished = table.end(outcome, time.monotonic(), resigned=resigned, flagged=flagged)
        self._open.pop(table.stored.id, None)
        self._keep_finished(table)
        self._watch_flag(table)
        await self._store(table, finished)

    def _keep_finished(self, table: Table) -> None:
        self._finished[table.stored.id] = table
        while len(self._finished) > KEPT_FINISHED:
            self._finished.popitem(last=False)

    async def _make_room(self) -> None:
        """Puts the game away that has been idle longest, if there are too many; raises BusyError if all are fresh."""
        if len(self._open) < self._settings.open_games:
            return
        idle = min(self._open.values(), key=lambda table: table.touched)
        if time.monotonic() - idle.touched < IDLE_SECONDS:
            raise BusyError(f"{len(self._open)} games are being played here: finish or resign one first")
        self._stop_thinking(idle)
        del self._open[idle.stored.id]
        name, unfinished = idle.stored.id, idle.abandon()
        await self._records.run(lambda store: forget_live_game(store, name, self._with_net(idle, unfinished)))

    def _go_on(self, table: Table) -> None:
        """Chance moves at once; the person's time runs; or the player is asked."""
        while table.to_move == CHANCE and not table.over:
            now = time.monotonic()
            table.play((random.choice(table.played.position.legal_actions()),), now, 0.0)
            if (outcome := table.played.position.outcome) is not None:
                self._spawn(self._end(table, outcome))
                return
        if table.to_move == table.stored.person:
            table.start_clock(time.monotonic())
        else:
            self._ask(table)
        self._watch_flag(table)

    def _ask(self, table: Table) -> None:
        """Has the player think; its time runs once it does, not while it waits for its turn or a net is read."""
        stored = table.stored
        try:
            spec = resolved(stored.opponent, table.game, self._settings)
            limit, seconds = time_for(
                stored.opponent, table.clock, table.to_move, time.monotonic(), self._settings.move_seconds
            )
            question = Question(
                game=stored.game,
                rules=stored.rules,
                start=stored.start,
                actions=stored.actions,
                spec=spec,
                limit=limit,
                seconds=seconds,
            )
            table.ticket = self._engines.ask(question, stored.id, lambda event: self._hear(table, event))
        except BoardwrightError as error:
            self._failed(table, str(error))
            return
        table.thinking = True

    def _hear(self, table: Table, event: Event) -> None:
        """The player's news. Runs on the event loop and must not wait."""
        now = time.monotonic()
        match event:
            case Preparing():
                table.preparing = True
                table.status_changed()
                self._tell(table)
            case Thinking():
                news = table.preparing or table.clock is not None
                table.preparing = False
                table.start_clock(now)
                self._watch_flag(table)
                if news:
                    table.status_changed()
                    self._tell(table)
            case Answer():
                table.ticket, table.thinking, table.preparing, table.failures = None, False, False, 0
                try:
                    table.play(event.move, now, event.seconds)
                except BoardwrightError as error:
                    self._failed(table, str(error))
                    return
                table.nets.add(event.net)
                self._spawn(self._moved(table))
            case Failure():
                self._failed(table, event.error)

    def _failed(self, table: Table, error: str) -> None:
        """A player that failed is asked again, a few times; whoever follows the game is told."""
        line = " ".join(error.split())
        table.player_failed(line, MOST_FAILURES, time.monotonic())
        told = messages.SocketError(type="error", id=table.stored.id, error=line)
        self._hub.publish(f"game:{table.stored.id}", told.model_dump_json())
        if table.failures < MOST_FAILURES and not self._closing:
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._retry, table, table.stored.version)
        self._tell(table)

    def _retry(self, table: Table, version: int) -> None:
        if not table.over and table.ticket is None and table.stored.version == version and not self._closing:
            self._ask_again(table)

    def _ask_again(self, table: Table) -> None:
        """Whoever follows the game is told, who was told that the player had failed."""
        table.failure = None
        self._go_on(table)
        if table.thinking:
            table.status_changed()
            self._tell(table)

    def _stop_thinking(self, table: Table) -> None:
        if table.ticket is not None:
            self._engines.cancel(table.ticket)
        table.ticket, table.thinking, table.preparing = None, False, False
        table.failures, table.failure = 0, None

    def _watch_flag(self, table: Table) -> None:
        """Sees to it that the game ends when the time of whoever is to move does."""
        flag = self._flags.pop(table.stored.id, None)
        if flag is not None:
            flag.cancel()
        clock = table.clock
        if clock is None or clock.running is None or table.over:
            return
        left = clock.remaining(time.monotonic())[clock.running]
        self._flags[table.stored.id] = asyncio.get_running_loop().call_later(
            left, self._flag_falls, table, clock.running
        )

    def _flag_falls(self, table: Table, role: int) -> None:
        if not table.over:
            outcome = Outcome(1 - role, f"{table.game.roles[role]} ran out of time")
            self._spawn(self._end(table, outcome, flagged=role))

    async def _store(self, table: Table, finished: PlayedGame | None = None) -> None:
        snapshot = replace(table.stored)

        def save(store: Store) -> None:
            save_live_game(store, snapshot, None if finished is None else self._with_net(table, finished))

        await self._records.run(save)
        self._tell(table)

    def _with_net(self, table: Table, played: PlayedGame) -> PlayedGame:
        """What goes into the record, with the net of the player's moves: unknown if there were several, that of now
        if it has not moved. Reads it: not for the event loop.
        """
        nets = table.nets or {net_now(table.stored.opponent, table.game, self._settings)}
        net = "" if len(nets) > 1 else next(iter(nets))
        return replace(played, nets=("", net) if table.stored.person == 0 else (net, ""))

    def _tell(self, table: Table) -> None:
        topic = f"game:{table.stored.id}"
        if self._hub.followed(topic):
            self._hub.publish(topic, self._message(table))

    def _present(self, name: str) -> str | None:
        table = self._open.get(name) or self._finished.get(name)
        return None if table is None else self._message(table)

    def _message(self, table: Table) -> str:
        return f'{{"type":"game","game":{self.text(table)}}}'

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
