"""Commands that read a damaged database: one line names what is damaged, and the rest is still read."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from boardwright.errors import BoardwrightError
from boardwright.records.store import APPLICATION, open_store

PLAYERS = ("random:seed=1", "random:seed=2")
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def db(boardwright: Any, tmp_path: Path) -> Path:
    """A database with a match of two games."""
    path = tmp_path / "games.db"
    assert play(boardwright, path)[0] == 0
    return path


def play(boardwright: Any, path: Path) -> tuple[int, str, str]:
    return boardwright("match", "tablut", *PLAYERS, "--games", "2", "--max-plies", "8", "--db", path)


def damage(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    with connection:
        connection.execute(statement, values)
    connection.close()


DAMAGED_GAMES = {
    "tags": ["5", "null", '{"a": 1}', '[["a", 1]]', '[["a"]]', "[1, 2]", DEEP, "{"],
    "remarks": [
        "5",
        '{"comments": 5}',
        '{"comments": {"x": "y"}}',
        '{"comments": {"1": 5}}',
        '{"marks": {"1": 5}}',
        '{"variations": {"1": 5}}',
        '{"variations": {"1": [{"actions": "x"}]}}',
        '{"variations": {"1": [5]}}',
        DEEP,
    ],
    "seconds": [b"abc", b"\0" * 8, b"\0\0\xc0\x7f" * 8],
    "actions": [b"abc"],
}


@pytest.mark.parametrize(("column", "value"), [(column, value) for column in DAMAGED_GAMES
                                                for value in DAMAGED_GAMES[column]])  # fmt: skip
def test_damaged_game_is_named_and_the_others_are_listed(
    boardwright: Any, db: Path, column: str, value: object
) -> None:
    damage(db, f"UPDATE games SET {column} = ? WHERE id = 1", value)
    status, listed, complaint = boardwright("games-db", "list", "--db", db)
    assert status == 0
    assert [line.split()[0] for line in listed.splitlines()] == ["2"]
    assert complaint.startswith(f"boardwright: warning: left out: game 1 in {db} cannot be read: ")
    assert len(complaint.splitlines()) == 1
    status, listed, complaint = boardwright("games-db", "list", "--db", db, "--json")
    assert [game["id"] for game in json.loads(listed)["games"]] == [2]
    status, _, complaint = boardwright("games-db", "export", "--db", db)
    assert (status, len(complaint.splitlines())) == (0, 1)
    for status, _, complaint in (boardwright("games-db", "show", "1", "--db", db), play(boardwright, db)):
        assert (status, len(complaint.splitlines())) == (2, 1)
        assert "game 1 in" in complaint
        assert len(complaint) < 600
    assert boardwright("ratings", "--db", db)[0] == 0


@pytest.mark.parametrize("options", ["5", "null", "{", DEEP, '{"name": 5}', '{"unknown": 1}', '{"max_plies": []}'])
def test_damaged_rules_are_one_line(boardwright: Any, db: Path, options: str) -> None:
    damage(db, "UPDATE rule_sets SET options = ?", options)
    status, listed, complaint = boardwright("games-db", "list", "--db", db)
    assert (status, listed) == (0, "")
    assert [line.split(" cannot be read")[0] for line in complaint.splitlines()] == [
        f"boardwright: warning: left out: game {number} in {db}" for number in (1, 2)
    ]


@pytest.mark.parametrize(
    "config",
    ["5", "null", "{", DEEP, '{"players": 5}', '{"nets": []}', '{"conditions": 5}', '{"conditions": {"seconds": "x"}}',
     '{"conditions": {"seconds": [1]}}', '{"conditions": {"clock": 5}}', '{"conditions": {"clock": {"seconds": 1}}}',
     '{"conditions": {"max_plies": "x"}}'],
)  # fmt: skip
def test_damaged_event_is_a_warning_of_ratings(boardwright: Any, db: Path, config: str) -> None:
    damage(db, "UPDATE events SET config = ?", config)
    status, table, complaint = boardwright("ratings", "--db", db)
    assert (status, "random:seed=1" in table) == (0, True)
    assert "damaged events, whose conditions cannot be read: 1" in complaint
    damage(db, "PRAGMA user_version = 3")  # an older version, whose events are brought up to date
    assert boardwright("ratings", "--db", db)[:2] == (status, table)


def test_game_without_times_counts_in_its_match(boardwright: Any, db: Path) -> None:
    damage(db, "UPDATE games SET seconds = x'' WHERE id = 1")
    assert play(boardwright, db)[0] == 0


def test_control_characters_are_never_printed(boardwright: Any, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    escape = "\x1b]0;owned\x07\x1b[31m"
    damage(db, "UPDATE games SET reason = ?, stored = ?, tags = ?", escape, escape, json.dumps([["event", escape]]))
    damage(db, "UPDATE players SET spec = spec || ?, version = version || ?", escape, escape)
    damage(db, "INSERT INTO rule_sets (game, name, options) VALUES (?, ?, '{}')", escape, escape)
    monkeypatch.setattr("commands.Stream.isatty", lambda self: True)
    commands = (["games-db", "list"], ["games-db", "show", "1"], ["games-db", "export"], ["ratings"])
    outputs = [boardwright(*command, "--db", db) for command in commands]
    damage(db, "UPDATE games SET rule_set = (SELECT max(id) FROM rule_sets)")
    outputs += [boardwright(*command, "--db", db) for command in commands]
    for _, printed, complaint in outputs:
        assert all(line.isprintable() for line in complaint.splitlines())
        assert "\x07" not in printed + complaint
        assert "\x1b]" not in printed + complaint
        assert "\x1b[31m" not in printed + complaint


def test_text_that_is_not_utf_8_is_shown_with_replacements(boardwright: Any, db: Path) -> None:
    damage(db, "UPDATE games SET reason = CAST(x'ff41' AS TEXT) WHERE id = 1")
    status, listed, complaint = boardwright("games-db", "list", "--db", db)
    assert (status, complaint) == (0, "")
    assert "�A" in listed
    damage(db, "UPDATE players SET spec = CAST(x'ff41' AS TEXT) WHERE id = 1")
    for command in (["games-db", "list"], ["ratings"]):
        status, _, complaint = boardwright(*command, "--db", db)
        assert (status, len(complaint.splitlines())) == (2, 1)
        assert "games.db is damaged" in complaint


@pytest.mark.parametrize("command", [["games-db", "list"], ["ratings"]])
def test_schema_that_is_not_utf_8_is_one_line(boardwright: Any, db: Path, command: list[str]) -> None:
    damage(
        db,
        "UPDATE sqlite_schema SET sql = CAST(x'ff435245ff' AS TEXT), name = CAST(x'ff' AS TEXT) WHERE name = 'games'",
    )
    status, _, complaint = boardwright(*command, "--db", db)
    assert (status, len(complaint.splitlines())) == (2, 1)
    assert "games.db is damaged" in complaint


def test_negative_version_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with open_store(path, create=True):
        pass
    damage(path, "PRAGMA user_version = -7")
    damage(path, f"PRAGMA application_id = {APPLICATION}")
    with pytest.raises(BoardwrightError, match=r"games[.]db is damaged \(its version is -7\): restore a copy"):
        open_store(path, create=True)
