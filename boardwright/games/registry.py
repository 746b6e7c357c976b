"""Games by name, and what they declare by import path. `builtin.py` lists the games that ship."""

import functools
import importlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boardwright.errors import BoardwrightError, RulesError, UnknownNameError
from boardwright.games import rulefile
from boardwright.games.base import Game, GameProtocol, Rules
from boardwright.games.builtin import GAMES


def game_names() -> tuple[str, ...]:
    """Names of all registered games."""
    return tuple(GAMES)


def game_class(name: str) -> type[Game]:
    """The class of a registered game, imported on demand."""
    if name not in GAMES:
        raise UnknownNameError("game", name, GAMES)
    return load(GAMES[name])


def load(path: str) -> Any:
    """The object at an import path `module:attribute`."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def game(
    name: str,
    rules: "str | Path | Mapping[str, Any] | Rules | None" = None,
    observation: str | None = None,
) -> Game:
    """A game under one rule set.

    `rules` is the name of a rule set, the path of a `.toml` or `.json` file, a mapping with the
    contents of such a file, a rule set object, or nothing for the game's default. `observation` is
    one of the game's ways to observe, by default its first.
    """
    cls = game_class(name)
    if isinstance(rules, Path) or (isinstance(rules, str) and re.search(r"\.toml$|\.json$|[/\\]", rules)):
        options = rulefile.read(Path(rules))
        try:
            rules = rulefile.build(cls, options)
        except BoardwrightError as error:
            raise RulesError(f"rule file {rules}: {error}") from error
    if isinstance(rules, Mapping):
        rules = rulefile.build(cls, rules)
    elif rules is None or isinstance(rules, str):
        chosen = current_rule_name(name, cls.default_rules if rules is None else rules) or ""
        if chosen not in cls.rule_sets():
            raise UnknownNameError(f"rule set of {name}", chosen, cls.rule_sets())
        rules = cls.rule_sets()[chosen]
    if not isinstance(rules, cls.rules_type):
        raise RulesError(f"{rules!r} is not a rule set of {name}: expected a name, a file or a mapping")
    observation = cls.observations[0] if observation is None else observation
    if observation not in cls.observations:
        raise UnknownNameError(f"observation of {name}", observation, cls.observations)
    return _bind(cls, rules, observation)  # type: ignore[arg-type]


def current_rule_name(name: str | None, rules: str | None) -> str | None:
    """The current name of a rule set, of one game or, for None, of any."""
    for known in GAMES if name is None else (name,):
        if rules is not None and rules in game_class(known).old_rule_names:
            return game_class(known).old_rule_names[rules]
    return rules


def with_current_name(name: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The stored options of a rule set, with the current name of a renamed shipped one."""
    if name not in GAMES or options.get("name") not in game_class(name).old_rule_names:
        return options
    try:
        return {**options, "name": rulefile.build(game_class(name), options).name}
    except BoardwrightError:  # reported where the rules are used
        return options


def protocol(bound: Game, name: str) -> GameProtocol:
    """A protocol of one game; raises BoardwrightError if the game does not have it."""
    if name in bound.protocols:
        return bound.protocols[name]
    for other in GAMES:
        if name in game_class(other).protocols:
            raise BoardwrightError(f"protocol {name!r} is for {other}, not {bound.name}: use line")
    raise UnknownNameError("protocol", name, ("line", *bound.protocols))


@functools.lru_cache(maxsize=64)
def _bind(cls: type[Game], rules: Rules, observation: str) -> Game:
    return cls(rules, observation)
