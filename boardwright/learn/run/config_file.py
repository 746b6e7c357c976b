"""`config.json` in a run's folder: what the run was told, and that it is not told otherwise later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from boardwright.atomicfile import write_atomic
from boardwright.errors import RunError
from boardwright.games import registry
from boardwright.learn.run import settings

NAME = "config.json"
Config = TypeVar("Config")


def keep(folder: Path, method: str, config: Any) -> None:
    """Writes the config of a new run, and refuses another one for a run that has begun."""
    check(folder, method, config)
    if not (folder / NAME).exists():
        write(folder, method, config)


def write(folder: Path, method: str, config: Any) -> None:
    """Writes the config of a run, in the place of one that came to nothing."""
    write_atomic(folder / NAME, json.dumps(told(method, config), indent=1).encode() + b"\n")


def check(folder: Path, method: str, config: Any) -> None:
    """Raises RunError where a run has begun in a folder that was told otherwise."""
    if not (folder / NAME).exists():
        return
    differing = _first_difference(with_defaults(read(folder), config), told(method, config))
    if differing is not None:
        raise RunError(f"{folder} holds a run with other settings ({differing}): give the same ones, or a new --out")


def read(folder: Path) -> dict[str, Any]:
    """What the run in a folder was told; raises RunError."""
    path = folder / NAME
    try:
        there = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise RunError(f"{path} cannot be read: {error}: begin anew with another --out") from error
    if not isinstance(there, dict):
        raise RunError(f"{path} holds no settings: begin anew with another --out")
    return _with_current_rules(there)


def recalled(folder: Path, method: str, game: str, kind: type[Config]) -> Config | None:
    """The settings of the run in a folder, if there is one of a method and a game; raises RunError."""
    if not (folder / NAME).exists():
        return None
    there = read(folder)
    if (there.get("method"), there.get("game")) != (method, game):
        return None
    try:
        return settings.from_json(kind, {name: value for name, value in there.items() if name != "method"})
    except RunError as error:
        raise RunError(f"{folder / NAME}: {error}") from error


def told(method: str, config: Any) -> dict[str, Any]:
    """What the file holds."""
    return _with_current_rules({"method": method, **settings.to_json(config)})


def _with_current_rules(config: dict[str, Any]) -> dict[str, Any]:
    """A config that calls its rule set by the name it has now."""
    if config.get("game") in registry.GAMES and isinstance(config.get("rules"), str):
        config["rules"] = registry.current_rule_name(config["game"], config["rules"])
    return config


def with_defaults(there: dict[str, Any], config: Any) -> dict[str, Any]:
    """What a file holds, with the defaults of settings that there were none of when the run began."""
    try:
        begun = settings.from_json(type(config), {name: value for name, value in there.items() if name != "method"})
    except RunError:
        return there  # of another method: told as it stands
    return {"method": there.get("method"), **settings.to_json(begun)}


def _first_difference(there: Any, here: Any, path: str = "") -> str | None:
    """The first setting that differs, in words."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**here, **there}:
            found = _first_difference(there.get(name), here.get(name), f"{path}.{name}" if path else name)
            if found is not None:
                return found
        return None
    return None if there == here else f"{path} is {there!r} there and {here!r} here"
