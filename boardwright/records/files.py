"""Files of games: game files in the format of each game, imported and exported, and tables of results as CSV.

An imported file is an event, identified by its content, so importing it twice stores nothing twice; a game that could
not be read before is stored once it can be.

A table has the players of the two roles and the result, `first`, `second` or `draw`, in any order of columns:

    first,second,result
    Ana,Berg,first
    Berg,Ana,draw
"""

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from boardwright.agents.specs import current_spec
from boardwright.arena.event import PlayedGame
from boardwright.errors import BoardwrightError, GameFileError
from boardwright.games import registry
from boardwright.games.base import DRAW
from boardwright.games.gamefile import decode
from boardwright.records.events import begin_event
from boardwright.records.games import UNKNOWN, GameFilter, StoredGame, find_games, save_game
from boardwright.records.store import Store
from boardwright.stats.pairings import Encounter

COLUMNS = ("first", "second", "result")
RESULTS = {"first": 0, "second": 1, "draw": DRAW}


@dataclass(frozen=True)
class Imported:
    """The result of importing a file."""

    stored: int
    known: int  # games that were stored before
    errors: tuple[GameFileError, ...]  # one per game that could not be read


def import_games(store: Store, game: str, data: bytes) -> Imported:
    """Stores the games of a file that can be read."""
    known = registry.game_class(game)
    records, errors = known.read_games(decode(data))
    if not records:
        return Imported(0, 0, tuple(errors))
    event = begin_event(store, {"import": game, "sha256": hashlib.sha256(data).hexdigest()})
    before = [one.played for one in find_games(store, GameFilter(event=event))]
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
    """The text of a file with these games, all of one game, and the errors of those left out.

    A game that came without tags gets its players and its day as tags.
    """
    known = registry.game_class(game)
    records, problems = [], []
    for stored in games:
        record = stored.played.record
        if not record.tags:  # else it came from a file
            players = zip(known.roles, stored.played.players, strict=True)
            named = {role: spec for role, spec in players if spec != UNKNOWN}
            record = replace(record, tags={"date": stored.stored[:10].replace("-", "."), **named})
        try:
            known.write_games([record])
        except BoardwrightError as error:
            problems.append(f"game {stored.id}: {error}")
        else:
            records.append(record)
    return known.write_games(records), problems


def read_results(data: bytes, name: str) -> list[Encounter]:
    """The games of a CSV file; raises BoardwrightError with the line. `name` is what messages call the file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BoardwrightError(f"{name}: not UTF-8 text: save it as CSV with UTF-8") from error
    rows = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        header = [column.strip() for column in rows.fieldnames or ()]
        missing = [column for column in COLUMNS if column not in header]
        if missing:
            raise BoardwrightError(f"{name}: no column {missing[0]!r}: the first line must be {','.join(COLUMNS)}")
        rows.fieldnames = header
        encounters = []
        for row in rows:
            first, second, result = ((row[column] or "").strip() for column in COLUMNS)
            if not first or not second:
                raise csv.Error("a player has no name")
            if not (first + second).isprintable():
                raise csv.Error("a player's name has unprintable characters")
            if result not in RESULTS:
                raise csv.Error(f"result {result!r} is not first, second or draw")
            encounters.append(Encounter(current_spec(first), current_spec(second), RESULTS[result]))
        return encounters
    except csv.Error as error:
        raise BoardwrightError(f"{name}, line {rows.line_num}: {error}") from error
