"""A player may be given by its old name, and is found by it in older files; output has the current name."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from planted_package import plant_ratings
from planted_run import plant_net, plant_run

from boardwright.agents.players import player_of
from boardwright.agents.specs import current_spec, original_spec, split
from boardwright.arena import ladder, ladder_file
from boardwright.arena.event import Conditions, Event
from boardwright.games import registry
from boardwright.games.declarations import LadderRow
from boardwright.records import live
from boardwright.records.events import add_match, event_of, find_match
from boardwright.records.files import read_results
from boardwright.records.store import open_store
from boardwright.web.play.live_game import NewGame

OLD, NEW = "zero:net=a,sims=4", "alphazero:net=a,sims=4"


@pytest.fixture
def net(tmp_path: Path) -> Path:
    run = plant_run(tmp_path / "run")
    plant_net(run, 1)
    return run / "nets" / "000001.net"


def write_old_names(db: Path) -> None:
    """Makes a database as an older version wrote it."""
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE players SET spec = substr(spec, 6) WHERE spec LIKE 'alphazero:%'")
        for number, text in connection.execute("SELECT id, config FROM events").fetchall():
            config = json.loads(text.replace('"alphazero:', '"zero:'))
            text = json.dumps(config, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            connection.execute("UPDATE events SET config = ? WHERE id = ?", [text, number])


def test_an_old_name_is_split_into_the_current_one() -> None:
    assert split(OLD) == split(NEW) == ("alphazero", {"net": "a", "sims": "4"})
    assert player_of("zero", registry.game("tablut")).name == "alphazero"
    assert (current_spec(OLD), current_spec(NEW), current_spec("zero")) == (NEW, NEW, "zero")
    assert (original_spec(NEW), original_spec(OLD), original_spec("mc:sims=4")) == (OLD, OLD, "mc:sims=4")


def test_a_stored_match_resumes_and_is_rated_as_one_player(boardwright: Any, net: Path, tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    match = ["match", "draughts", f"alphazero:net={net},sims=4", "random", "--max-plies", "20", "--db", db, "--json"]
    status, first, _ = boardwright(*match, "--games", "4")
    assert status == 0
    write_old_names(db)
    assert boardwright(*match, "--games", "4")[:2] == (0, first)
    match[2] = f"zero:net={net},sims=4"
    status, out, _ = boardwright(*match[:-1], "--games", "6")
    assert status == 0
    assert out.startswith(f"alphazero:net={net},sims=4 (A) against random (B)")
    with sqlite3.connect(db) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM games").fetchone() == (6,)
        assert connection.execute("SELECT count(*) FROM players").fetchone() == (3,)  # one by both names
    ratings = json.loads(boardwright("ratings", "--db", db, "--json")[1])["ratings"]
    new = f"alphazero:net={net},sims=4"
    assert sorted((row["name"], row["games"]) for row in ratings) == [(new, 6), ("random", 6)]
    for player in ("zero", "alphazero", match[2]):
        listed = json.loads(boardwright("games-db", "list", "--db", db, "--player", player, "--json")[1])
        assert len(listed["games"]) == 6
        assert {name for game in listed["games"] for name in game["players"].values()} == {new, "random"}


def test_pairs_of_a_ladder_stay_the_same_events() -> None:
    assert ladder.near_pairs([LadderRow(NEW), LadderRow("mc:sims=4"), LadderRow("random")], 2) == [
        ("mc:sims=4", NEW),  # alphabetical by the old name
        ("random", NEW),
        ("mc:sims=4", "random"),
    ]


def test_ratings_of_an_old_ladder_file_have_the_current_name(tmp_path: Path) -> None:
    path = plant_ratings(tmp_path, "tablut", "mcgill", {"random": 0.0, OLD: 100.0})
    assert [rating.name for rating in ladder_file.read(path).players if rating.elo] == [NEW]


def test_results_in_a_table_have_the_current_name() -> None:
    (met,) = read_results(f'first,second,result\n"{OLD}",zero,draw\n'.encode(), "a table")
    assert (met.first, met.second) == (NEW, "zero")


def test_stored_live_games_and_matches_get_current_names(tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    game = live.StoredLiveGame(
        id="a",
        game="tablut",
        rules="mcgill",
        start=None,
        actions=(),
        seconds=(),
        person=0,
        opponent=OLD,
        clock=None,
        created="2025-01-31T18:00:00Z",
    )
    with open_store(db, create=True) as store:
        live.save_live_game(store, game)
        assert [found.opponent for found in live.open_live_games(store, print)] == [NEW]
        event = Event(
            game="tablut",
            rules=registry.game("tablut", "mcgill").rules,
            players=(OLD, "random"),
            openings="start",
            seed=1,
            conditions=Conditions(),
            nets=((OLD, "1"),),
        )
        match = add_match(store, event, 2)
        write_old_names(db)
        found = find_match(store, match)
        assert found is not None
        assert event_of(found.config).players == (NEW, "random")
        assert found.config["nets"] == {NEW: "1"}


def test_old_names_in_app_messages_are_answered_with_new_ones() -> None:
    assert NewGame.model_validate({"game": "tablut", "opponent": OLD, "role": 0}).opponent == NEW
