"""Training runs over HTTP: listing, live updates, and a game of the newest net."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from planted_run import log, plant_net, plant_run

import boardwright
from boardwright.errors import UnknownNameError
from boardwright.learn.run.lock import exclusive
from boardwright.learn.run.metrics import History, Metrics, read_metrics
from boardwright.nets.config import EvaluationConfig
from boardwright.web.app import make_app
from boardwright.web.players import specs
from boardwright.web.settings import Settings
from boardwright.web.training import runs as training_runs


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


@pytest.fixture
def client(runs: Path) -> Iterator[TestClient]:
    settings = Settings(db=runs.parent / "games.db", runs=runs)
    with TestClient(make_app(settings), base_url="http://localhost") as client:
        yield client


def only(client: TestClient) -> dict[str, Any]:
    (run,) = client.get("/api/runs").json()
    return run


def test_runs_are_found_in_subfolders(client: TestClient, runs: Path, tmp_path: Path) -> None:
    plant_run(runs / "first")
    plant_run(runs / "by" / "game" / "second", method="dqn", game="tablut")
    plant_run(runs / "a" / "b" / "c" / "too-deep")
    plant_run(tmp_path / "outside")
    (runs / "link").symlink_to(tmp_path / "outside")
    (runs / "broken").mkdir()
    (runs / "broken" / "config.json").write_text("{")
    found = {run["name"]: run for run in client.get("/api/runs").json()}
    assert found.keys() == {"first", "by/game/second"}
    assert (found["by/game/second"]["method"], found["by/game/second"]["game"]) == ("dqn", "tablut")
    assert found["first"]["id"] != found["by/game/second"]["id"]
    for time, name in enumerate(("by/game/second", "first")):
        os.utime(runs / name / "config.json", (time, time))
    assert [run["name"] for run in client.get("/api/runs").json()] == ["first", "by/game/second"]  # the newest first


def test_progress_of_a_run(client: TestClient, runs: Path) -> None:
    folder = plant_run(runs / "mine")
    with exclusive(folder):
        assert (only(client)["iteration"], only(client)["state"]) == (0, "running")
        log(folder, range(1, 5))
        assert (only(client)["iteration"], only(client)["frames"], only(client)["state"]) == (4, 400, "running")
    assert only(client)["state"] == "stopped"
    log(folder, range(5, 11))
    assert (only(client)["iteration"], only(client)["state"]) == (10, "done")


def test_curves_continue_from_the_last_iteration(client: TestClient, runs: Path) -> None:
    folder = plant_run(runs / "mine")
    run = only(client)["id"]
    assert client.get(f"/api/runs/{run}/metrics").json()["scalars"] == {}
    log(folder, range(1, 5))
    with Metrics(folder) as metrics:
        metrics.log(2, 200, {"loss/policy": float("nan"), "unheard/of": 1.0})
    whole = client.get(f"/api/runs/{run}/metrics").json()
    assert whole["iteration"] == 4
    assert whole["scalars"]["loss/total"] == {
        "iterations": [1, 2, 3, 4],
        "frames": [100, 200, 300, 400],
        "values": [3.0, 1.5, 1.0, 0.75],
    }
    assert whole["scalars"]["loss/policy"]["values"] == [None]
    assert "unheard/of" not in whole["scalars"]
    log(folder, range(5, 7))
    later = client.get(f"/api/runs/{run}/metrics", params={"after": 4}).json()
    assert later["scalars"]["loss/total"]["iterations"] == [5, 6]
    assert later["scalars"]["evaluation/elo"]["iterations"] == [2, 4, 6]  # ratings come whole
    outcomes = next(figure for figure in later["figures"] if figure["name"] == "outcomes")
    assert outcomes["scalars"]["selfplay/role0_wins"] == "black wins"


def test_curves_include_rows_written_during_reading(
    client: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plant_run(runs / "mine")
    run = only(client)["id"]
    log(folder, range(1, 5))

    def read_slowly(folder: Path, after: int) -> History:
        history = read_metrics(folder, after)
        log(folder, range(5, 8))
        return history

    with monkeypatch.context() as slow:
        slow.setattr("boardwright.web.training.routes.read_metrics", read_slowly)
        first = client.get(f"/api/runs/{run}/metrics").json()
    later = client.get(f"/api/runs/{run}/metrics", params={"after": first["iteration"]}).json()
    seen = [*first["scalars"]["loss/total"]["iterations"], *later["scalars"]["loss/total"]["iterations"]]
    assert seen == list(range(1, 8))


def test_a_long_curve_is_thinned(client: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardwright.web.training.routes.MAX_POINTS", 5)
    log(plant_run(runs / "mine"), range(1, 13))
    curve = client.get(f"/api/runs/{only(client)['id']}/metrics").json()["scalars"]["loss/total"]
    assert curve["iterations"] == [3, 6, 9, 12]


def test_a_sample_game_of_the_newest_net(client: TestClient, runs: Path) -> None:
    folder = plant_run(runs / "mine")
    run = only(client)["id"]
    assert client.get(f"/api/runs/{run}/sample").json() is None
    game = boardwright.game("draughts")
    assert (only(client)["player"], only(client)["rules"]) == (None, game.default_rules)
    for iteration in (0, 3):
        plant_net(folder, iteration)
    shutil.copy(folder / "nets" / "000003.net", folder / "nets" / "best.net")
    assert only(client)["player"] == f"alphazero:net=run/{run}"
    sample = client.get(f"/api/runs/{run}/sample", params={"seed": 1}).json()
    assert (sample["iteration"], sample["game"], sample["rules"]) == (3, "draughts", game.rules.name)
    last = game.play_all(sample["actions"])
    assert sample["opening"] >= 2
    assert sample["result"] == (2 if last.outcome is None or last.outcome.winner is None else last.outcome.winner)
    assert client.get(f"/api/runs/{run}/sample", params={"seed": 1}).json() == sample
    other = client.get(f"/api/runs/{run}/sample", params={"seed": 2}).json()
    assert other["actions"] != sample["actions"]


def test_a_players_run_is_found_without_reading_other_runs(
    client: TestClient, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_net(plant_run(runs / "mine"), 0)
    shutil.move(runs / "mine" / "nets" / "000000.net", runs / "mine" / "nets" / "best.net")
    spec, game = only(client)["player"], boardwright.game("draughts")
    settings = Settings(db=runs.parent / "games.db", runs=runs)
    resolved = specs.resolve(spec, game, settings)
    assert resolved == f"alphazero:net={runs / 'mine' / 'nets' / 'best.net'}"
    with monkeypatch.context() as patch:
        patch.setattr(training_runs, "find_runs", None)  # which reads the folders of all runs
        assert specs.resolve(spec, game, settings) == resolved
    shutil.rmtree(runs / "mine")
    with pytest.raises(UnknownNameError, match="unknown net 'run/"):
        specs.resolve(spec, game, settings)


def test_a_sample_game_of_a_net_that_only_evaluates(client: TestClient, runs: Path) -> None:
    folder = plant_run(runs / "mine", method="alphabeta")
    plant_net(folder, 2, config=EvaluationConfig(width=8, hidden=4), observation="paper")
    shutil.copy(folder / "nets" / "000002.net", folder / "nets" / "best.net")
    run = only(client)
    assert run["player"] == f"alphabeta:net=run/{run['id']}"
    sample = client.get(f"/api/runs/{run['id']}/sample").json()
    assert (sample["iteration"], len(sample["actions"]) > 20) == (2, True)


def test_run_with_a_comma_in_its_path(client: TestClient, runs: Path) -> None:
    """It has sample games as others do, but is not offered as a player: no spec could name its net."""
    folder = plant_run(runs / "small, fast")
    plant_net(folder, 3)
    shutil.copy(folder / "nets" / "000003.net", folder / "nets" / "best.net")
    run = only(client)
    sample = client.get(f"/api/runs/{run['id']}/sample").json()
    assert (sample["iteration"], sample["game"]) == (3, "draughts")
    assert run["player"] is None


@pytest.mark.parametrize("run", ["../outside", "..%2F..%2Fetc", "mine", "0" * 16])
def test_client_names_are_never_paths(client: TestClient, runs: Path, run: str) -> None:
    plant_run(runs / "mine")
    plant_run(runs.parent / "outside")
    for what in ("metrics", "sample"):
        assert client.get(f"/api/runs/{run}/{what}").status_code == 404


def test_server_without_a_runs_folder(tmp_path: Path) -> None:
    with TestClient(make_app(Settings(db=tmp_path / "games.db")), base_url="http://localhost") as client:
        assert client.get("/api/runs").json() == []


def test_the_server_imports_no_jax() -> None:
    script = "import sys; import boardwright.web.app; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
