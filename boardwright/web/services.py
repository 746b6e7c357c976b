"""The services that the parts of the server share: created with the app, opened and closed with the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from boardwright.web.play.live_games import LiveGames
from boardwright.web.players.pool import SearchPool
from boardwright.web.server.store_thread import StoreThread
from boardwright.web.server.topics import Topics
from boardwright.web.settings import Settings


class Services:
    """The argument of every `make_router(services)`; not yet open."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.store = StoreThread(settings.db)
        self.pool = SearchPool(settings)
        self.topics = Topics()
        self.live = LiveGames(settings, self.store, self.pool, self.topics)

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncIterator[None]:
        """Opens the database, starts a search worker and resumes unfinished games; at the end saves and stops them."""
        try:
            await self.store.open()
            self.pool.start()
            await self.live.start()
            yield
        finally:
            await self.live.close()
            await self.pool.close()
            await self.store.close()
