"""Boardwright: a self-play laboratory for board games.

>>> import boardwright
>>> boardwright.game("tablut", rules="tablutzero").start().count_actions()
72

Everything in `__all__` is the public API; other modules may change between versions.
"""

import importlib
from typing import TYPE_CHECKING, Any

from boardwright.errors import BoardwrightError

if TYPE_CHECKING:
    from boardwright import adapters
    from boardwright.agents.base import Agent, Choice, Limit
    from boardwright.api import Evaluation, MatchResult, agent, evaluate, load_net, match, rate, search, train
    from boardwright.games.base import Game, Position
    from boardwright.games.registry import game, game_names

__version__ = "0.1.0"
_NAMES_BY_MODULE = {  # loaded on first use, so that importing the package stays cheap
    "boardwright.agents.base": "Agent Choice Limit",
    "boardwright.api": "Evaluation MatchResult agent evaluate load_net match rate search train",
    "boardwright.games.base": "Game Position",
    "boardwright.games.registry": "game game_names",
}
__all__ = [
    "Agent",
    "BoardwrightError",
    "Choice",
    "Evaluation",
    "Game",
    "Limit",
    "MatchResult",
    "Position",
    "__version__",
    "adapters",
    "agent",
    "evaluate",
    "game",
    "game_names",
    "load_net",
    "match",
    "rate",
    "search",
    "train",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first used."""
    if name == "adapters":
        return importlib.import_module("boardwright.adapters")
    for module, names in _NAMES_BY_MODULE.items():
        if name in names.split():
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'boardwright' has no attribute {name!r}")
