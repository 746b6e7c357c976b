"""Who may ask at all: pages of our own, and elsewhere than on this machine those who have the token.

Any page a person visits may send requests to this machine, and a name server may claim that its name is this machine.
So whoever changes something, or opens the socket, must come from a page of ours (`Origin`), and without a token we
answer to this machine's own names only (`Host`). The token comes once in the address, and then in a cookie.
"""

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boardwright.web.server.errors import problem
from boardwright.web.settings import Settings

COOKIE = "boardwright-token"
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, _adding_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, _adding_headers(send))

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> Response | None:
        """How a request is turned away; None where it is not."""
        host = headers.get(b"host", "")
        if self._token is None and not _names_this_machine(host):
            return problem(403, f"this server is not called {host[:80]!r}: open it as localhost")
        origin = headers.get(b"origin")
        must_be_ours = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if must_be_ours and origin is not None and _origin_host(origin) != host.lower():
            return problem(403, "requests must come from a page of this server")
        if self._token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = dict(query).get("token")
        if given is not None and scope["type"] == "http" and scope["method"] == "GET" and self._matches(given):
            return self._welcome(scope, [pair for pair in query if pair[0] != "token"])
        if any(self._matches(text) for text in (_bearer(headers), _cookie(headers)) if text is not None):
            return None
        return problem(401, "this server asks for a token: open the address that it printed when it started")

    def _matches(self, text: str) -> bool:
        assert self._token is not None
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _welcome(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        """The token goes from the address into a cookie."""
        path = "/" + scope["path"].lstrip("/")  # never //host
        answer = RedirectResponse(f"{path}?{urlencode(query)}" if query else path, 303)
        assert self._token is not None
        answer.set_cookie(COOKIE, self._token, max_age=30 * 86_400, httponly=True, samesite="strict")
        return answer


def _origin_host(origin: str) -> str:
    """The host and port of an Origin; empty for none, as `null`."""
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


def _adding_headers(send: Send) -> Send:
    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_HEADERS]
        await send(message)

    return adding
