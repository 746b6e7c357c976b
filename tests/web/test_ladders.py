"""The ladders that the app offers: by rule set, with the nets and ratings that ship."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from planted_package import EVALUATION, plant_ratings, plant_shipped_net

from boardwright.arena import ladder_file
from boardwright.nets import shipped
from boardwright.web.players import catalogue


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another place for what ships."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "data")
    monkeypatch.setattr(ladder_file, "FOLDER", tmp_path / "ratings")
    catalogue.games_json.cache_clear()
    yield tmp_path
    catalogue.games_json.cache_clear()


def rule_sets(client: TestClient, game: str) -> dict[str, catalogue.RuleSetInfo]:
    (info,) = [info for info in client.get("/api/games").json() if info["name"] == game]
    return {rule_set.name: rule_set for rule_set in catalogue.GameInfo.model_validate(info).rule_sets}


def test_a_ladder_has_the_nets_of_its_rules(client: TestClient, package: Path) -> None:
    plant_shipped_net(package / "data", "laps", "tablut", "saami", method="alphazero")
    found = rule_sets(client, "tablut")
    nets = {
        name: [opponent.label for opponent in rule_set.opponents if "net=" in opponent.spec]
        for name, rule_set in found.items()
    }
    assert nets.pop("saami") == [
        "laps net, policy only (no search)",
        "laps net, 100 simulations",
        "laps net, 400 simulations",
    ]
    assert nets == {"tablutzero": [], "tablutzero-code": [], "mcgill": []}
    begun = client.post("/api/play", json={"game": "tablut", "rules": "saami", "opponent": "net:net=laps", "role": 0})
    assert begun.status_code == 200


def test_evaluation_net_plays_all_rules_as_alphabeta_only(client: TestClient, package: Path) -> None:
    plant_shipped_net(package / "data", "eyes", "draughts", "wcdf", method="alphabeta", config=EVALUATION)
    plant_shipped_net(package / "data", "hands", "draughts", "wcdf", method="alphazero")
    offered = [opponent.spec for found in rule_sets(client, "draughts").values() for opponent in found.opponents]
    assert [spec for spec in offered if "eyes" in spec] == ["alphabeta:net=eyes,time=1s"]  # by the rules it learned

    def begun(opponent: str, rules: str = "wcdf") -> Response:
        return client.post("/api/play", json={"game": "draughts", "rules": rules, "opponent": opponent, "role": 0})

    for rules in ("wcdf", "paper"):
        assert begun("alphabeta:net=eyes,nodes=50", rules).status_code == 200
    assert begun("alphabeta:nodes=50").status_code == 200  # no net is needed
    assert "unknown net 'nobody'" in begun("alphabeta:net=nobody").json()["error"]
    error = "net 'eyes': an evaluation network has no policy: play it with alphabeta:net=eyes"
    assert begun("alphazero:net=eyes,sims=2").json()["error"] == error
    error = "net file hands: no evaluation network, which alpha-beta needs: use alphazero:net=hands"
    assert begun("alphabeta:net=hands").json()["error"] == error
    plant_shipped_net(package / "data", "wishes", "draughts", "wcdf", method="dqn")
    for player, reason in (
        ("alphazero", "its value is not a game result in [-1, 1], which a search needs: use dqn:net=wishes"),
        ("net", "trained by dqn, not for 'net': use dqn:net=wishes"),
        ("ppo", "trained by dqn, not for 'ppo': use dqn:net=wishes"),
    ):
        assert begun(f"{player}:net=wishes").json()["error"] == f"net 'wishes': {reason}"
    assert begun("dqn:net=wishes").status_code == 200
    tablut = {"game": "tablut", "opponent": "net:net=eyes", "role": 0}
    error = "net file eyes: made for draughts, not tablut: choose a net of tablut"
    assert client.post("/api/play", json=tablut).json()["error"] == error


def test_ratings_that_ship_are_shown_and_order_the_ladder(client: TestClient, package: Path) -> None:
    elo = {"random": 0.0, "alphabeta:depth=2": 333.3, "greedy": 500.0, "heuristic": 700.0}
    plant_ratings(package / "ratings", "tablut", "mcgill", elo)
    found = rule_sets(client, "tablut")
    ladder = found["mcgill"].opponents
    assert found["mcgill"].rated_on == "a made-up machine, 2025-01-31"
    rated = {opponent.spec: opponent.rating for opponent in ladder if opponent.rating is not None}
    assert list(rated) == ["random", "alphabeta:depth=2", "greedy"]  # heuristic is rated, but not on the ladder
    assert rated["alphabeta:depth=2"] == catalogue.EloInterval(elo=333.3, plus=60.0, minus=40.0)
    assert [opponent.level for opponent in ladder] == list(range(1, len(ladder) + 1))
    assert found["tablutzero"].rated_on is None
    assert all(opponent.rating is None for opponent in found["tablutzero"].opponents)
    assert {opponent.spec for opponent in ladder} == {opponent.spec for opponent in found["tablutzero"].opponents}


def test_with_damaged_ratings_the_ladder_is_unrated(
    client: TestClient, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_ratings(package / "ratings", "tablut", "tablutzero", {"random": 0.0, "greedy": 400.0})
    plant_ratings(package / "ratings", "tablut", "saami", {"random": 0.0}).write_bytes(b"\xff{")
    found = rule_sets(client, "tablut")
    assert found["tablutzero"].opponents[-1].spec != "random"
    assert found["tablutzero"].rated_on is not None
    assert found["saami"].rated_on is None
    assert all(opponent.rating is None for opponent in found["saami"].opponents)
    (complaint,) = capsys.readouterr().err.splitlines()
    assert complaint.startswith("boardwright: warning: ratings ")
    assert "tablut-saami.json: damaged" in complaint
