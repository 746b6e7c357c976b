"""What worker processes do in tests; they import it by name."""

import os
import signal
from multiprocessing.connection import Connection


def double(connection: Connection) -> None:
    connection.send(2 * connection.recv())


def die(connection: Connection, how: str) -> None:
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)


def allocate(connection: Connection, size: int) -> None:
    try:
        connection.send(len(bytearray(size)))
    except MemoryError:
        connection.send("MemoryError")
