"""Worker processes: the same games as without, workers that die, the end of the parent."""

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import islice
from multiprocessing import Pipe
from pathlib import Path

import pytest

from boardwright import processes
from boardwright.arena import backends
from boardwright.arena.backends import GameTask, WorkerPool, play
from boardwright.errors import BoardwrightError


def children(pid: int) -> list[int]:
    """Worker processes of a process, without the resource tracker of multiprocessing."""
    found = []
    for line in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = line.read_text().rpartition(")")[2].split()
            command = (line.parent / "cmdline").read_text()
        except OSError:
            continue
        if int(fields[1]) == pid and "spawn_main" in command and fields[0] != "Z":
            found.append(int(line.parent.name))
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_workers_play_the_same_games(event) -> None:
    match = event("random", "mc:sims=3")
    alone = {played.index: played for played in play(match, islice(match.schedule(), 8))}
    together = {played.index: played for played in play(match, islice(match.schedule(), 8), WorkerPool(3))}
    assert {index: played.record for index, played in together.items()} == {
        index: played.record for index, played in alone.items()
    }
    assert children(os.getpid()) == []


def test_killed_worker_is_replaced_and_its_game_replayed(event) -> None:
    match = event("mc:sims=40", "mc:sims=41", game="tablut", max_plies=80)
    played, killed = [], 0
    for game in play(match, islice(match.schedule(), 8), WorkerPool(2)):
        played.append(game)
        if killed < 2:
            os.kill(children(os.getpid())[-1], signal.SIGKILL)
            killed += 1
    assert sorted(game.index for game in played) == list(range(8))
    expected = {game.index: game.record for game in play(match, islice(match.schedule(), 8))}
    assert {game.index: game.record for game in played} == expected


def test_a_game_that_kills_every_worker_stops_the_event(event, monkeypatch: pytest.MonkeyPatch) -> None:
    match = event("random", "mc:sims=100000000", game="tablut")
    spawn = processes.spawn

    def doomed(*arguments, **options):
        worker = spawn(*arguments, **options)
        worker.process.kill()
        return worker

    monkeypatch.setattr(processes, "spawn", doomed)
    with pytest.raises(
        BoardwrightError, match=r"game \d, .* 3 workers died playing it, the last was killed by signal 9"
    ):
        list(play(match, islice(match.schedule(), 2), WorkerPool(2)))
    assert children(os.getpid()) == []


def test_closing_the_iterator_stops_the_workers(event) -> None:
    match = event("random", "random")
    games = play(match, match.schedule(), WorkerPool(2))
    next(games)
    games.close()
    assert children(os.getpid()) == []


def test_worker_is_silent_when_the_pipe_is_closed(event, capfd: pytest.CaptureFixture[str]) -> None:
    match = event("random", "random")
    worker = processes.spawn(backends._work)
    worker.send(GameTask(match, next(match.schedule())))
    worker.connection.close()
    worker.process.join(60)
    assert worker.process.exitcode == 0
    assert capfd.readouterr().err == ""


def test_stop_from_another_thread_ends_a_game(event) -> None:
    match = event("mc:sims=100000000", "random", game="tablut")
    stop_reader, stop_writer = Pipe(duplex=False)
    timer = threading.Timer(1.0, stop_writer.close)
    timer.start()
    begin = time.monotonic()
    assert list(play(match, match.schedule(), WorkerPool(1, stop_reader))) == []
    assert time.monotonic() - begin < 30
    timer.join()
    stop_reader.close()
    assert children(os.getpid()) == []


def test_player_that_exceeds_the_memory_limit_forfeits(event) -> None:
    match = event("alphabeta:hash=2000,depth=1", "random")
    (played,) = play(match, islice(match.schedule(), 1), WorkerPool(megabytes=1000))
    assert played.forfeited_by == 0
    assert "not enough memory for a table" in played.record.reason


LONG_MATCH = """
import sys
import boardwright
from boardwright.arena.event import Conditions
from boardwright.arena.event import Event
from boardwright.arena.backends import WorkerPool, play
if __name__ == "__main__":
    rules = boardwright.game("tablut").rules
    event = Event(game="tablut", rules=rules, players=("mc:time=20s", "mc:time=20s"), openings="start", seed=0,
                  conditions=Conditions())
    list(play(event, event.schedule(), WorkerPool(2)))
"""


def test_workers_exit_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "match.py"
    script.write_text(LONG_MATCH)
    parent = subprocess.Popen([sys.executable, str(script)])
    try:
        deadline = time.monotonic() + 30
        while len(children(parent.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        workers = children(parent.pid)
        assert len(workers) == 2
        time.sleep(0.5)  # until they think
    finally:
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 10
    while any(map(lives, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(lives, workers))
