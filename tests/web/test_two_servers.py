"""Two servers on one database: the second does not start, and no game is stored over a version it did not read."""

import subprocess
import sys
from pathlib import Path

import httpx


def test_second_server_on_a_database_is_refused(started, tmp_path: Path) -> None:
    first = started()
    (tmp_path / "link.db").symlink_to(tmp_path / "g.db")
    program = str(Path(sys.executable).parent / "boardwright")
    for name in ("g.db", "link.db"):
        command = [program, "serve", "--port", "0", "--db", str(tmp_path / name)]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2
        assert second.stdout == ""
        (line,) = second.stderr.splitlines()
        assert f"{name} is in use by another server, process {first.process.pid}: stop it" in line
    assert httpx.get(f"{first.address}/api/play", timeout=60).status_code == 200
    first.kill()
    assert httpx.get(f"{started().address}/api/play", timeout=60).status_code == 200  # the lock ended with its holder
