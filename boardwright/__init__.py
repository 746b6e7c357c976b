"""Boardwright: a self-play laboratory for board games.

>>> import boardwright
>>> boardwright.game("tablut", rules="zero").start().count_actions()
72
"""

from typing import TYPE_CHECKING, Any

from boardwright.errors import BoardwrightError

if TYPE_CHECKING:
    from boardwright.games.registry import game, game_names

__version__ = "0.1.0"
__all__ = ["BoardwrightError", "__version__", "game", "game_names"]


def __getattr__(name: str) -> Any:
    """Loads the engines on first use, so that importing the package stays cheap."""
    if name in ("game", "game_names"):
        from boardwright.games import registry

        return getattr(registry, name)
    raise AttributeError(f"module 'boardwright' has no attribute {name!r}")
