"""How much a client may ask: so many requests a second, and none larger than a game file."""

import time
from collections import OrderedDict

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardwright.web.server.errors import problem
from boardwright.web.settings import Settings

KNOWN_CLIENTS = 10_000  # whose buckets are kept
AT_ONCE_SECONDS = 4.0  # how long a client may have saved up


class Bucket:
    """Fills at a rate, and what is taken from it must be in it."""

    def __init__(self, rate: float, size: float):
        self._rate = rate
        self._size = size
        self._level = size
        self._last = time.monotonic()

    def take(self) -> bool:
        """Takes one, if there is one."""
        now = time.monotonic()
        self._level = min(self._size, self._level + (now - self._last) * self._rate)
        self._last = now
        if self._level < 1:
            return False
        self._level -= 1
        return True


class Limits:
    """Middleware that refuses what is too much: 429 for requests, 413 for bodies."""

    def __init__(self, app: ASGIApp, settings: Settings):
        self._app = app
        self._settings = settings
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not self._bucket(scope).take():
            await problem(429, "too many requests: slow down")(scope, receive, send)
            return
        most = self._settings.body_bytes
        too_large = f"that is too large: a request may have {most / 1e6:g} MB"
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > most:
            await problem(413, too_large)(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise HTTPException(413, too_large)  # any other error FastAPI takes for a body it cannot parse
            return message

        await self._app(scope, counted, send)

    def _bucket(self, scope: Scope) -> Bucket:
        client = (scope.get("client") or ("unknown", 0))[0]
        bucket = self._buckets.pop(client, None)
        if bucket is None:
            rate = self._settings.requests_per_second
            bucket = Bucket(rate, rate * AT_ONCE_SECONDS)
        self._buckets[client] = bucket
        if len(self._buckets) > KNOWN_CLIENTS:
            self._buckets.popitem(last=False)
        return bucket
