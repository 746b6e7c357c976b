"""A player that uses a net is known by its spec and what is in the net's file: another net is another player."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from planted_package import plant_shipped_net
from planted_run import plant_net, plant_run
from stored_events import events

from boardwright.arena import ladder
from boardwright.cli import match
from boardwright.errors import BoardwrightError
from boardwright.games.declarations import LadderRow
from boardwright.nets import shipped
from boardwright.records.games import GameFilter, find_games
from boardwright.records.store import open_store


@pytest.fixture
def nets(tmp_path: Path) -> tuple[Path, Path]:
    """Two nets of draughts."""
    run = plant_run(tmp_path / "run")
    for iteration in (1, 2):
        plant_net(run, iteration)
    return run / "nets" / "000001.net", run / "nets" / "000002.net"


@pytest.fixture
def match_command(tmp_path: Path, nets: tuple[Path, Path]) -> list[str]:
    """A match of a net whose file is `my.net`, at first the first of the two."""
    shutil.copy(nets[0], tmp_path / "my.net")
    spec = f"alphazero:net={tmp_path}/my.net,sims=4"
    return ["match", "draughts", spec, "random", "--max-plies", "30", "--db", f"{tmp_path}/games.db"]


def counts(db: Path) -> list[int]:
    """Games by event."""
    with open_store(db, create=False) as store:
        return [event.games for event in events(store)]


def test_changed_net_plays_its_own_games(
    boardwright: Any, match_command: list[str], nets: tuple[Path, Path], tmp_path: Path
) -> None:
    db, mine = tmp_path / "games.db", tmp_path / "my.net"
    first = boardwright(*match_command, "--games", "4", "--json")
    assert (first[0], first[2], counts(db)) == (0, "", [4])
    shutil.copy(nets[1], mine)
    assert boardwright(*match_command, "--games", "2")[0] == 0
    assert boardwright(*match_command, "--games", "6", "--workers", "2")[0] == 0
    assert counts(db) == [4, 6]
    shutil.copy(nets[0], mine)  # the first again, and so its games
    assert boardwright(*match_command, "--games", "4", "--json") == first
    assert counts(db) == [4, 6]
    with open_store(db, create=False) as store:
        versions = {version for game in find_games(store, GameFilter()) for version in game.versions}
    assert len(versions) == 3  # of each net, and of random

    rated = json.loads(boardwright("ratings", "--db", db, "--json")[1])
    (warning,) = [text for text in rated["warnings"] if "net" in text]
    assert warning.startswith("different nets with one name are rated as one player")
    assert f": alphazero:net={mine},sims=4 (" in warning
    assert all(version.split()[-1] in warning for version in versions if "net" in version)
    assert not any("several versions" in text for text in rated["warnings"])


def test_tournament_with_a_changed_net_starts_over(
    boardwright: Any, match_command: list[str], nets: tuple[Path, Path], tmp_path: Path
) -> None:
    db = tmp_path / "games.db"
    command = ["tournament", "draughts", match_command[2], "random", "first-legal", "--games-per-pair", "2", "--db", db]
    for net, expected in ((nets[0], [6]), (nets[1], [6, 6])):
        shutil.copy(net, tmp_path / "my.net")
        assert boardwright(*command, "--max-plies", "20")[0] == 0
        assert counts(db) == expected


def test_net_that_changes_during_a_match_stops_it(
    nets: tuple[Path, Path], match_command: list[str], tmp_path: Path
) -> None:
    for workers in (1, 2):
        shutil.copy(nets[0], tmp_path / "my.net")
        db = tmp_path / f"{workers}.db"
        options = match.Options(game="draughts", a=match_command[2], b="random", db=db, max_plies=30, workers=workers)
        games = options.play([options.event((match_command[2], "random"))], 40)
        next(games)
        shutil.copy(nets[1], tmp_path / "my.net")
        with pytest.raises(BoardwrightError, match=r"my\.net,sims=4': its net changed") as refused:
            list(games)
        assert "finished games are kept" in str(refused.value)
        with open_store(db, create=False) as store:
            assert len({game.versions[game.played.index % 2] for game in find_games(store, GameFilter())}) == 1


def test_databases_without_net_checksums_resume(boardwright: Any, match_command: list[str], tmp_path: Path) -> None:
    """An old event without nets is unchanged; where a net plays, its games are those of an unknown net."""
    db = tmp_path / "games.db"
    plain = [*match_command[:2], "random", "first-legal", *match_command[4:]]
    assert boardwright(*plain, "--games", "2")[0] == 0
    assert boardwright(*match_command, "--games", "2")[0] == 0
    with open_store(db, create=False) as store:
        of_random, of_net = (dict(event.config) for event in events(store))
    keys = {"game", "rules", "players", "openings", "seed", "conditions", "gauntlet"}
    assert (set(of_random), set(of_net)) == (keys, keys | {"nets"})
    del of_net["nets"]
    with sqlite3.connect(db) as connection:  # as an earlier version wrote it
        text = json.dumps(of_net, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        connection.execute("UPDATE events SET config = ? WHERE id = 2", [text])
        connection.execute("UPDATE players SET version = '0.1.0' WHERE spec LIKE 'alphazero%'")
    assert boardwright(*plain, "--games", "4")[0] == 0
    assert boardwright(*match_command, "--games", "4")[0] == 0
    assert counts(db) == [4, 2, 4]
    warnings = json.loads(boardwright("ratings", "--db", db, "--json")[1])["warnings"]
    assert any("sims=4 (unknown, " in warning for warning in warnings)


def test_ladder_counts_games_of_the_current_nets_only(
    boardwright: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "data")
    monkeypatch.setattr(ladder, "ROWS", (LadderRow("random"), LadderRow("first-legal"), LadderRow("net:net={net}")))
    db = tmp_path / "games.db"
    command = ["ladder", "tablut", "--rules", "saami", "--games-per-pair", "4", "--max-plies", "30", "--db", db]
    plant_shipped_net(tmp_path / "data", "laps", "tablut", "saami", method="alphazero")
    before = json.loads(boardwright(*command, "--json")[1])
    assert (before["games"], len(before["warnings"])) == (12, 1)
    assert "no game was decided" in before["warnings"][0]
    plant_shipped_net(tmp_path / "data", "laps", "tablut", "saami", method="reshipped")
    after = json.loads(boardwright(*command, "--json")[1])
    assert counts(db) == [4] * 5  # two pairs with the net, both twice
    assert {player["spec"]: player["games"] for player in after["players"]} == {
        "random": 8,
        "first-legal": 8,
        "net:net=laps": 8,
    }
    assert after["warnings"] == [*before["warnings"], "8 games of other nets with the same names are ignored"]
