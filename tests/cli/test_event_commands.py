"""Matches, tournaments and SPRT tests from the command line: killed, interrupted and resumed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import as_json, boardwright
from sizes import size
from stored_events import events

from boardwright.cli import sprt
from boardwright.records.games import GameFilter, find_games
from boardwright.records.store import open_store

KILLS = size(3, full=20)
PROGRAM = str(Path(sys.executable).parent / "boardwright")
# A shell that runs the tests in the background has them ignore Ctrl-C; the program must not inherit that.
LISTENING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


def test_a_match_of_a_player_against_itself_is_even() -> None:
    result = as_json("match", "draughts", "random", "random", "--games", "600", "--seed", "3")
    assert list(result) == ["games", "wins", "draws", "losses", "score", "low", "high", "by_role", "forfeits"]
    assert result["games"] == result["wins"] + result["draws"] + result["losses"] == 600
    assert result["low"] < 0.5 < result["high"]
    assert abs(result["score"] - 0.5) < 3 * 0.5 / 600**0.5
    assert list(result["by_role"]) == ["black", "white"]
    for side in result["by_role"].values():
        assert list(side) == ["games", "wins", "draws", "losses", "mean_plies"]
        assert side["games"] == 300 == side["wins"] + side["draws"] + side["losses"]
        assert 20 < side["mean_plies"] < 120
    assert sum(side["wins"] for side in result["by_role"].values()) == result["wins"]
    assert result == as_json("match", "draughts", "random", "random", "--games", "600", "--seed", "3")


def test_results_are_from_the_side_of_a() -> None:
    strong = as_json("match", "draughts", "mc:sims=40", "first-legal", "--games", "10", "--workers", "2")
    weak = as_json("match", "draughts", "first-legal", "mc:sims=40", "--games", "10", "--openings", "ballots")
    assert strong["wins"] >= 8
    assert weak["losses"] >= 8
    assert strong["score"] > 0.8 > 0.2 > weak["score"]
    for side in weak["by_role"].values():
        assert side["losses"] >= 3
    start = as_json("match", "tablut", "first-legal", "first-legal", "--games", "2", "--openings", "start")
    assert list(start["by_role"]) == ["attackers", "defenders"]
    assert start["score"] == 0.5  # the same game twice, once from each side


def test_the_table_of_a_match(tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("11-15 23-19\n9-14 22-17\n", encoding="utf-8-sig")  # as some editors write
    done = boardwright(
        *("match", "draughts", "mc", "random", "--games", "4", "--time", "2ms", "--clock", "60s+1s"),
        *("--openings", str(openings), "--max-plies", "60", "--adjudicate"),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"mc (A) against random (B), draughts wcdf, openings {openings}"
    assert [line.split()[0] for line in lines[2:5]] == ["black", "white", "both"]
    assert "Elo of A above B" in lines[5]
    assert "A used " in lines[6]
    assert "ms/move" in lines[6]


def test_match_keeps_its_games_and_resumes(tmp_path: Path) -> None:
    db = str(tmp_path / "games.db")
    match = ["match", "draughts", "random", "random", "--db", db, "--games"]
    four = as_json(*match, "4")
    assert four == as_json(*match, "4")
    ten = as_json(*match, "10")
    with open_store(Path(db), create=False) as store:
        assert len(events(store)) == 1
        assert {found.played.index for found in find_games(store, GameFilter(event=1))} == set(range(10))
    assert as_json(*match, "4") == four
    assert ten == as_json("match", "draughts", "random", "random", "--games", "10")
    as_json(*match, "4", "--seed", "1")
    with open_store(Path(db), create=False) as store:
        assert len(events(store)) == 2


def test_forfeits_are_reported(tmp_path: Path) -> None:
    command = "external:cmd=false"
    done = boardwright("match", "draughts", command, "random", "--games", "2", "--db", str(tmp_path / "games.db"))
    assert done.returncode == 0
    assert "2 games forfeited" in done.stdout
    assert "forfeit: engine 'false' ended with exit code 1" in done.stdout
    report = as_json("match", "draughts", command, "random", "--games", "2")["forfeits"]
    assert (report["a"], report["b"]) == (2, 0)
    assert all("forfeit: engine 'false' ended with exit code 1" in reason for reason in report["reasons"])
    assert as_json("match", "draughts", "random", "random", "--games", "2")["forfeits"]["reasons"] == []


TOURNAMENT = ["tournament", "draughts", "mc:sims=12", "random", "first-legal"]


def test_a_tournament_and_a_gauntlet(tmp_path: Path) -> None:
    db = str(tmp_path / "games.db")
    table = as_json(*TOURNAMENT, "--games-per-pair", "4", "--db", db, "--workers", "2")
    assert table["games"] == 12
    assert {row["games"] for row in table["players"]} == {8}
    assert table["players"][0]["name"] == table["ratings"][0]["name"] == "mc:sims=12"
    assert [(pair["a"], pair["b"], pair["games"]) for pair in table["pairs"]] == [
        ("mc:sims=12", "random", 4),
        ("mc:sims=12", "first-legal", 4),
        ("random", "first-legal", 4),
    ]
    done = boardwright(*TOURNAMENT, "--games-per-pair", "4", "--db", db, "--gauntlet")
    assert done.returncode == 0, done.stderr
    assert "8 games" in done.stdout
    assert "mc:sims=12" in done.stdout


def start_tournament(db: Path, *options: str) -> subprocess.Popen:
    command = [sys.executable, "-c", LISTENING, PROGRAM, *TOURNAMENT, "--db", str(db), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def games_in(db: Path) -> dict[int, object]:
    """The records by index; a game stored twice would show."""
    if not db.exists():
        return {}
    with open_store(db, create=False) as store:
        stored = [game.played for game in find_games(store, GameFilter())]
    assert len(stored) == len({game.index for game in stored})
    return {game.index: (game.players, game.record) for game in stored}


def test_killed_tournament_resumes_to_the_same_games(tmp_path: Path) -> None:
    db, per_pair, seed, seen = tmp_path / "killed.db", "160", random.randrange(2**32), [0]
    print(f"seed of the moments at which it is killed: {seed}")
    chance = random.Random(seed)
    begin = time.monotonic()
    first = start_tournament(db, "--games-per-pair", per_pair)
    while not games_in(db):
        time.sleep(0.02)
    until_first_game = time.monotonic() - begin  # machines differ, and are loaded
    first.kill()
    first.communicate()
    for attempt in range(KILLS):
        process = start_tournament(db, "--games-per-pair", per_pair, "--workers", str(1 + attempt % 2))
        while attempt == KILLS // 2 and process.poll() is None and len(games_in(db)) == seen[-1]:
            time.sleep(0.02)  # once for sure: the machine may be slower now
        time.sleep(chance.uniform(0.0, 1.5 * until_first_game))
        os.killpg(process.pid, signal.SIGKILL) if attempt % 3 == 0 else process.kill()
        process.communicate()
        seen.append(len(games_in(db)))
    assert seen == sorted(seen)
    assert len(set(seen)) > 1, "killed too early to have played at all"
    done = as_json(*TOURNAMENT, "--games-per-pair", per_pair, "--db", str(db))
    killed = games_in(db)
    assert done["games"] == 480
    assert sorted(killed) == list(range(480))
    whole = tmp_path / "whole.db"
    assert as_json(*TOURNAMENT, "--games-per-pair", per_pair, "--db", str(whole), "--workers", "2") == done
    assert games_in(whole) == killed


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_says_how_to_resume(tmp_path: Path, workers: str) -> None:
    db = tmp_path / "games.db"
    process = start_tournament(db, "--games-per-pair", "100000", "--workers", workers)
    deadline = time.monotonic() + 30
    while len(games_in(db)) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole process group
    output, complaint = process.communicate(timeout=30)
    assert process.returncode == 130
    assert output == ""
    stopped = complaint.strip()
    assert stopped.startswith("boardwright: stopped after ")
    assert stopped.endswith(f"games; stored in {db}: rerun the same command to resume")
    assert int(stopped.split()[3]) <= len(games_in(db))


def test_two_processes_share_an_event(tmp_path: Path) -> None:
    db = tmp_path / "games.db"
    pair = [start_tournament(db, "--games-per-pair", "20", "--json") for _ in range(2)]
    answers = [process.communicate(timeout=60) for process in pair]
    assert [complaint for _, complaint in answers] == ["", ""]
    first, second = (json.loads(output) for output, _ in answers)
    assert first == second
    assert first["games"] == 60 == len(games_in(db))


def test_game_stored_by_another_process_keeps_its_place(tmp_path: Path) -> None:
    """A sequential test counts pairs in order: it would wait for a game that comes at the end of 100,000."""
    options = sprt.Options(game="draughts", a="random", b="first-legal", db=tmp_path / "games.db")
    event = options.event(("random", "first-legal"))
    one, other = options.play([event], 100), options.play([event], 100)
    assert [next(one).index, next(other).index, next(other).index] == [0, 0, 1]
    assert [next(one).index, next(one).index] == [1, 2]
    one.close()
    other.close()


def test_sprt() -> None:
    stronger = as_json("sprt", "draughts", "mc:sims=30", "random", "--elo0", "0", "--elo1", "100", "--workers", "2")
    assert stronger["decision"] == "H1"
    assert stronger["llr"] >= stronger["upper"]
    assert stronger["games"] == 2 * stronger["pairs"] == 2 * sum(stronger["pentanomial"])
    weaker = as_json("sprt", "draughts", "random", "mc:sims=30", "--elo0", "0", "--elo1", "100")
    assert weaker["decision"] == "H0"
    assert weaker["elo"] is None or weaker["elo"] < 0
    swept = boardwright("sprt", "draughts", "alphabeta:depth=2", "first-legal", "--elo1", "300", "--json").stdout
    assert json.loads(swept, parse_constant=pytest.fail)["elo"] is None  # JSON has no infinity
    undecided = boardwright("sprt", "draughts", "random", "random", "--max-games", "4")
    assert "undecided" in undecided.stdout
    assert "after 4 games" in undecided.stdout


def test_agents() -> None:
    listed = {player["name"]: player for player in as_json("agents", "tablut")["players"]}
    assert {"random", "mc", "external"} <= set(listed)
    assert "largest-first" not in listed
    assert {option["name"] for option in listed["mc"]["options"]} >= {"time", "sims", "seed"}
    text = boardwright("agents", "cathedral").stdout
    assert "largest-first: " in text
    assert "(default line)" in text


MATCH = ["match", "draughts", "random", "random", "--games", "2"]
BAD = {
    "unknown player": (["match", "draughts", "random", "randm"], "did you mean 'random'?"),
    "unknown option": (["match", "draughts", "random:sead=1", "random"], "did you mean 'seed'?"),
    "player of another game": (["match", "draughts", "greedy-mobility", "random"], "plays cathedral only"),
    "one player": (["match", "draughts", "random"], "B"),
    "odd number of games": ([*MATCH[:-1], "5"], "--games 5: give an even number"),
    "no games": ([*MATCH[:-1], "0"], "--games must be from 1"),
    "no workers": ([*MATCH, "--workers", "0"], "--workers must be from 1"),
    "bad time": ([*MATCH, "--time", "soon"], "--time must be like 2s"),
    "bad clock": ([*MATCH, "--clock", "1+"], "--clock '1+'"),
    "bad opening": ([*MATCH, "--openings", "random:x"], "random:1 to random:100"),
    "missing openings": ([*MATCH, "--openings", "nowhere.txt"], "openings 'nowhere.txt': cannot read that file"),
    "no program": (["match", "draughts", "external:cmd=/no/such", "random"], "program is installed"),
    "ray and workers": ([*MATCH, "--ray", "auto", "--workers", "2"], "exclude each other"),
    "no database": (["tournament", "draughts", "random", "mc", "--games-per-pair", "2"], "--db FILE"),
    "database nowhere": ([*MATCH, "--db", "no/such/games.db"], "no/such"),
    "named twice": (["tournament", "draughts", "mc", "mc", "--games-per-pair", "2", "--db", "x.db"], "named twice"),
    "alone": (["tournament", "draughts", "mc", "--games-per-pair", "2", "--db", "x.db"], "two players or more"),
    "hypotheses": (["sprt", "draughts", "mc", "random", "--elo0", "5", "--elo1", "5"], "elo0 5 must be below elo1 5"),
    "error rate": (["sprt", "draughts", "mc", "random", "--alpha", "0.7"], "alpha must be"),
    "protocol of another game": (["engine", "tablut", "--protocol", "hub"], "is for draughts, not tablut"),
    "engine without a player": (["engine", "tablut", "--agent", "nobody"], "unknown player 'nobody'"),
    "agents of no game": (["agents", "chess"], "unknown game 'chess'"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_input_gives_a_one_line_error_and_status_2(case: tuple[list[str], str]) -> None:
    arguments, complaint = case
    done = boardwright(*arguments)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith("boardwright: ")
    assert complaint in done.stderr


def test_names_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    db = str(tmp_path / "games.db")
    for arguments in (
        ["match", "draughts", "random", "external:cmd=true \udcff", "--games", "2", "--db", db],
        ["games-db", "list", "--player", "\udcff", "--db", db],
        ["games-db", "list", "--rules", "\udcff", "--db", db],
    ):
        done = boardwright(*arguments)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert "is not UTF-8 text" in done.stderr


def test_engine_works_over_real_pipes() -> None:
    done = boardwright("engine", "draughts", "--agent", "mc:sims=50", stdin="isready\nposition start\ngo\nnonsense\n")
    assert done.returncode == 0
    assert "readyok" in done.stdout
    assert "bestmove " in done.stdout  # the end of input lets the player finish
    assert "error unknown command 'nonsense'" in done.stdout


def test_engine_reads_lines_of_any_length() -> None:
    done = boardwright("engine", "draughts", "--agent", "random", stdin="x" * 3_000_000 + "\nisready\n")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["error", "readyok"]
