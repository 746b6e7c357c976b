"""The bounded queue of messages to one page: of messages about the same subject only the newest is kept."""

import asyncio
from collections import OrderedDict

from boardwright.web.server.schemas import Json

MAX_MESSAGES = 64


class OutboxFullError(Exception):
    """The page does not read."""


class Outbox:
    """Messages in the order in which their subjects were first added."""

    def __init__(self) -> None:
        self._queue: OrderedDict[str, Json | None] = OrderedDict()
        self._filled = asyncio.Event()
        self._counted = 0

    def put(self, message: Json, subject: str | None = None) -> None:
        """Adds a message, which replaces an older one about the same subject; raises OutboxFullError."""
        if subject is None:
            self._counted += 1
            subject = f"#{self._counted}"
        if subject not in self._queue and len(self._queue) >= MAX_MESSAGES:
            raise OutboxFullError
        self._queue[subject] = message
        self._filled.set()

    def drop(self, subject: str) -> None:
        """Removes the queued message about a subject."""
        self._queue.pop(subject, None)

    def end(self) -> None:
        """Marks the end: nothing follows the messages queued so far."""
        self._queue["end"] = None
        self._filled.set()

    async def take(self) -> Json | None:
        """Waits for the next message; None at the end."""
        while not self._queue:
            self._filled.clear()
            await self._filled.wait()
        return self._queue.popitem(last=False)[1]
