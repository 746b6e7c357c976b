"""Config files: `config.json` in a run folder, and the `presets.toml` of a method."""

import json
import tomllib
from collections import UserDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from boardwright.atomicfile import open_ordinary, write_atomic
from boardwright.errors import RunError, reraise_as
from boardwright.games import registry
from boardwright.learn.run import settings

NAME = "config.json"
Config = TypeVar("Config")


class Presets(UserDict[str, Config], Generic[Config]):
    """The presets of a method by name, from `presets.toml` next to a module of the method.

    A preset may extend another: settings that it does not give are those of that one. Presets without a game are
    templates, for games without presets of their own.
    """

    def __init__(self, kind: type[Config], module: str):
        self._kind, tables = kind, tomllib.loads(Path(module).with_name("presets.toml").read_text())
        full = {name: _extend(tables, name) for name in tables}
        self._templates = {name: data for name, data in full.items() if "game" not in data}
        super().__init__({name: settings.from_json(kind, data) for name, data in full.items() if "game" in data})

    def of_game(self, game: str) -> dict[str, Config]:
        """The presets of a game: its own, or else the templates, as GAME-NAME."""
        return {name: config for name, config in self.items() if getattr(config, "game", None) == game} or {
            f"{game}-{name}": settings.from_json(self._kind, {**data, "game": game})
            for name, data in self._templates.items()
        }


def store(folder: Path, method: str, config: Any) -> None:
    """Writes the config of a new run; raises RunError where the folder has a run with another."""
    check(folder, method, config)
    if not (folder / NAME).exists():
        write(folder, method, config)


def write(folder: Path, method: str, config: Any) -> None:
    """Writes the config of a run over that of a run that never started; raises RunError."""
    with reraise_as(RunError, f"cannot write {folder / NAME}"):
        write_atomic(folder / NAME, json.dumps(contents(method, config), indent=1).encode() + b"\n")


def check(folder: Path, method: str, config: Any) -> None:
    """Raises RunError where a folder has a run with another config."""
    if not (folder / NAME).exists():
        return
    differing = _first_difference(with_defaults(read(folder), config), contents(method, config))
    if differing is not None:
        raise RunError(f"{folder} holds a run with other settings ({differing}): give the same ones, or a new --out")


def read(folder: Path) -> dict[str, Any]:
    """The contents of the file in a folder; raises RunError."""
    path = folder / NAME
    try:
        with open_ordinary(path) as file:
            there = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path} cannot be read: {error}: start again with another --out") from error
    if not isinstance(there, dict):
        raise RunError(f"{path} contains no settings: start again with another --out")
    return _with_current_rules(there)


def load(folder: Path, method: str, game: str, kind: type[Config]) -> Config | None:
    """The config of the run in a folder, if there is one of a method and a game; raises RunError."""
    if not (folder / NAME).exists():
        return None
    there = read(folder)
    if (there.pop("method", None), there.get("game")) != (method, game):
        return None
    with reraise_as(RunError, f"{folder / NAME}", RunError):
        return settings.from_json(kind, there)


def contents(method: str, config: Any) -> dict[str, Any]:
    """The contents of the file of a config."""
    return _with_current_rules({"method": method, **settings.to_json(config)})


def _with_current_rules(config: dict[str, Any]) -> dict[str, Any]:
    """A config that calls its rule set by the name it has now."""
    if config.get("game") in registry.GAMES and isinstance(config.get("rules"), str):
        config["rules"] = registry.current_rule_name(config["game"], config["rules"])
    return config


def with_defaults(there: dict[str, Any], config: Any) -> dict[str, Any]:
    """The contents of a file, with the defaults of settings that are newer than the file."""
    try:
        config = settings.from_json(type(config), {name: value for name, value in there.items() if name != "method"})
    except RunError:
        return there  # of another method
    return {"method": there.get("method"), **settings.to_json(config)}


def _extend(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings of a preset, with those of the preset that it extends."""
    own = dict(tables[name])
    base = own.pop("extends", None)
    return own if base is None else _merge(_extend(tables, base), own)


def _merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Nested tables with changes."""
    merged = {name: _merge(base.get(name, {}), value) for name, value in changes.items() if isinstance(value, dict)}
    return {**base, **changes, **merged}


def _first_difference(there: Any, here: Any, path: str = "") -> str | None:
    """The first setting that differs, in words."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**here, **there}:
            found = _first_difference(there.get(name), here.get(name), f"{path}.{name}" if path else name)
            if found is not None:
                return found
        return None
    return None if there == here else f"{path} is {there!r} there and {here!r} here"
