"""Middleware: access control, security headers, and limits on the rate and size of requests.

Requests come from our own pages only, and with a token when other machines can reach the server.

Any web page can send requests to this machine (CSRF), and its domain name may resolve to this machine (DNS rebinding).
So requests that change something, and sockets, must have our `Origin`; and without a token `Host` must be a name of
this machine. The token comes once in the URL, and then in a cookie.
"""

import hmac
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardwright.web.server.http import problem
from boardwright.web.settings import Settings

MAX_CLIENTS = 10_000  # whose buckets are kept
BURST_SECONDS = 4.0  # of its rate that a client may use at once
COOKIE = "boardwright-token"
FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


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
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> Response | None:
        """The error response to a request; None if it is allowed."""
        if not self._proxy and any(name in headers for name in FORWARDED):
            return problem(403, "forwarded requests are refused: start the server with --proxy")
        host = headers.get(b"host", "")
        if self._token is None and not _names_this_machine(host):
            return problem(403, f"unknown host {host[:80]!r}: open the server as localhost")
        origin = headers.get(b"origin")
        needs_origin = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if needs_origin and origin is not None and _origin_host(origin) != host.lower():
            return problem(403, "requests must come from a page of this server")
        if self._token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = dict(query).get("token")
        if given is not None and scope["type"] == "http" and scope["method"] == "GET" and self._matches(given):
            return self._set_cookie(scope, [pair for pair in query if pair[0] != "token"])
        if any(self._matches(text) for text in (_bearer(headers), _cookie(headers)) if text is not None):
            return None
        return problem(401, "token required: open the address that the server printed when it started")

    def _matches(self, text: str) -> bool:
        assert self._token is not None
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _set_cookie(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """Moves the token from the URL into a cookie."""
        path = "/" + scope["path"].lstrip("/")  # never //host
        answer = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)
        assert self._token is not None
        answer.set_cookie(COOKIE, self._token, max_age=30 * 86_400, httponly=True, samesite="strict")
        return answer


def _origin_host(origin: str) -> str:
    """The host and port of an Origin; empty if it has none, as `null`."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _names_this_machine(host: str) -> bool:
    name = host.lower().rpartition(":")[0] if not host.endswith("]") and ":" in host else host.lower()
    return name in ("localhost", "127.0.0.1", "[::1]") or name.endswith(".localhost")


def _bearer(headers: dict[bytes, str]) -> str | None:
    kind, _, text = headers.get(b"authorization", "").partition(" ")
    return text.strip() if kind.lower() == "bearer" else None


def _cookie(headers: dict[bytes, str]) -> str | None:
    try:
        cookies = SimpleCookie(headers.get(b"cookie", ""))
    except CookieError:
        return None
    return cookies[COOKIE].value if COOKIE in cookies else None


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_HEADERS]
        await send(message)

    return send_with_headers


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
