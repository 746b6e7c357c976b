"""What the servers under test are."""

import signal
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from fastapi.testclient import TestClient

from boardwright.web.players.pool import SearchPool

Serving = Callable[..., AbstractContextManager[TestClient]]  # settings -> a server in this process


@dataclass
class Server:
    """A server process."""

    process: subprocess.Popen
    address: str  # http://127.0.0.1:PORT

    def kill(self) -> None:
        """As a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)


def pids_of(pool: SearchPool) -> list[int]:
    """The process ids of a pool's workers."""
    return [one.worker.process.pid for one in pool._workers if one.worker.process.pid is not None]
