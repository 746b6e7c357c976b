"""Connections of a server: those that send nothing or too slowly are closed, and their number is limited."""

import contextlib
import socket as sockets
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from websockets.sync.client import connect

from boardwright.web.server import connections
from boardwright.web.server.connections import LimitedProtocol

SECONDS = 0.3  # for a request
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"


async def echo(scope, receive, send) -> None:
    """An application that answers with the body, and sockets that return each message."""
    if scope["type"] == "http":
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", SECONDS)
    config = uvicorn.Config(echo, http=LimitedProtocol, ws="websockets-sansio", lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(60)


def is_closed(client: sockets.socket) -> bool:
    """Waits until the server closes the connection; False after a long time."""
    client.settimeout(60)
    try:
        while client.recv(1000):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", HEAD[:-2], HEAD, HEAD + b"12", HEAD + b"12345" + HEAD + b"1"], ids=repr
)
def test_a_request_that_stays_incomplete_is_closed(port: int, sent: bytes) -> None:
    begin = time.monotonic()
    with sockets.create_connection(("127.0.0.1", port)) as client:
        client.sendall(sent)
        assert is_closed(client)
    assert time.monotonic() - begin >= SECONDS / 2


def test_the_time_of_a_request_is_not_extended_by_more_bytes(port: int) -> None:
    with sockets.create_connection(("127.0.0.1", port)) as client, contextlib.suppress(OSError):
        for _ in range(600):
            client.sendall(b"G")
            time.sleep(SECONDS / 10)
        pytest.fail("the connection stayed open")


def test_complete_requests_and_silent_sockets_stay_open(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client, connect(f"ws://127.0.0.1:{port}") as socket:
        for _ in range(2):
            assert client.post("/", content="hello").text == "hello"
            time.sleep(2 * SECONDS)
        socket.send("still here")
        assert socket.recv() == "still here"


def test_connections_above_the_limit_are_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 600.0)
    monkeypatch.setattr(connections, "connection_limit", lambda: 3)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(sockets.create_connection(("127.0.0.1", port)))
        assert is_closed(stack.enter_context(sockets.create_connection(("127.0.0.1", port))))
    while True:  # until the server has seen that those left
        with contextlib.suppress(httpx.HTTPError):
            assert httpx.post(f"http://127.0.0.1:{port}", content="hello").text == "hello"
            break


@pytest.mark.parametrize(
    ("soft", "hard", "limit", "raised"),
    [
        (1024, 1024, 512, None),
        (256, 100_000, 1000, 4000),
        (256, 1500, 750, 1500),
        (9000, 9000, 1000, None),
        (256, -1, 1000, 4000),
        (-1, -1, 1000, None),
    ],
)
def test_the_limit_leaves_descriptors_for_files(
    soft: int, hard: int, limit: int, raised: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(connections.resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(connections.resource, "setrlimit", lambda _, limits: asked.append(limits))
    assert connections.connection_limit() == limit
    assert asked == ([] if raised is None else [(raised, hard)])
