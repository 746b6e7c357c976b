"""HTTP connections with a time limit for each request, and a limit on their number.

Without these, connections that send nothing use up the file descriptors of the server.
"""

import asyncio
import resource
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 30.0  # from the first byte of a request, or from connecting, to its last byte
MAX_CONNECTIONS = 1000  # HTTP and WebSocket together
FILES = 4 * MAX_CONNECTIONS  # descriptors to ask for: databases, workers and closing connections need some too
_RECEIVING = (h11.IDLE, h11.SEND_BODY)  # states of a client whose request is not complete


def connection_limit() -> int:
    """The number of connections that may be open at once: half of the descriptors the process may have."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (FILES if limit == resource.RLIM_INFINITY else limit for limit in limits)
    if soft < min(FILES, hard):
        soft = min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, limits[1]))
    return max(1, min(MAX_CONNECTIONS, soft // 2))


class LimitedProtocol(H11Protocol):
    """uvicorn's HTTP protocol that closes connections above the limit and those whose request takes too long."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the time of the first request."""
        super().connection_made(transport)
        if len(self.connections) > connection_limit():
            transport.abort()
        else:
            self._start_deadline()

    def data_received(self, data: bytes) -> None:
        """Starts the time of a further request, or ends it when the request is complete: a socket may be silent."""
        super().data_received(data)
        is_socket = self.transport.get_protocol() is not self
        if is_socket or self.conn.their_state not in _RECEIVING:
            self._end_deadline()
        elif self._deadline is None:
            self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the time of the request."""
        self._end_deadline()
        super().connection_lost(exc)

    def _start_deadline(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
