"""Damaged run folders and live games are left out and reported; the server starts and serves the rest."""

import json
import os
import sqlite3
from pathlib import Path

import pytest
from planted_run import plant_run
from servers import Serving

from boardwright.web.players import pool
from boardwright.web.server import reports
from boardwright.web.settings import Settings

GOOD = {"method": "alphazero", "game": "tablut", "iterations": 3}
BROKEN_CONFIGS = {
    "deep": '{"method": ' + "[" * 100_000,
    "listed-game": json.dumps({**GOOD, "game": ["tablut"]}),
    "surrogate": json.dumps({**GOOD, "method": "\ud800"}),
    "huge": json.dumps({**GOOD, "iterations": 10**40}),
    "odd-rules": json.dumps({**GOOD, "rules": {"a": "\ud800"}}),
}


def test_broken_run_folders_do_not_hide_the_others(serving: Serving, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    plant_run(runs / "good")
    for name, text in BROKEN_CONFIGS.items():
        (runs / name).mkdir()
        (runs / name / "config.json").write_text(text)
    (runs / "pipe").mkdir()
    os.mkfifo(runs / "pipe" / "config.json")
    unnamed = Path(os.fsdecode(os.fsencode(runs) + b"/\xff"))
    unnamed.mkdir()
    (unnamed / "config.json").write_text(json.dumps(GOOD))
    (runs / "late").mkdir()
    (runs / "late" / "config.json").write_text(json.dumps(GOOD))
    os.utime(runs / "late" / "config.json", (1e13, 1e13))
    with serving(runs=runs) as client:
        answer = client.get("/api/runs")
        assert answer.status_code == 200, answer.text
        assert "good" in [run["name"] for run in answer.json()]


def test_player_failure_is_reported_if_runs_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(error: str, settings: Settings) -> str:
        raise RuntimeError("symlink loop")

    monkeypatch.setattr(pool, "hide_paths", fail)
    events: list[pool.Event] = []
    searches = pool.SearchPool(Settings(db=tmp_path / "games.db"))
    searches._report(pool.Ticket(None, "game", events.append), pool.Failure("died"))  # type: ignore[arg-type]
    assert events == [pool.Failure("the player failed; the reason cannot be shown")]


@pytest.mark.parametrize(
    "damage",
    [
        "clock = '['",
        "clock = '[1, 2]'",
        "clock = '[1e999, 0, 1, 1]'",
        "actions = x'01'",
        "actions = x'ffff'",
        "seconds = x'010203'",
        "start = 'nonsense'",
        "game = 'chess'",
        "version = -5",
    ],
)
def test_server_starts_with_a_damaged_live_game(
    serving: Serving, tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reports._reported.clear()
    query = {"game": "tablut", "role": 0, "opponent": "random"}
    with serving() as client:
        broken, good = (client.post("/api/play", json=query).json()["id"] for _ in range(2))
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute(f"UPDATE live_games SET {damage} WHERE id = ?", [broken])
    with serving() as client:
        assert [game["id"] for game in client.get("/api/play").json()] == [good]
        answer = client.get(f"/api/play/{broken}")
        assert 400 <= answer.status_code < 600
        assert str(tmp_path) not in answer.text
    assert "live game" in capsys.readouterr().err
