"""Warnings about games that are rated together though they differ: in rules, versions, nets, time or conditions."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from boardwright.agents.players import players_of
from boardwright.agents.specs import LIMITS, sets_limit, split
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import ONGOING
from boardwright.records import codec
from boardwright.records.games import KNOWN, LISTING, GameFilter, in_field, parts_of, rule_set_names
from boardwright.records.store import Store

MAX_LISTED = 5  # differences in a warning


@dataclass(frozen=True)
class _Kind:
    """Games between the same two players, in one event."""

    players: tuple[tuple[str, str], tuple[str, str]]  # spec and version of each role's
    config: Mapping[str, Any]  # of the event; empty for games by themselves


def mixtures(store: Store, game: str, rules: str | None = None, field: Mapping[str, str] | None = None) -> list[str]:
    """Warnings about the games that `encounters` returns for the same arguments."""
    rules = registry.current_rule_name(game, rules)
    mixed = [name for name in rule_set_names(store, game) if rules in (None, name)]
    warnings = []
    if len(mixed) > 1:
        namesakes = len(set(mixed)) < len(mixed)
        hint = " (choose one to separate them)" if rules is None else ""
        hint = " (some have the same name: keep their games in files of their own)" if namesakes else hint
        warnings.append(f"games under {len(mixed)} rule sets are rated together{hint}: {', '.join(mixed)}")
    where, values = GameFilter(game=game, rules=rules).condition()
    with store.reading() as connection:
        query = f"SELECT count(*) {LISTING} {where} AND result != {ONGOING} AND NOT {KNOWN}"
        (nameless,) = connection.execute(query, values).fetchone()
    if nameless:
        warnings.append(f"{nameless:,} games of players without a name are left out")
    configs, damaged = _read_configs(store)
    if damaged:
        names = _some([str(number) for number in damaged])
        warnings.append(f"the conditions of these events cannot be read, they are damaged: {names}")
    kinds = [kind for kind in _kinds(store, game, rules, configs) if in_field(field, *kind.players)]
    return warnings + _versions(kinds) + _nets(kinds) + _times(kinds, _timed_players(game)) + _conditions(kinds)


def _read_configs(store: Store) -> tuple[dict[int, Mapping[str, Any]], list[int]]:
    """The configurations of events by id, and the ids of events whose configuration is damaged."""
    configs, damaged = {}, []
    with store.reading() as connection:
        for number, text in connection.execute("SELECT id, config FROM events ORDER BY id"):
            try:
                configs[number] = codec.config_of(text)
            except codec.READING_ERRORS:
                damaged.append(number)
    return configs, damaged


def _kinds(store: Store, game: str, rules: str | None, configs: Mapping[int, Mapping[str, Any]]) -> list[_Kind]:
    """The kinds of games that are rated."""
    where, values = GameFilter(game=game, rules=rules).condition()
    query = f"""SELECT DISTINCT event, first.spec, first.version, second.spec, second.version
        {LISTING} {where} AND result != {ONGOING} AND {KNOWN} ORDER BY event"""
    with store.reading() as connection:
        return [
            _Kind(((first, its_version), (second, other_version)), configs.get(event, {}))
            for event, first, its_version, second, other_version in connection.execute(query, values)
        ]


def _versions(kinds: Iterable[_Kind]) -> list[str]:
    """Versions of boardwright; players from elsewhere have none."""
    found = {parts_of(version)[0] for kind in kinds for _, version in kind.players if version}
    return [f"players of several versions are one here: {_some(sorted(found))}"] if len(found) > 1 else []


def _nets(kinds: Iterable[_Kind]) -> list[str]:
    """Nets that played under the same spec."""
    found: dict[str, dict[str, None]] = {}
    for kind in kinds:
        for spec, version in kind.players:
            if version:  # else from elsewhere
                found.setdefault(spec, {})[parts_of(version)[1] or "unknown"] = None
    changed = [f"{spec} ({_some(list(nets))})" for spec, nets in found.items() if len(nets) > 1]
    hint = "(give every net a file of its own)"
    return [f"nets that have changed are one player here {hint}: {_some(changed, '; ')}"] if changed else []


def _times(kinds: Iterable[_Kind], timed: Set[str]) -> list[str]:
    """Times per move that events set for players without a limit of their own."""
    found: dict[str, dict[str, None]] = {}
    for kind in kinds:
        if "conditions" in kind.config:  # games of people and of files have none
            seconds = kind.config["conditions"].get("seconds")
            for spec, _ in kind.players:
                if _uses_event_time(spec, timed):
                    found.setdefault(spec, {})["its own" if seconds is None else _time(seconds)] = None
    mixed = [f"{spec} ({_some(list(times))})" for spec, times in found.items() if len(times) > 1]
    hint = "(name the time in the spec to separate them)"
    return [f"players with several times per move are one here {hint}: {_some(mixed, '; ')}"] if mixed else []


def _timed_players(game: str) -> set[str]:
    """The names of the players of a game that take a limit; an external program is sent one."""
    limits = {*LIMITS, "cmd"}
    players = players_of(registry.game(game))
    return {player.name for player in players if not limits.isdisjoint(option.name for option in player.options)}


def _uses_event_time(spec: str, timed: Set[str]) -> bool:
    """Whether a player uses the time that an event sets: one of `timed` whose spec sets no limit."""
    try:
        name, given = split(spec)
    except BoardwrightError:  # a person's name
        return False
    return name in timed and not sets_limit(given)


def _conditions(kinds: Iterable[_Kind]) -> list[str]:
    """Conditions that end games, in addition to the rules."""
    found = {_conditions_text(kind.config["conditions"]): None for kind in kinds if "conditions" in kind.config}
    if len(found) < 2:
        return []
    hint = "(keep them in files of their own to separate them)"
    return [f"games under {len(found)} conditions are rated together {hint}: {_some(list(found), '; ')}"]


def _conditions_text(agreed: Mapping[str, Any]) -> str:
    words = []
    if agreed.get("clock") is not None:
        words.append(f"a clock of {_time(agreed['clock']['seconds'])}+{_time(agreed['clock']['increment'])}")
    if agreed.get("max_plies") is not None:
        words.append(f"drawn after {agreed['max_plies']:,} plies")
    if agreed.get("adjudicate"):
        words.append("ended by endgame tables")
    return ", ".join(words) or "the rules alone"


def _time(seconds: float) -> str:
    return f"{seconds:g}s" if seconds >= 1 or not seconds else f"{1000 * seconds:g}ms"


def _some(found: list[str], between: str = ", ") -> str:
    """The first few of a list."""
    more = len(found) - MAX_LISTED
    return between.join([*found[:MAX_LISTED], *([f"and {more} more"] if more > 0 else [])])
