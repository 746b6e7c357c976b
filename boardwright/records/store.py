"""The database of games: a SQLite file.

A game is stored in one transaction, so a process that is killed loses at most the game it was playing. Several
processes may write to the same file. It does not wait for the disk after each game (see `database.py`): that took 5 ms
per game instead of 0.2.
"""

import json
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardwright.agents.specs import current_spec
from boardwright.database import Database, Kind, open_database
from boardwright.games import registry
from boardwright.games.builtin import GAMES
from boardwright.records.codec import READING_ERRORS, canonical

APPLICATION = 0x42576774  # in the header of our files: "BWgt"

_SCRIPTS = re.split(r"-- Version \d+\n", Path(__file__).with_name("migrations.sql").read_text())[1:]
MIGRATIONS = tuple(tuple(script.split(";\n")) for script in _SCRIPTS)  # the statements of each version
Store = Database  # of games


def open_store(path: Path, *, create: bool) -> Store:
    """Opens a database of games, which `create` creates if it is missing; raises BoardwrightError.

    A read-only file is opened for reading.
    """
    functions = {
        "current_options": _current_options,
        "current_config": _current_config,
        "current_rule_name": lambda game, rules: registry.current_rule_name(game, rules) if game in GAMES else rules,
    }
    kind = Kind("games", APPLICATION, MIGRATIONS, missing="give a database of games with --db", functions=functions)
    store = open_database(path, kind, create=create)
    store.connection.create_function("current_spec", 1, current_spec, deterministic=True)
    return store


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> bool:
    """Inserts a row, by the names of its columns, unless one with the same key exists; returns whether it did."""
    names, places = ", ".join(row), ", ".join(f":{name}" for name in row)
    query = f"INSERT INTO {table} ({names}) VALUES ({places}) ON CONFLICT DO NOTHING"
    return connection.execute(query, row).rowcount == 1


def _current_options(game: str, text: str) -> str:
    """The JSON of a stored rule set; one that ships under another name by now has that name. Damaged text stays."""
    try:
        return canonical(registry.with_current_name(game, json.loads(text)))
    except READING_ERRORS:
        return text


def _current_config(text: str) -> str:
    """The JSON of an event's configuration, likewise."""
    try:
        config = json.loads(text)
        if "rules" in config:
            config["rules"] = registry.with_current_name(config["game"], config["rules"])
        return canonical(config)
    except READING_ERRORS:
        return text
