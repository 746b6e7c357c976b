"""Messages to pages: topics that pages subscribe to, such as `game:ID` and `match:ID`, and the outbox of each page."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from boardwright.web.server.http import Json, one_line

MAX_MESSAGES = 64  # queued for one page

Subscriber = Callable[[str, Json], None]  # receives topic and message; must not block
Source = Callable[[str], Json | None]  # the message that describes the thing of an id now; None if unknown


class Topics:
    """The subscribers of each topic, and for each kind of topic the source of its current state."""

    def __init__(self) -> None:
        self._subscribers: dict[str, set[Subscriber]] = {}
        self._sources: dict[str, Source] = {}

    def add_source(self, kind: str, source: Source) -> None:
        """Registers the source of the topics `kind:ID`."""
        self._sources[kind] = source

    def current(self, topic: str) -> Json | None:
        """The message that a new subscriber gets first; None for an unknown topic."""
        kind, _, name = topic.partition(":")
        return self._sources[kind](name) if kind in self._sources else None

    def subscribe(self, topic: str, subscriber: Subscriber) -> None:
        """Adds a subscriber."""
        self._subscribers.setdefault(topic, set()).add(subscriber)

    def unsubscribe(self, topic: str, subscriber: Subscriber) -> None:
        """Removes a subscriber, if it is one."""
        subscribers = self._subscribers.get(topic, set())
        subscribers.discard(subscriber)
        if not subscribers:
            self._subscribers.pop(topic, None)

    def has_subscribers(self, topic: str) -> bool:
        """Whether a message would reach any page."""
        return topic in self._subscribers

    def publish(self, topic: str, message: Json) -> None:
        """Sends a message to all subscribers of a topic."""
        for subscriber in tuple(self._subscribers.get(topic, ())):
            subscriber(topic, message)


class Outbox:
    """The queue of messages to one page, in the order of their subjects; of each subject only the newest is kept."""

    def __init__(self) -> None:
        self._queue: OrderedDict[str, Json | None] = OrderedDict()
        self._filled = asyncio.Event()
        self._counted = 0

    def put(self, message: Json, subject: str | None = None) -> bool:
        """Adds a message, which replaces an older one about the same subject; False if the page does not read."""
        if subject is None:
            self._counted += 1
            subject = f"#{self._counted}"
        if subject not in self._queue and len(self._queue) >= MAX_MESSAGES:
            return False
        self._queue[subject] = message
        self._filled.set()
        return True

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


def error_message(name: str | None, error: str) -> Json:
    """The socket message for an error; `name` is the id of the analysis or game concerned, if any."""
    return {"type": "error", "id": name, "error": one_line(error)}
