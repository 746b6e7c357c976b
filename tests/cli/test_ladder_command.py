"""`boardwright ladder`: listing, measuring a small field, resuming after a kill, shipping."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from planted_package import plant_ratings, plant_shipped_net
from stored_events import events

from boardwright.arena import ladder, ladder_file
from boardwright.games.declarations import LadderRow
from boardwright.nets import shipped
from boardwright.records.games import GameFilter, find_games
from boardwright.records.store import open_store

SMALL = (
    LadderRow("random", "Anything"),
    LadderRow("greedy"),
    LadderRow("alphabeta:depth=1", "One ahead"),
    LadderRow("alphabeta:depth=2"),
)
MEASURED = ["ladder", "tablut", "--rules", "saami", "--apart", "2", "--games-per-pair", "4"]
# The program with the small field, even if its parent ignores Ctrl-C.
PROGRAM = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from boardwright.arena import ladder
from boardwright.games.declarations import LadderRow
from boardwright.cli.main import main
ladder.ROWS = {SMALL!r}
main()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder in the place of the one where ratings are that ship."""
    monkeypatch.setattr(ladder_file, "FOLDER", tmp_path / "ratings")
    return tmp_path / "ratings"


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, boardwright: Any) -> Any:
    """The command line with a small field."""
    monkeypatch.setattr(ladder, "ROWS", SMALL)
    return boardwright


def games_in(db: Path) -> dict[tuple[int | None, int], object]:
    """The records by event and index."""
    if not db.exists():
        return {}
    with open_store(db, create=False) as store:
        return {
            (stored.event, stored.played.index): (stored.played.players, stored.played.record)
            for stored in find_games(store, GameFilter())
        }


def test_unrated_ladder_is_listed(command: Any) -> None:
    status, out, err = command("ladder", "tablut")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [row.spec for row in reversed(SMALL)]
    assert lines[3].split() == ["greedy", "-", "-", "-", "-"]
    assert lines[4].split() == ["random", "-", "-", "-", "-", "Anything"]
    assert lines[-1] == "tablut tablutzero: not rated yet; measure it with --db FILE"
    report = json.loads(command("ladder", "draughts", "--json")[1])
    assert (report["game"], report["rules"], report["machine"], report["games"]) == ("draughts", "wcdf", None, None)
    assert [player["spec"] for player in report["players"]] == ["alphabeta:depth=2", "alphabeta:depth=1", "random"]


def test_shipped_ratings_are_listed_by_strength(command: Any, folder: Path) -> None:
    plant_ratings(
        folder, "tablut", "tablutzero", {"random": 0.0, "alphabeta:depth=1": 850.0, "greedy": 1200.0, "gone": 9.0}
    )
    lines = command("ladder", "tablut")[1].splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["greedy", "alphabeta:depth=2", "alphabeta:depth=1", "random"]
    assert lines[1].split()[1:] == ["1200", "60", "40", "100"]
    assert lines[5] == "tablut tablutzero: 100 games on a made-up machine, 2025-01-31; random is 0"
    assert "not rated" in command("ladder", "tablut", "--rules", "saami")[1]
    (folder / "tablut-tablutzero.json").write_text("{}")
    status, out, err = command("ladder", "tablut")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert "tablut-tablutzero.json: damaged" in err


def test_ladder_is_measured_and_shipped(command: Any, folder: Path, tmp_path: Path) -> None:
    db, page = tmp_path / "games.db", tmp_path / "ladder.md"
    options = [*MEASURED, "--db", db, "--workers", "2"]
    status, out, err = command(*options, "--ship", "two cores", "--out", page, "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert (report["rules"], report["machine"], report["games"]) == ("saami", "two cores", 20)
    assert {player["spec"]: player["games"] for player in report["players"]} == {
        "random": 8,
        "greedy": 12,
        "alphabeta:depth=1": 12,
        "alphabeta:depth=2": 8,
    }
    elo = {player["spec"]: player["elo"] for player in report["players"]}
    assert elo["random"] == 0.0
    assert elo["alphabeta:depth=2"] > elo["greedy"] > 0
    with open_store(db, create=False) as store:
        pairs = [event.config["players"] for event in events(store)]
    assert len(pairs) == 5
    assert ["alphabeta:depth=2", "random"] not in pairs  # three places apart
    assert [pair == sorted(pair) for pair in pairs] == [True] * 5

    listed = json.loads(command("ladder", "tablut", "--rules", "saami", "--json")[1])
    for player, shown in zip(report["players"], listed["players"], strict=True):
        assert shown == player
    again = tmp_path / "again.md"
    assert command("ladder", "tablut", "--rules", "saami", "--out", again)[0] == 0
    assert again.read_text() == page.read_text()
    lines = page.read_text().splitlines()
    assert lines[0] == "# Ratings: Tablut, `saami`"
    assert "`boardwright ladder tablut --rules saami --games-per-pair 4 --apart 2 --openings random:2" in lines[2]
    assert "on two cores, " in lines[2]
    table = [line.split(" | ") for line in lines if line.startswith("| ")]
    assert len(table) == 2 + 4
    assert table[-1][:3] == ["| 4", "`random`", "0"]
    assert table[-1][-1] == "Anything |"
    assert any(line.startswith("The first role (attackers) is worth ") for line in lines)


def test_new_player_plays_only_its_own_games(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = tmp_path / "games.db"
    assert command(*MEASURED, "--db", db)[0] == 0
    before = games_in(db)
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "data")
    plant_shipped_net(tmp_path / "data", "laps", "tablut", "saami", method="alphazero")
    monkeypatch.setattr(ladder, "ROWS", (*SMALL, LadderRow("net:net={net}", "Net {net}")))
    report = json.loads(command(*MEASURED, "--db", db, "--json")[1])
    assert report["games"] == 20 + 2 * 4
    after = games_in(db)
    assert {key: after[key] for key in before} == before
    (net,) = [player for player in report["players"] if player["label"] == "Net laps"]
    assert (net["spec"], net["games"]) == ("net:net=laps", 8)
    outsiders = [player["spec"] for player in report["players"] if player["games"] is None]
    assert outsiders == []


def test_all_games_of_ladder_players_under_these_rules_count(command: Any, tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    for rules, players in (
        ("saami", ("greedy", "random")),
        ("tablutzero", ("greedy", "random")),
        ("saami", ("mc", "greedy")),
    ):
        match = ["match", "tablut", *players, "--rules", rules, "--games", "2", "--db", db, "--seed", "9"]
        assert command(*match, "--time", "1ms")[0] == 0
    report = json.loads(command(*MEASURED, "--db", db, "--json")[1])
    assert report["games"] == 20 + 2
    assert "mc" not in {player["spec"] for player in report["players"]}


def started(db: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, *MEASURED, "--db", str(db), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for_games(db: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(games_in(db)) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(games_in(db)) >= count


def test_ladder_is_complete_after_kill_and_interrupt(command: Any, tmp_path: Path) -> None:
    db, whole, many = tmp_path / "killed.db", tmp_path / "whole.db", ("--games-per-pair", "120")
    process = started(db, *many)
    wait_for_games(db, 5)
    process.kill()
    process.communicate()
    killed = len(games_in(db))
    process = started(db, *many)
    wait_for_games(db, killed + 5)
    os.killpg(process.pid, signal.SIGINT)
    output, complaint = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert complaint.strip().endswith(f"stored in {db}: rerun the same command to resume")
    assert killed < len(games_in(db)) < 600
    first = command(*MEASURED, *many, "--db", db, "--json")
    second = command(*MEASURED, *many, "--db", whole, "--json", "--workers", "2")
    assert first == second
    assert first[0] == 0
    assert games_in(db) == games_in(whole)
    assert len(games_in(db)) == 600


BAD = {
    "unknown rules": (["ladder", "tablut", "--rules", "samii"], "did you mean 'saami'?"),
    "unknown game": (["ladder", "chess"], "unknown game 'chess'"),
    "nothing to ship": (["ladder", "tablut", "--ship", "here"], "--db FILE"),
    "nothing to write": (["ladder", "tablut", "--out", "page.md"], "--db FILE"),
    "odd number of games": ([*MEASURED[:-1], "5", "--db", "{db}"], "--games-per-pair 5: give an even number"),
    "no pairs": ([*MEASURED, "--apart", "0", "--db", "{db}"], "--apart must be from 1"),
    "no machine": ([*MEASURED, "--db", "{db}", "--ship", " "], "--ship: name the machine"),
    "custom rules": (["ladder", "tablut", "--rules", "{toml}", "--db", "{db}", "--ship", "here"], "does not ship"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_input_gives_a_one_line_error_before_any_game(
    case: tuple[list[str], str], command: Any, tmp_path: Path
) -> None:
    (tmp_path / "own.toml").write_text('base = "tablutzero"\nname = "tablutzero"\nmax_plies = 60\n')
    places = {"db": tmp_path / "games.db", "toml": tmp_path / "own.toml"}
    arguments, complaint = case
    status, out, err = command(*(argument.format(**places) for argument in arguments))
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err
    assert not places["db"].exists()
