"""Other libraries' interfaces: every game as a PettingZoo, Gymnasium, OpenSpiel or Pgx environment.

Each module needs the library it is named after, except `pgx`, which needs JAX and not Pgx.
"""

import importlib
from types import ModuleType

__all__ = ["gymnasium", "openspiel", "pettingzoo", "pgx"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> ModuleType:
    """Imports an adapter when it is first used."""
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
