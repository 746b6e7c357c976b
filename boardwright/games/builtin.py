"""The games that ship with the package, by import path. Importing this module imports no game and no numpy.

A new game adds one line to `GAMES`. A game's own commands are in `COMMANDS` of its package's `__init__.py`, by name:
the summary for `boardwright --help`, and a module like those of `boardwright.cli`. They are not on the `Game` class
because help must not import numpy and the engine.
"""

import importlib

GAMES = {
    "cathedral": "boardwright.games.cathedral.game:Cathedral",
    "draughts": "boardwright.games.draughts.game:Draughts",
    "tablut": "boardwright.games.tablut.game:Tablut",
}


def game_commands() -> dict[str, tuple[str, str]]:
    """(summary, module) of every command that a game adds, by name."""
    found: dict[str, tuple[str, str]] = {}
    for path in GAMES.values():
        package = path.partition(":")[0].rpartition(".")[0]
        if package:
            found |= getattr(importlib.import_module(package), "COMMANDS", {})
    return found
