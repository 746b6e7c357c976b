"""Running a server: the address it listens on, its token, and the browser that is sent there."""

import contextlib
import dataclasses
import ipaddress
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn

from boardwright.errors import BoardwrightError
from boardwright.records.store import open_store
from boardwright.web.app import make_app
from boardwright.web.settings import Settings

USUAL_PORT = 8000
MOST_MESSAGE_BYTES = 16_384  # of what a client says on the socket


def serve(settings: Settings, host: str, port: int | None, *, open_browser: bool) -> None:
    """Serves until it is stopped. No port means any, 8000 if it is free.

    Raises BoardwrightError where it cannot listen, or cannot use the database.
    """
    open_store(settings.db, create=True).close()
    if not is_loopback(host):
        settings = dataclasses.replace(settings, token=settings.token or secrets.token_urlsafe(24))
    with (
        _stopped_by_signals() as stopping,
        _listen(host, port) if port is not None else _listen_anywhere(host) as listener,
    ):
        address = _address(listener, host)
        door = f"{address}/?token={settings.token}" if settings.token else f"{address}/"
        print(f"Boardwright is at {door} (Ctrl-C stops it)", flush=True)
        if settings.token:
            print(
                "warning: other machines can reach this address. Who has the token can play, and use this machine's "
                "time; nothing is encrypted: put a proxy with TLS before it outside a network you trust.",
                file=sys.stderr,
            )
        config = uvicorn.Config(
            make_app(settings),
            loop="asyncio",  # uvloop, taken where it is installed, would read long thoughts before they are there
            log_level="warning",
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=MOST_MESSAGE_BYTES,
            ws_max_queue=8,
            ws_per_message_deflate=False,
            timeout_keep_alive=75,  # a person thinks longer than the 5 s that servers wait by default
            timeout_graceful_shutdown=3,
        )
        if open_browser and _has_screen():
            threading.Timer(0.5, webbrowser.open, (door,)).start()
        server = uvicorn.Server(config)
        stopping(server)
        server.run([listener])


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[Callable[[uvicorn.Server], None]]:
    """A signal that comes while the server is made or started stops it as one does later: when it has started.

    Left to themselves Python and its event loop would break off whatever is being opened just then. Gives a function
    that must be told of the server.
    """
    received: list[int] = []
    servers: list[uvicorn.Server] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        for server in servers:
            server.handle_exit(number, frame)

    def stopping(server: uvicorn.Server) -> None:
        servers.append(server)
        if received:
            server.handle_exit(received[0], None)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])  # now that all is closed it does what it would have done


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _has_screen() -> bool:
    """Whether a browser would open a window; one that took over the terminal would be no help."""
    return sys.platform == "darwin" or any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _listen_anywhere(host: str) -> socket.socket:
    try:
        return _listen(host, USUAL_PORT)
    except BoardwrightError:
        return _listen(host, 0)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        raise BoardwrightError(
            f"cannot listen on {host} port {port}: {error.strerror}: give another --host or --port"
        ) from error
    return listener


def _address(listener: socket.socket, host: str) -> str:
    name, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        name = socket.gethostname()
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
