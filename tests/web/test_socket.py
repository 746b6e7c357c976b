"""The socket: games as they change, analyses that stop, pages that send nonsense, go, or do not read."""

import contextlib
import json
import os
import signal
import socket as sockets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planted_run import plant_net, plant_run
from servers import Server, Serving, pids_of
from starlette.testclient import WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from websockets.client import ClientProtocol
from websockets.sync.client import connect
from websockets.uri import parse_uri

import boardwright
from boardwright.web.play.live_game import LiveGameInfo
from boardwright.web.players.specs import run_nets
from boardwright.web.server.topics import MAX_MESSAGES, Outbox
from boardwright.web.sockets import SEND_SECONDS
from boardwright.web.study.schemas import Info

ADDRESS = "ws://localhost/ws"
START = {"game": "tablut", "rules": "tablutzero", "start": None, "actions": []}


def begin(client: Any, **query) -> dict:
    return client.post("/api/play", json={"game": "tablut", "role": 0, "opponent": "random", **query}).json()


def receive(socket: WebSocketTestSession, *kinds: str) -> dict:
    """The next message of these kinds."""
    while True:
        message = socket.receive_json()
        if message["type"] in kinds:
            return message


def pids(client: TestClient) -> list[int]:
    return pids_of(client.app.state.services.pool)  # type: ignore[attr-defined]


def thinking(client: TestClient) -> int:
    workers = client.app.state.services.pool._workers  # type: ignore[attr-defined]
    return sum(one.ticket is not None for one in workers)


def wait_until(ready: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_every_watcher_receives_every_change(client: TestClient) -> None:
    live = begin(client)
    with client.websocket_connect(ADDRESS) as first, client.websocket_connect(ADDRESS) as second:
        for page in (first, second):
            page.send_json({"type": "watch", "game": live["id"]})
            assert receive(page, "game")["game"]["version"] == live["version"]
        legal = live["view"]["legal"][0]["actions"]
        client.post(f"/api/play/{live['id']}/move", json={"actions": legal, "version": live["version"]})
        for page in (first, second):
            versions = []
            while True:
                game = receive(page, "game")["game"]
                LiveGameInfo.model_validate(game)
                versions.append(game["version"])
                if game["view"]["to_move"] == 0:
                    break
            assert versions == sorted(versions)
            assert len(game["view"]["actions"]) == 2
        second.send_json({"type": "unwatch", "game": live["id"]})
        second.send_json({"type": "watch", "game": "nobody"})
        assert "nobody" in receive(second, "error")["error"]
        client.post(f"/api/play/{live['id']}/resign", json={})
        while receive(first, "game")["game"]["result"] is None:
            pass
        second.send_json({"type": "watch", "game": "nobody"})
        assert second.receive_json()["type"] == "error"  # and no game before it


@pytest.mark.parametrize("side", [0, 1])
def test_values_are_of_role_0(client: TestClient, side: int) -> None:
    """For either role to move, a king with two corners open is a win of role 1, the defenders."""
    start = f"/4K4/9/9/9/1t7/9/9/9/9/ {'ad'[side]} 0 0"
    assert boardwright.game("tablut").position(start).role_to_move == side
    with client.websocket_connect(ADDRESS) as page:
        page.send_json({"type": "analyse", "id": "a", **START, "start": start, "agent": "alphabeta:depth=4"})
        info = receive(page, "info")
        while (message := receive(page, "info", "done"))["type"] == "info":
            info = message
    assert info["value"] == -1.0
    assert info["side"] == side
    assert info["candidates"][0]["value"] == -1.0


def test_large_analysis_reports_arrive_complete(started: Callable[..., Server]) -> None:
    """By the event loop of a real server: some loops would hand over the pipe of a process half read."""
    game = boardwright.game("cathedral", "official")
    first = game.start().legal_actions()[0]
    assert len(game.start().play(first).legal_actions()) > 2000
    query = {"game": "cathedral", "rules": "official", "start": None, "actions": [first], "agent": "mc:sims=3000"}
    with connect(started().address.replace("http", "ws") + "/ws") as page:
        page.send(json.dumps({"type": "analyse", "id": "a", **query}))
        received: list[dict] = []
        while not received or received[-1]["type"] not in ("done", "error"):
            received.append(json.loads(page.recv(timeout=60)))
    assert received[-1] == {"type": "done", "id": "a"}
    assert "info" in {message["type"] for message in received}


def test_analysis_streams_and_stops(client: TestClient) -> None:
    legal = boardwright.game("tablut").start().moves()
    with client.websocket_connect(ADDRESS) as page:
        page.send_json({"type": "analyse", "id": "mine", **START, "agent": "mc-improved"})
        for _ in range(3):
            info = receive(page, "info")
            Info.model_validate(info)
            assert {candidate["text"] for candidate in info["candidates"]} <= set(legal)
            visits = [candidate["visits"] for candidate in info["candidates"]]
            assert visits == sorted(visits, reverse=True)
            boardwright.game("tablut").play_all([a for move in info["line"] for a in move["actions"]])
        page.send_json({"type": "stop", "id": "mine"})
        assert receive(page, "done") == {"type": "done", "id": "mine"}
        page.send_json({"type": "stop", "id": "mine"})  # once more: nothing to stop
        page.send_json({"type": "analyse", "id": "next", **START, "agent": "random"})
        assert page.receive_json()["id"] == "next"  # and nothing of the one that was stopped


def test_candidates_of_draughts_are_whole_moves(client: TestClient) -> None:
    start = "B:W18,25,32:B15,1"
    with client.websocket_connect(ADDRESS) as page:
        query = {"type": "analyse", "id": "a", "game": "draughts", "start": start, "agent": "mc:sims=50"}
        page.send_json(query)
        info = receive(page, "info")
        (only,) = info["candidates"]
        assert (only["text"], len(only["actions"])) == ("15x29", 2)
        assert info["line"][0]["text"] == "15x29"


def test_ambiguous_candidate_follows_the_principal_variation(client: TestClient) -> None:
    """All captures here begin with the same hop; a player without a principal variation leaves open which it means."""
    start = "W:WK32:B27,26,18,17,19,10,11,15"
    legal = boardwright.game("draughts").position(start).moves()
    assert len(legal) > 1
    query = {"type": "analyse", "game": "draughts", "start": start}
    with client.websocket_connect(ADDRESS) as page:
        page.send_json({**query, "id": "a", "agent": "alphabeta:depth=4"})
        info = receive(page, "info")
        (only,) = info["candidates"]
        assert only["text"] in legal
        assert (only["text"], only["actions"]) == (info["line"][0]["text"], info["line"][0]["actions"])
        receive(page, "done")
        page.send_json({**query, "id": "b", "agent": "random"})
        (only,) = receive(page, "info")["candidates"]
        assert only["text"] == "32x23…"


def test_waiting_analysis_is_reported_as_waiting(client: TestClient) -> None:
    with client.websocket_connect(ADDRESS) as first, client.websocket_connect(ADDRESS) as second:
        first.send_json({"type": "analyse", "id": "a", **START, "agent": "mc"})
        receive(first, "info")
        second.send_json({"type": "analyse", "id": "b", **START, "agent": "random", "seconds": 1})
        received = receive(second, "info", "error")
        Info.model_validate(received)
        assert (received["id"], received["waiting"], received["candidates"]) == ("b", True, [])
        received = receive(second, "info", "error")
        assert (received["id"], received["waiting"], len(received["candidates"])) == ("b", False, 1)
        while not receive(first, "info")["waiting"]:
            pass


def test_net_is_prepared_and_reports_policy_and_visits(serving: Serving, tmp_path: Path) -> None:
    run = plant_run(tmp_path / "runs" / "mine")
    plant_net(run, 1)
    (run / "nets" / "000001.net").rename(run / "nets" / "best.net")
    with serving(runs=tmp_path / "runs") as client, client.websocket_connect(ADDRESS) as page:
        (net,) = run_nets(client.app.state.services.settings)  # type: ignore[attr-defined]
        page.send_json(
            {"type": "analyse", "id": "a", "game": "draughts", "agent": f"alphazero:net={net}", "seconds": 1}
        )
        assert page.receive_json() == {"type": "preparing", "id": "a"}
        info = receive(page, "info", "error")
        Info.model_validate(info)
        assert sum(candidate["policy"] for candidate in info["candidates"]) == pytest.approx(1.0, abs=1e-3)
        assert sum(candidate["visits"] for candidate in info["candidates"]) > 1
        assert len(info["candidates"]) == 7
        assert receive(page, "done")["id"] == "a"
        page.send_json({"type": "analyse", "id": "b", "game": "draughts", "agent": f"alphazero:net={net}"})
        assert receive(page, "info", "preparing", "error")["type"] == "info"  # the net is kept


def test_an_analysis_that_fails_names_no_path(client: TestClient) -> None:
    with client.websocket_connect(ADDRESS) as page:
        page.send_json({"type": "analyse", "id": "a", **START, "agent": "net:net=cathedral"})
        assert receive(page, "error")["error"].startswith("net file cathedral: made for cathedral, not tablut")


def test_an_analysis_is_replaced_by_the_next_of_its_name(client: TestClient) -> None:
    with client.websocket_connect(ADDRESS) as page:
        for _ in range(4):
            page.send_json({"type": "analyse", "id": "a", **START, "agent": "mc"})
        page.send_json({"type": "analyse", "id": "a", **START, "agent": "random"})
        assert receive(page, "done", "error")["type"] == "done"
        page.send_json({"type": "analyse", "id": "b", **START, "agent": "mc"})
        page.send_json({"type": "analyse", "id": "c", **START, "agent": "mc"})
        page.send_json({"type": "analyse", "id": "d", **START, "agent": "mc"})
        refused = receive(page, "error")
        assert refused["id"] == "d"
        assert "2 analyses" in refused["error"]


@pytest.mark.parametrize(
    "query",
    [
        {"agent": "external:cmd=sleep 9"},
        {"agent": "nobody"},
        {"agent": "alphazero:net=/etc/passwd"},
        {"agent": "random", "actions": [5]},
        {"agent": "random", "rules": "a.toml"},
        {"agent": "random", "game": "cathedral", "rules": "paper", "start": "?"},
    ],
)
def test_position_that_cannot_be_analysed_is_an_error(client: TestClient, query: dict) -> None:
    with client.websocket_connect(ADDRESS) as page:
        page.send_json({"type": "analyse", "id": "x", **START, **query})
        assert receive(page, "error", "info")["id"] == "x"


def test_watches_are_limited(client: TestClient) -> None:
    games = [begin(client)["id"] for _ in range(9)]
    with client.websocket_connect(ADDRESS) as page:
        for game in games:
            page.send_json({"type": "watch", "game": game})
        assert "8 games and matches" in receive(page, "error")["error"]
    for game in games:
        client.post(f"/api/play/{game}/resign", json={})


def test_analyses_end_when_the_page_disconnects(serving: Serving) -> None:
    with serving() as client:
        with client.websocket_connect(ADDRESS) as page:
            page.send_json({"type": "analyse", "id": "a", **START, "agent": "mc"})
            receive(page, "info")
            (pid,) = pids(client)
        wait_until(lambda: not thinking(client))
        assert pids(client) == [pid]


def test_death_of_a_process_is_reported(serving: Serving) -> None:
    with serving() as client:
        live = begin(client, opponent="mc:time=60s")
        with client.websocket_connect(ADDRESS) as page:
            page.send_json({"type": "watch", "game": live["id"]})
            legal = live["view"]["legal"][0]["actions"]
            client.post(f"/api/play/{live['id']}/move", json={"actions": legal, "version": live["version"]})
            wait_until(lambda: thinking(client))
            (pid,) = pids(client)
            os.kill(pid, signal.SIGKILL)
            received = receive(page, "error")
            assert received["id"] == live["id"]
            assert "was replaced" in received["error"]
            wait_until(lambda: thinking(client))  # it is asked again
            assert pids(client) != [pid]
            assert client.get(f"/api/play/{live['id']}").json()["thinking"]
            assert client.post(f"/api/play/{live['id']}/resign", json={}).status_code == 200


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_malformed_messages_are_answered_with_errors(client: TestClient, data: st.DataObject) -> None:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    values = st.recursive(
        leaves, lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(max_size=8), v, max_size=4)
    )
    kinds = st.sampled_from(
        ["watch", "unwatch", "watch-match", "unwatch-match", "analyse", "stop", "game", "", None, 3]
    )
    fields = {"game": values, "id": values, "agent": values, "actions": values, "start": values, "seconds": values}
    formed = st.fixed_dictionaries({"type": kinds}, optional={**fields, "match": values, "rules": values})
    texts = st.one_of(formed.map(json.dumps), values.map(json.dumps), st.text(max_size=200), st.just("x" * 20_000))
    messages = data.draw(st.lists(texts | st.binary(max_size=40), min_size=1, max_size=6))
    with client.websocket_connect(ADDRESS) as page:
        for message in messages:
            page.send_bytes(message) if isinstance(message, bytes) else page.send_text(message)
        page.send_json({"type": "analyse", "id": "last", **START, "agent": "random"})
        with contextlib.suppress(WebSocketDisconnect):  # after some of it the page is closed, which is right
            while (answer := page.receive_json()).get("id") != "last":
                assert answer["type"] == "error"
                assert "\n" not in answer["error"]
    assert client.get("/api/games").status_code == 200


def test_repeated_malformed_messages_close_the_socket(client: TestClient) -> None:
    with client.websocket_connect(ADDRESS) as page:
        for _ in range(5):
            page.send_text("{")
        for _ in range(5):
            assert page.receive_json()["type"] == "error"
        with pytest.raises(WebSocketDisconnect) as closed:
            page.receive_json()
        assert closed.value.code == 1008


def test_socket_with_too_many_messages_is_closed(client: TestClient) -> None:
    with client.websocket_connect(ADDRESS) as page:
        for _ in range(200):
            page.send_json({"type": "stop", "id": "a"})
        for _ in range(5):
            assert "slow down" in page.receive_json()["error"]
        with pytest.raises(WebSocketDisconnect):
            page.receive_json()


def test_refusal_names_the_refused_message(client: TestClient) -> None:
    """A page waits for the answer to each of its analyses."""
    with client.websocket_connect(ADDRESS) as page:
        page.send_json({"type": "analyse", "id": "a", **START, "agent": "random", "seconds": -1})
        assert page.receive_json()["id"] == "a"
        page.send_json({"type": "analyse", "id": "b", **START, "agent": "x" * 20_000})
        assert page.receive_json()["id"] == "b"
        page.send_json({"type": "analyse", "id": ["c"]})
        assert page.receive_json()["id"] is None
        for _ in range(200):
            page.send_json({"type": "stop", "id": "d"})
        assert page.receive_json() == {"type": "error", "id": "d", "error": "too many messages: slow down"}


def test_sockets_are_limited(serving: Serving) -> None:
    with serving(sockets=1) as client, client.websocket_connect(ADDRESS):
        with pytest.raises(WebSocketDisconnect) as refused, client.websocket_connect(ADDRESS):
            pass
        assert refused.value.code == 1013


def test_client_that_does_not_read_is_closed(started) -> None:
    server = started()
    address = server.address.replace("http", "ws") + "/ws"
    with httpx.Client(base_url=server.address, timeout=60) as client:
        start = boardwright.game("cathedral").play_all([2900]).text
        game = begin(client, game="cathedral", position=start, role=1, opponent="random")
        assert len(json.dumps(game)) > 300_000
        deaf = DeafPage(address)
        for _ in range(40):  # 40 boards of 300 KB fill every buffer between us
            deaf.say({"type": "watch", "game": game["id"]})
            deaf.say({"type": "unwatch", "game": game["id"]})
            assert client.get("/api/play").status_code == 200
            time.sleep(0.06)  # a page may say 20 things a second
        with connect(address, open_timeout=60) as other:
            other.send(json.dumps({"type": "watch", "game": game["id"]}))
            assert json.loads(other.recv(60))["type"] == "game"
        time.sleep(SEND_SECONDS + 1.0)
        deaf.wait_until_closed()


class DeafPage:
    """A page that talks and does not listen."""

    def __init__(self, address: str):
        self._protocol = ClientProtocol(parse_uri(address))
        place = urlsplit(address)
        self._socket = sockets.create_connection((place.hostname, place.port))
        self._protocol.send_request(self._protocol.connect())
        self._send()
        self._protocol.receive_data(self._socket.recv(4096))

    def say(self, message: dict) -> None:
        self._protocol.send_text(json.dumps(message).encode())
        self._send()

    def _send(self) -> None:
        self._socket.sendall(b"".join(self._protocol.data_to_send()))

    def wait_until_closed(self) -> None:
        """What was on its way comes, and then the end; raises TimeoutError where it does not."""
        self._socket.settimeout(60)
        with contextlib.suppress(ConnectionResetError):
            while self._socket.recv(1 << 20):
                pass
        self._socket.close()


def test_outbox_keeps_the_newest_message_per_topic() -> None:
    import asyncio

    async def fill() -> None:
        box = Outbox()
        box.put({"first": 1})
        for number in range(1000):
            box.put({"info": number}, "info")
        assert [await box.take(), await box.take()] == [{"first": 1}, {"info": 999}]
        for number in range(MAX_MESSAGES):
            assert box.put({"number": number})
        assert not box.put({"number": MAX_MESSAGES})

    with ThreadPoolExecutor(1) as thread:  # that of the tests may have a loop already, a browser's
        thread.submit(asyncio.run, fill()).result()
