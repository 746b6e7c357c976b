"""Starts an engine in one of several ways, then waits to be killed: engine_owner.py WHERE LOG."""

import shlex
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

from boardwright import processes
from boardwright.agents.pipe import Pipe

HERE = Path(__file__).parent


def start(log: str) -> Pipe:
    """Starts an engine that never reads its input and has a child of its own; both write their numbers to the log."""
    child = shlex.join([sys.executable, "-SE", str(HERE / "misbehaving_engine.py"), "silent", log])
    return Pipe(f"/bin/sh -c {shlex.quote(f'{child} & {child}')}")


def work(connection: Connection, log: str) -> None:
    pipe = start(log)
    connection.recv()
    pipe.close("quit")


if __name__ == "__main__":
    where, log = sys.argv[1:]
    if where == "worker":
        owner = processes.spawn(work, log)
    elif where == "thread":  # one that ends long before the engine may
        thread = threading.Thread(target=lambda: pipes.append(start(log)))
        pipes: list[Pipe] = []
        thread.start()
        thread.join()
    else:
        pipe = start(log)
    print("started", flush=True)
    time.sleep(1000)
