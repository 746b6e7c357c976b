"""The file of games under fire: killed writers, two at once, full disks, files that are something else."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from played import finished_indices, random_played

from boardwright import database
from boardwright.errors import BoardwrightError
from boardwright.games.registry import game
from boardwright.records import store as store_module
from boardwright.records.events import begin_event
from boardwright.records.games import GameFilter, find_games, save_game
from boardwright.records.store import MIGRATIONS, open_store

HERE = Path(__file__).parent
WRITER = """
import sys
from pathlib import Path
from typing import Any
from played import finished_indices, random_played
from boardwright.games.registry import game
from boardwright.records.events import begin_event
from boardwright.records.games import save_game
from boardwright.records.store import open_store

path, games = Path(sys.argv[1]), int(sys.argv[2])
with open_store(path, create=True) as store:
    event = begin_event(store, {"test": "writer"})
    done = finished_indices(store, event)
    for index in range(games):
        if index not in done:
            print(index, save_game(store, random_played(game("draughts"), index, index), event), flush=True)
"""


def writer(path: Path, games: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(games)]
    return subprocess.Popen(command, cwd=HERE, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_whole(path: Path, games: int) -> None:
    with open_store(path, create=False) as store:
        assert store.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = [stored.played for stored in find_games(store, GameFilter())]
    assert sorted(played.index for played in found) == list(range(games))
    for played in found:
        assert played == random_played(game("draughts"), played.index, played.index)


def test_killed_writer_loses_only_unstored_games(tmp_path: Path) -> None:
    path, dice, games = tmp_path / "games.db", random.Random(3), 400
    for _ in range(6):
        process = writer(path, games)
        assert process.stdout is not None
        if not process.stdout.readline():  # all is done already: the machine was slow to kill
            break
        time.sleep(dice.uniform(0.0, 0.05))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        lines = [line.split() for line in output.splitlines()[1:]]  # the first may have lost its beginning to readline
        reported = [int(words[0]) for words in lines if words[1:] == ["True"]]
        with open_store(path, create=False) as store:
            assert set(reported) <= finished_indices(store, 1)
    assert writer(path, games).wait() == 0
    check_whole(path, games)


def test_concurrent_writers_store_every_game_once(tmp_path: Path) -> None:
    path, games = tmp_path / "games.db", 150
    processes = [writer(path, games) for _ in range(3)]
    stored = 0
    for process in processes:
        output, complaint = process.communicate(timeout=120)
        assert (process.returncode, complaint) == (0, "")
        stored += output.count("True")
    assert stored == games
    check_whole(path, games)


@pytest.mark.parametrize(
    "statement", ["PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_schema"]
)
def test_file_created_meanwhile_by_another_process_is_opened(
    statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, connect, filled = tmp_path / "games.db", sqlite3.connect, []

    def fill(next_statement: str) -> None:
        if next_statement == statement and not filled:
            filled.append(path)
            monkeypatch.undo()
            open_store(path, create=True).close()

    def connect_and_wait(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(fill)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_and_wait)
    open_store(path, create=True).close()
    assert filled


def test_database_has_the_documented_settings(tmp_path: Path) -> None:
    with open_store(tmp_path / "games.db", create=True) as store:
        answers = [
            store.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "user_version")
        ]
        assert answers == ["wal", len(MIGRATIONS)]
        assert store.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        with pytest.raises(sqlite3.IntegrityError):  # strict
            store.connection.execute("INSERT INTO players (spec, version) VALUES (?, ?)", [b"x", "1"])
    assert [path.name for path in tmp_path.iterdir()] == ["games.db"]


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with open_store(path, create=True) as store:
        store.connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(BoardwrightError, match=r"games[.]db was written by a newer version of boardwright"):
        open_store(path, create=True)


def test_older_version_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.db"
    with open_store(path, create=True) as store:
        save_game(store, random_played(game("tablut"), 1))
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, ("ALTER TABLE games ADD COLUMN novelty TEXT",)))
    for _ in range(2):
        with open_store(path, create=False) as store:
            assert store.connection.execute("SELECT novelty FROM games").fetchall() == [(None,)]
            assert len(list(find_games(store, GameFilter()))) == 1
    monkeypatch.setattr(store_module, "MIGRATIONS", (*store_module.MIGRATIONS, ("SELECT 1", "NO SQL")))
    with pytest.raises(BoardwrightError, match="syntax error"):
        open_store(path, create=False)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)


@pytest.mark.parametrize("data", [b"first,second,result\n" * 100, os.urandom(5000)])
def test_other_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "games.csv"
    path.write_bytes(data)
    with pytest.raises(BoardwrightError, match=r"games[.]csv is not a database of games"):
        open_store(path, create=True)
    assert path.read_bytes() == data


def test_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE photos (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(BoardwrightError, match="is a database, but not of games"):
        open_store(path, create=True)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "games.db").touch()
    with open_store(tmp_path / "games.db", create=False) as store:
        assert list(find_games(store, GameFilter())) == []


def test_invalid_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BoardwrightError, match="there is no file"):
        open_store(tmp_path / "none.db", create=False)
    with pytest.raises(BoardwrightError, match="there is no folder"):
        open_store(tmp_path / "none" / "games.db", create=True)
    for path in (tmp_path, Path("/dev/null")):
        with pytest.raises(BoardwrightError, match="not an ordinary file"):
            open_store(path, create=True)
    for path in (Path("a\0b"), Path("x" * 5000)):
        with pytest.raises(BoardwrightError, match="cannot open"):
            open_store(path, create=True)
    odd = tmp_path / os.fsdecode(b"odd \xff?#%41.db")
    with open_store(odd, create=True):
        assert odd.exists()


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with open_store(path, create=True) as store:
        for seed in range(60):
            save_game(store, random_played(game("tablut"), seed))
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(BoardwrightError, match=r"games[.]db is damaged"), open_store(path, create=False) as store:
        list(find_games(store, GameFilter()))


def test_read_only_file_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.db"
    with open_store(path, create=True) as store:
        save_game(store, random_played(game("tablut"), 1))
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # permissions do not bind the superuser
    with open_store(path, create=True) as store:
        assert len(list(find_games(store, GameFilter()))) == 1
        with pytest.raises(BoardwrightError, match="read-only"):
            save_game(store, random_played(game("tablut"), 2))
    with pytest.raises(BoardwrightError, match="its folder is read-only"):
        open_store(tmp_path / "other.db", create=True)


def test_full_database_keeps_its_games(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with open_store(path, create=True) as store:
        event = begin_event(store, {})
        store.connection.execute("PRAGMA max_page_count = 30")
        games = (random_played(game("draughts"), index, index) for index in range(1000))
        with pytest.raises(BoardwrightError, match="the disk is full"):
            all(save_game(store, one, event) for one in games)
        stored = len(finished_indices(store, event))
        store.connection.execute("PRAGMA max_page_count = 1000000")
        assert save_game(store, random_played(game("draughts"), stored, stored), event)
    check_whole(path, stored + 1)


def test_locked_database_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.db"
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.2)
    with open_store(path, create=True) as one, open_store(path, create=True) as other:
        with one.writing(), pytest.raises(BoardwrightError, match="keeps it locked"):
            save_game(other, random_played(game("tablut"), 1))
        assert save_game(other, random_played(game("tablut"), 1))


def test_an_error_in_a_transaction_undoes_it(tmp_path: Path) -> None:
    with open_store(tmp_path / "games.db", create=True) as store:

        def interrupted() -> None:
            with store.writing() as connection:
                connection.execute("INSERT INTO events (config) VALUES ('{}')")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert store.connection.execute("SELECT count(*) FROM events").fetchone() == (0,)
