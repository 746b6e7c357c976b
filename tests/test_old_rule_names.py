"""Former names of rule sets work wherever a person or an older file brings them."""

import dataclasses
import json
import sqlite3
from pathlib import Path

import pytest
from stored_events import events

import boardwright
from boardwright.arena.event import Conditions, Event, PlayedGame
from boardwright.games.record import GameRecord
from boardwright.games.registry import current_rule_name, game_class, game_names
from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.run import config_file
from boardwright.nets import netfile, shipped
from boardwright.records.events import begin_event
from boardwright.records.games import GameFilter, encounters, find_games, rule_set_names, save_game
from boardwright.records.live import StoredLiveGame, find_live_game, save_live_game
from boardwright.records.mixtures import comparability_warnings
from boardwright.records.store import MIGRATIONS, open_store
from boardwright.web.players.specs import bound_game
from boardwright.web.training.runs import find_runs

GAME = boardwright.game("tablut", "tablutzero")
OLD = [(game, old, new) for game in game_names() for old, new in game_class(game).old_rule_names.items()]


@pytest.mark.parametrize(("game", "old", "new"), OLD)
def test_old_name_means_the_shipped_rule_set(game: str, old: str, new: str) -> None:
    shipped_rules = boardwright.game(game, new).rules
    assert old not in game_class(game).rule_sets()
    assert boardwright.game(game, old).rules == shipped_rules
    assert current_rule_name(game, old) == current_rule_name(None, old) == new
    stored = json.loads(json.dumps({**dataclasses.asdict(shipped_rules), "name": old}))
    assert boardwright.game(game, stored).rules == shipped_rules


def test_rule_files_may_start_from_an_old_name(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text('base = "zero"\nmax_quiet_plies = 200\n')
    made = boardwright.game("tablut", path).rules
    assert (made.name, made.max_quiet_plies, made.escape) == ("long", 200, "corner")
    assert boardwright.game("tablut", {"base": "zero-code"}).rules.name == "tablutzero-code-variant"


def test_other_rules_under_an_old_name_keep_it() -> None:
    own = boardwright.game("tablut", {"base": "tablutzero", "name": "zero", "max_plies": 77}).rules
    assert (own.name, own.max_plies) == ("zero", 77)


def test_nets_with_an_old_rule_name() -> None:
    path = shipped.find("tablut")
    assert netfile._read(path)[0]["rules"]["name"] == "zero"
    net = netfile.read(path, game=GAME)
    assert net.rules["name"] == "tablutzero"
    assert netfile.game_of(net).rules == GAME.rules


def test_game_files_and_rule_records_with_an_old_name() -> None:
    record = GameRecord.of(GAME.start().play("e2-g2"))
    text = type(GAME).write_games([record])
    assert "name:tablutzero" in text
    assert "boardwright-rules:tablutzero" in text
    old = text.replace("name:tablutzero", "name:zero").replace("boardwright-rules:tablutzero", "boardwright-rules:zero")
    (read,), errors = type(GAME).read_games(old)
    assert not errors
    assert read.rules == GAME.rules


def test_run_configs_with_an_old_name_resume(tmp_path: Path) -> None:
    config = PRESETS["tablut-paper"]
    assert config.rules == "tablutzero"
    config_file.write(tmp_path, "alphazero", config)
    path = tmp_path / config_file.NAME
    path.write_text(path.read_text().replace('"tablutzero"', '"zero"'))
    assert '"rules": "zero"' in path.read_text()
    config_file.check(tmp_path, "alphazero", config)
    config_file.check(tmp_path, "alphazero", dataclasses.replace(config, rules="zero"))
    assert config_file.load(tmp_path, "alphazero", "tablut", type(config)) == config


def plant_old_database(path: Path) -> None:
    """A database of the version before the rename: a game of an event, one of custom rules, and a live game."""
    event = Event(
        game="tablut",
        rules=GAME.rules,
        players=("random", "greedy"),
        openings="random:2",
        seed=1,
        conditions=Conditions(),
    )
    with open_store(path, create=True) as store:
        number = begin_event(store, event.config())
        played = PlayedGame(
            record=dataclasses.replace(GameRecord.of(GAME.start().play("e2-g2")), result=0, reason="king captured"),
            players=("random", "greedy"),
            opening=0,
            seconds=(),
            forfeited_by=None,
            index=0,
        )
        save_game(store, played, number)
        live = StoredLiveGame(
            id="a",
            game="tablut",
            rules="tablutzero",
            start=None,
            actions=(),
            seconds=(),
            person=0,
            opponent="random",
            clock=None,
            created="2025-01-31T18:00:00Z",
        )
        save_live_game(store, live)
    with sqlite3.connect(path) as connection:
        for table, column in (("rule_sets", "options"), ("rule_sets", "name"), ("events", "config")):
            connection.execute(f"UPDATE {table} SET {column} = replace({column}, 'tablutzero', 'zero')")
        connection.execute("UPDATE live_games SET rules = 'zero'")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) - 1}")
    connection.close()


def test_databases_with_an_old_name(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    plant_old_database(path)
    with open_store(path, create=False) as store:
        (stored,) = find_games(store, GameFilter(game="tablut", rules="zero"))
        assert list(find_games(store, GameFilter(rules="tablutzero"))) == [stored]
        assert stored.played.record.rules == GAME.rules
        assert rule_set_names(store, "tablut") == ["tablutzero"]
        assert len(encounters(store, "tablut", "zero")) == len(encounters(store, "tablut", "tablutzero")) == 1
        assert comparability_warnings(store, "tablut", "zero") == []
        (event,) = events(store)
        assert event.config["rules"]["name"] == "tablutzero"
        assert begin_event(store, event.config) == event.id
        live = find_live_game(store, "a")
        assert live is not None
        assert live.rules == "tablutzero"


def test_matches_of_an_old_database_resume(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    plant_old_database(path)
    event = Event(
        game="tablut",
        rules=boardwright.game("tablut", "zero").rules,
        players=("random", "greedy"),
        openings="random:2",
        seed=1,
        conditions=Conditions(),
    )
    with open_store(path, create=False) as store:
        assert begin_event(store, event.config()) == 1


def test_app_addresses_with_an_old_name() -> None:
    assert bound_game("tablut", "zero").rules == GAME.rules


def test_runs_in_the_app_with_an_old_name(tmp_path: Path) -> None:
    config_file.write(tmp_path, "alphazero", PRESETS["tablut-paper"])
    path = tmp_path / config_file.NAME
    path.write_text(path.read_text().replace('"tablutzero"', '"zero"'))
    (run,) = find_runs(tmp_path)
    assert run.rules == "tablutzero"


def test_balance_files_with_an_old_name(tmp_path: Path) -> None:
    from boardwright.learn.run.method import RunObserver
    from boardwright.papers.tablutzero.runs import Work, play_balance

    work = Work(folder=tmp_path, runs=tmp_path / "runs", train=frozenset())
    work.matches.mkdir()
    asked = {
        "game": "tablut",
        "rules": ["zero"],
        "openings": [0, 2, 4, 8],
        "games": 1000,
        "simulations": 128,
        "seed": 0,
    }
    counts = {"wins": [1, 0], "draws": 0, "plies": 3, "squared_plies": 9, "openings": 1}
    line = {"rules": "zero", "is_own": True, "plies": 0, "counts": counts}
    played = {"run": "fast", "iteration": 50, "lines": [line]}
    (work.matches / "balance-zero.json").write_text(json.dumps({"told": asked, "nets": [1], "played": played}))
    found = play_balance(work, RunObserver())
    assert found is not None
    assert [line.rules for line in found.lines] == ["tablutzero"]


def test_seeds_of_balance_games_do_not_change_with_the_name() -> None:
    from boardwright.arena.balance_games import _first_name

    assert _first_name(GAME) == "zero"
    assert _first_name(boardwright.game("tablut", "mcgill")) == "mcgill"
