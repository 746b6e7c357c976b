"""A named pipe in the place of a file is refused in one line: nothing waits for a writer."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boardwright.arena import ladder_file
from boardwright.atomicfile import open_ordinary
from boardwright.errors import BoardwrightError
from boardwright.learn.run import config_file, lock


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """Ends a test that waits."""

    def give_up(*_: object) -> None:
        raise AssertionError("waits for a pipe")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.parametrize(
    "command",
    [
        ["match", "tablut", "random", "random", "--games", "2", "--openings", "PIPE"],
        ["unpack", "PIPE", "run"],
        ["games-db", "list", "--db", "PIPE"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_command_refuses_a_pipe(boardwright: Any, pipe: Path, command: list[str]) -> None:
    status, _, complaint = boardwright(*(word.replace("PIPE", str(pipe)) for word in command))
    assert (status, len(complaint.splitlines())) == (2, 1)
    assert "not an ordinary file" in complaint


def test_files_of_runs_and_ladders_may_not_be_pipes(pipe: Path) -> None:
    pipe.rename(pipe.with_name(config_file.NAME))
    for read in (config_file.read, lambda folder: ladder_file.read(folder / config_file.NAME)):
        with pytest.raises(BoardwrightError, match="not an ordinary file"):
            read(pipe.parent)
    with pytest.raises(IsADirectoryError):
        open_ordinary(pipe.parent)


def test_partial_files_of_a_killed_run_are_removed_on_resume(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    leftovers = [tmp_path / "nets" / ".000004.net.k3_x9abc.part", tmp_path / ".portable.safetensors.abcdefgh.part"]
    others = [tmp_path / "nets" / "000003.net", tmp_path / "film.part", tmp_path / ".film.part"]
    for path in leftovers + others:
        path.touch()
    with lock.exclusive(tmp_path):
        assert not any(path.exists() for path in leftovers)
        assert all(path.exists() for path in others)
