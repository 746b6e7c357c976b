"""Stores live games: a change is made to a copy of a game, which becomes the game once it is stored.

So a move that cannot be stored, for example on a full disk, is not played.
"""

import random
import time
from dataclasses import replace

from boardwright.arena.event import PlayedGame
from boardwright.games.base import CHANCE
from boardwright.records.live import move_to_record, save_live_game
from boardwright.records.store import Store
from boardwright.web.play.live_game import LiveGame
from boardwright.web.players.specs import current_net
from boardwright.web.server.http import StoreError
from boardwright.web.server.store_thread import StoreThread
from boardwright.web.settings import Settings


class GameStore:
    """The live games in the database."""

    def __init__(self, settings: Settings, thread: StoreThread):
        self._settings = settings
        self._thread = thread

    async def commit(self, live: LiveGame, changed: LiveGame, finished: PlayedGame | None = None) -> None:
        """Stores a changed copy of a game with the chance moves that follow, and then makes it the game.

        A change that ends the game is stored together with its record. If it cannot be stored the game stays as it was:
        raises StoreError, and StaleGameError if another process has changed it.
        """
        while not changed.over:
            if (outcome := changed.line.position.outcome) is not None:
                finished = changed.end(outcome, time.monotonic())
            elif changed.to_move == CHANCE:
                changed.play((random.choice(changed.line.position.legal_actions()),), time.monotonic(), 0.0)
            else:
                break
        replaces = live.stored_version

        def save(store: Store) -> None:
            record = None if finished is None else self._add_net(changed, finished)
            save_live_game(store, changed.stored, record, replaces=replaces)

        try:
            await self._thread.run(save)
        except StoreError as error:
            raise StoreError(f"not played, because it cannot be stored: {error}") from error
        live.adopt(changed)

    async def abandon(self, live: LiveGame) -> None:
        """Moves an unfinished game to the record; raises StoreError and StaleGameError."""
        record, stored, replaces = live.record("abandoned"), live.stored, live.stored_version
        await self._thread.run(
            lambda store: move_to_record(store, stored, self._add_net(live, record), replaces=replaces)
        )

    def _add_net(self, live: LiveGame, played: PlayedGame) -> PlayedGame:
        """The record with the checksum of the player's net: empty if it used several, the current one if it has not
        moved. It reads the net: do not call it on the event loop.
        """
        nets = live.nets or {current_net(live.stored.opponent, live.game, self._settings)}
        net = "" if len(nets) > 1 else next(iter(nets))
        return replace(played, nets=("", net) if live.stored.person == 0 else (net, ""))
