"""Settings of a run: nested frozen dataclasses, changed by `--set path=value` and stored as JSON.

    config = apply(preset, ["net.blocks=4", "search.simulations=64", "learner.lr_peak=1e-3"])

All changes are made together, so that a config is never checked half changed.
"""

import dataclasses
import difflib
import typing
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from boardwright.coerce import MismatchError, checked, item_hints, json_value, parsed
from boardwright.errors import RunError
from boardwright.setting import Field, Setting, fields_of, group_of, out_of_range, renamed

Config = TypeVar("Config")


def apply(config: Config, assignments: Iterable[str]) -> Config:
    """A config with changes such as `net.blocks=4`; of several for one setting the last counts. Raises RunError."""
    changes: dict[str, Any] = {}
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals or not path.strip():
            raise RunError(f"--set {assignment!r}: expected path=value, such as net.blocks=4")
        *groups, name = path.strip().split(".")
        place = changes
        for group in groups:
            if not isinstance(place.get(group), dict):
                place[group] = {}
            place = place[group]
        place[name] = text.strip()
    return _changed(config, changes, "", [field.path for field in fields_of(type(config))])


def to_json(config: Any) -> dict[str, Any]:
    """A config as plain data that JSON can hold; `from_json` is its inverse."""
    return {field.name: _plain(getattr(config, field.name)) for field in dataclasses.fields(config)}


def from_json(kind: type[Config], data: Any) -> Config:
    """A config of a class from plain data, in which settings may have the names of older versions; raises RunError.

    Settings that are left out have their defaults.
    """
    return _built(kind, data, "")


def check_ranges(config: Any) -> None:
    """Raises RunError that names the first setting that is not in its range."""
    for path, value, setting in out_of_range(config):
        raise RunError(f"setting {path}: {value} is not {setting.range_text}")


def listing(config: Any) -> list[dict[str, Any]]:
    """Every setting of a config as plain data: path, value, range, choices and description.

    A group set to None is listed with its defaults, which a change of one of them starts from.
    """
    rows = []
    for field in fields_of(type(config)):
        value = _value_at(config, field)
        setting = field.setting or Setting("")
        choices = [str(choice) for arm in (field.hint, *typing.get_args(field.hint)) for choice in _choices(arm)]
        rows.append(
            {
                "name": field.path,
                "value": _plain(value),
                "low": setting.low,
                "high": setting.high,
                "choices": choices or (["true", "false"] if field.hint is bool else None),
                "description": setting.description,
            }
        )
    return rows


def _value_at(config: Any, field: Field) -> Any:
    """The value of a setting, or its default if its group is None."""
    for name in field.path.split("."):
        if config is None:
            return field.default
        config = getattr(config, name)
    return config


def _choices(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()


def _changed(config: Any, changes: Mapping[str, Any], prefix: str, known: list[str]) -> Any:
    hints = typing.get_type_hints(type(config))
    values = {}
    for name, change in changes.items():
        path = prefix + name
        if name in renamed(type(config)):
            raise RunError(f"setting {path!r} is now called {prefix + renamed(type(config))[name]!r}: use that name")
        if name not in (field.name for field in dataclasses.fields(config)):
            raise _unknown(path, [prefix + field.name for field in dataclasses.fields(config)], known)
        group = group_of(hints[name])
        if isinstance(change, dict):
            if group is None:
                raise RunError(f"setting {path} has no parts such as {path}.{next(iter(change))}: set it as a whole")
            current = getattr(config, name)
            values[name] = _changed(_default(group, path) if current is None else current, change, f"{path}.", known)
        else:
            values[name] = _from_text(change, hints[name], path)
    return dataclasses.replace(config, **values)


def _from_text(text: str, hint: Any, path: str) -> Any:
    group = group_of(hint)
    try:
        if group is None:
            structured = text.startswith("[") and typing.get_origin(hint) is tuple
            return _value(json_value(text), hint, path) if structured else parsed(text, hint)
        if text.lower() == "none" and hint is not group:
            return None
    except MismatchError as error:
        raise RunError(f"setting {path}: {error}") from error
    parts = ", ".join(f"{path}.{field.name}" for field in dataclasses.fields(group))
    raise RunError(f"setting {path} is a group: set one of {parts}")


def _built(kind: type, data: Any, prefix: str) -> Any:
    if not isinstance(data, Mapping):
        raise RunError(f"setting {prefix.rstrip('.') or '(all)'}: expected a table of settings, not {data!r}")
    data = {renamed(kind).get(name, name): value for name, value in data.items()}
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name in data:
        if name not in fields:
            known = [prefix + field for field in fields]
            raise _unknown(f"{prefix}{name}", known, known)
    for name, field in fields.items():
        if name not in data and field.default is field.default_factory is dataclasses.MISSING:
            raise RunError(f"setting {prefix}{name} is missing: add it")
    return kind(**{name: _value(value, hints[name], prefix + name) for name, value in data.items()})


def _value(value: Any, hint: Any, path: str) -> Any:
    """A value of plain data as a hint requires it, dataclasses and tuples of them included."""
    group = group_of(hint)
    if group is not None:
        return None if value is None and hint is not group else _built(group, value, f"{path}.")
    try:
        if typing.get_origin(hint) is tuple and isinstance(value, list | tuple):
            kinds = item_hints(hint, len(value))
            return tuple(
                _value(item, kind, f"{path}.{place}")
                for place, (item, kind) in enumerate(zip(value, kinds, strict=True))
            )
        return checked(value, hint)
    except MismatchError as error:
        raise RunError(f"setting {path}: {error}") from error


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_json(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{value!r} is not a setting")


def _default(group: type, path: str) -> Any:
    try:
        return group()
    except TypeError as error:
        raise RunError(f"setting {path} is none, and has no defaults to start from: choose a preset with it") from error


def _unknown(path: str, here: list[str], known: list[str]) -> RunError:
    """Names the nearest: one like it in the same group, or one of its name in another."""
    group, dot, name = path.rpartition(".")
    similar = difflib.get_close_matches(name, [other.rpartition(".")[2] for other in here], n=1)
    nearest = [f"{group}{dot}{other}" for other in similar]
    nearest += [other for other in known if other.rpartition(".")[2] == name]
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"known: {', '.join(here)}"
    return RunError(f"unknown setting {path!r}: {hint}")
