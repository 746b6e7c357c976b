"""Who follows what: pages subscribe to topics (a game, a match), and whatever changes is told to all that do."""

from collections.abc import Callable

Listener = Callable[[str, str], None]  # topic and message, JSON as text; it must not wait


class Hub:
    """Topics such as `game:ID` and `match:ID`, and for each kind who knows its present state."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[Listener]] = {}
        self._present: dict[str, Callable[[str], str | None]] = {}

    def provide(self, kind: str, present: Callable[[str], str | None]) -> None:
        """`present` gives the message that tells the state of the thing of an id now; None where there is none."""
        self._present[kind] = present

    def present(self, topic: str) -> str | None:
        """What a page that begins to follow a topic is told first."""
        kind, _, name = topic.partition(":")
        return self._present[kind](name) if kind in self._present else None

    def subscribe(self, topic: str, listener: Listener) -> None:
        """Has a page told."""
        self._listeners.setdefault(topic, set()).add(listener)

    def unsubscribe(self, topic: str, listener: Listener) -> None:
        """No longer."""
        listeners = self._listeners.get(topic, set())
        listeners.discard(listener)
        if not listeners:
            self._listeners.pop(topic, None)

    def followed(self, topic: str) -> bool:
        """Whether anybody would hear."""
        return topic in self._listeners

    def publish(self, topic: str, message: str) -> None:
        """Tells everybody who follows a topic."""
        for listener in tuple(self._listeners.get(topic, ())):
            listener(topic, message)
