"""Rate limit and size limit of requests."""

import time
from collections import OrderedDict

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardwright.web.server.errors import problem
from boardwright.web.settings import Settings

MAX_CLIENTS = 10_000  # whose buckets are kept
BURST_SECONDS = 4.0  # of its rate that a client may use at once


class Bucket:
    """A token bucket: it fills at a rate up to a size."""

    def __init__(self, rate: float, size: float):
        self._rate = rate
        self._size = size
        self._level = size
        self._last = time.monotonic()

    def take(self) -> bool:
        """Takes one token and returns True, or returns False if there is none."""
        now = time.monotonic()
        self._level = min(self._size, self._level + (now - self._last) * self._rate)
        self._last = now
        if self._level < 1:
            return False
        self._level -= 1
        return True


class Limits:
    """Middleware that refuses too many requests (429) and too large bodies (413)."""

    def __init__(self, app: ASGIApp, settings: Settings):
        self._app = app
        self._settings = settings
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers it with an error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not self._bucket(scope).take():
            await problem(429, "too many requests: slow down")(scope, receive, send)
            return
        limit = self._settings.body_bytes
        too_large = f"request too large: the limit is {limit / 1e6:g} MB"
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > limit:
            await problem(413, too_large)(scope, receive, send)
            return
        read = 0

        async def receive_counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise HTTPException(413, too_large)  # FastAPI reports any other error as a body that it cannot parse
            return message

        await self._app(scope, receive_counted, send)

    def _bucket(self, scope: Scope) -> Bucket:
        client = (scope.get("client") or ("unknown", 0))[0]
        bucket = self._buckets.pop(client, None)
        if bucket is None:
            rate = self._settings.requests_per_second
            bucket = Bucket(rate, rate * BURST_SECONDS)
        self._buckets[client] = bucket
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return bucket
