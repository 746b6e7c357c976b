"""Matches started over HTTP: played apart, followed, stopped, resumed, and never more than a few."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from planted_run import plant_broken_net, plant_net, plant_run

from boardwright.errors import BoardwrightError
from boardwright.records import events
from boardwright.records.events import MatchGame
from boardwright.records.games import GameFilter, find_games
from boardwright.records.store import Store, open_store
from boardwright.web.app import make_app
from boardwright.web.arena.match_queue import MAX_WAITING
from boardwright.web.arena.matches import table
from boardwright.web.players.specs import run_nets
from boardwright.web.settings import Settings

QUICK = {"game": "draughts", "first": "random", "second": "mc:sims=2", "games": 4}
ENDLESS = {"game": "tablut", "first": "mc:time=50s", "second": "mc:time=50s", "games": 2}


@pytest.fixture
def served(tmp_path: Path) -> Callable[[], TestClient]:
    return lambda: TestClient(make_app(Settings(db=tmp_path / "games.db")), base_url="http://localhost")


@pytest.fixture
def client(served: Callable[[], TestClient]) -> Iterator[TestClient]:
    with served() as client:
        yield client


def start(client: TestClient, body: dict[str, Any]) -> int:
    answer = client.post("/api/matches", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def until(client: TestClient, match: int, *states: str, seconds: float = 180) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = client.get(f"/api/matches/{match}").json()
        if found["state"] in states:
            return found
        time.sleep(0.05)
    raise AssertionError(f"match {match} has not become {states}")


def workers() -> list[str]:
    """Worker processes of this one."""
    found = []
    for line in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(line.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and "spawn_main" in (line.parent / "cmdline").read_text():
                found.append(line.parent.name)
        except OSError:
            continue
    return found


def wait_for_workers(expected: list[str]) -> None:
    deadline = time.monotonic() + 60
    while workers() != expected:
        assert time.monotonic() < deadline, workers()
        time.sleep(0.05)


def test_match_from_start_to_end(client: TestClient) -> None:
    thinking = workers()  # of live games and analyses
    match = start(client, QUICK)
    found = until(client, match, "done")
    assert (found["done"], found["total"], found["players"]) == (4, 4, ["random", "mc:sims=2"])
    whole = found["table"]
    assert whole["wins"] + whole["draws"] + whole["losses"] == 4
    assert [count["games"] for count in whole["by_role"]] == [2, 2]
    assert whole["low"] <= whole["score"] <= whole["high"]
    assert [game["first_role"] for game in found["games"]] == [0, 1, 0, 1]
    records = [client.get(f"/api/records/{game['id']}").json() for game in found["games"]]
    assert [record["players"] for record in records] == [["random", "mc:sims=2"], ["mc:sims=2", "random"]] * 2
    openings = [record["record"]["actions"][: record["opening"]] for record in records]
    assert openings[0] == openings[1] != openings[2] == openings[3]
    assert client.get("/api/ratings", params={"game": "draughts"}).json()["games"] == 4
    (listed,) = client.get("/api/matches").json()
    assert {key: value for key, value in found.items() if key != "games"} == listed
    wait_for_workers(thinking)


def test_a_match_is_followed_on_the_socket(client: TestClient) -> None:
    match = start(client, QUICK)
    with client.websocket_connect("ws://localhost/ws") as socket:
        socket.send_json({"type": "watch-match", "match": match})
        while (news := socket.receive_json())["match"]["state"] != "done":
            assert (news["type"], news["match"]["id"]) == ("match", match)
        assert (news["match"]["done"], news["match"]["table"]["games"]) == (4, 4)
        for unknown in (99, "x"):
            socket.send_json({"type": "watch-match", "match": unknown})
            assert "there is no match" in socket.receive_json()["error"]


def test_unwatched_match_frees_its_subscription(client: TestClient) -> None:
    match = start(client, QUICK)
    body = {"game": "draughts", "role": 0, "opponent": "random"}
    games = [client.post("/api/play", json=body).json()["id"] for _ in range(8)]
    with client.websocket_connect("ws://localhost/ws") as socket:
        socket.send_json({"type": "watch-match", "match": match})
        socket.send_json({"type": "unwatch-match", "match": match})
        for game in games:  # as many as a page may follow
            socket.send_json({"type": "watch", "game": game})
        received = set()
        while len(received) < 8:
            news = socket.receive_json()
            assert news["type"] in ("match", "game")
            received |= {news["game"]["id"]} if news["type"] == "game" else set()
    for game in games:
        client.post(f"/api/play/{game}/resign", json={})
    until(client, match, "done")


def test_repeated_match_uses_another_seed(client: TestClient) -> None:
    games = [until(client, start(client, QUICK), "done")["games"] for _ in range(2)]
    played = [[client.get(f"/api/records/{game['id']}").json()["record"] for game in match] for match in games]
    assert played[0] != played[1]


def test_a_match_is_stopped_at_once_and_the_next_begins(client: TestClient) -> None:
    endless, quick = start(client, ENDLESS), start(client, QUICK)
    until(client, endless, "running")
    assert client.get(f"/api/matches/{quick}").json()["state"] == "waiting"
    assert client.post(f"/api/matches/{endless}/resume").status_code == 409
    client.delete(f"/api/matches/{endless}")
    until(client, endless, "stopped")
    until(client, quick, "done")
    assert client.delete(f"/api/matches/{quick}").json()["state"] == "done"


def test_match_resumes_after_a_server_restart(served: Callable[[], TestClient]) -> None:
    with served() as client:
        running, waiting = start(client, {**QUICK, "games": 1000}), start(client, QUICK)
        deadline = time.monotonic() + 180
        while client.get(f"/api/matches/{running}").json()["done"] < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    wait_for_workers([])
    with served() as client:
        stopped = client.get(f"/api/matches/{running}").json()
        assert (stopped["state"], stopped["done"] >= 2) == ("stopped", True)
        assert client.get(f"/api/matches/{waiting}").json()["state"] == "stopped"
        assert client.post(f"/api/matches/{running}/resume").json()["state"] in ("waiting", "running")
        deadline = time.monotonic() + 180
        while (again := client.get(f"/api/matches/{running}").json())["done"] <= stopped["done"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert again["games"][: stopped["done"]] == stopped["games"]


def test_the_queue_is_short(client: TestClient) -> None:
    first = start(client, ENDLESS)
    until(client, first, "running")
    waiting = [start(client, ENDLESS) for _ in range(MAX_WAITING)]
    answer = client.post("/api/matches", json=ENDLESS)
    assert answer.status_code == 429
    assert "waiting already" in answer.json()["error"]
    assert client.delete(f"/api/matches/{waiting[0]}").json()["state"] == "stopped"
    start(client, ENDLESS)


def test_player_that_fails_to_load_fails_the_match(client: TestClient, tmp_path: Path) -> None:
    plant_broken_net(tmp_path / "runs", "broken", "draughts")
    settings = Settings(db=tmp_path / "games.db", runs=tmp_path / "runs")
    (net,) = run_nets(settings)
    with TestClient(make_app(settings), base_url="http://localhost") as client:
        found = until(client, start(client, {**QUICK, "second": f"net:net={net}"}), "failed")
        assert f"net file {net}:" in found["error"]  # and not the path of the file
        assert found["done"] == 0
        found = until(client, start(client, {**QUICK, "second": "net:net=cathedral"}), "failed")
        assert "net file cathedral:" in found["error"]


def test_match_with_a_changed_net_cannot_resume(tmp_path: Path) -> None:
    """A run continues and its best net changes: the games of two nets are not one match."""
    run = plant_run(tmp_path / "runs" / "mine")
    for iteration in (1, 2):
        plant_net(run, iteration)
    best, settings = run / "nets" / "best.net", Settings(db=tmp_path / "games.db", runs=tmp_path / "runs")
    shutil.copy(run / "nets" / "000001.net", best)
    (net,) = run_nets(settings)
    body = {**QUICK, "first": f"net:net={net}", "games": 1000}

    def some_games(match: int, more_than: int = 0) -> None:
        deadline = time.monotonic() + 180
        while client.get(f"/api/matches/{match}").json()["done"] <= more_than:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    with TestClient(make_app(settings), base_url="http://localhost") as client:
        match = start(client, body)
        some_games(match)
        client.delete(f"/api/matches/{match}")
        done = until(client, match, "stopped")["done"]
        client.post(f"/api/matches/{match}/resume")  # the same net still
        some_games(match, done)
        (run / "nets" / "000002.net").replace(best)  # whole at once, as training does
        failed = until(client, match, "failed")
        assert f"player 'net:net={net}': its net changed" in failed["error"]
        refused = client.post(f"/api/matches/{match}/resume")
        assert (refused.status_code, "has changed: start a new one" in refused.json()["error"]) == (409, True)
        assert until(client, start(client, {**body, "games": 2}), "done")["done"] == 2
        warnings = client.get("/api/ratings", params={"game": "draughts"}).json()["warnings"]
        assert any("different nets with one name are rated as one player" in text and net in text for text in warnings)
    with open_store(tmp_path / "games.db", create=False) as store:
        games = [[game.played for game in find_games(store, GameFilter(event=event))] for event in (1, 2)]
    first, second = ({game.nets[game.index % 2] for game in played} for played in games)
    assert (len(first), len(second), len(first | second)) == (1, 1, 2)


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"game": "chess"}, 400, "unknown game"),
        ({"rules": "no-such"}, 400, "unknown rule set"),
        ({"rules": "/etc/passwd.toml"}, 400, "unknown rule set"),
        ({"first": "nobody"}, 400, "unknown player"),
        ({"first": "mc:sims=none"}, 400, "sims must be"),
        ({"first": "mc:time=3600s"}, 400, "time= may be at most 60s"),
        ({"first": "external:cmd=/bin/true"}, 400, "runs a program"),
        ({"first": "net:net=/etc/passwd"}, 400, "unknown net"),
        ({"games": 3}, 422, "games"),
        ({"games": 1002}, 422, "games"),
        ({"time": 3600}, 422, "time"),
        ({"openings": "/etc/passwd"}, 422, "openings"),
        ({"seed": 1}, 422, "seed"),
    ],
)
def test_invalid_matches_are_refused(shared: TestClient, change: dict[str, Any], status: int, words: str) -> None:
    answer = shared.post("/api/matches", json=QUICK | change)
    assert answer.status_code == status
    assert words in answer.json()["error"]
    assert shared.get("/api/matches").json() == []


def test_forbidden_players_are_not_offered(shared: TestClient) -> None:
    error = shared.post("/api/matches", json=QUICK | {"first": "externa"}).json()["error"]
    assert error.startswith("unknown player 'externa': known: alphabeta, ")
    assert "external" not in error.split("known: ")[1]


def test_unknown_matches_are_404(shared: TestClient) -> None:
    for answer in (
        shared.get("/api/matches/7"),
        shared.delete("/api/matches/7"),
        shared.post("/api/matches/7/resume"),
    ):
        assert (answer.status_code, answer.json()) == (404, {"error": "there is no match 7"})


def test_the_table_is_from_the_first_players_side() -> None:
    results = [0, 0, 2, 1]  # the first player had roles 0, 1, 0, 1: it won, lost, drew, won
    played = [MatchGame(id=index, index=index, result=result, reason="") for index, result in enumerate(results)]
    whole = table(played)
    assert (whole.wins, whole.draws, whole.losses, whole.score) == (2, 1, 1, 0.625)
    assert [(count.wins, count.draws, count.losses) for count in whole.by_role] == [(1, 1, 0), (1, 0, 1)]
    won = table([MatchGame(id=0, index=0, result=0, reason="")])
    assert (won.elo, won.elo_high) == (None, None)
    assert won.elo_low is not None


def test_match_whose_end_cannot_be_stored_can_be_resumed(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk that was full for a while: the database still says that the match is running."""
    tried, set_state = [], events.set_state

    def fail_at_the_end(store: Store, match: int, state: events.State, error: str = "") -> None:
        if state == "running":
            set_state(store, match, state, error)
        else:
            tried.append(state)
            raise BoardwrightError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(events, "set_state", fail_at_the_end)
        match = start(client, QUICK)
        deadline = time.monotonic() + 180
        while tried != ["done", "failed"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert client.get(f"/api/matches/{match}").json()["state"] == "running"
    assert client.delete(f"/api/matches/{match}").json()["state"] == "stopped"
    assert client.post(f"/api/matches/{match}/resume").status_code == 200
    assert until(client, match, "done")["done"] == QUICK["games"]


def test_server_ends_in_order_if_it_cannot_store_what_it_stops(
    served: Callable[[], TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(store: Store, match: int, state: events.State, error: str = "") -> None:
        raise BoardwrightError("the disk is full")

    with monkeypatch.context() as patch, served() as client:
        first, second = start(client, ENDLESS), start(client, ENDLESS)
        until(client, first, "running")
        patch.setattr(events, "set_state", fail)
    with served() as client:
        assert [client.get(f"/api/matches/{match}").json()["state"] for match in (first, second)] == ["stopped"] * 2
