"""Servers to test: in this process with a client, or as a separate process."""

import contextlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from servers import Server, Serving

from boardwright.web.app import make_app
from boardwright.web.settings import Settings


@pytest.fixture
def serving(tmp_path: Path) -> Serving:
    """Makes a server in this process; started again, it has the same database."""

    @contextlib.contextmanager
    def serve(**settings) -> Iterator[TestClient]:
        app = make_app(Settings(**{"db": tmp_path / "games.db", **settings}))
        with TestClient(app, base_url="http://localhost") as client:
            yield client

    return serve


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts `boardwright serve`; servers still running are stopped after the test."""
    servers: list[Server] = []

    def start(*options: str) -> Server:
        program = str(Path(sys.executable).parent / "boardwright")
        command = [program, "serve", "--port", "0", "--db", str(tmp_path / "g.db"), *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        servers.append(Server(process, found[0]))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.terminate()
            server.process.wait(60)
        server.process.stdout.close()  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def client(shared: TestClient) -> TestClient:
    """The server most tests ask; files whose tests change much have one for each instead."""
    return shared


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server that the tests of a file share, so that each need not start its own."""
    settings = Settings(db=tmp_path_factory.mktemp("web") / "games.db")
    with TestClient(make_app(settings), base_url="http://localhost") as client:
        yield client
