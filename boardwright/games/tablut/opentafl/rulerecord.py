"""Rule sets as OpenTafl's rules records, and the options that language cannot say.

    dim:9 name:tablutzero esc:c atkf:y surf:n tfr:l ka:y ks:w corp:K cors:K corh:tcnkTCNK ... start:/3ttt3/.../

A record names each rule by a short key; keys left out have OpenTafl's defaults. What this engine cannot
play is refused rather than approximated, since a game replayed under other rules is another game. The
language has no ply limits, counts a position as repeated at its third occurrence, and knows one list of
attackers' fortresses where we have several camps: such options travel in a text of our own,
`max_plies=512 count_start=true camps=a4,a5/e1,e2`. A record from elsewhere comes without it: then games
end after 512 plies, never for lack of captures, and the side that cannot move loses.

A throne is hostile by `cenhe` while it is empty and by `cenh` while the king sits on it.
"""

import dataclasses
import re
from collections.abc import Mapping, Set
from typing import Any, cast

from boardwright.errors import RulesError
from boardwright.games import registry, rulefile
from boardwright.games.tablut import board as b
from boardwright.games.tablut.rules import TablutRules

_ATTACKERS, _DEFENDERS = "tcnk", "TCNK"
_ALL = _ATTACKERS + _DEFENDERS
_DEFAULT_RECORD = (
    "name:opentafl esc:c atkf:y surf:y tfr:d ka:y ks:s kj:n spd:-1 sw:n efe:n ber:n linc:n "
    f"cor:default cors:K corh:{_ALL} corre:{_ALL} "
    f"cen:default cenp:{_ALL} cens:K cenh:{_ATTACKERS} cenhe:{_ALL} cenre:{_ALL} "
    f"afor: aforp:{_ALL} afors:{_ALL} aforh:{_DEFENDERS} aforre:{_ALL} dfor:"
)
_DEFAULTS = {key: value for key, _, value in (entry.partition(":") for entry in _DEFAULT_RECORD.split())}
# Keys without effect here: they concern pieces, squares and captures that are refused when present, or
# passing over corners, which lie at the end of every line.
_IDLE = frozenset({"nj", "cj", "mj", "gj", "corp", "swf", "dforp", "dfors", "dforh", "dforre"})
_ABSENT: Mapping[str, str] = {
    "kj": "jumping kings",
    "dfor": "defenders' fortresses",
    "sw": "shieldwall captures",
    "efe": "edge forts",
    "ber": "berserk moves",
    "linc": "Linnaean captures",
}
_LETTERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "esc": ("escape", {"c": "corner", "e": "edge"}),
    "atkf": ("first", {"y": "attackers", "n": "defenders"}),
    "surf": ("surround_loses", {"y": True, "n": False}),
    "tfr": ("repetition", {"i": "none", "d": "draw", "l": "loses"}),
    "ka": ("king_armed", {"y": True, "n": False}),
    "ks": ("king_capture", {"s": "strong", "w": "weak", "c": "strong-centre", "y": "strong", "n": "weak"}),
}
_SIDES = {"none": "", "attackers": _ATTACKERS, "defenders": _DEFENDERS, "all": _ALL}
_WHO = {"none": "", "king": "K", "all": _ALL}

_UNSAYABLE: Mapping[str, Any] = {  # and what a record from elsewhere is taken to mean
    "no_move": "mover-loses",
    "repetition_limit": 3,
    "count_start": True,
    "max_quiet_plies": None,
    "max_plies": 512,
}


def rules_record(rules: TablutRules) -> str:
    """OpenTafl's record of a rule set, as close as that language allows."""
    stop_on_corner = "K" if rules.corners_restricted else _ALL
    under_king = (_ATTACKERS if rules.king_armed else "") + (_DEFENDERS if rules.throne_hostile_under_king else "")
    camps = [name for camp in rules.camps for name in camp]
    entries = {
        "dim": str(b.SIZE),
        "name": re.sub(r"[^\w.-]", "_", rules.name),
        **{
            key: next(letter for letter, meaning in meanings.items() if meaning == getattr(rules, option))
            for key, (option, meanings) in _LETTERS.items()
        },
        "corp": stop_on_corner,
        "cors": stop_on_corner,
        "corh": _SIDES[rules.corners_hostile_to],
        "cenp": _WHO[rules.throne_pass],
        "cens": _WHO[rules.throne_stop],
        "cenh": under_king,
        "cenhe": _SIDES[rules.throne_hostile_to],
    }
    if camps:
        entries["afor"] = "".join(f"{name}," for name in camps)
        entries |= {"aforp": _ATTACKERS, "afors": _ATTACKERS, "aforre": "", "aforh": _SIDES[rules.camps_hostile_to]}
    return " ".join(f"{key}:{value}" for key, value in (entries | {"start": rules.start}).items())


def options_text(rules: TablutRules) -> str:
    """What `rules_record` leaves out, so that both together give back the same rule set."""
    said = _options_of_record(rules_record(rules))
    words = []
    for option in dataclasses.fields(TablutRules):
        value = getattr(rules, option.name)
        if option.name in _UNSAYABLE or (option.name != "name" and value != said.get(option.name)):
            is_camps = option.name == "camps"
            text = "/".join(",".join(camp) for camp in value) if is_camps else rulefile.value_text(value)
            words.append(f"{option.name}={text}")
    return " ".join(words)


def read_rules(record: str, name: str | None, options: str) -> TablutRules:
    """The rule set of a record, under our name and with our options where a file has them; raises RulesError."""
    for word in options.split():
        if "=" not in word:
            raise RulesError(f"rule option {word!r}: expected NAME=VALUE")
    values = _options_of_record(record) | rulefile.options_of_text(options)
    if not isinstance(values["camps"], tuple):
        camps = str(values["camps"]).split("/")
        values["camps"] = [[square for square in camp.split(",") if square] for camp in camps]
    if name is not None:
        values["name"] = name
    return cast(TablutRules, rulefile.build(registry.game_class("tablut"), values))


def check_board(key: str, text: str) -> None:
    """Refuses a board with pieces that only other tafl games have; `parse_board` checks the rest."""
    for letter in text:
        if letter in "kncmgNCMG":
            raise RulesError(f"{key}: this engine has no knights, commanders or other pieces, but found {letter!r}")


def _options_of_record(record: str) -> dict[str, Any]:
    given = _entries(record)
    start = _start(given)
    entries = {**_DEFAULTS, **given}
    for key, what in _ABSENT.items():
        if entries[key] != _DEFAULTS[key]:
            raise RulesError(f"rule {key}:{entries[key]}: this engine has no {what}")
    if set(entries["spd"].strip(",").split(",")) != {"-1"}:
        raise RulesError(f"rule spd:{entries['spd']}: this engine has no speed limits")
    values = {"name": entries["name"], "start": start, **_UNSAYABLE}
    for key, (option, meanings) in _LETTERS.items():
        if entries[key] not in meanings:
            raise RulesError(f"rule {key}:{entries[key]}: this engine plays only {', '.join(meanings)}")
        values[option] = meanings[entries[key]]
    king_on_throne = b.parse_board(start)[b.THRONE] == b.KING
    return values | _corners(entries) | _throne(entries, king_on_throne=king_on_throne) | _camps(entries)


def _entries(record: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    for word in record.split():
        key, colon, value = word.partition(":")
        if not colon:
            raise RulesError(f"rule {word!r}: expected KEY:VALUE")
        if key not in _DEFAULTS and key not in _IDLE and key not in ("dim", "start", "starti"):
            raise RulesError(f"rule {word!r}: unknown to this engine")
        if key in entries:
            raise RulesError(f"rule {key}: given twice")
        entries[key] = value
    return entries


def _start(entries: dict[str, str]) -> str:
    """The first position of a record, whose rows `start` gives from rank 1 and `starti` from the top."""
    size = entries.pop("dim", "")
    if size != str(b.SIZE):
        raise RulesError(f"rule dim:{size}: this engine plays on nine by nine squares only (dim:9)")
    start, inverted = entries.pop("start", None), entries.pop("starti", None)
    if inverted is not None:
        start = "/" + "/".join(reversed(inverted.strip("/").split("/"))) + "/"
    if start is None:
        raise RulesError("rule start: the record has no first position")
    check_board("rule start", start)
    return start


def _corners(entries: Mapping[str, str]) -> dict[str, Any]:
    squares = _squares(entries, "cor", b.CORNERS)
    if not squares:
        if entries["esc"] == "c":
            raise RulesError("rule cor: without corners the king cannot escape to one (esc:c)")
        return {"corners_restricted": False, "corners_hostile_to": "none"}
    if squares != set(b.CORNERS):
        raise RulesError(f"rule cor:{entries['cor']}: this engine knows only the four corners of the board")
    who = _name_list(entries, "cors", _WHO)
    if who == "none":
        raise RulesError("rule cors: this engine always lets the king stop on corners")
    if who == "all" and not {"t", "T"} <= _pieces(entries, "corre"):
        raise RulesError(f"rule corre:{entries['corre']}: this engine lets men who may stop on corners do so again")
    return {"corners_restricted": who == "king", "corners_hostile_to": _name_list(entries, "corh", _SIDES)}


def _throne(entries: Mapping[str, str], *, king_on_throne: bool) -> dict[str, Any]:
    squares = _squares(entries, "cen", (b.THRONE,))
    if not squares:
        if entries["ks"] == "c":
            raise RulesError("rule ks:c: a king who is strong at the centre needs one (cen)")
        free = {"throne_stop": "all", "throne_pass": "all", "throne_hostile_to": "none"}
        return free | {"throne_hostile_under_king": False}
    if squares != {b.THRONE}:
        raise RulesError(f"rule cen:{entries['cen']}: this engine knows only e5 as centre")
    under_king = _pieces(entries, "cenh")
    if "t" in under_king and entries["ka"] == "n":
        raise RulesError("rule cenh: in this engine the throne under an unarmed king cannot be hostile to attackers")
    barred = _pieces(entries, "cens") - _pieces(entries, "cenre")
    if barred - {"K"} or (barred and not king_on_throne):
        raise RulesError(f"rule cenre:{entries['cenre']}: this engine only keeps a king off the throne he started on")
    return {
        "throne_stop": _name_list(entries, "cens", _WHO, without=barred),
        "throne_pass": _name_list(entries, "cenp", _WHO),
        "throne_hostile_to": _name_list(entries, "cenhe", _SIDES),
        "throne_hostile_under_king": "T" in under_king,
    }


def _camps(entries: Mapping[str, str]) -> dict[str, Any]:
    """Fortresses as one camp; men move within camps step by step, so one list says as much as several."""
    if not _squares(entries, "afor", ()):
        return {"camps": (), "camps_hostile_to": "none"}
    enter, stop, reenter = (_pieces(entries, key) for key in ("aforp", "afors", "aforre"))
    if enter != {"t"} or stop != {"t"} or "t" in reenter:
        key = "aforp" if enter != {"t"} else "afors" if stop != {"t"} else "aforre"
        known = "as camps that attackers leave for good (aforp:t afors:t aforre:)"
        raise RulesError(f"rule {key}:{entries[key]}: this engine knows fortresses only {known}")
    names = tuple(name for name in entries["afor"].split(",") if name)
    return {"camps": (names,), "camps_hostile_to": _name_list(entries, "aforh", _SIDES)}


def _squares(entries: Mapping[str, str], key: str, default: tuple[int, ...]) -> set[int]:
    if entries[key] == "default":
        return set(default)
    try:
        return {b.square_number(name) for name in entries[key].split(",") if name}
    except ValueError as error:
        raise RulesError(f"rule {key}:{entries[key]}: {error}") from None


def _pieces(entries: Mapping[str, str], key: str) -> set[str]:
    """Which of our pieces a list names: t, T and K."""
    unknown = set(entries[key]) - set("tcnkmgTCNKMG")
    if unknown:
        raise RulesError(f"rule {key}:{entries[key]}: {min(unknown)!r} is not a piece")
    return set(entries[key]) & {"t", "T", "K"}


def _name_list(entries: Mapping[str, str], key: str, lists: Mapping[str, str], without: Set[str] = frozenset()) -> str:
    """The name under which we know a list of pieces."""
    pieces = _pieces(entries, key) - without
    for name, letters in lists.items():
        if pieces == set(letters) & {"t", "T", "K"}:
            return name
    raise RulesError(f"rule {key}:{entries[key]}: this engine knows only {', '.join(lists)} here")
