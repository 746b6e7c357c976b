"""Games in the database: storing, finding and counting them, and their results for ratings."""

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from boardwright import __version__
from boardwright.agents.specs import OLD_NAMES, current_spec
from boardwright.arena.event import PlayedGame
from boardwright.coerce import check_value
from boardwright.errors import BoardwrightError, printable
from boardwright.games.base import ONGOING, Rules
from boardwright.games.record import GameRecord
from boardwright.games.registry import current_rule_name
from boardwright.records import codec
from boardwright.records.store import Store, insert
from boardwright.stats.pairings import Encounter

UNKNOWN = "?"  # a player that a game file does not name
MAX_REASON_LENGTH = 200  # characters, why a game cannot be read
_COLUMNS: dict[str, Any] = dict.fromkeys(("id", "number", "opening", "result"), int)  # a damaged schema lets others in
_COLUMNS |= dict.fromkeys(("reason", "stored", "first_spec", "second_spec", "first_version", "second_version"), str)
_COLUMNS |= {"event": int | None, "start": str | None}
_NET = " net "  # in a player's version, between that of boardwright and the checksum of its net, if it has one
KNOWN = f"(first.spec != '{UNKNOWN}' AND second.spec != '{UNKNOWN}')"
LISTING = """
    FROM games
    JOIN rule_sets ON rule_sets.id = games.rule_set
    JOIN (SELECT id, current_spec(spec) AS spec, version FROM players) AS first ON first.id = games.first
    JOIN (SELECT id, current_spec(spec) AS spec, version FROM players) AS second ON second.id = games.second"""


@dataclass(frozen=True, kw_only=True)
class StoredGame:
    """A game in the database."""

    id: int
    event: int | None
    played: PlayedGame
    versions: tuple[str, str]  # `version_of` the player of each role; empty for players from elsewhere
    stored: str  # when, UTC, like 2025-01-31T18:00:00Z


@dataclass(frozen=True, kw_only=True)
class GameFilter:
    """Which games to find; None means any."""

    game: str | None = None
    rules: str | None = None  # name of the rule set, also a former one
    player: str | None = None  # a spec, or its name before the colon
    result: int | None = None
    event: int | None = None
    index: int | None = None  # which game of its event
    id: int | None = None
    before: int | None = None  # stored before the game of this id
    limit: int | None = None  # how many at most, the latest ones

    def condition(self) -> tuple[str, dict[str, Any]]:
        """The end of a query over `LISTING`, and its values."""
        tests = {
            "game": "rule_sets.game = :game",
            "rules": "rule_sets.name = :rules",
            "player": f"({_player_condition('first')} OR {_player_condition('second')})",
            "result": "games.result = :result",
            "event": "games.event = :event",
            "index": "games.number = :index",
            "id": "games.id = :id",
            "before": "games.id < :before",
        }
        values = {name: getattr(self, name) for name in tests if getattr(self, name) is not None}
        if self.player is not None:
            values["player"] = OLD_NAMES.get(self.player, current_spec(self.player))
        if "rules" in values:
            values["rules"] = current_rule_name(self.game, self.rules)
        where = " AND ".join(tests[name] for name in values)
        return f" WHERE {where}" if where else "", values


def _player_condition(player: str) -> str:
    return f"{player}.spec = :player OR substr({player}.spec, 1, length(:player) + 1) = :player || ':'"


def version_of(boardwright: str, net: str) -> str:
    """The version of a player: that of boardwright, and the checksum of its net, if it has one."""
    return f"{boardwright}{_NET}{net}" if net else boardwright


def parts_of(version: str) -> tuple[str, str]:
    """The version of boardwright and the checksum of the net in a player's version."""
    boardwright, _, net = version.partition(_NET)
    return boardwright, net


def save_game(store: Store, game: PlayedGame, event: int | None = None, version: str = __version__) -> bool:
    """Stores a game in one transaction and returns True; returns False if its event has a game of this index."""
    with store.writing() as connection:
        return insert_game(connection, game, event, version)


def insert_game(
    connection: sqlite3.Connection, game: PlayedGame, event: int | None = None, version: str = __version__
) -> bool:
    """The same within an open transaction."""
    record = game.record
    row = {
        "event": event,
        "number": game.index,
        "start": record.start,
        **codec.to_blobs(record.actions, game.seconds),
        "opening": game.opening,
        "result": record.result,
        "reason": record.reason,
        "resigned": record.resigned,
        "forfeited_by": game.forfeited_by,
        "remarks": codec.remarks_text(record),
        "tags": codec.canonical(list(record.tags.items())),  # in order
    }
    rules = {"game": record.game, "name": record.rules.name, "options": codec.canonical(asdict(record.rules))}

    def number_of(table: str, fields: dict[str, Any], key: tuple[str, ...]) -> int:
        """The id of a row, which is inserted if it is missing."""
        insert(connection, table, fields)
        test = " AND ".join(f"{name} = :{name}" for name in key)
        return connection.execute(f"SELECT id FROM {table} WHERE {test}", fields).fetchone()[0]

    row["rule_set"] = number_of("rule_sets", rules, ("game", "options"))
    for role, spec, net in zip(("first", "second"), game.players, game.nets, strict=True):
        row[role] = number_of("players", {"spec": spec, "version": version_of(version, net)}, ("spec", "version"))
    return insert(connection, "games", row)


def find_games(store: Store, which: GameFilter, damaged: list[str] | None = None) -> Iterator[StoredGame]:
    """The games that match a filter, in the order in which they were stored.

    Raises BoardwrightError for a game that cannot be read; with a list `damaged`, appends the message to it and goes
    to the next game.
    """
    where, values = which.condition()
    if which.limit is not None:
        where = f" WHERE games.id IN (SELECT games.id {LISTING} {where} ORDER BY games.id DESC LIMIT :limit)"
        values["limit"] = which.limit
    query = f"""SELECT games.*, rule_sets.game, rule_sets.options, first.spec AS first_spec, second.spec AS second_spec,
        first.version AS first_version, second.version AS second_version {LISTING} {where} ORDER BY games.id"""
    rule_sets: dict[int, Rules] = {}
    with store.reading() as connection:
        cursor = connection.cursor()
        cursor.row_factory = sqlite3.Row  # type: ignore[assignment]
        for row in cursor.execute(query, values):
            try:
                game = _stored_game(row, rule_sets)
            except codec.READING_ERRORS as error:
                reason = printable(str(error))[:MAX_REASON_LENGTH] or type(error).__name__
                message = f"game {row['id']} in {store.path} cannot be read: {reason}"
                if damaged is None:
                    raise BoardwrightError(message) from error
                damaged.append(message)
            else:
                yield game


def _stored_game(row: sqlite3.Row, rule_sets: dict[int, Rules]) -> StoredGame:
    """A game from its row; adds its rules to `rule_sets`."""
    for name, kinds in _COLUMNS.items():
        if not isinstance(row[name], kinds):
            raise BoardwrightError(f"its {name} is {str(row[name])[:40]!r}")
    if not (0 <= row["result"] <= ONGOING and {row["resigned"], row["forfeited_by"]} <= {None, 0, 1}):
        raise BoardwrightError(f"its result is {row['result']}")
    actions, seconds = codec.from_blobs(row["actions"], row["seconds"])
    if 0 < len(seconds) < len(actions) or not all(map(math.isfinite, seconds)):
        raise BoardwrightError(f"it has {len(seconds)} times for {len(actions)} actions, or times that are not finite")
    if row["rule_set"] not in rule_sets:
        rule_sets[row["rule_set"]] = codec.rules_of(row["game"], row["options"])
    record = GameRecord(
        game=row["game"],
        rules=rule_sets[row["rule_set"]],
        start=row["start"],
        actions=actions,
        result=row["result"],
        reason=row["reason"],
        resigned=row["resigned"],
        tags=dict(check_value(json.loads(row["tags"]), tuple[tuple[str, str], ...])),
        **codec.remarks_of(row["remarks"]),
    )
    played = PlayedGame(
        record=record,
        players=(row["first_spec"], row["second_spec"]),
        opening=row["opening"],
        seconds=seconds,
        forfeited_by=row["forfeited_by"],
        index=row["number"],
        nets=(parts_of(row["first_version"])[1], parts_of(row["second_version"])[1]),
    )
    versions = (row["first_version"], row["second_version"])
    return StoredGame(id=row["id"], event=row["event"], played=played, versions=versions, stored=row["stored"])


def count_games(store: Store, which: GameFilter) -> dict[str, int]:
    """The number of stored games that match a filter, by game."""
    where, values = which.condition()
    with store.reading() as connection:
        return dict(connection.execute(f"SELECT rule_sets.game, count(*) {LISTING} {where} GROUP BY 1", values))


def encounters(
    store: Store, game: str, rules: str | None = None, field: Mapping[str, str] | None = None
) -> list[Encounter]:
    """The players and results of the finished games of a game, for ratings.

    A player is identified by its spec; games of unknown players do not count, since "?" is not one player. The rule set
    is given by name, None means all. A `field` restricts the games to players with these specs and nets (checksums).
    """
    where, values = GameFilter(game=game, rules=rules).condition()
    query = f"""SELECT first.spec, second.spec, result, first.version, second.version
        {LISTING} {where} AND result != {ONGOING} AND {KNOWN}"""
    with store.reading() as connection:
        return [
            Encounter(first, second, result)
            for first, second, result, *versions in connection.execute(query, values)
            if in_field(field, (first, versions[0]), (second, versions[1]))
        ]


def in_field(field: Mapping[str, str] | None, *players: tuple[str, str]) -> bool:
    """Whether all players, each a spec and a version, belong to a field; None is all players."""
    return field is None or all(field.get(spec) == parts_of(version)[1] for spec, version in players)


def rule_set_names(store: Store, game: str) -> list[str]:
    """Names of the rule sets under which games of a game were stored; two that differ may have the same name."""
    query = """SELECT name FROM rule_sets WHERE game = ?
        AND EXISTS (SELECT * FROM games WHERE games.rule_set = rule_sets.id) ORDER BY name, id"""
    with store.reading() as connection:
        return [name for (name,) in connection.execute(query, [game])]
