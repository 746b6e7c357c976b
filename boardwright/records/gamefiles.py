"""Imports game files into the database and exports them, in the format of each game.

A file is an event, known by what is in it, so importing it twice stores nothing twice; a game of it that could not be
read before, and now can, is stored then.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError, GameFileError
from boardwright.games import registry
from boardwright.games.common.tagfile import decode
from boardwright.games.record import GameRecord
from boardwright.records.events import begin_event
from boardwright.records.games import UNKNOWN, StoredGame, Wanted, find_games, save_game
from boardwright.records.store import Store


@dataclass(frozen=True)
class Imported:
    """What became of a file."""

    stored: int
    known: int  # games that were there already
    errors: tuple[GameFileError, ...]  # one a game that could not be read


def import_games(store: Store, game: str, data: bytes) -> Imported:
    """Stores the games of a file that can be read."""
    known = registry.game_class(game)
    records, errors = known.read_games(decode(data))
    if not records:
        return Imported(0, 0, tuple(errors))
    event = begin_event(store, {"import": game, "sha256": hashlib.sha256(data).hexdigest()})
    before = [one.played for one in find_games(store, Wanted(event=event))]
    there = Counter(played.record for played in before)
    stored, index = 0, max((played.index for played in before), default=-1)
    for record in records:
        if there[record]:
            there[record] -= 1
            continue
        first, second = (record.tags.get(role) or UNKNOWN for role in known.roles)
        index += 1
        stored += save_game(store, PlayedGame(record=record, players=(first, second), index=index), event, version="")
    return Imported(stored, len(records) - stored, tuple(errors))


def export_games(games: Iterable[StoredGame], game: str) -> tuple[str, list[str]]:
    """The text of a file with these games, all of one game, and what is wrong with those left out."""
    known = registry.game_class(game)
    records, problems = [], []
    for stored in games:
        record = for_file(stored)
        try:
            known.write_games([record])
        except BoardwrightError as error:
            problems.append(f"game {stored.id}: {error}")
        else:
            records.append(record)
    return known.write_games(records), problems


def for_file(stored: StoredGame) -> GameRecord:
    """The record of a game with its players and its day among the tags, unless it came with tags of its own."""
    record = stored.played.record
    if record.tags:
        return record
    roles = registry.game_class(record.game).roles
    players = {role: spec for role, spec in zip(roles, stored.played.players, strict=True) if spec != UNKNOWN}
    return replace(record, tags={"date": stored.stored[:10].replace("-", "."), **players})
