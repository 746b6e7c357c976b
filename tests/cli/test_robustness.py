"""What a hostile or careless user can do to the command line: devices, symlinks, signals, odd bytes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import as_json, boardwright, refused

from boardwright.cli import main

PROGRAM = str(Path(sys.executable).parent / "boardwright")
# A shell that runs the tests in the background has them ignore Ctrl-C; the program must not inherit that.
LISTENING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
START = "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/"


@pytest.mark.parametrize("arguments", [["perft", "tablut", "--depth", "9"], ["perft", "draughts", "--depth", "25"]])
def test_ctrl_c_stops_the_engine_at_once(arguments: list[str]) -> None:
    command = [sys.executable, "-c", LISTENING, PROGRAM, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=20)
    assert process.returncode == 130
    assert complaint == b""


def test_a_rule_file_must_be_an_ordinary_file(tmp_path: Path) -> None:
    assert "not an ordinary file" in refused("legal", "tablut", "--rules", "/dev/zero")
    os.mkfifo(tmp_path / "pipe.toml")
    assert "not an ordinary file" in refused("legal", "tablut", "--rules", str(tmp_path / "pipe.toml"))
    assert "Is a directory" in refused("legal", "tablut", "--rules", f"{tmp_path}/")
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (1 << 21))
    assert "larger than" in refused("legal", "tablut", "--rules", str(large))


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("twice.json", '{"max_plies": 5, "max_plies": 600}', "'max_plies' is given twice"),
        ("base.toml", "base = []", "unknown base rule set"),
        ("huge.toml", f"max_plies = 0x{'f' * 20000}", "too large"),
        ("name.json", '{"name": "\\u001b[31mred"}', "printable"),
        ("deep.json", "[" * 100_000, "deep.json"),
    ],
)
def test_contradictory_and_odd_rule_files(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert complaint in refused("legal", "tablut", "--rules", str(path))


def test_empty_rule_set_name_is_refused() -> None:
    assert "unknown rule set of tablut ''" in refused("legal", "tablut", "--rules", "")


def test_overlong_counters_are_refused() -> None:
    complaint = refused("legal", "tablut", "--position", f"{START} a {'9' * 5000} {'9' * 5000}")
    assert "is not a number from 0 to 999999" in complaint
    assert len(complaint) < 1000


def test_pictures_are_written_through_links(tmp_path: Path) -> None:
    target, link = tmp_path / "target.svg", tmp_path / "link.svg"
    link.symlink_to(target)
    assert boardwright("show", "tablut", "--svg", str(link)).returncode == 0
    assert link.is_symlink()
    assert target.read_text().startswith("<svg")
    (tmp_path / "folder").mkdir()
    assert "Is a directory" in refused("show", "tablut", "--svg", str(tmp_path / "folder"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link.svg", "target.svg"]
    done = subprocess.run(
        [PROGRAM, "show", "tablut", "--svg", "/dev/stdout"], capture_output=True, text=True, check=True
    )
    assert "<svg" in done.stdout


def test_file_names_that_are_not_utf8(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")
    assert "UTF-8" in refused("tablebase", "probe", "W:WK1:BK31", "--dir", odd)
    done = boardwright("show", "tablut", "--svg", str(tmp_path / f"{odd}.svg"))
    assert done.returncode == 0


def test_a_full_disk_is_one_line() -> None:
    script = f"{PROGRAM} games > /dev/full"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["games", "engine draughts"])
def test_closed_streams_cause_no_errors(command: str, closed: str) -> None:
    script = f"echo isready | {PROGRAM} {command} {closed}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_plies_of_draughts_are_whole_moves() -> None:
    position = "W:W22,32:B18,11"  # the only move takes two pieces, and the game is over
    assert as_json("playout", "draughts", "--games", "3", "--position", position)["mean_plies"] == 1.0


# Interrupted in the middle of what it prints, with threads at work as JAX has them: they outlive an orderly end.
AT_WORK = """
import os, sys, types
from boardwright.cli import main

def work(arguments):
    print("half of it")
    sys.stdin.readline()
    raise KeyboardInterrupt

sys.modules["jax"] = types.ModuleType("jax")
main._dispatch = work
import atexit
atexit.register(print, "taken down", file=sys.stderr)
main.main()
"""


@pytest.mark.parametrize("is_read", [True, False], ids=["read", "its reader is gone"])
def test_interrupt_during_device_work_exits_cleanly(is_read: bool) -> None:
    """Threads of JAX that still compile or compute crashed when the interpreter was taken down around them."""
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command, pipe = [sys.executable, "-c", AT_WORK], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=surroundings) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        if not is_read:
            running.stdout.close()
        running.stdin.write("go on\n")
        running.stdin.flush()
        said = running.stdout.read() if is_read else ""
        complaint = running.stderr.read()
    assert (running.returncode, said, complaint) == (130, "half of it\n" if is_read else "", "")


def test_lack_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run_out(arguments: list[str]) -> None:
        raise MemoryError

    monkeypatch.setattr(main, "_dispatch", run_out)
    with pytest.raises(SystemExit, match="2"):
        main.main()
    assert capsys.readouterr().err == "boardwright: not enough memory: end other programs, or give smaller sizes\n"
