"""The command line as a user meets it: what commands print, and how they fail."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from commands import as_json, boardwright

from boardwright.cli.main import all_commands

START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/ a 0 0"


def test_help_lists_every_command_and_every_command_has_help() -> None:
    overview = boardwright("--help").stdout
    for command in all_commands():
        assert f"  {command} " in overview
        done = boardwright(command, "--help")
        assert done.returncode == 0
        assert "usage: boardwright" in done.stdout
    assert boardwright().stdout == overview
    assert boardwright("--version").stdout.startswith("boardwright 0.")


@pytest.mark.parametrize("columns", ["1", "5"])
@pytest.mark.parametrize(
    "arguments", [["paper", "--help"], ["games-db", "list", "--help"], ["show", "tablut", "--svgg"]]
)
def test_help_fits_a_narrow_terminal(arguments: list[str], columns: str) -> None:
    program = str(Path(sys.executable).parent / "boardwright")
    narrow = {**os.environ, "COLUMNS": columns}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=narrow, timeout=30, check=False)
    if "--help" in arguments:
        assert (done.returncode, "usage: boardwright" in done.stdout) == (0, True)
        assert len(done.stdout.splitlines()[-1]) == 40  # of the box
    else:
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert "--svgg" in done.stderr


def test_games() -> None:
    (tablut,) = [row for row in as_json("games")["games"] if row["name"] == "tablut"]
    assert tablut["rules"] == ["tablutzero", "tablutzero-code", "mcgill", "saami"]
    assert (tablut["roles"], tablut["num_actions"]) == (["attackers", "defenders"], 2592)
    assert tablut["rule_titles"]["saami"] == "Tablut, edge escape (historical Sámi rules)"
    assert "  mcgill           Tablut, corner escape, strong king in the centre" in boardwright("games").stdout


def test_games_explains_the_rules() -> None:
    saami = as_json("games", "tablut", "--rules", "saami")
    assert (saami["game"], saami["rules"], saami["how_to_play"][0]["title"]) == ("tablut", "saami", "Aim")
    assert "a square of the edge" in saami["how_to_play"][0]["text"]
    printed = boardwright("games", "cathedral").stdout
    assert "Territory. Your buildings are walls" in printed
    assert max(map(len, printed.splitlines())) <= 100
    refused = boardwright("games", "--rules", "saami")
    assert refused.returncode != 0
    assert "--rules needs a game" in refused.stderr


def test_perft() -> None:
    assert as_json("perft", "tablut", "--rules", "tablutzero", "--depth", "4") == {
        "game": "tablut",
        "rules": "tablutzero",
        "depth": 4,
        "nodes": 15951824,
    }
    assert as_json("perft", "tablut", "--rules", "mcgill", "--depth", "4")["nodes"] == 15940512
    assert as_json("perft", "tablut", "--depth", "0")["nodes"] == 1
    divided = as_json("perft", "tablut", "--depth", "3", "--divide")
    assert len(divided["divide"]) == 72
    assert sum(divided["divide"].values()) == divided["nodes"] == 285728
    assert "285,728" in boardwright("perft", "tablut", "--depth", "3").stdout


def test_perft_from_a_position_and_from_actions() -> None:
    moved = as_json("show", "tablut", "--actions", "106")["position"]
    from_text = as_json("perft", "tablut", "--depth", "2", "--position", moved)
    assert from_text["nodes"] == as_json("perft", "tablut", "--depth", "2", "--actions", "106")["nodes"]
    divide = as_json("perft", "tablut", "--depth", "3", "--divide")["divide"]
    assert from_text["nodes"] == divide["d9-d6"]


def test_legal() -> None:
    listing = as_json("legal", "tablut")
    assert set(listing) == {"moves", "actions"}
    assert len(listing["moves"]) == len(listing["actions"]) == 72
    assert listing["actions"][listing["moves"].index("d9-d6")] == 106
    assert boardwright("legal", "tablut").stdout.count("\n") == 72
    over = as_json("legal", "tablut", "--position", "/9/9/9/9/2t6/9/9/9/4T4/ a 0 0")
    assert over == {"moves": [], "actions": []}


def test_show(tmp_path: Path) -> None:
    shown = boardwright("show", "tablut").stdout
    assert START in shown
    assert shown.count("t ") >= 10
    fields = as_json("show", "tablut", "--rules", "saami", "--actions", "106")
    assert (fields["rules"], fields["to_move"], fields["plies"], fields["outcome"]) == ("saami", "defenders", 1, None)
    picture = tmp_path / "board.svg"
    assert boardwright("show", "tablut", "--svg", str(picture)).returncode == 0
    assert ET.fromstring(picture.read_text()).tag.endswith("svg")
    assert [path.name for path in tmp_path.iterdir()] == ["board.svg"]
    finished = as_json("show", "tablut", "--position", "/K8/9/9/9/2t6/9/9/9/4T4/ a 0 0")
    assert finished["outcome"] == {"winner": "defenders", "reason": "king escaped"}


def test_playout() -> None:
    stats = as_json("playout", "tablut", "--games", "700", "--seed", "5", "--rules", "tablutzero-code")
    assert set(stats) == {"games", "outcomes", "mean_plies", "mean_branching"}
    assert list(stats["outcomes"]) == ["attackers", "defenders", "draw"]
    assert sum(stats["outcomes"].values()) == stats["games"] == 700
    assert stats == as_json("playout", "tablut", "--games", "700", "--seed", "5", "--rules", "tablutzero-code")
    assert stats != as_json("playout", "tablut", "--games", "700", "--seed", "6", "--rules", "tablutzero-code")
    assert "plies per game" in boardwright("playout", "tablut", "--games", "10").stdout


def test_chance_actions_cannot_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "coin.toml").write_text('base = "official-6"\nfirst = "coin"\n', encoding="utf-8-sig")
    coin = ("cathedral", "--rules", str(tmp_path / "coin.toml"))
    assert json.loads(boardwright("show", *coin, "--json").stdout)["to_move"] == "chance"
    drawn = set()
    for _ in range(40):  # a coin falls on one side 40 times in a row once in 10^12
        printed = boardwright("play", *coin, "--agent", "first-legal", stdin="quit\n").stdout
        drawn.add(next(line for line in printed.splitlines() if line.startswith("chance: ")))
        if len(drawn) == 2:
            break
    assert drawn == {"chance: light", "chance: dark"}


def test_play_finishes_a_game_and_can_be_left() -> None:
    nearly = "/9/9/9/4t4/K8/9/9/4t4/4T4/ d 0 0"
    done = boardwright("play", "tablut", "--position", nearly, "--as", "defenders", stdin="a5-b6\nhelp\nmoves\na5-a1\n")
    assert done.returncode == 0, done.stderr
    assert "rows and columns" in done.stdout
    assert "Defenders win: king escaped" in done.stdout
    done = boardwright(
        "play", "tablut", "--agent", "mc:sims=20,seed=1", stdin="d9-d6\nundo\nflip\ntext\nrules\nhint\nresign\n"
    )
    assert done.returncode == 0, done.stderr
    assert "defenders: " in done.stdout  # the opponent answered
    assert "20 simulations" in done.stdout
    assert "Aim. On nine by nine squares" in done.stdout
    assert boardwright("play", "tablut", stdin="").returncode == 0


BAD = {
    "unknown command": (["fly"], "unknown command 'fly'"),
    "misspelt command": (["perf"], "did you mean 'perft'?"),
    "unknown game": (["legal", "tabult"], "unknown game 'tabult': did you mean 'tablut'?"),
    "unknown rule set": (["legal", "tablut", "--rules", "zeno"], "unknown rule set of tablut 'zeno'"),
    "unknown option": (["perft", "tablut", "--dept", "3"], "--dept"),
    "missing game": (["legal"], "GAME"),
    "missing depth": (["perft", "tablut"], "--depth"),
    "negative depth": (["perft", "tablut", "--depth", "-1"], "--depth must be from 0 to 64, not -1"),
    "depth of words": (["perft", "tablut", "--depth", "deep"], "--depth must be a whole number, not 'deep'"),
    "port of words": (["serve", "--port", "abc"], "serve: --port must be a whole number, not 'abc'"),
    "rating of words": (["sprt", "tablut", "random", "mc", "--elo1", "z"], "--elo1 must be a number, not 'z'"),
    "minutes of words": (
        ["train", "ppo", "tablut", "--out", "none", "--minutes", "q"],
        "--minutes must be a number, not 'q'",
    ),
    "two kings": (["legal", "tablut", "--position", START.replace("3ttt3", "3tKt3", 1)], "2 kings"),
    "short row": (["legal", "tablut", "--position", START.replace("3ttt3", "3tt3", 1)], "describes 8 squares, needs 9"),
    "bad letter": (["legal", "tablut", "--position", START.replace("t", "x", 1)], "'x' is not one of"),
    "man on a corner": (["legal", "tablut", "--position", START.replace("3t", "t2t", 1)], "on the corner a1"),
    "illegal action": (["show", "tablut", "--actions", "106,106"], "ply 2: move d9-d6: there is no piece on d9"),
    "action off the board": (["show", "tablut", "--actions", "100"], "ply 1: action 100 leaves the board"),
    "no action number": (["show", "tablut", "--actions", "1,x"], "'x' is not an action number"),
    "huge action number": (["show", "tablut", "--actions", "99999"], "action 99999 is not a number from 0 to 2591"),
    "position and actions": (["show", "tablut", "--position", START, "--actions", ""], "exclude each other"),
    "no games": (["playout", "tablut", "--games", "0"], "--games must be from 1"),
    "negative seed": (["playout", "tablut", "--seed", "-1"], "--seed must be from 0"),
    "missing rule file": (["legal", "tablut", "--rules", "none/such.toml"], "cannot read rule file none/such.toml"),
    "unwritable picture": (["show", "tablut", "--svg", "none/such.svg"], "cannot write 'none/such.svg'"),
    "unknown role": (["play", "tablut", "--as", "white"], "unknown role 'white'"),
    "unknown player": (["play", "tablut", "--agent", "randm"], "did you mean 'random'?"),
    "unknown player option": (
        ["play", "tablut", "--agent", "mc:tiem=2s"],
        "option of player 'mc' 'tiem': did you mean 'time'?",
    ),
    "bad time": (["play", "tablut", "--agent", "mc:time=soon"], "time must be like 2s or 500ms"),
    "unknown benchmark": (["bench", "engines", "tablut"], "engine"),
    "benchmark of nothing": (["bench", "engine", "chess"], "unknown game 'chess'"),
    "batch of nothing": (["bench", "engine", "tablut", "--batch", "0"], "--batch must be from 1"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_bad_input_gives_a_one_line_error_and_status_2(case: tuple[list[str], str]) -> None:
    arguments, complaint = case
    done = boardwright(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("boardwright: ")
    assert complaint in done.stderr


def test_bad_rule_files(tmp_path: Path) -> None:
    for text, complaint in (
        ("thrown = 1", "unknown rule option 'thrown'"),
        ("max_plies = -3", "max_plies must be from 1"),
    ):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        done = boardwright("legal", "tablut", "--rules", str(path))
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert f"rule file {path}: " in done.stderr
        assert complaint in done.stderr


def test_closed_stdout_ends_quietly() -> None:
    script = f"{Path(sys.executable).parent / 'boardwright'} legal tablut | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""


def test_listing_the_commands_imports_no_game() -> None:
    code = (
        "import sys\n"
        "from boardwright.cli.main import all_commands\n"
        "assert 'tablebase' in all_commands()\n"
        "assert not {'numpy', 'boardwright._core'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)


@pytest.mark.parametrize("arguments", [["--help"], ["legal", "tablut", "--json"], ["play", "tablut"]])
def test_jax_and_web_frameworks_are_not_imported(arguments: list[str]) -> None:
    code = (
        "import sys; sys.argv = ['boardwright', *sys.argv[1:]]\n"
        "from boardwright.cli.main import main\n"
        "main()\n"
        "print(*[name for name in ('jax', 'flax', 'fastapi', 'pettingzoo') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, input="quit\n", timeout=60, check=True
    )
    assert done.stderr.strip() == ""


def test_show_animates_a_game_file(tmp_path: Path) -> None:
    record, picture = tmp_path / "game.pdn", tmp_path / "game.svg"
    record.write_text('[Result "*"]\n\n1. 11-15 23-19 *\n')
    assert boardwright("show", "draughts", "--record", str(record), "--svg", str(picture)).returncode == 0
    assert "<animate " in picture.read_text()
    assert "add --svg FILE" in boardwright("show", "draughts", "--record", str(record)).stderr
