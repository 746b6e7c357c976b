"""The protocols an engine may speak: the line protocol for every game, and each game's own."""

from collections.abc import Callable

from boardwright.games import registry
from boardwright.games.base import Game
from boardwright.protocols.line import LineProtocol
from boardwright.protocols.serve import Engine

PROTOCOLS: dict[str, type[Engine]] = {"line": LineProtocol}  # for every game


def make_engine(name: str, game: Game, spec: str, write: Callable[[str], None]) -> Engine:
    """A player as an engine of a protocol, which sends its lines through `write`; raises BoardwrightError."""
    kind = PROTOCOLS.get(name) or registry.load(registry.protocol(game, name).engine)
    return kind(game, spec, write)
