"""The commands `ratings` and `games-db`, as a user meets them."""

import json
import sqlite3
from pathlib import Path

import pytest
from commands import as_json, boardwright, refused

from boardwright.arena.event import PlayedGame
from boardwright.games.draughts import gamefile
from boardwright.games.record import GameRecord
from boardwright.games.registry import game
from boardwright.records.games import save_game
from boardwright.records.store import open_store

FIXTURE = json.loads((Path(__file__).parent.parent / "stats" / "bayeselo.json").read_text())
PDN = """
[Black "Ana"]
[White "Berg"]

1. 11-15 23-19 2. 8-11 22-17 3. 4-8 1-0

[Black "Berg"]
[White "Ana"]

1. 11-16 22-18 1/2-1/2

[Black "Ana"]
[White "Clara"]

1. 11-15 21-17 2. 12-16 23-19 3. 16x23 27x11 *
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text("first,second,result\n" + "".join(",".join(row) + "\n" for row in FIXTURE["games"]))
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "club.pdn").write_text(PDN)
    done = boardwright(
        "games-db", "import", str(tmp_path / "club.pdn"), "--game", "draughts", "--db", f"{tmp_path}/g.db"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "stored 3 games" in done.stdout
    return tmp_path / "g.db"


def test_ratings_of_a_table(table: Path) -> None:
    answer = as_json("ratings", "--csv", str(table))
    assert list(answer) == ["advantage", "draw", "ratings"]
    assert answer["advantage"] == pytest.approx(FIXTURE["expected"]["first_mover_advantage"], abs=0.5)
    assert [list(row) for row in answer["ratings"]] == [["name", "elo", "plus", "minus", "games"]] * 8
    for row in answer["ratings"]:
        assert row["elo"] == pytest.approx(FIXTURE["expected"]["ratings"][row["name"]]["elo"], abs=1.0)
    printed = boardwright("ratings", "--csv", str(table)).stdout.splitlines()
    assert printed[1].split()[:5] == ["p1", "479.8", "109", "84", "135"]
    assert printed[-1].startswith("advantage of first: 38.3 Elo; draw parameter: 89.7")


def test_ratings_with_fixed_parameters(table: Path, database: Path) -> None:
    fitted = as_json("ratings", "--csv", str(table))
    fixed = as_json("ratings", "--csv", str(table), "--fixed-parameters")
    assert (fixed["advantage"], fixed["draw"]) == pytest.approx((32.8, 97.3))
    assert [row["name"] for row in fixed["ratings"]] == [row["name"] for row in fitted["ratings"]]
    assert fixed["ratings"][0]["elo"] != pytest.approx(fitted["ratings"][0]["elo"], abs=0.5)
    printed = boardwright("ratings", "--csv", str(table), "--fixed-parameters").stdout.splitlines()
    assert printed[-1] == "advantage of first: 32.8 Elo; draw parameter: 97.3 Elo (both fixed)"
    assert as_json("ratings", "--db", str(database), "--fixed-parameters")["draw"] == pytest.approx(97.3)
    complaint = "--by-role fits the advantage: it cannot be combined with --fixed-parameters"
    assert complaint in refused("ratings", "--csv", str(table), "--fixed-parameters", "--by-role")


def test_ratings_by_role(table: Path) -> None:
    rows = as_json("ratings", "--csv", str(table), "--by-role")["ratings"]
    assert len(rows) == 16
    assert {row["name"] for row in rows} >= {"p1 as first", "p1 as second"}
    rows = as_json("ratings", "--csv", str(table), "--by-role", "--game", "tablut")["ratings"]
    assert {row["name"] for row in rows} >= {"p1 as attackers", "p1 as defenders"}


def test_ratings_that_cannot_be_compared(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("first,second,result\na,b,first\nb,a,first\nc,d,draw\n")
    done = boardwright("ratings", "--csv", str(path))
    assert done.returncode == 0
    assert "warning: 2 groups never met" in done.stderr
    assert "2 groups never met" in as_json("ratings", "--csv", str(path))["warnings"][0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no column 'first'"),
        ("a,b,c\n1,2,3\n", "the first line must be first,second,result"),
        ("first,second,result\n", "there are no games to rate"),
        ("first,second,result\na,b,1-0\n", "line 2: result '1-0' is not first, second or draw"),
        ("first,second,result\na,b,first\n,b,first\n", "line 3: a player has no name"),
        ("first,second,result\na,b\n", "line 2: result ''"),
        ('first,second,result\na,"b,first\n', "unexpected end of data"),
        ("first,second,result\na,\x1b[31m,first\n", "line 2: a player's name has unprintable characters"),
        ("fïrst", "UTF-8"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(text.encode("latin-1"))
    assert complaint in refused("ratings", "--csv", str(path))


def test_contradictory_rating_options_are_refused(table: Path, database: Path) -> None:
    assert "either --db FILE or --csv FILE" in refused("ratings")
    assert "either --db FILE or --csv FILE" in refused("ratings", "--csv", str(table), "--db", str(database))
    assert "there is no file" in refused("ratings", "--db", "none.db", "--game", "tablut")
    assert "No such file" in refused("ratings", "--csv", "none.csv")
    assert "not an ordinary file" in refused("ratings", "--csv", "/dev/zero")
    assert "is not a database of games" in refused("ratings", "--db", str(table))
    assert "unknown game 'chess'" in refused("ratings", "--db", str(database), "--game", "chess")
    assert "no finished games of tablut" in refused("ratings", "--db", str(database), "--game", "tablut")
    assert "known: wcdf" in refused("ratings", "--db", str(database), "--game", "draughts", "--rules", "paper")
    assert "--rules needs --db" in refused("ratings", "--csv", str(table), "--rules", "wcdf")


def test_ratings_of_a_database(database: Path) -> None:
    answer = as_json("ratings", "--db", str(database), "--game", "draughts")
    assert [(row["name"], row["games"]) for row in answer["ratings"]] == [("Ana", 2), ("Berg", 2)]
    assert answer == as_json("ratings", "--db", str(database), "--rules", "wcdf")
    with open_store(database, create=False) as store:
        (record,) = gamefile.read('[Rules "paper"]\n\n1. 11-15 23-19 1-0')
        save_game(store, PlayedGame(record=record, players=("Ana", "Berg")))
        save_game(store, PlayedGame(record=record, players=("Ana", "Berg")), version="0.0.1")
    mixed, versions = as_json("ratings", "--db", str(database), "--game", "draughts")["warnings"]
    assert "2 rule sets" in mixed
    assert "several boardwright versions are rated together: 0.0.1" in versions


def test_games_are_listed(database: Path) -> None:
    listed = boardwright("games-db", "list", "--db", str(database)).stdout.splitlines()
    assert len(listed) == 3
    assert "draughts wcdf  Ana - Berg  black won" in listed[0]
    rows = as_json("games-db", "list", "--db", str(database))["games"]
    assert [row["result"] for row in rows] == ["first", "draw", "unfinished"]
    assert rows[1]["players"] == {"black": "Berg", "white": "Ana"}
    for filters, ids in (
        (["--player", "Clara"], [3]),
        (["--result", "draw"], [2]),
        (["--limit", "2"], [2, 3]),
        (["--game", "tablut"], []),
        (["--event", "1", "--rules", "wcdf"], [1, 2, 3]),
    ):
        rows = as_json("games-db", "list", "--db", str(database), *filters)["games"]
        assert [row["id"] for row in rows] == ids


def test_a_game_is_shown(database: Path) -> None:
    shown = boardwright("games-db", "show", "3", "--db", str(database)).stdout
    assert "black: Ana" in shown
    assert "  11-15  21-17  12-16  23-19  16x23  27x11\n" in shown
    assert "not finished" in shown
    answer = as_json("games-db", "show", "3", "--db", str(database))
    assert answer["moves"] == ["11-15", "21-17", "12-16", "23-19", "16x23", "27x11"]
    assert game("draughts").play_all(answer["actions"]).text == answer["position"]


def test_games_are_exported(database: Path, tmp_path: Path) -> None:
    text = boardwright("games-db", "export", "--db", str(database)).stdout
    assert [record.tags["black"] for record in gamefile.read(text)] == ["Ana", "Berg", "Ana"]
    out = tmp_path / "out.pdn"
    done = boardwright("games-db", "export", "--db", str(database), "--result", "draw", "--out", str(out))
    assert done.stdout == f"wrote {out}\n"
    assert len(gamefile.read(out.read_text())) == 1


def test_importing_again_stores_nothing(database: Path, tmp_path: Path) -> None:
    again = as_json("games-db", "import", f"{tmp_path}/club.pdn", "--game", "draughts", "--db", str(database))
    assert again == {"stored": 0, "known": 3, "errors": []}
    (tmp_path / "part.pdn").write_text("1. 11-15 *\n\n1. 11-99 *\n")
    done = boardwright("games-db", "import", f"{tmp_path}/part.pdn", "--game", "draughts", "--db", str(database))
    assert "stored 1 games" in done.stdout
    assert "warning: not stored: line 3" in done.stderr


def test_bad_requests_are_refused_in_one_line(database: Path, tmp_path: Path) -> None:
    db = str(database)
    assert "has no game 99" in refused("games-db", "show", "99", "--db", db)
    assert "from 1 to" in refused("games-db", "show", "0", "--db", db)
    assert "did you mean 'draw'" in refused("games-db", "list", "--db", db, "--result", "drawn")
    assert "--limit must be" in refused("games-db", "list", "--db", db, "--limit", "0")
    assert "unknown game" in refused("games-db", "list", "--db", db, "--game", "go")
    assert "nothing to export" in refused("games-db", "export", "--db", db, "--player", "Nobody")
    assert "Is a directory" in refused("games-db", "export", "--db", db, "--out", str(tmp_path))
    assert "there is no file" in refused("games-db", "list", "--db", str(tmp_path / "none.db"))
    (tmp_path / "empty.pdn").touch()
    to_db = ("--game", "draughts", "--db", db)
    assert "contains no games" in refused("games-db", "import", str(tmp_path / "empty.pdn"), *to_db)
    assert "No such file" in refused("games-db", "import", str(tmp_path / "none.pdn"), *to_db)
    assert "not an ordinary file" in refused("games-db", "import", "/dev/zero", *to_db)
    (tmp_path / "bad.pdn").write_text("1. 11-99 *")
    assert "cannot be imported: line 1" in refused("games-db", "import", str(tmp_path / "bad.pdn"), *to_db)
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA user_version = 1000")
    assert "newer version" in refused("games-db", "list", "--db", db)


def test_unnamed_players_are_not_rated_as_one(database: Path, tmp_path: Path) -> None:
    before = json.loads(boardwright("ratings", "--db", str(database), "--json").stdout)
    (tmp_path / "nameless.pdn").write_text('1. 11-15 1-0\n\n[White "Ana"]\n1. 11-15 0-1\n')
    boardwright("games-db", "import", f"{tmp_path}/nameless.pdn", "--game", "draughts", "--db", str(database))
    after = json.loads(boardwright("ratings", "--db", str(database), "--json").stdout)
    assert after["ratings"] == before["ratings"]
    assert "2 games of players without a name are left out" in after["warnings"]


def test_different_rules_with_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text('name = "tablutzero"\nmax_plies = 4\n')
    for rules in ("tablutzero", str(tmp_path / "short.toml")):
        match = ("match", "tablut", "random", "first-legal", "--games", "2", "--max-plies", "4", "--rules", rules)
        assert boardwright(*match, "--db", f"{tmp_path}/games.db").returncode == 0
    warned = json.loads(
        boardwright("ratings", "--db", f"{tmp_path}/games.db", "--rules", "tablutzero", "--json").stdout
    )
    (report,) = (warning for warning in warned["warnings"] if "rule sets" in warning)
    assert "some have the same name: keep their games in files of their own" in report


def test_several_games_in_one_file(database: Path, tmp_path: Path) -> None:
    with open_store(database, create=False) as store:
        record = GameRecord.of(game("tablut").start().play("d9-d6"))
        save_game(store, PlayedGame(record=record, players=("a", "b")))
    db = str(database)
    assert "choose with --game one of draughts, tablut" in refused("games-db", "export", "--db", db)
    assert "choose with --game one of draughts, tablut" in refused("ratings", "--db", db)
    assert "[attackers:a]" in boardwright("games-db", "export", "--db", db, "--game", "tablut").stdout
    assert "d9-d6" in boardwright("games-db", "show", "4", "--db", db).stdout


def test_games_under_several_conditions_are_reported(tmp_path: Path) -> None:
    db = str(tmp_path / "games.db")

    def report(*match: str) -> list[str]:
        assert boardwright("match", "draughts", *match, "--games", "2", "--db", db).returncode == 0
        warnings = json.loads(boardwright("ratings", "--db", db, "--json").stdout).get("warnings", [])
        return [warning for warning in warnings if "times per move" in warning or "conditions" in warning]

    assert report("mc", "random", "--time", "5ms") == []
    assert report("mc", "random", "--time", "5ms", "--seed", "1") == []
    assert report("mc:sims=2", "random", "--time", "7ms") == []  # who do not heed it
    (times,) = report("mc", "random", "--time", "10ms")
    assert times.startswith("one spec with different times per move is rated as one player")
    assert times.endswith(": mc (5ms, 10ms)")
    several = report("mc", "random", "--time", "10ms", "--max-plies", "20")
    assert several[0] == times
    assert several[1].startswith("games under 2 conditions are rated together")
    assert several[1].endswith(": the rules alone; drawn after 20 plies")
    (_, more) = report("mc", "random", "--time", "5ms", "--clock", "60s+500ms", "--max-plies", "20", "--adjudicate")
    assert more.endswith("; a clock of 60s+500ms, drawn after 20 plies, ended by endgame tables")
    assert more.startswith("games under 3 conditions")
    assert report("mc", "first-legal", "--max-plies", "4")[0].endswith(": mc (5ms, 10ms, its own)")


def test_database_is_not_overwritten_by_text(database: Path, tmp_path: Path) -> None:
    db, before = str(database), database.read_bytes()
    (tmp_path / "link.pdn").symlink_to(database)
    for named, arguments in (
        (db, ["games-db", "export", "--db", db, "--out"]),
        (f"{tmp_path}/link.pdn", ["games-db", "export", "--db", db, "--out"]),
        (db, ["show", "tablut", "--svg"]),
        (db, ["ladder", "draughts", "--out"]),
        (db, ["ladder", "draughts", "--games-per-pair", "2", "--db", f"{tmp_path}/new.db", "--out"]),
    ):
        complaint = refused(*arguments, named)
        assert f"cannot write {named}: it is a database: name another file" in complaint
    assert database.read_bytes() == before
    assert not (tmp_path / "new.db").exists()  # said before any game
