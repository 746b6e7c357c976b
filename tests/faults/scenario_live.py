"""Live games of the app: created, played, taken back, resigned, and resumed by the next server."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, cast

import pytest
from scenario import Attempts, Facts, GaveUpError, Scenario

from boardwright.agents.base import Choice
from boardwright.arena.event import PlayedGame
from boardwright.games.base import ONGOING
from boardwright.games.registry import game
from boardwright.records.games import GameFilter, find_games
from boardwright.records.live import find_live_game, open_live_games
from boardwright.records.store import open_store
from boardwright.web.play import live_games
from boardwright.web.play.live_game import LiveGame, MoveQuery, NewGame
from boardwright.web.play.live_games import LiveGames
from boardwright.web.players.pool import OnEvent, SearchPool, Ticket
from boardwright.web.players.worker import Answer, Phase, SearchRequest
from boardwright.web.server.store_thread import StoreThread
from boardwright.web.server.topics import Topics
from boardwright.web.settings import Settings

T = TypeVar("T")
NAME = "games.db"
GAME = game("tablut")
QUERY = NewGame(game="tablut", role=0, opponent="random")
WAIT_SECONDS = 30.0


class FirstMoves:
    """A pool of players that answer at once, with the first legal move."""

    def submit(self, request: SearchRequest, owner: str, on_event: OnEvent) -> Ticket:
        ticket = Ticket(request, owner, on_event)
        asyncio.get_running_loop().call_soon(self._answer, ticket)
        return ticket

    def cancel(self, ticket: Ticket) -> None:
        ticket.cancelled = True

    def _answer(self, ticket: Ticket) -> None:
        if not ticket.cancelled:
            (action, *_) = GAME.play_all(ticket.request.actions).legal_actions()
            for event in (Phase.STARTED, Answer(Choice(action), (action,), 0.0)):
                ticket.on_event(event)


class Server:
    """The live games of a server, without its pages and its workers."""

    def __init__(self, path: Path, attempt: Attempts):
        self._attempt = attempt
        self._loop = asyncio.new_event_loop()
        self._thread = StoreThread(path)
        self._games = LiveGames(Settings(db=path), self._thread, cast(SearchPool, FirstMoves()), Topics())

    def start(self) -> None:
        self.run(self._thread.open)
        self.run(self._games.start)

    def run(self, operation: Callable[[], Awaitable[T]]) -> T:
        """The result of an operation, which is attempted."""

        async def result() -> T:
            return await operation()

        return self._attempt(lambda: self._loop.run_until_complete(result()))

    def close(self) -> None:
        self._loop.run_until_complete(self._games.close())
        self._loop.run_until_complete(self._thread.close())
        self._loop.close()

    def create(self) -> LiveGame:
        return self._show(self.run(lambda: self._games.create(QUERY)))

    def find(self, name: str) -> LiveGame:
        return self._show(self.run(lambda: self._games.find(name)))

    def move(self, live: LiveGame) -> None:
        """Plays the first legal move, and waits for the answer of the player; ends with the person to move."""
        step = GAME.play_all(live.stored.actions).legal_actions()[:1]
        query = MoveQuery(actions=step, version=live.stored.version)
        self._change(live, lambda changed: changed.play_query(query, time.monotonic()))
        self._loop.run_until_complete(asyncio.wait_for(self._answered(live), WAIT_SECONDS))
        self._show(live)

    def undo(self, live: LiveGame) -> None:
        self._change(live, lambda changed: changed.take_back(time.monotonic()))

    def resign(self, live: LiveGame) -> None:
        self._change(live, lambda changed: changed.resign(time.monotonic()))

    def _change(self, live: LiveGame, change: Callable[[LiveGame], PlayedGame | None]) -> None:
        self._show(self.run(lambda: self._games.change(live.stored.id, change)))

    async def _answered(self, live: LiveGame) -> None:
        while not live.over and live.to_move != live.stored.person and live.failure is None:
            await asyncio.sleep(0.001)

    def _show(self, live: LiveGame) -> LiveGame:
        """Notes what the person's page shows."""
        stored = live.stored
        self._attempt.acknowledge(stored.id, (live.stored_version, stored.actions, stored.result))
        return live


class Live(Scenario):
    """A change that is shown survives the end of the server, and a finished game is in the record once."""

    survives_power_cuts = False

    def work(self, folder: Path, attempt: Attempts) -> None:
        live_games.RETRY_SECONDS = 0.001
        server = Server(folder / NAME, attempt)
        try:
            server.start()
            first, second = server.create(), server.create()
            with suppress(GaveUpError):  # the server goes on
                server.move(first)
            server.move(second)
            server.undo(first)
            server.move(first)
            server.resign(first)
        finally:
            server.close()
        server = Server(folder / NAME, attempt)
        try:
            server.start()
            resumed = server.find(second.stored.id)
            server.move(resumed)
            server.resign(resumed)
        finally:
            server.close()

    def check(self, folder: Path, facts: Facts) -> None:
        if not facts and not (folder / NAME).exists():
            return
        with open_store(folder / NAME, create=not facts) as store:
            assert store.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            names = [name for (name,) in store.connection.execute("SELECT id FROM live_games")]
            found = {name: stored for name in names if (stored := find_live_game(store, name)) is not None}
            recorded = [stored.played.record for stored in find_games(store, GameFilter())]
            assert len(open_live_games(store, pytest.fail)) == sum(one.result == ONGOING for one in found.values())
        for name, (version, actions, result) in facts.items():
            stored = found[name]
            assert stored.version >= version
            assert stored.version > version or (stored.actions, stored.result) == (actions, result)
        for stored in found.values():
            LiveGame(stored, GAME, 0.0)
        finished = sorted(stored.actions for stored in found.values() if stored.result != ONGOING)
        assert sorted(record.actions for record in recorded) == finished


SCENARIO = Live()
