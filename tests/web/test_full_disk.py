"""A database that cannot be written: what is not stored is not played, and nothing acknowledged is lost."""

import time
from pathlib import Path

import pytest
from servers import Serving

QUERY = {"game": "tablut", "role": 0, "opponent": "random:seed=1"}


def set_writable(client, writable: bool) -> None:
    """Makes every write to the server's database fail, or work again."""
    pragma = f"PRAGMA query_only = {'OFF' if writable else 'ON'}"
    client.portal.call(client.app.state.services.store.run, lambda store: store.connection.execute(pragma).fetchall())


def test_unstored_moves_and_games_do_not_exist(serving: Serving, tmp_path: Path) -> None:
    with serving() as client:
        live = client.post("/api/play", json=QUERY).json()
        game, step = f"/api/play/{live['id']}", live["view"]["legal"][0]["actions"]
        set_writable(client, False)
        for path, body in (
            (f"{game}/move", {"version": live["version"], "actions": step}),
            (f"{game}/resign", {}),
            ("/api/play", QUERY),
        ):
            refused = client.post(path, json=body)
            assert refused.status_code == 503, refused.text
            assert refused.json()["error"].startswith(
                "not played, because it cannot be stored: cannot write the database"
            )
            assert str(tmp_path) not in refused.text
        assert client.get("/api/play").json() == [{key: live[key] for key in client.get("/api/play").json()[0]}]
        assert client.get(game).json() == live
        set_writable(client, True)
        assert client.post(f"{game}/move", json={"version": live["version"], "actions": step}).status_code == 200
    with serving() as client:
        assert client.get(game).json()["view"]["actions"][:1] == step
        assert client.get(game).json()["result"] is None


def test_unstored_answer_of_a_player_is_retried(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.play.live_games.RETRY_SECONDS", 0.01)

    def wait_for(ready) -> dict:
        end = time.monotonic() + 60
        while not ready(now := client.get(game).json()):
            assert time.monotonic() < end, now
            time.sleep(0.02)
        return now

    with serving() as client:
        live = client.post("/api/play", json={**QUERY, "opponent": "mc:time=0.3s"}).json()
        game, step = f"/api/play/{live['id']}", live["view"]["legal"][0]["actions"]
        client.post(f"{game}/move", json={"version": live["version"], "actions": step})
        set_writable(client, False)
        end = time.monotonic() + 60
        while not (failure := client.get("/api/play").json()[0]["failure"]):  # requesting the game would retry it
            assert time.monotonic() < end
            time.sleep(0.02)
        assert "cannot be stored" in failure
        assert client.get(game).json()["view"]["actions"] == step
        set_writable(client, True)
        assert wait_for(lambda now: len(now["view"]["actions"]) == 2)["failure"] is None


def test_flag_that_cannot_be_stored_falls_later(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.play.live_games.RETRY_SECONDS", 0.05)
    with serving() as client:
        live = client.post("/api/play", json={**QUERY, "clock": {"base": 0.5}}).json()
        game, step = f"/api/play/{live['id']}", live["view"]["legal"][0]["actions"]
        set_writable(client, False)
        time.sleep(0.6)
        late = client.post(f"{game}/move", json={"version": live["version"], "actions": step})
        assert (late.status_code, late.json()["error"]) == (409, "your time has run out")
        set_writable(client, True)
        end = time.monotonic() + 30
        while client.get(game).json()["result"] is None:
            assert time.monotonic() < end
            time.sleep(0.02)
