"""Runs a server: its address, its token, signals, and opening the browser."""

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
from io import FileIO
from pathlib import Path
from types import FrameType

import uvicorn

from boardwright import filelock
from boardwright.errors import BoardwrightError
from boardwright.records.store import open_store
from boardwright.web.app import make_app
from boardwright.web.server.connections import LimitedProtocol
from boardwright.web.settings import Settings
from boardwright.web.sockets import MAX_BYTES

DEFAULT_PORT = 8000


def serve(settings: Settings, host: str, port: int | None, *, open_browser: bool) -> None:
    """Serves until it is stopped. Without a port it uses 8000, or any free one.

    Raises BoardwrightError if it cannot listen or cannot use the database.
    """
    if settings.proxy or not is_loopback(host):
        settings = dataclasses.replace(settings, token=settings.token or secrets.token_urlsafe(24))
    with (
        _lock_database(settings.db),
        _handle_signals() as stop_on_signal,
        _listen(host, port) as listener,
    ):
        address = _address(listener, host)
        url = f"{address}/?token={settings.token}" if settings.token else f"{address}/"
        print(f"Serving Boardwright at {url} (Ctrl-C to stop)", flush=True)
        if settings.token:
            print(
                "warning: other machines can reach this address. Anyone with the token can play and use this machine's "
                "time. Connections are not encrypted: outside a trusted network, put a TLS proxy in front of it.",
                file=sys.stderr,
            )
        config = uvicorn.Config(
            make_app(settings),
            loop="asyncio",  # uvloop would call readers before a long message of a worker is complete
            log_level="error",  # a warning for each malformed request would let any client fill the disk
            http=LimitedProtocol,
            backlog=128,  # accepted at once, before their number is checked
            access_log=False,
            server_header=False,
            proxy_headers=settings.proxy,  # else a client could choose the address that its limits count for
            forwarded_allow_ips=["127.0.0.1", "::1"],
            ws="websockets-sansio",
            ws_max_size=MAX_BYTES,
            ws_max_queue=8,
            ws_per_message_deflate=False,
            timeout_keep_alive=75,  # people think longer than the default of 5 s
            timeout_graceful_shutdown=3,
        )
        # Without a screen the browser would take over the terminal.
        has_screen = sys.platform == "darwin" or any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))
        if open_browser and has_screen:
            threading.Timer(0.5, webbrowser.open, (url,)).start()
        server = uvicorn.Server(config)
        stop_on_signal(server)
        server.run([listener])


def _lock_database(path: Path) -> FileIO:
    """Creates or checks a database of games, and returns the lock that keeps a second server from using it.

    The lock is a file next to the database: closing a second descriptor of the database would end SQLite's own locks.
    """
    open_store(path, create=True).close()
    real = path.resolve()
    try:
        return filelock.acquire(real.with_name(f"{real.name}.lock"))
    except filelock.LockHeldError as error:
        raise BoardwrightError(
            f"{path} is in use by another server, process {error}: stop it, or give another database with --db"
        ) from error
    except OSError as error:
        raise BoardwrightError(f"cannot lock {path}: {error.strerror}: give another database with --db") from error


@contextlib.contextmanager
def _handle_signals() -> Iterator[Callable[[uvicorn.Server], None]]:
    """Handles SIGINT and SIGTERM from before the server exists; yields a function to register the server.

    A signal during the start stops the server once it has started. By default Python would interrupt the start at an
    arbitrary place.
    """
    received: list[int] = []
    servers: list[uvicorn.Server] = []

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        for server in servers:
            server.handle_exit(number, frame)

    def register(server: uvicorn.Server) -> None:
        servers.append(server)
        if received:
            server.handle_exit(received[0], None)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield register
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])  # its default action, now that everything is closed


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; without a port on the default one, or else on any free one. Raises BoardwrightError."""
    if port is None:
        with contextlib.suppress(BoardwrightError):
            return _listen(host, DEFAULT_PORT)
        return _listen(host, 0)
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
