"""What the parts of the server share. Made with the app, opened when it starts, closed when it ends."""

from dataclasses import dataclass

from boardwright.web.play.live_games import LiveGames
from boardwright.web.players.pool import Engines
from boardwright.web.server.database import Records
from boardwright.web.server.topics import Hub
from boardwright.web.settings import Settings


@dataclass(frozen=True)
class Services:
    """Given to every `make_router(services)`."""

    settings: Settings
    records: Records
    engines: Engines
    hub: Hub
    live: LiveGames

    async def open(self) -> None:
        """Opens the database, takes up the games that were under way, and has a process ready to think."""
        await self.records.open()
        self.engines.start()
        await self.live.start()

    async def close(self) -> None:
        """Stores what is to be stored and ends what was started."""
        await self.live.close()
        await self.engines.close()
        await self.records.close()


def make_services(settings: Settings) -> Services:
    """Nothing is opened yet."""
    records, engines, hub = Records(settings.db), Engines(settings), Hub()
    return Services(settings, records, engines, hub, LiveGames(settings, records, engines, hub))
