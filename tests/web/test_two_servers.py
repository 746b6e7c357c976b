"""Two servers on one database: the second does not start, and no game is stored over a version it did not read."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from servers import Serving

import boardwright
from boardwright.records.live import StaleGameError, find_live_game, save_live_game
from boardwright.records.store import open_store
from boardwright.web.play.live_game import NewGame, new_game


def test_second_server_on_a_database_is_refused(started, tmp_path: Path) -> None:
    first = started()
    (tmp_path / "link.db").symlink_to(tmp_path / "g.db")
    program = str(Path(sys.executable).parent / "boardwright")
    for name in ("g.db", "link.db"):
        command = [program, "serve", "--port", "0", "--db", str(tmp_path / name)]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2
        assert second.stdout == ""
        (line,) = second.stderr.splitlines()
        assert f"{name} is in use by another server, process {first.process.pid}: stop it" in line
    assert httpx.get(f"{first.address}/api/play", timeout=60).status_code == 200
    first.kill()
    assert httpx.get(f"{started().address}/api/play", timeout=60).status_code == 200  # the lock ended with its holder


def test_live_game_is_not_stored_over_another_version(tmp_path: Path) -> None:
    game = new_game(NewGame(game="tablut", opponent="random"), boardwright.game("tablut"))
    with open_store(tmp_path / "games.db", create=True) as store:
        save_live_game(store, game)
        save_live_game(store, replace(game, version=3, actions=(7,)), replaces=0)
        for late in (0, 2, None):  # made to a version that is not the stored one
            with pytest.raises(StaleGameError):
                save_live_game(store, replace(game, version=4), replaces=late)
        stored = find_live_game(store, game.id)
        assert stored is not None
        assert (stored.version, stored.actions) == (3, (7,))


def test_game_changed_by_another_process_is_read_again(serving: Serving, tmp_path: Path) -> None:
    query = {"game": "tablut", "role": 0, "opponent": "random:seed=1"}
    with serving() as client, open_store(tmp_path / "games.db", create=False) as store:
        live = client.post("/api/play", json=query).json()
        stored = find_live_game(store, live["id"])
        assert stored is not None
        elsewhere = tuple(live["view"]["legal"][1]["actions"])
        changed = replace(stored, version=9, actions=elsewhere, seconds=(0.5,))
        save_live_game(store, changed, replaces=stored.version)
        late = {"version": live["version"], "actions": live["view"]["legal"][0]["actions"]}
        assert client.post(f"/api/play/{live['id']}/move", json=late).status_code == 409
        now = client.get(f"/api/play/{live['id']}").json()
        assert tuple(now["view"]["actions"][:1]) == elsewhere
