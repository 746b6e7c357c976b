"""Games against players, from the first move to the record, held against the scalar engine."""

import random
import shutil
import signal
import time
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from planted_run import plant_broken_net, plant_net, plant_run
from servers import Serving

import boardwright
from boardwright.agents.netchoice import net_checksum
from boardwright.games.cathedral.game import Cathedral
from boardwright.games.cathedral.rules import CathedralRules
from boardwright.nets import shipped
from boardwright.records.games import GameFilter, find_games
from boardwright.records.store import open_store
from boardwright.web.play import live_game
from boardwright.web.play.live_game import LiveGame, new_game
from boardwright.web.play.live_games import MAX_FAILURES
from boardwright.web.players.specs import run_nets
from boardwright.web.server.http import ConflictError
from boardwright.web.settings import Settings


def begin(client, **query) -> dict:
    answer = client.post("/api/play", json={"game": "tablut", "role": 0, "opponent": "random:seed=1", **query})
    assert answer.status_code == 200, answer.text
    live_game.LiveGameInfo.model_validate(answer.json())
    return answer.json()


def until(client, game: str, ready, seconds: float = 60.0) -> dict:
    """The game once it is as one waits for it to be."""
    end = time.monotonic() + seconds
    while not ready(live := client.get(f"/api/play/{game}").json()):
        assert time.monotonic() < end, (live["version"], live["thinking"], live["result"])
        time.sleep(0.01)
    return live


def turn(client, live: dict) -> dict:
    """The game when it is the person's turn, or over."""
    return until(client, live["id"], lambda now: now["result"] or now["view"]["to_move"] == now["human"])


def move(client, live: dict, **move):
    return client.post(f"/api/play/{live['id']}/move", json={"version": live["version"], **move})


def recorded(path: Path):
    with open_store(path, create=False) as store:
        return list(find_games(store, GameFilter()))


@pytest.mark.parametrize(
    ("name", "rules", "role"), [("tablut", "mcgill", 1), ("draughts", "paper", 0), ("cathedral", "paper-6", 0)]
)
def test_whole_game(serving: Serving, tmp_path: Path, name: str, rules: str, role: int) -> None:
    chance = random.Random(3)
    with serving() as client:
        live = turn(client, begin(client, game=name, rules=rules, role=role))
        while live["result"] is None:
            truth = boardwright.game(name, rules).play_all(live["view"]["actions"])
            assert live["view"]["text"] == truth.text
            assert [legal["text"] for legal in live["view"]["legal"]] == truth.moves()
            chosen = chance.choice(live["view"]["legal"])
            how = {"text": chosen["text"]} if chance.random() < 0.5 else {"actions": chosen["actions"]}
            answer = move(client, live, **how)
            assert answer.status_code == 200, answer.text
            assert answer.json()["version"] > live["version"]
            live = turn(client, answer.json())
        outcome = boardwright.game(name, rules).play_all(live["view"]["actions"]).outcome
        assert outcome is not None
        assert live["result"] == {"winner": outcome.winner, "reason": outcome.reason}
        assert live["view"]["legal"] == []
        assert client.get("/api/play").json() == []
        assert move(client, live, text="e9").status_code == 409
    (stored,) = recorded(tmp_path / "games.db")
    players = ("person", "random:seed=1") if role == 0 else ("random:seed=1", "person")
    assert stored.played.players == players
    assert list(stored.played.record.actions) == live["view"]["actions"]
    assert len(stored.played.seconds) == len(stored.played.record.actions)
    assert stored.played.record.reason == outcome.reason
    with serving() as client:  # a finished game can still be looked at
        assert client.get(f"/api/play/{live['id']}").json()["result"] == live["result"]


def test_undo_takes_back_the_answer_too(serving: Serving) -> None:
    with serving() as client:
        live = begin(client)
        assert client.post(f"/api/play/{live['id']}/undo", json={}).status_code == 409
        first = turn(client, move(client, live, actions=live["view"]["legal"][3]["actions"]).json())
        second = turn(client, move(client, first, actions=first["view"]["legal"][5]["actions"]).json())
        assert len(second["view"]["line"]) == 4
        back = client.post(f"/api/play/{live['id']}/undo", json={}).json()
        assert back["view"]["text"] == first["view"]["text"]
        assert back["view"]["actions"] == first["view"]["actions"]
        assert back["version"] > second["version"]
        again = client.post(f"/api/play/{live['id']}/undo", json={}).json()
        assert again["view"]["text"] == live["view"]["text"]


def test_undo_while_the_player_thinks(serving: Serving) -> None:
    with serving() as client:
        live = begin(client, opponent="alphabeta:time=30s")
        thinking = move(client, live, actions=live["view"]["legal"][0]["actions"]).json()
        assert thinking["thinking"]
        assert move(client, thinking, text="a4-b4").status_code == 409  # not the person's turn
        back = client.post(f"/api/play/{live['id']}/undo", json={}).json()
        assert back["view"]["actions"] == []
        assert not back["thinking"]
        other = begin(client)  # a move of another game, which would come after any search of the first
        turn(client, move(client, other, actions=other["view"]["legal"][0]["actions"]).json())
        assert client.get(f"/api/play/{live['id']}").json()["view"]["actions"] == []


def test_open_games_are_listed_by_their_last_moves(serving: Serving) -> None:
    with serving() as client:
        first, second, third = (begin(client) for _ in range(3))
        listed = [game["id"] for game in client.get("/api/play").json()]
        assert listed == [third["id"], second["id"], first["id"]]
        turn(client, move(client, first, actions=first["view"]["legal"][0]["actions"]).json())
        listed = [game["id"] for game in client.get("/api/play").json()]
        assert listed == [first["id"], third["id"], second["id"]]


def test_resigned_game_is_over_and_cannot_be_changed(serving: Serving, tmp_path: Path) -> None:
    with serving() as client:
        live = begin(client, role=1, opponent="random")
        over = client.post(f"/api/play/{live['id']}/resign", json={}).json()
        assert over["result"] == {"winner": 0, "reason": "defenders resigned"}
        assert client.post(f"/api/play/{live['id']}/resign", json={}).status_code == 409
        assert client.post(f"/api/play/{live['id']}/undo", json={}).status_code == 409
    (stored,) = recorded(tmp_path / "games.db")
    assert stored.played.record.resigned == 1
    assert stored.played.players == ("random", "person")


def test_flag_fall_forfeits(serving: Serving, tmp_path: Path) -> None:
    with serving() as client:
        live = begin(client, clock={"base": 0.3, "increment": 0})
        assert live["clock"]["running"] == 0
        over = until(client, live["id"], lambda now: now["result"])
        assert over["result"] == {"winner": 1, "reason": "attackers ran out of time"}
        assert over["clock"] == {"remaining": [0.0, 0.3], "running": None}
    (stored,) = recorded(tmp_path / "games.db")
    assert stored.played.forfeited_by == 0


def test_clock_of_the_mover_runs_with_increments(serving: Serving) -> None:
    with serving() as client:
        live = begin(client, clock={"base": 60, "increment": 0.5}, opponent="alphabeta")
        time.sleep(0.2)
        live = turn(client, move(client, live, actions=live["view"]["legal"][0]["actions"]).json())
        assert live["clock"]["running"] == 0
        person, player = live["clock"]["remaining"]
        assert person <= 60.3  # it waited 0.2 s or more
        assert 30 < player < 60  # it thought for a twentieth of its time and most of the increment


def test_rematch_swaps_sides(serving: Serving) -> None:
    with serving() as client:
        settings = {"game": "draughts", "rules": "paper", "role": 1, "position": "W:W21,22,23:B1,2,3"}
        live = begin(client, **settings, clock={"base": 600, "increment": 300})
        client.post(f"/api/play/{live['id']}/resign", json={})
        again = turn(client, client.post(f"/api/play/{live['id']}/again", json={}).json())
        assert again["human"] == 0
        for same in ("game", "rules", "opponent"):
            assert again[same] == live[same]
        assert again["view"]["start"] == settings["position"]
        person, player = again["clock"]["remaining"]
        assert person <= 600 < player <= 900  # the player has moved, and got its increment
        unclocked = begin(client)
        assert client.post(f"/api/play/{unclocked['id']}/again", json={}).json()["clock"] is None
        assert client.post("/api/play/nobody/again", json={}).status_code == 404


def test_outdated_version_is_refused(serving: Serving) -> None:
    with serving() as client:
        live = begin(client)
        legal = live["view"]["legal"][0]["actions"]
        after = turn(client, move(client, live, actions=legal).json())
        stale = move(client, live, actions=legal)
        assert stale.status_code == 409
        assert stale.json()["error"].startswith("the game has changed")
        assert client.get(f"/api/play/{live['id']}").json()["view"]["text"] == after["view"]["text"]


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"text": "e5-e9"}, 400),
        ({"text": "x" * 150}, 400),
        ({"actions": []}, 400),
        ({"actions": [2591]}, 400),
        ({"actions": [2400, 2400]}, 400),
        ({}, 400),
        ({"text": "d1-d2", "actions": [2400]}, 400),
        ({"actions": [70000]}, 422),
    ],
)
def test_illegal_moves_change_nothing(client: TestClient, wrong: dict, status: int) -> None:
    live = begin(client)
    answer = move(client, live, **wrong)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}
    now = client.get(f"/api/play/{live['id']}").json()
    assert (now["version"], now["view"]["actions"]) == (live["version"], [])


def test_partial_capture_is_refused(client: TestClient) -> None:
    start = "B:W18,25:B15"  # 15x22x29
    live = begin(client, game="draughts", position=start)
    (capture,) = live["view"]["legal"]
    assert len(capture["actions"]) == 2
    assert move(client, live, actions=capture["actions"][:1]).status_code == 400
    over = move(client, live, actions=capture["actions"]).json()
    assert over["result"] == {"winner": 0, "reason": "no legal move"}


@pytest.mark.parametrize(
    "query",
    [
        {"opponent": "external:cmd=sleep 5"},
        {"opponent": "alphazero:net=/etc/passwd"},
        {"opponent": "alphazero:net=../../etc/passwd"},
        {"opponent": "alphazero:net=run/../secret"},
        {"opponent": "alphazero"},
        {"opponent": "net:temperature=1"},
        {"opponent": "alphazero:net=cathedral"},
        {"opponent": "alphazero:net=tablut", "rules": "saami"},
        {"opponent": "nobody"},
        {"opponent": "alphabeta:threads=200"},
        {"opponent": "alphabeta:hash=60000"},
        {"opponent": "alphabeta:tables=/etc", "game": "draughts"},
        {"opponent": "random", "rules": "/etc/rules.toml"},
        {"opponent": "random", "position": "nonsense"},
        {"opponent": "random", "game": "draughts", "position": "W:W:B1"},  # over already
    ],
)
def test_unplayable_game_is_refused(client: TestClient, query: dict) -> None:
    answer = client.post("/api/play", json={"game": "tablut", "role": 0, **query})
    assert answer.status_code == 400, answer.text
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"opponent": "alphazero"}, "player 'alphazero' needs a net, net=NAME: a shipped one ("),
        ({"opponent": "net:net=cathedral"}, "net file cathedral: made for cathedral, not tablut: choose"),
        ({"opponent": "net:net=tablut", "rules": "saami"}, "net file tablut: made for rules 'tablutzero' ("),
    ],
)
def test_a_net_that_does_not_fit_is_named_without_its_path(client: TestClient, query: dict, words: str) -> None:
    error = client.post("/api/play", json={"game": "tablut", "role": 0, **query}).json()["error"]
    assert error.startswith(words)
    assert str(shipped.FOLDER) not in error
    assert "PATH" not in error


def test_the_net_of_a_run_plays_by_its_id_only(serving: Serving, tmp_path: Path) -> None:
    from boardwright.web.players.specs import resolve
    from boardwright.web.settings import Settings

    planted = plant_broken_net(tmp_path / "runs", "mine", "tablut")
    settings = Settings(db=tmp_path / "unused.db", runs=tmp_path / "runs")
    ((name, path),) = run_nets(settings).items()
    assert path == planted
    game = boardwright.game("tablut")
    assert resolve(f"alphazero:net={name},sims=8", game, settings) == f"alphazero:net={path.resolve()},sims=8"
    with serving(runs=tmp_path / "runs") as client:
        refused = client.post(
            "/api/play", json={"game": "tablut", "opponent": f"alphazero:net={name},sims=8", "role": 1}
        )
        assert refused.status_code == 400
        assert f"net file {name}:" in refused.json()["error"]
        assert str(tmp_path) not in refused.json()["error"]


def test_failed_player_is_reported_and_retried(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its net is damaged after the game began, and whole again later."""
    monkeypatch.setattr("boardwright.web.play.live_games.RETRY_SECONDS", 0.01)
    nets = plant_run(tmp_path / "runs" / "mine", game="tablut") / "nets"
    plant_net(nets.parent, 1, game="tablut")
    best, whole = nets / "best.net", (nets / "000001.net").read_bytes()
    best.write_bytes(whole)
    with serving(runs=tmp_path / "runs") as client:
        (name,) = run_nets(client.app.state.services.settings)  # type: ignore[attr-defined]
        live = begin(client, opponent=f"net:net={name}")
        assert live["failure"] is None
        best.write_bytes(b"no net")
        with client.websocket_connect("ws://localhost/ws") as socket:
            socket.send_json({"type": "watch", "game": live["id"]})
            move(client, live, actions=live["view"]["legal"][0]["actions"])
            received: list[dict] = []
            while not received or received[-1].get("game", {}).get("failure") is None:
                received.append(socket.receive_json())
        errors = [message for message in received if message["type"] == "error"]
        assert {error["id"] for error in errors} == {live["id"]}
        assert len(errors) == MAX_FAILURES
        (listed,) = client.get("/api/play").json()  # which does not count as looking at the game
        assert not listed["thinking"]
        assert listed["failure"] == errors[-1]["error"]
        assert listed["failure"].startswith(f"net file {name}:")
        best.write_bytes(whole)
        now = turn(client, live)
        assert now["failure"] is None
        assert len(now["view"]["line"]) == 2


def test_undo_takes_back_increments(serving: Serving) -> None:
    with serving() as client:
        live = begin(client, clock={"base": 30, "increment": 10})
        for _ in range(5):
            moved = turn(client, move(client, live, actions=live["view"]["legal"][0]["actions"]).json())
            assert min(moved["clock"]["remaining"]) > 30
            live = client.post(f"/api/play/{live['id']}/undo", json={}).json()
        assert max(live["clock"]["remaining"]) <= 30
        assert live["clock"]["running"] == 0


def test_undo_is_refused_without_time_left() -> None:
    """30 s + 10 s: a move after 25 s, its answer at once, and 8 s of thought about the next."""
    game = boardwright.game("tablut")
    clock = live_game.ClockQuery(base=30, increment=10)
    live = LiveGame(new_game(live_game.NewGame(game="tablut", role=0, opponent="random", clock=clock), game), game, 0)
    for now, spent in ((0, 25), (25, 0)):
        live.start_clock(now)
        position = live.line.position
        live.play(tuple(position.game.parse_move(position.core, position.moves()[0])), now + spent, spent)
    live.start_clock(25)
    with pytest.raises(ConflictError, match="too little time"):
        live.take_back(33)
    assert len(live.line.moves) == 2
    assert live.clock is not None
    assert live.clock.remaining(33) == (7, 40)
    live.take_back(29)
    assert live.clock.remaining(29) == (1, 30)


def test_chance_moves_automatically_and_only_once(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cathedral, "rule_sets", lambda: {"coin": CathedralRules(name="coin", first="coin", size=6)})
    with serving() as client:
        live = begin(client, game="cathedral", rules="coin", role=0)
        (coin,) = live["view"]["line"][:1]
        assert coin["role"] is None
        assert coin["text"] in ("light", "dark")
    with serving() as client:
        again = client.get(f"/api/play/{live['id']}").json()
        assert again["view"]["line"][:1] == [coin]


def test_unfinished_games_are_limited(serving: Serving) -> None:
    with serving(open_games=2) as client:
        first, second = begin(client), begin(client)
        refused = client.post("/api/play", json={"game": "tablut", "opponent": "random"})
        assert refused.status_code == 429
        assert [game["id"] for game in client.get("/api/play").json()] == [second["id"], first["id"]]
        client.post(f"/api/play/{first['id']}/resign", json={})
        begin(client)


def test_abandoned_games_are_evicted(serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.play.live_games.IDLE_SECONDS", 0.0)
    with serving(open_games=1) as client:
        first = begin(client)
        turn(client, move(client, first, actions=first["view"]["legal"][0]["actions"]).json())
        second = begin(client)
        assert [game["id"] for game in client.get("/api/play").json()] == [second["id"]]
        assert client.get(f"/api/play/{first['id']}").status_code == 404
    (stored,) = recorded(tmp_path / "games.db")
    assert (stored.played.record.reason, len(stored.played.record.actions)) == ("abandoned", 2)


def test_games_survive_a_server_restart(serving: Serving) -> None:
    with serving() as client:
        live = begin(client, clock={"base": 100, "increment": 1})
        live = turn(client, move(client, live, actions=live["view"]["legal"][7]["actions"]).json())
    with serving() as client:
        again = client.get(f"/api/play/{live['id']}").json()
        assert again["view"] == live["view"]
        assert again["clock"]["running"] == 0
        person, player = again["clock"]["remaining"]
        assert person <= live["clock"]["remaining"][0]
        assert player == pytest.approx(live["clock"]["remaining"][1])
        assert turn(client, move(client, again, text=again["view"]["legal"][0]["text"]).json())["result"] is None


def test_games_survive_a_power_cut(started) -> None:
    """The server is killed while the player thinks, and the player thinks again when it is back."""
    server = started("--workers", "2")
    with httpx.Client(base_url=server.address, timeout=60) as client:
        live = begin(client, opponent="mc:time=3s")
        moved = move(client, live, actions=live["view"]["legal"][2]["actions"]).json()
        pids = children(server.process.pid)
        assert pids
    server.kill()
    wait_until_gone(pids)
    server = started("--workers", "2")
    with httpx.Client(base_url=server.address, timeout=60) as client:
        now = turn(client, live)
        assert now["view"]["actions"][:1] == moved["view"]["actions"]
        assert len(now["view"]["actions"]) == 2
        pids = children(server.process.pid)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) in (0, -signal.SIGTERM)
    wait_until_gone(pids)


def children(parent: int) -> set[int]:
    return {
        int(pid) for task in Path(f"/proc/{parent}/task").iterdir() for pid in (task / "children").read_text().split()
    }


def wait_until_gone(pids: set[int]) -> None:
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end, "a worker outlived its server"
        time.sleep(0.05)


def test_record_has_the_net_checksum(serving: Serving, tmp_path: Path) -> None:
    """Also when a resumed run has replaced its net; where two nets played a game, none is named."""
    run = plant_run(tmp_path / "runs" / "mine", game="tablut")
    best = run / "nets" / "best.net"

    def written(iteration: int) -> str:
        plant_net(run, iteration, "tablut")
        shutil.copy(run / "nets" / f"{iteration:06d}.net", best)
        return net_checksum(f"net:net={best}")

    expected = []
    with serving(runs=tmp_path / "runs") as client:
        for iteration in (1, 2, 3):
            checksum = written(iteration)
            (net,) = run_nets(Settings(db=tmp_path / "games.db", runs=tmp_path / "runs"))
            live = turn(client, begin(client, opponent=f"net:net={net}", role=1))  # the net has moved
            if iteration < 3:
                expected.append((f"{boardwright.__version__} net {checksum}", boardwright.__version__))
            else:
                written(4)
                turn(client, move(client, live, actions=live["view"]["legal"][0]["actions"]).json())
                expected.append((boardwright.__version__,) * 2)
            assert client.post(f"/api/play/{live['id']}/resign", json={}).status_code == 200
    assert [stored.versions for stored in recorded(tmp_path / "games.db")] == expected
    assert len(set(expected)) == 3


def test_game_without_a_league_move_counts_for_the_current_net(serving: Serving, tmp_path: Path) -> None:
    run = plant_run(tmp_path / "runs" / "mine", game="tablut")
    plant_net(run, 1, "tablut")
    best = run / "nets" / "best.net"
    shutil.copy(run / "nets" / "000001.net", best)
    with serving(runs=tmp_path / "runs") as client:
        (net,) = run_nets(Settings(db=tmp_path / "games.db", runs=tmp_path / "runs"))
        live = begin(client, opponent=f"net:net={net}")
        assert client.post(f"/api/play/{live['id']}/resign", json={}).status_code == 200
    (stored,) = recorded(tmp_path / "games.db")
    assert stored.played.nets == ("", net_checksum(f"net:net={best}"))
