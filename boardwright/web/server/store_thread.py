"""The thread that owns the database connection, so that requests do not wait for each other's disk access.

A SQLite connection belongs to one thread. Writes and short reads go through `run`, one after the other; long reads
open a connection of their own in another thread, `read`.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from boardwright.errors import BoardwrightError
from boardwright.records.store import Store, open_store
from boardwright.web.server.http import StoreError

T = TypeVar("T")


@contextlib.contextmanager
def hide_database(path: Path) -> Iterator[None]:
    """Raises errors of the database as StoreError, with its path left out: clients do not see paths."""
    try:
        yield
    except BoardwrightError as error:
        if str(path) not in str(error):
            raise
        raise StoreError(str(error).replace(str(path), "the database")) from error


class StoreThread:
    """The games in a file, which is created if it does not exist."""

    def __init__(self, path: Path):
        self._path = path
        self._thread = ThreadPoolExecutor(1, "store")
        self._store: Store | None = None

    async def open(self) -> None:
        """Opens the file; raises BoardwrightError."""
        loop = asyncio.get_running_loop()
        self._store = await loop.run_in_executor(self._thread, lambda: open_store(self._path, create=True))

    async def run(self, work: Callable[[Store], T]) -> T:
        """The result of a short piece of work on the store, in the order of the calls."""

        assert self._store is not None, "the store is used before it is open"
        hidden = hide_database(self._path)(work)
        return await asyncio.get_running_loop().run_in_executor(self._thread, hidden, self._store)

    async def read(self, work: Callable[[Store], T]) -> T:
        """The result of work that takes longer and only reads."""

        def run_work() -> T:
            with hide_database(self._path), open_store(self._path, create=False) as store:
                return work(store)

        return await asyncio.to_thread(run_work)

    async def close(self) -> None:
        """Closes the file after the work that was submitted before."""
        if self._store is not None:
            await self.run(Store.close)
        self._thread.shutdown()
