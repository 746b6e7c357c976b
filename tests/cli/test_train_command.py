"""`boardwright train`: whole small runs from the command line, and what it refuses."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import smallest_run
from commands import boardwright

from boardwright.learn.reporting.rating import net_ratings
from boardwright.learn.run import checkpoint
from boardwright.learn.run.metrics import Match, read_metrics

PROGRAM = str(Path(sys.executable).parent / "boardwright")
SMALL = [*smallest_run.OPTIONS, "--set", "iterations=3"]


def test_interrupted_run_says_how_to_resume(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [PROGRAM, "train", "alphazero", "draughts", *SMALL, "--set", "iterations=200", "--out", str(folder)]
    # A shell that runs the tests in the background has them ignore Ctrl-C; SIGTERM asks for the same.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        limit = time.monotonic() + 240
        while not (folder / "nets" / "000001.net").exists():
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < limit
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "iteration 1/200" in output
    assert "run the same command to resume" in output
    assert "stopping" in errors
    assert checkpoint.find_checkpoints(folder / "checkpoints")
    assert json.loads((folder / "config.json").read_text())["iterations"] == 200
    before = len(read_metrics(folder).scalars["loss/total"].values)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "training on cpu\n"
        assert f"resuming iteration {before + 1} of 200" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)


def test_trained_net_plays(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = boardwright("train", "alphazero", "draughts", *SMALL, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert "iteration 3/3" in done.stdout
    assert str(folder / "nets" / "best.net") in done.stdout
    played = boardwright("match", "draughts", f"alphazero:net={folder}/nets/best.net,sims=2", "random", "--games", "2")
    assert played.returncode == 0, played.stderr
    wrong = boardwright("match", "tablut", f"alphazero:net={folder}/nets/best.net,sims=2", "random", "--games", "2")
    assert wrong.returncode == 2
    assert "made for draughts, not tablut" in wrong.stderr


BAD_ARGUMENTS = {
    "chess": "unknown game 'chess'",
    "tablut --preset tablut-papr": "did you mean 'tablut-paper'?",
    "tablut --preset draughts-tiny": "unknown alphazero preset of tablut",
    "tablut --set serach.simulations=4": "did you mean 'search'?",
    "tablut --set search.simulations=many": "search.simulations",
    "tablut --set learner.batch_size": "expected path=value",
    "tablut --set selfplay.games=0": "selfplay.games: 0 is not from 1",
    "tablut --set net.width=3": "width",
    "tablut --rules tablutzerro": "did you mean 'tablutzero'",
}


@pytest.mark.parametrize(("arguments", "complaint"), BAD_ARGUMENTS.items())
def test_bad_arguments_are_refused_in_one_line(arguments: str, complaint: str, tmp_path: Path) -> None:
    done = boardwright("train", "alphazero", *arguments.split(), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert complaint in done.stderr


def test_impossible_folder_gives_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = boardwright("train", "alphazero", "draughts", *SMALL, "--out", str(tmp_path / "file"))
    assert done.returncode == 2
    (report,) = done.stderr.splitlines()
    assert "is not a folder" in report


def test_ratings_are_relative_to_the_first_net() -> None:
    matches = [Match(5, 5, 0, 8, 1, 1, 100), Match(5, 0, 5, 1, 1, 8, 100), Match(10, 10, 5, 6, 2, 2, 100)]
    rated = net_ratings(matches)
    assert rated[0][0] == 0
    assert 0 < rated[5][0] < rated[10][0]
    for elo, low, high in rated.values():
        assert low <= elo <= high
