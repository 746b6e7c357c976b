"""What waits to be sent to one page. It is bounded: of news about the same thing only the newest is kept."""

import asyncio
from collections import OrderedDict

MOST_MESSAGES = 64


class OutboxFullError(Exception):
    """The page does not read."""


class Outbox:
    """Messages in the order in which their subjects were first mentioned."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, str | None] = OrderedDict()
        self._some = asyncio.Event()
        self._counted = 0

    def put(self, message: str, subject: str | None = None) -> None:
        """Adds a message, which replaces an older one about the same subject; raises OutboxFullError."""
        if subject is None:
            self._counted += 1
            subject = f"#{self._counted}"
        if subject not in self._waiting and len(self._waiting) >= MOST_MESSAGES:
            raise OutboxFullError
        self._waiting[subject] = message
        self._some.set()

    def forget(self, subject: str) -> None:
        """Drops what waits to be said about a subject."""
        self._waiting.pop(subject, None)

    def end(self) -> None:
        """Nothing follows what is in it."""
        self._waiting["end"] = None
        self._some.set()

    async def take(self) -> str | None:
        """The next message, as soon as there is one; None at the end."""
        while not self._waiting:
            self._some.clear()
            await self._some.wait()
        return self._waiting.popitem(last=False)[1]
