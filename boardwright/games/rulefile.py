"""Rule sets from files: TOML or JSON, one flat table of options, checked before use.

Game files carry the same options in one line of text, `max_plies=200 repetition_limit=none`.

A file names its rule set, may start from a known one with `base`, and changes what it lists:

    name = "long-tablut"
    base = "tablutzero"
    max_quiet_plies = 200
"""

import dataclasses
import json
import re
import tomllib
import typing
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardwright.atomicfile import read_bounded
from boardwright.coerce import MismatchError, check_value
from boardwright.errors import RulesError, UnknownNameError
from boardwright.games.base import Game, Rules

MAX_BYTES = 1 << 20
MAX_NAME_LENGTH = 60
MAX_GAME_PLIES = 4096  # that a rule set may allow
_NOT_IN_TEXT = {"name": "the name has its own tag", "base": "a game file lists the options themselves"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckedRules(ABC):
    """A rule set, checked when it is made."""

    name: str

    def __post_init__(self) -> None:
        if not (self.name and self.name.isprintable() and len(self.name) <= MAX_NAME_LENGTH):
            raise RulesError(f"rule set name {self.name[:80]!r}: expected 1 to {MAX_NAME_LENGTH} printable characters")
        problem = self.problem()
        if problem:
            raise RulesError(f"rule set {self.name!r}: {problem}")

    @abstractmethod
    def problem(self) -> str | None:
        """What is wrong with the options, or None."""


def limits_problem(rules: Any) -> str | None:
    """What is wrong with the options that limit the length of a game, or None; without one a game may never end."""
    if rules.repetition_limit is not None and not 2 <= rules.repetition_limit <= 100:
        return f"repetition_limit must be from 2 to 100, not {rules.repetition_limit}"
    for key, limit in (("max_quiet_plies", rules.max_quiet_plies), ("max_plies", rules.max_plies)):
        if limit is not None and not 1 <= limit <= MAX_GAME_PLIES:
            return f"{key} must be from 1 to {MAX_GAME_PLIES}, not {limit}"
    if rules.max_quiet_plies is None and rules.max_plies is None:
        return "no limit ends the game: set max_plies or max_quiet_plies"
    return None


def read(path: Path) -> Mapping[str, Any]:
    """The options in a rule file, not yet checked."""
    try:
        text = read_bounded(path, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise RulesError(f"cannot read rule file {path}: {error.strerror}") from error
    except ValueError as error:
        raise RulesError(f"cannot read rule file {str(path)!r}: not UTF-8 text, or not a valid file name") from error
    try:
        is_json = path.suffix == ".json"
        options = json.loads(text, object_pairs_hook=_without_repeats) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"rule file {path}: {' '.join(str(error).split())}") from error
    if not isinstance(options, dict):
        raise RulesError(f"rule file {path}: expected a table of options")
    return {"name": path.stem, **options}


def build(game: type[Game], options: Mapping[str, Any]) -> Rules:
    """A checked rule set from `options`, on top of the named set in `base` or the type's defaults.

    One that equals a shipped rule set and has a former name of it is that rule set.
    """
    rules_type, named, options = game.rules_type, game.rule_sets(), dict(options)
    base = options.pop("base", None)
    if isinstance(base, str):
        base = game.old_rule_names.get(base, base)
    if base is not None and not (isinstance(base, str) and base in named):
        raise UnknownNameError("base rule set", str(base), named)
    hints = typing.get_type_hints(rules_type)
    values = {}
    for key, value in options.items():
        if key not in hints:
            raise UnknownNameError("rule option", str(key), hints)
        may_be_none = type(None) in typing.get_args(hints[key])  # which TOML cannot say
        try:
            values[key] = check_value(None if value == "none" and may_be_none else value, hints[key])
        except MismatchError as error:
            raise RulesError(f"rule option {key!r}: {error}") from error
    defaults = {"name": "custom"} if base is None else vars(named[base]) | {"name": f"{base}-variant"}
    made = rules_type(**{**defaults, **values})
    current = named.get(game.old_rule_names.get(made.name, ""))
    return current if current is not None and dataclasses.replace(made, name=current.name) == current else made


def options_text(rules: Rules) -> str:
    """What a rule set changes of its type's defaults, as one line; the name is left to the file."""
    options = ((option, getattr(rules, option.name)) for option in dataclasses.fields(rules))  # type: ignore[arg-type]
    changed = {option.name: value for option, value in options if option.name != "name" and value != option.default}
    return " ".join(f"{name}={value_text(value)}" for name, value in changed.items())


def value_text(value: Any) -> str:
    """A text, a number, true, false or none."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def options_of_text(text: str) -> dict[str, Any]:
    """The options in one line of text, their values not yet checked: `build` takes them."""
    values: dict[str, Any] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name in _NOT_IN_TEXT:
            raise RulesError(f"rule option {name!r} is not allowed here: {_NOT_IN_TEXT[name]}")
        if name in values:
            raise RulesError(f"rule option {name!r} is given twice")
        is_number = re.fullmatch("[0-9]{1,9}", value)
        values[name] = int(value) if is_number else {"true": True, "false": False}.get(value, value)
    return values


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; raises ValueError for a repeated key."""
    options = dict(pairs)
    if len(options) < len(pairs):
        repeated = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"{repeated!r} is given twice")
    return options
