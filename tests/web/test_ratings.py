"""Ratings, crosstable and records over HTTP, against the arena's own reckoning."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import boardwright
from boardwright.arena.event import PlayedGame
from boardwright.games.record import GameRecord
from boardwright.records.games import save_game
from boardwright.records.store import open_store
from boardwright.stats.bayeselo import rate, rate_by_role
from boardwright.stats.pairings import Encounter
from boardwright.web.app import make_app
from boardwright.web.arena import ratings
from boardwright.web.settings import Settings

RESULTS = [("a", "b", 0), ("b", "a", 2), ("a", "c", 0), ("c", "a", 0), ("b", "c", 1), ("c", "b", 2)]


def put(db: Path, results: list[tuple[str, str, int]], game: str = "tablut", rules: str | None = None) -> None:
    bound = boardwright.game(game, rules)
    position = bound.start().play(bound.start().legal_actions()[0])
    with open_store(db, create=True) as store:
        for first, second, result in results:
            record = replace(GameRecord.of(position), result=result, reason="agreed")
            save_game(store, PlayedGame(record=record, players=(first, second)))


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(Settings(db=db)), base_url="http://localhost") as client:
        yield client


def test_ratings_agree_with_the_command(client: TestClient, db: Path) -> None:
    put(db, RESULTS)
    games = [Encounter(*result) for result in RESULTS]
    answer = client.get("/api/ratings", params={"game": "tablut"}).json()
    expected = rate(games)
    assert [(row["name"], row["elo"], row["plus"], row["minus"]) for row in answer["ratings"]] == [
        (rating.name, pytest.approx(rating.elo), pytest.approx(rating.plus), pytest.approx(rating.minus))
        for rating in expected.ratings
    ]
    assert {row["name"]: row["score"] for row in answer["ratings"]} == {"a": 2.5 / 4, "b": 1 / 4, "c": 2.5 / 4}
    assert (answer["games"], answer["connected"], answer["warnings"]) == (6, True, [])
    by_role = {rating.name: rating.elo for rating in rate_by_role(games, ("attackers", "defenders")).ratings}
    for name, rows in zip(answer["role_names"], answer["roles"], strict=True):
        assert {f"{row['name']} as {name}": row["elo"] for row in rows} == pytest.approx(
            {player: elo for player, elo in by_role.items() if player.endswith(name)}
        )


def test_ratings_are_cached_until_the_record_changes(
    client: TestClient, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated: list[int] = []

    def counting(games: list[Encounter]):
        rated.append(len(games))
        return rate(games)

    monkeypatch.setattr(ratings, "rate", counting)
    put(db, RESULTS)
    for _ in range(3):
        client.get("/api/ratings", params={"game": "tablut"})
    put(db, [("a", "b", 0)])
    client.get("/api/ratings", params={"game": "tablut"})
    assert rated == [6, 7]


def test_unconnected_groups_are_reported(client: TestClient, db: Path) -> None:
    put(db, [("a", "b", 0), ("b", "a", 0), ("x", "y", 0), ("y", "x", 0)])
    answer = client.get("/api/ratings", params={"game": "tablut"}).json()
    assert not answer["connected"]
    assert "2 groups never met" in answer["warnings"][0]


def test_ratings_by_rule_set_and_for_all(client: TestClient, db: Path) -> None:
    other = next(
        name for name in boardwright.game("tablut").rule_sets() if name != boardwright.game("tablut").rules.name
    )
    put(db, RESULTS)
    put(db, RESULTS[:2], rules=other)
    together = client.get("/api/ratings", params={"game": "tablut"}).json()
    apart = client.get("/api/ratings", params={"game": "tablut", "rules": other}).json()
    assert (together["games"], apart["games"]) == (8, 2)
    assert "2 rule sets are rated together" in together["warnings"][0]
    assert other in together["rule_sets"]
    assert not any("rule sets" in warning for warning in apart["warnings"])


def test_an_empty_record(client: TestClient) -> None:
    answer = client.get("/api/ratings", params={"game": "draughts"}).json()
    assert (answer["games"], answer["ratings"], answer["roles"]) == (0, [], [[], []])
    assert client.get("/api/crosstable", params={"game": "draughts"}).json() == {"rows": [], "left_out": 0}


def test_crosstable_counts_every_game_from_both_sides(client: TestClient, db: Path) -> None:
    put(db, [*RESULTS, ("a", "a", 0), ("x", "x", 1)])  # games of a player against itself do not count
    rows = client.get("/api/crosstable", params={"game": "tablut"}).json()["rows"]
    names = [row["name"] for row in rows]
    assert names == ["a", "c", "b"]
    against = {row["name"]: dict(zip(names, row["against"], strict=True)) for row in rows}
    assert against["a"]["b"] == {"wins": 1, "draws": 1, "losses": 0}
    assert against["b"]["a"] == {"wins": 0, "draws": 1, "losses": 1}
    assert against["c"]["b"] == {"wins": 1, "draws": 1, "losses": 0}
    assert against["a"]["a"] is None
    assert rows[0]["total"] == {"wins": 2, "draws": 1, "losses": 1}


def test_records_are_paged(client: TestClient, db: Path) -> None:
    put(db, RESULTS)
    put(db, [("a", "b", 1)], game="draughts")
    first = client.get("/api/records", params={"limit": 4}).json()
    second = client.get("/api/records", params={"limit": 4, "before": first[-1]["id"]}).json()
    assert [record["id"] for record in first + second] == [7, 6, 5, 4, 3, 2, 1]
    assert first[0]["game"] == "draughts"
    found = client.get("/api/records", params={"game": "tablut", "player": "b"}).json()
    assert [record["players"] for record in found] == [["c", "b"], ["b", "c"], ["b", "a"], ["a", "b"]]
    record = client.get(f"/api/records/{found[-1]['id']}").json()
    assert record["record"]["actions"] == [boardwright.game("tablut").start().legal_actions()[0]]
    assert (record["record"]["result"], record["reason"], record["replayable"]) == (0, "agreed", True)


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/api/ratings?game=chess", 400, "unknown game 'chess'"),
        ("/api/crosstable?game=chess", 400, "unknown game 'chess'"),
        ("/api/ratings", 422, "game"),
        ("/api/records?game=chess", 400, "unknown game 'chess'"),
        ("/api/records/99", 404, "there is no stored game 99"),
        (f"/api/records/{2**80}", 422, "number"),
        (f"/api/records?before={2**80}", 422, "before"),
        ("/api/records?limit=100000", 422, "limit"),
    ],
)
def test_invalid_requests_are_refused(shared: TestClient, path: str, status: int, words: str) -> None:
    answer = shared.get(path)
    assert answer.status_code == status
    assert words in answer.json()["error"]
