"""`boardwright serve` from the command line: where it keeps games, and what it says when it cannot begin."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from planted_run import plant_run

PROGRAM = str(Path(sys.executable).parent / "boardwright")


def test_games_are_kept_in_the_users_data_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [PROGRAM, "serve", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Serving Boardwright at http://127.0.0.1:")
    database = tmp_path / "data" / "boardwright" / "games.db"
    while not database.exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert errors == ""


def test_folder_of_runs_may_be_created_later(tmp_path: Path) -> None:
    command = [PROGRAM, "serve", "--port", "0", "--db", "games.db"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[3]
        assert httpx.get(f"{address}api/runs").json() == []
        plant_run(tmp_path / "runs" / "mine")
        assert [run["name"] for run in httpx.get(f"{address}api/runs").json()] == ["mine"]
        process.terminate()


INTERRUPTED = """
import signal, sys
import uvicorn
from boardwright.cli.main import main
from boardwright.web import running

go_on = {owner}.{step}

def interrupted(*given, **named):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise TypeError("what a schema makes of it that is being built just then")
    return go_on(*given, **named)

{owner}.{step} = interrupted
sys.argv = ["boardwright", "serve", "--port", "0", "--db", sys.argv[1]]
main()
"""


@pytest.mark.parametrize(
    ("owner", "step"),
    [("running", "make_app"), *(("uvicorn.Server", step) for step in ("run", "capture_signals", "startup"))],
)
def test_server_stopped_during_startup_exits_cleanly(tmp_path: Path, owner: str, step: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED.format(owner=owner, step=step), str(tmp_path / "games.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.returncode == 130


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--port", "70000"], "--port must be from 0 to 65535"),
        (["--workers", "-1"], "--workers"),
        (["--runs", "nowhere"], "--runs nowhere"),
        (["--host", "256.0.0.1", "--port", "0"], "cannot listen on 256.0.0.1"),
        (["--db", "nowhere/games.db", "--port", "0"], "there is no folder"),
    ],
)
def test_impossible_options_give_one_line_errors(tmp_path: Path, options: list[str], word: str) -> None:
    command = [PROGRAM, "serve", *(["--db", "games.db"] if "--db" not in options else []), *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
    assert word in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [PROGRAM, "serve", "--port", port, "--db", str(tmp_path / "games.db")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert f"port {port}" in done.stderr
