"""Two processes never train into one folder."""

import fcntl
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from boardwright.errors import RunError
from boardwright.learn.run.lock import exclusive, is_held

HOLDER = """
import sys, time
from pathlib import Path
from boardwright.learn.run.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_lock_is_exclusive_until_its_process_dies(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "one"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    assert is_held(folder)
    expected = f"process {holder.pid} is already training in .*: wait for it, or choose another --out"
    with pytest.raises(RunError, match=expected), exclusive(folder):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    assert not is_held(folder)
    for _ in range(2):
        with exclusive(folder):
            assert (folder / "lock").exists()


def test_impossible_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"cannot train in .*file"), exclusive(tmp_path / "file"):
        pass


def test_checking_a_lock_does_not_take_it(tmp_path: Path) -> None:
    with exclusive(tmp_path):
        pass
    with (tmp_path / "lock").open() as looked_at:
        fcntl.flock(looked_at, fcntl.LOCK_SH)
        release = threading.Timer(0.1, fcntl.flock, (looked_at, fcntl.LOCK_UN))
        release.start()
        with exclusive(tmp_path):
            assert is_held(tmp_path)
        release.join()
    assert not is_held(tmp_path / "elsewhere")
