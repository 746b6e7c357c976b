"""Middleware: access control, security headers, and limits on the rate and size of requests.

Requests come from our own pages only, and with a token when other machines can reach the server.

Any web page can send requests to this machine (CSRF), and its domain name may resolve to this machine (DNS rebinding).
So requests that change something, and sockets, must have our `Origin`; and without a token `Host` must be a name of
this machine. The token comes once in the URL, and then in a cookie.
"""

import hmac
import time
from collections import OrderedDict
from urllib.parse import urlencode, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardwright.web.server.http import problem
from boardwright.web.settings import Settings

MAX_CLIENTS = 10_000  # whose buckets are kept
BURST_SECONDS = 4.0  # of its rate that a client may use at once
COOKIE = "boardwright-token"
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
CONTENT_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    b"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", CONTENT_POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guard:
    """Middleware in front of everything else."""

    def __init__(self, app: ASGIApp, settings: Settings):
        self._app = app
        self._token = settings.token
        self._proxy = settings.proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        refusal = self._refusal(HTTPConnection(scope))
        if refusal is None:
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, send_with_headers)

    def _refusal(self, request: HTTPConnection) -> Response | None:
        """The error response to a request; None if it is allowed."""
        headers, method = request.headers, request.scope.get("method")  # None: a socket
        if not self._proxy and any(name in headers for name in FORWARDED):
            return problem(403, "forwarded requests are refused: start the server with --proxy")
        host = headers.get("host", "").lower()
        if self._token is None and not _names_this_machine(host):
            return problem(403, f"unknown host {host[:80]!r}: open the server as localhost")
        if method not in SAFE_METHODS and "origin" in headers and _origin_host(headers["origin"]) != host:
            return problem(403, "requests must come from a page of this server")
        if self._token is None:
            return None
        if method == "GET" and self._is_token(request.query_params.get("token")):
            return self._set_cookie(request)
        kind, _, given = headers.get("authorization", "").partition(" ")
        if (kind.lower() == "bearer" and self._is_token(given.strip())) or self._is_token(request.cookies.get(COOKIE)):
            return None
        return problem(401, "token required: open the address that the server printed when it started")

    def _is_token(self, text: str | None) -> bool:
        return text is not None and hmac.compare_digest(text.encode(), str(self._token).encode())

    def _set_cookie(self, request: HTTPConnection) -> Response:
        """Moves the token from the URL into a cookie."""
        path = "/" + request.scope["path"].lstrip("/")  # never //host
        query = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "token"])
        answer = RedirectResponse(f"{path}?{query}" if query else path, 303)
        answer.set_cookie(COOKIE, str(self._token), max_age=30 * 86_400, httponly=True, samesite="strict")
        return answer


def _origin_host(origin: str) -> str:
    """The host and port of an Origin; empty if it has none, as `null`."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _names_this_machine(host: str) -> bool:
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return name in ("localhost", "127.0.0.1", "[::1]") or name.endswith(".localhost")


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
        """The bucket of a client's address."""
        client, rate = (scope.get("client") or ("unknown", 0))[0], self._settings.requests_per_second
        self._buckets[client] = bucket = self._buckets.pop(client, None) or Bucket(rate, rate * BURST_SECONDS)
        if len(self._buckets) > MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return bucket
