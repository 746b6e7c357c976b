"""Game files over HTTP: what is written is what can be read again."""

import pytest
from fastapi.testclient import TestClient

import boardwright
from boardwright.games.record import GameRecord
from boardwright.games.registry import game_class

A_LONG_NAME = "alphazero:net=run/0123456789abcdef0123456789abcdef,sims=400,seed=12"  # as players of runs have
HAVE_FILES = [name for name in boardwright.game_names() if game_class(name).game_files is not None]


@pytest.mark.parametrize("name", HAVE_FILES)
def test_players_and_result_are_kept(client: TestClient, name: str) -> None:
    """A game that the board does not decide: a program failed."""
    position = boardwright.game(name).start()
    for _ in range(4):
        position = position.play(position.moves()[0])
    reason = f"light forfeit: engine {'x' * 300!r} ended with exit code 1"
    end = {"names": ["person", A_LONG_NAME], "result": 1, "reason": reason}
    written = client.post("/api/files/write", json={"game": name, "actions": position.actions(), **end})
    assert written.status_code == 200, written.text
    read = client.post("/api/files/read", json={"game": name, "text": written.json()["text"]}).json()
    assert read["errors"] == []
    (record,) = (game["record"] for game in read["games"])
    assert {key: record[key] for key in end} == end
    assert record["actions"] == position.actions()


@pytest.mark.parametrize("name", HAVE_FILES)
def test_events_have_one_name_in_all_formats(client: TestClient, name: str) -> None:
    game = boardwright.game(name)
    position = game.start()
    position = position.play(position.moves()[0])
    text = game.write_games([GameRecord.of(position, tags={"event": event}) for event in ("One", "Two")])
    read = client.post("/api/files/read", json={"game": name, "text": text}).json()
    assert [one["headers"]["event"] for one in read["games"]] == ["One", "Two"]


def test_board_decides_over_a_claimed_result(client: TestClient) -> None:
    """A game that is over on the board has that result, even if the page sends another."""
    start = "B:W18:B15"  # the last man is taken
    query = {"game": "draughts", "start": start, "actions": [], "result": 1, "reason": "time ran out"}
    (jump,) = client.post("/api/position", json={"game": "draughts", "start": start}).json()["legal"]
    text = client.post("/api/files/write", json={**query, "actions": jump["actions"]}).json()["text"]
    assert '[Result "1-0"]' in text
    assert "time ran out" not in text


def test_files_above_the_limit_are_refused(client: TestClient) -> None:
    answer = client.post("/api/files/read", json={"game": "draughts", "text": "(" * 1_000_001})
    assert answer.status_code == 422
    assert "1000000" in answer.json()["error"]
