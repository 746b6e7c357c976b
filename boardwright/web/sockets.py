"""`/ws`: live games and matches as they change, and running analyses.

Nothing here waits for a page: messages to it go into its outbox, and a page that does not read is disconnected. The
analyses of a page stop when it disconnects.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_json

from boardwright.errors import BoardwrightError
from boardwright.web.players.pool import Ticket
from boardwright.web.players.worker import Answer, Event, Failure, Phase, Progress
from boardwright.web.server.http import BusyError, Json, Label, Model, first_complaint
from boardwright.web.server.middleware import Bucket
from boardwright.web.server.topics import Outbox, error_message
from boardwright.web.services import Services
from boardwright.web.study.analysis import Analysis
from boardwright.web.study.schemas import Analyse

MAX_ANALYSES = 2
MAX_TOPICS = 8
MAX_BYTES = 16_384  # of a message from a page
SEND_SECONDS = 5.0  # timeout of sending a message
MAX_BAD_MESSAGES = 5  # before the page is disconnected
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 20.0, 60.0
POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013

_numbers = itertools.count()


class WatchGame(Model):
    """Subscribe to a game, its current state and every change; or unsubscribe."""

    type: Literal["watch", "unwatch"]
    game: Label


class WatchMatch(Model):
    """Subscribe to a match; or unsubscribe."""

    type: Literal["watch-match", "unwatch-match"]
    match: int | Label


class Stop(Model):
    """Stop an analysis."""

    type: Literal["stop"]
    id: Label


class RefusedMessage(Model, extra="ignore"):
    """What is read of a message that is refused: the analysis or game it concerns."""

    id: Label | None = None
    game: Label | None = None


ClientMessage = Annotated[WatchGame | WatchMatch | Analyse | Stop, Field(discriminator="type")]
_MESSAGES: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


class Page:
    """One connection."""

    def __init__(self, socket: WebSocket, services: Services):
        self._socket = socket
        self._services = services
        self._owner = f"page {next(_numbers)}"
        self._outbox = Outbox()
        self._topics: set[str] = set()
        self._analyses: dict[str, Ticket] = {}
        self._connected = True
        self._bad_messages = 0
        self._bucket = Bucket(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE)
        self._overflowed = asyncio.Event()

    async def run(self) -> None:
        """Serves the page until it disconnects or must be disconnected."""
        await self._socket.accept()
        try:
            async with anyio.create_task_group() as group:

                async def until_done(part: Callable[[], Awaitable[object]]) -> None:
                    await part()
                    group.cancel_scope.cancel()

                for part in (self._receive, self._send, self._overflowed.wait):
                    group.start_soon(until_done, part)
        finally:
            for topic in self._topics:
                self._services.topics.unsubscribe(topic, self._on_publish)
            for ticket in self._analyses.values():
                self._services.pool.cancel(ticket)
        if self._connected:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError), anyio.move_on_after(1.0):
                await self._socket.close(POLICY_VIOLATION)

    async def _receive(self) -> None:
        while self._bad_messages < MAX_BAD_MESSAGES:
            try:
                packet = await self._socket.receive()
            except (WebSocketDisconnect, RuntimeError):
                packet = {"type": "websocket.disconnect"}
            if packet["type"] == "websocket.disconnect":
                self._connected = False
                return
            text = packet.get("text")
            if not self._bucket.take():
                self._refuse(text, "too many messages: slow down")
                continue
            try:
                await self._handle(text)
            except ValidationError as error:
                self._refuse(text, first_complaint(error))
        self._outbox.end()  # the page gets the errors before it is disconnected
        await self._overflowed.wait()

    async def _send(self) -> None:
        while (message := await self._outbox.take()) is not None:
            try:
                with anyio.fail_after(SEND_SECONDS):
                    await self._socket.send_text(to_json(message).decode())
            except (TimeoutError, RuntimeError, WebSocketDisconnect, OSError):
                return

    def _refuse(self, text: str | None, error: str) -> None:
        """Answers a bad message with an error that names what it concerns, where that can be read."""
        self._bad_messages += 1
        try:
            refused = RefusedMessage.model_validate_json(text or "")
        except ValidationError:
            refused = RefusedMessage()
        self._put(error_message(refused.id or refused.game, error))

    def _put(self, message: Json, subject: str | None = None) -> None:
        if not self._outbox.put(message, subject):
            self._overflowed.set()

    def _on_publish(self, topic: str, message: Json) -> None:
        self._put(message, None if message["type"] == "error" else topic)

    async def _handle(self, text: str | None) -> None:
        """Does what a message asks for; raises ValidationError for a malformed one."""
        if text is None or len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
            self._refuse(text, f"a message is text of at most {MAX_BYTES} bytes")
            return
        message = _MESSAGES.validate_json(text)
        try:
            match message:
                case WatchGame(type="watch"):
                    await self._services.live.find(message.game)
                    self._watch(f"game:{message.game}")
                case WatchGame():
                    self._unwatch(f"game:{message.game}")
                case WatchMatch(type="watch-match"):
                    self._watch(f"match:{message.match}")
                case WatchMatch():
                    self._unwatch(f"match:{message.match}")
                case Analyse():
                    self._analyse(message)
                case Stop() if message.id in self._analyses:
                    self._services.pool.stop(self._analyses[message.id])
        except BoardwrightError as error:
            self._put(error_message(getattr(message, "id", None) or getattr(message, "game", None), str(error)))

    def _watch(self, topic: str) -> None:
        if topic not in self._topics and len(self._topics) >= MAX_TOPICS:
            raise BusyError(f"a page may watch at most {MAX_TOPICS} games and matches: unwatch one first")
        current = self._services.topics.current(topic)
        if current is None:
            raise BoardwrightError(f"there is no {topic.replace(':', ' ')}")
        self._topics.add(topic)
        self._services.topics.subscribe(topic, self._on_publish)
        self._put(current, topic)

    def _unwatch(self, topic: str) -> None:
        self._topics.discard(topic)
        self._services.topics.unsubscribe(topic, self._on_publish)

    def _analyse(self, query: Analyse) -> None:
        subject = f"info:{query.id}"
        replaced = self._analyses.pop(query.id, None)
        if replaced is not None:
            self._services.pool.cancel(replaced)
            self._outbox.drop(subject)
        if len(self._analyses) >= MAX_ANALYSES:
            raise BusyError(f"a page may have {MAX_ANALYSES} analyses at once: stop one first")
        analysis = Analysis(query, self._services.settings)
        ticket: Ticket | None = None

        def on_event(event: Event) -> None:
            match event:
                case Phase.WAITING:
                    self._put(analysis.waiting(), subject)
                case Phase.PREPARING:
                    self._put({"type": "preparing", "id": query.id})
                case Progress() | Answer():
                    self._put(analysis.info(event.choice, event.seconds), subject)
                case Failure():
                    self._put(error_message(query.id, event.error))
            if isinstance(event, Answer | Failure):
                self._put({"type": "done", "id": query.id})
                if self._analyses.get(query.id) is ticket:
                    del self._analyses[query.id]

        ticket = self._services.pool.submit(analysis.request, self._owner, on_event)
        self._analyses[query.id] = ticket


def make_router(services: Services) -> APIRouter:
    """The route."""
    router = APIRouter()
    pages: set[Page] = set()

    @router.websocket("/ws")
    async def listen(socket: WebSocket) -> None:
        if len(pages) >= services.settings.sockets:
            await socket.close(TRY_AGAIN_LATER)
            return
        page = Page(socket, services)
        pages.add(page)
        try:
            await page.run()
        finally:
            pages.discard(page)

    return router
