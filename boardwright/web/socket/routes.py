"""`/ws`: games and matches as they change, and analyses while they run.

Nothing here waits for a page: what it is to be told goes into its outbox, and a page that does not read is closed.
When a page goes, its analyses end.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from boardwright.errors import BoardwrightError
from boardwright.web.players.pool import Ticket
from boardwright.web.players.worker import Answer, Event, Failure, Preparing, Thought, Waiting
from boardwright.web.server.errors import BusyError
from boardwright.web.server.limits import Bucket
from boardwright.web.services import Services
from boardwright.web.socket import messages
from boardwright.web.socket.outbox import Outbox, OutboxFullError
from boardwright.web.study.analysis import Study
from boardwright.web.study.positions import Json

MOST_ANALYSES = 2
MOST_WATCHES = 8
MOST_BYTES = 16_384  # of a message from a page
SEND_SECONDS = 5.0  # a message may take
BAD_MESSAGES = 5  # after which the page is closed
MESSAGES_PER_SECOND, MESSAGES_AT_ONCE = 20.0, 60.0
POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013

_MESSAGES: TypeAdapter[messages.ClientMessage] = TypeAdapter(messages.ClientMessage)
_numbers = itertools.count()


class Page:
    """One connection."""

    def __init__(self, socket: WebSocket, services: Services):
        self._socket = socket
        self._services = services
        self._owner = f"page {next(_numbers)}"
        self._outbox = Outbox()
        self._topics: set[str] = set()
        self._analyses: dict[str, Ticket] = {}
        self._there = True  # until it goes by itself
        self._bad = 0
        self._bucket = Bucket(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE)
        self._deaf = asyncio.Event()

    async def run(self) -> None:
        """Until the page goes, or has to."""
        await self._socket.accept()
        try:
            async with anyio.create_task_group() as group:

                async def until_done(part: Callable[[], Awaitable[object]]) -> None:
                    await part()
                    group.cancel_scope.cancel()

                for part in (self._receive, self._send, self._deaf.wait):
                    group.start_soon(until_done, part)
        finally:
            for topic in self._topics:
                self._services.hub.unsubscribe(topic, self._hear_topic)
            for ticket in self._analyses.values():
                self._services.engines.cancel(ticket)
        if self._there:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError), anyio.move_on_after(1.0):
                await self._socket.close(POLICY_VIOLATION)

    async def _receive(self) -> None:
        while self._bad < BAD_MESSAGES:
            try:
                packet = await self._socket.receive()
            except (WebSocketDisconnect, RuntimeError):
                packet = {"type": "websocket.disconnect"}
            if packet["type"] == "websocket.disconnect":
                self._there = False
                return
            text = packet.get("text")
            if not self._bucket.take():
                self._complain(text, "too many messages: slow down")
                continue
            try:
                await self._understand(text)
            except ValidationError as error:
                complaint = error.errors()[0]
                where = ".".join(map(str, complaint["loc"]))
                self._complain(text, f"{where}: {complaint['msg']}" if where else complaint["msg"])
        self._outbox.end()  # it is told why before it is closed
        await self._deaf.wait()

    async def _send(self) -> None:
        while True:
            message = await self._outbox.take()
            if message is None:
                return
            try:
                with anyio.fail_after(SEND_SECONDS):
                    await self._socket.send_text(message)
            except (TimeoutError, RuntimeError, WebSocketDisconnect, OSError):
                return

    def _complain(self, text: str | None, error: str) -> None:
        """Refuses a message, by its name where it can be read: the page waits for an answer to it."""
        self._bad += 1
        try:
            unheard = messages.Unheard.model_validate_json(text or "")
        except ValidationError:
            unheard = messages.Unheard()
        self._error(unheard.id or unheard.game, error)

    def _error(self, name: str | None, error: str) -> None:
        line = " ".join(error.split())[:600]
        self._tell(messages.SocketError(type="error", id=name, error=line).model_dump_json())

    def _tell(self, message: str, subject: str | None = None) -> None:
        try:
            self._outbox.put(message, subject)
        except OutboxFullError:
            self._deaf.set()

    def _hear_topic(self, topic: str, message: str) -> None:
        self._tell(message, topic if not message.startswith('{"type":"error"') else None)

    async def _understand(self, text: str | None) -> None:
        """Does what a message asks; raises ValidationError for one that is none."""
        if text is None or len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
            self._complain(text, f"a message is text of at most {MOST_BYTES} bytes")
            return
        message = _MESSAGES.validate_json(text)
        try:
            match message:
                case messages.Watch():
                    await self._services.live.find(message.game)
                    self._watch(f"game:{message.game}")
                case messages.WatchMatch():
                    self._watch(f"match:{message.match}")
                case messages.Unwatch():
                    self._unwatch(f"game:{message.game}")
                case messages.UnwatchMatch():
                    self._unwatch(f"match:{message.match}")
                case messages.Analyse():
                    self._analyse(message)
                case messages.Stop():
                    self._stop(message.id)
        except BoardwrightError as error:
            name = message.id if isinstance(message, messages.Analyse | messages.Stop) else None
            self._error(name or getattr(message, "game", None), str(error))

    def _watch(self, topic: str) -> None:
        if topic not in self._topics and len(self._topics) >= MOST_WATCHES:
            raise BusyError(f"a page may follow {MOST_WATCHES} things at once: unwatch one first")
        present = self._services.hub.present(topic)
        if present is None:
            raise BoardwrightError(f"there is no {topic.replace(':', ' ')}")
        self._topics.add(topic)
        self._services.hub.subscribe(topic, self._hear_topic)
        self._tell(present, topic)

    def _unwatch(self, topic: str) -> None:
        self._topics.discard(topic)
        self._services.hub.unsubscribe(topic, self._hear_topic)

    def _analyse(self, query: messages.Analyse) -> None:
        replaced = self._analyses.pop(query.id, None)
        if replaced is not None:
            self._services.engines.cancel(replaced)
            self._outbox.forget(f"info:{query.id}")
        if len(self._analyses) >= MOST_ANALYSES:
            raise BusyError(f"a page may have {MOST_ANALYSES} analyses at once: stop one first")
        study = Study(query, self._services.settings)
        ticket: Ticket | None = None

        def hear(event: Event) -> None:
            match event:
                case Waiting():
                    self._tell(_text(study.waiting()), f"info:{query.id}")
                case Preparing():
                    self._tell(_text({"type": "preparing", "id": query.id}))
                case Thought():
                    self._tell(_text(study.info(event.choice, event.seconds)), f"info:{query.id}")
                case Answer():
                    self._tell(_text(study.info(event.choice, event.seconds)), f"info:{query.id}")
                    self._tell(_text({"type": "done", "id": query.id}))
                case Failure():
                    self._error(query.id, event.error)
                    self._tell(_text({"type": "done", "id": query.id}))
            if isinstance(event, Answer | Failure) and self._analyses.get(query.id) is ticket:
                del self._analyses[query.id]

        ticket = self._services.engines.ask(study.question, self._owner, hear)
        self._analyses[query.id] = ticket

    def _stop(self, name: str) -> None:
        ticket = self._analyses.get(name)
        if ticket is not None:
            self._services.engines.stop(ticket)


def _text(message: Json) -> str:
    return to_json(message).decode()


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
