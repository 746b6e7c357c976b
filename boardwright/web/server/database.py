"""The store of games for a server: one thread that writes, so that no request waits for another's disk.

SQLite's connections belong to a thread. Everything that is written, and short questions, go through `run`, one after
the other in the order asked; long questions open a connection of their own in a thread of their own, `look_up`.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from boardwright.records.store import Store, open_store

T = TypeVar("T")


class Records:
    """The games in a file, which is made where there is none."""

    def __init__(self, path: Path):
        self._path = path
        self._thread = ThreadPoolExecutor(1, "records")
        self._store: Store | None = None

    async def open(self) -> None:
        """Opens the file; raises BoardwrightError."""

        def opening() -> None:
            self._store = open_store(self._path, create=True)

        await asyncio.get_running_loop().run_in_executor(self._thread, opening)

    async def run(self, work: Callable[[Store], T]) -> T:
        """What `work` makes of the store; short pieces of work, which follow each other."""

        def working() -> T:
            assert self._store is not None, "records are used before they are open"
            return work(self._store)

        return await asyncio.get_running_loop().run_in_executor(self._thread, working)

    async def look_up(self, work: Callable[[Store], T]) -> T:
        """The same for what takes a while and only reads."""

        def working() -> T:
            with open_store(self._path, create=False) as store:
                return work(store)

        return await asyncio.to_thread(working)

    async def close(self) -> None:
        """Lets what is under way finish, and lets go of the file."""

        def closing() -> None:
            if self._store is not None:
                self._store.close()

        await asyncio.get_running_loop().run_in_executor(self._thread, closing)
        self._thread.shutdown()
