"""Warnings about games that are rated together though they differ: in rules, versions, nets, time or conditions."""

from collections.abc import Iterable, Mapping, Set
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


# Games between the same two players in one event: (spec, version) of each role, and the event's conditions, if any.
_Kind = tuple[tuple[str, str], tuple[str, str], Mapping[str, Any] | None]


def comparability_warnings(
    store: Store, game: str, rules: str | None = None, field: Mapping[str, str] | None = None
) -> list[str]:
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
        conditions, damaged = {}, []  # of events that can be read, by id; ids of the others
        for number, text in connection.execute("SELECT id, config FROM events ORDER BY id"):
            try:
                conditions[number] = codec.config_of(text).get("conditions")
            except codec.READING_ERRORS:
                damaged.append(str(number))
        query = f"""SELECT DISTINCT event, first.spec, first.version, second.spec, second.version
            {LISTING} {where} AND result != {ONGOING} AND {KNOWN} ORDER BY event"""
        rows = connection.execute(query, values).fetchall()
    if nameless:
        warnings.append(f"{nameless:,} games of players without a name are left out")
    if damaged:
        warnings.append(f"damaged events, whose conditions cannot be read: {_some(damaged)}")
    kinds: list[_Kind] = [
        ((first, of_first), (second, of_second), conditions.get(event))
        for event, first, of_first, second, of_second in rows
    ]
    return warnings + _differences([kind for kind in kinds if in_field(field, *kind[:2])], game)


def _differences(kinds: Iterable[_Kind], game: str) -> list[str]:
    """Warnings about the games that are rated."""
    limits = {*LIMITS, "cmd"}  # an external program is sent a limit
    players = players_of(registry.game(game))
    timed = {player.name for player in players if not limits.isdisjoint(option.name for option in player.options)}
    versions: set[str] = set()  # of boardwright
    nets: dict[str, dict[str, None]] = {}  # that played under a spec
    times: dict[str, dict[str, None]] = {}  # per move that events set for a player without a limit of its own
    conditions: dict[str, None] = {}  # that end games, in addition to the rules
    for first, second, agreed in kinds:
        if agreed is not None:  # games of people and of files have none
            conditions[_conditions_text(agreed)] = None
        for spec, version in (first, second):
            if version:  # else from elsewhere
                versions.add(parts_of(version)[0])
                nets.setdefault(spec, {})[parts_of(version)[1] or "unknown"] = None
            if agreed is not None and _uses_event_time(spec, timed):
                seconds = agreed.get("seconds")
                times.setdefault(spec, {})["its own" if seconds is None else _time(seconds)] = None
    warnings = []
    if len(versions) > 1:
        warnings.append(f"games of several boardwright versions are rated together: {_some(sorted(versions))}")
    if changed := _several(nets):
        warnings.append(
            f"different nets with one name are rated as one player (give every net a file of its own): {changed}"
        )
    if mixed := _several(times):
        hint = "(name the time in the spec to separate them)"
        warnings.append(f"one spec with different times per move is rated as one player {hint}: {mixed}")
    if len(conditions) > 1:
        hint = "(keep them in files of their own to separate them)"
        listed = _some(list(conditions), "; ")
        warnings.append(f"games under {len(conditions)} conditions are rated together {hint}: {listed}")
    return warnings


def _several(found: Mapping[str, Mapping[str, None]]) -> str:
    """The players with several values, and these; empty if there are none."""
    return _some([f"{spec} ({_some(list(values))})" for spec, values in found.items() if len(values) > 1], "; ")


def _uses_event_time(spec: str, timed: Set[str]) -> bool:
    """Whether a player uses the time that an event sets: one of `timed` whose spec sets no limit."""
    try:
        name, given = split(spec)
    except BoardwrightError:  # a person's name
        return False
    return name in timed and not sets_limit(given)


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
