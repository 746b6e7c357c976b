"""Who may ask: our own pages, and elsewhere than on this machine who has the token. No path reaches the disk."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from servers import Serving
from starlette.types import ASGIApp
from starlette.websockets import WebSocketDisconnect

NEW = {"game": "tablut", "opponent": "random", "role": 0}
TOKEN = "a-token-that-is-hard-to-guess"


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://localhost:1", "null", "https://localhost.evil.example"]
)
def test_requests_of_other_origins_are_refused(client: TestClient, origin: str) -> None:
    before = len(client.get("/api/play").json())
    assert client.post("/api/play", json=NEW, headers={"Origin": origin}).status_code == 403
    assert len(client.get("/api/play").json()) == before
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://localhost/ws", headers={"Origin": origin}):
        pass


def test_requests_of_own_pages_are_accepted(client: TestClient) -> None:
    headers = {"Origin": "http://localhost"}
    assert client.post("/api/play", json=NEW, headers=headers).status_code == 200
    with client.websocket_connect("ws://localhost/ws", headers=headers):
        pass


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", ""]
)
def test_without_a_token_only_local_hosts_are_answered(client: TestClient, host: str) -> None:
    """A name server that calls itself this machine does not make a page ours."""
    assert client.get("/api/play", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:9"])
def test_local_host_names(client: TestClient, host: str) -> None:
    assert client.get("/api/play", headers={"Host": host}).status_code == 200


def test_token_is_required_of_every_client(serving: Serving) -> None:
    with serving(token=TOKEN) as client:
        for path in ("/", "/api/games", "/docs", "/openapi.json", "/static/css/base.css", "/api/nothing"):
            assert client.get(path).status_code == 401
        assert client.post("/api/play", json=NEW).status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/api/games", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/api/games", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://localhost/ws"):
            pass
        welcome = client.get(f"//evil.example/a?token={TOKEN}&x=1", follow_redirects=False)
        assert welcome.status_code == 303
        assert welcome.headers["location"].startswith("/")
        assert not welcome.headers["location"].startswith("//")
        assert TOKEN not in welcome.headers["location"]
        cookie = welcome.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/api/games").status_code == 200  # by the cookie
        with client.websocket_connect("ws://localhost/ws"):
            pass


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host"])
def test_forwarded_requests_are_refused_without_proxy_option(serving: Serving, header: str) -> None:
    with serving() as client:
        assert client.get("/api/play", headers={header: "10.0.0.1"}).status_code == 403
    with serving(proxy=True, token=TOKEN) as client:
        assert client.get("/api/play", headers={header: "10.0.0.1"}).status_code == 401
        allowed = client.get("/api/play", headers={header: "10.0.0.1", "Authorization": f"Bearer {TOKEN}"})
        assert allowed.status_code == 200


def test_server_for_a_proxy_requires_the_given_token(started) -> None:
    server = started("--proxy", "--token", TOKEN)
    headers = {"X-Forwarded-For": "10.0.0.1"}
    assert httpx.get(f"{server.address}/api/play", headers=headers, timeout=60).status_code == 401
    headers["Authorization"] = f"Bearer {TOKEN}"
    assert httpx.get(f"{server.address}/api/play", headers=headers, timeout=60).status_code == 200


def test_content_security_policy_forbids_other_origins(client: TestClient) -> None:
    for path in ("/docs", "/api/games", "/api/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    docs = client.get("/docs").text
    assert "<script" not in docs
    assert "://" not in docs
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in docs


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/../../etc/passwd"],
)
def test_only_static_pages_are_served(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert "root:" not in answer.text
    assert "make_app" not in answer.text


async def post_in_pieces(app: ASGIApp, path: str, pieces: list[bytes]) -> httpx.Response:
    """A request without a length, whose pieces arrive one by one; `TestClient` would join them."""

    async def body() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        return await client.post(path, content=body())


def test_large_bodies_are_refused(serving: Serving) -> None:
    with serving(body_bytes=1000) as client:
        refused = client.post("/api/position", json={"game": "x" * 2000})
        assert refused.status_code == 413
        assert refused.json()["error"].endswith("the limit is 0.001 MB")
        unmeasured = asyncio.run(post_in_pieces(client.app, "/api/position", [b"x" * 100] * 100))
        assert (unmeasured.status_code, unmeasured.json()) == (413, refused.json())
        assert client.post("/api/position", json={"game": "tablut"}).status_code == 200


def test_too_many_requests_are_refused(serving: Serving) -> None:
    with serving(requests_per_second=5) as client:
        answers = [client.get("/api/play").status_code for _ in range(100)]  # faster than five a second anywhere
        assert answers[:20] == [200] * 20
        assert 429 in answers
        while client.get("/api/play").status_code != 200:  # until there is room again
            time.sleep(0.3)


def test_other_hosts_need_a_token_and_a_warning_is_printed(tmp_path: Path) -> None:
    program = str(Path(sys.executable).parent / "boardwright")
    command = [program, "serve", "--host", "0.0.0.0", "--port", "0", "--db", str(tmp_path / "g.db")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        door = process.stdout.readline().split()[3]
        assert "?token=" in door
        assert "warning" in process.stderr.readline()
        port = httpx.URL(door).port
        assert httpx.get(f"http://127.0.0.1:{port}/api/games", timeout=60).status_code == 401
        token = httpx.URL(door).params["token"]
        assert len(token) >= 20
        allowed = httpx.get(
            f"http://127.0.0.1:{port}/api/games", headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        assert allowed.status_code == 200
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_server_needs_no_jax() -> None:
    code = "import sys, boardwright.web.app, boardwright.web.players.worker; assert 'jax' not in sys.modules, 'jax'"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
