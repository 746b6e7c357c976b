"""The services that the parts of the server share: created with the app, opened and closed with the server."""

from dataclasses import dataclass

from boardwright.web.play.live_games import LiveGames
from boardwright.web.players.pool import SearchPool
from boardwright.web.server.store_thread import StoreThread
from boardwright.web.server.topics import Topics
from boardwright.web.settings import Settings


@dataclass(frozen=True)
class Services:
    """The argument of every `make_router(services)`."""

    settings: Settings
    store: StoreThread
    pool: SearchPool
    topics: Topics
    live: LiveGames

    async def open(self) -> None:
        """Opens the database, starts a search worker, and resumes unfinished games."""
        await self.store.open()
        self.pool.start()
        await self.live.start()

    async def close(self) -> None:
        """Saves unfinished games and ends everything that was started."""
        await self.live.close()
        await self.pool.close()
        await self.store.close()


def make_services(settings: Settings) -> Services:
    """The services of a server, not yet open."""
    store, pool, topics = StoreThread(settings.db), SearchPool(settings), Topics()
    return Services(settings, store, pool, topics, LiveGames(settings, store, pool, topics))
