"""Topics that pages subscribe to, such as `game:ID` and `match:ID`; every change is published to the subscribers."""

from collections.abc import Callable

from boardwright.web.server.errors import one_line
from boardwright.web.server.schemas import Json

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


def error_message(name: str | None, error: str) -> Json:
    """The socket message for an error; `name` is the id of the analysis or game concerned, if any."""
    return {"type": "error", "id": name, "error": one_line(error)}
