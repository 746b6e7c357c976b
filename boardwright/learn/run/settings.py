"""Settings of a run: nested frozen dataclasses, changed by `--set path=value` and stored as JSON.

    config = apply(preset, ["net.blocks=4", "search.simulations=64", "learner.lr_peak=1e-3"])

All changes are made together, so that a config is never checked half changed.
"""

import dataclasses
import difflib
import json
import typing
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from boardwright.coerce import MismatchError, check_value, item_hints, json_value, parse_value
from boardwright.errors import RunError, reraise_as
from boardwright.setting import Setting, current_names, fields_of, group_of

Config = TypeVar("Config")


def apply(config: Config, assignments: Iterable[str]) -> Config:
    """A config with changes such as `net.blocks=4`; of several for one setting the last counts. Raises RunError."""
    data = to_json(config)
    for assignment in assignments:
        path, equals, text = assignment.partition("=")
        if not equals or not path.strip():
            raise RunError(f"--set {assignment!r}: expected path=value, such as net.blocks=4")
        _set(type(config), data, path.strip(), text.strip())
    return from_json(type(config), data)


def to_json(config: Any) -> dict[str, Any]:
    """A config as plain data that JSON can hold; `from_json` is its inverse."""
    return json.loads(json.dumps(dataclasses.asdict(config)))


def from_json(kind: type[Config], data: Any) -> Config:
    """A config of a class from plain data, in which settings may have the names of older versions; raises RunError.

    Settings that are left out have their defaults.
    """
    return _build(kind, data, "")


def as_text(value: Any) -> str:
    """A value as `apply` takes it."""
    if value is None:
        return "none"
    return json.dumps(value) if isinstance(value, bool | list | tuple) else str(value)


def listing(config: Any) -> list[dict[str, Any]]:
    """Every setting of a config as plain data: path, value, range, choices and description.

    A group set to None is listed with its defaults, which a change of one of them starts from.
    """
    rows, data = [], to_json(config)
    for field in fields_of(type(config)):
        setting, arms = field.setting or Setting(""), (field.hint, *typing.get_args(field.hint))
        choices = [str(one) for arm in arms if typing.get_origin(arm) is Literal for one in typing.get_args(arm)]
        *groups, name = field.path.split(".")
        group = data
        for part in groups:
            group = group and group[part]
        rows.append(
            {
                "name": field.path,
                "value": json.loads(json.dumps(field.default)) if group is None else group[name],
                "low": setting.low,
                "high": setting.high,
                "choices": choices or (["true", "false"] if field.hint is bool else None),
                "description": setting.description,
            }
        )
    return rows


def _set(kind: type, data: dict[str, Any], path: str, text: str) -> None:
    """Sets one setting in the plain data of a config."""
    known, prefix = [field.path for field in fields_of(kind)], ""
    *groups, last = path.split(".")
    for name in groups:
        group = group_of(_hint(kind, prefix, name, known))
        if group is None:
            part = path.removeprefix(f"{prefix}{name}.").partition(".")[0]
            here = f"{prefix}{name}"
            raise RunError(f"setting {here} is not a group, so {here}.{part} does not exist: set {here} itself")
        data[name] = {} if data[name] is None else data[name]
        kind, data, prefix = group, data[name], f"{prefix}{name}."
    hint = _hint(kind, prefix, last, known)
    group = group_of(hint)
    if group is not None and (text.lower() != "none" or hint is group):
        parts = ", ".join(f"{path}.{field.name}" for field in dataclasses.fields(group))
        raise RunError(f"setting {path} is a group: set one of {parts}")
    with reraise_as(RunError, f"setting {path}", MismatchError):
        is_list = text.startswith("[") and typing.get_origin(hint) is tuple
        data[last] = None if group else json_value(text) if is_list else parse_value(text, hint)


def _hint(kind: type, prefix: str, name: str, known: list[str]) -> Any:
    """The type hint of a setting of a class of configs; raises RunError if it has no such setting."""
    if name in current_names(kind):
        raise RunError(f"setting {prefix + name!r} is now called {prefix + current_names(kind)[name]!r}: use that name")
    names = [field.name for field in dataclasses.fields(kind)]
    if name not in names:
        raise _unknown(prefix + name, [prefix + other for other in names], known)
    return typing.get_type_hints(kind)[name]


def _build(kind: type, data: Any, prefix: str) -> Any:
    if not isinstance(data, Mapping):
        raise RunError(f"setting {prefix.rstrip('.') or '(all)'}: expected a table of settings, not {data!r}")
    data = {current_names(kind).get(name, name): value for name, value in data.items()}
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
        return None if value is None and hint is not group else _build(group, value, f"{path}.")
    with reraise_as(RunError, f"setting {path}", MismatchError):
        if typing.get_origin(hint) is tuple and isinstance(value, list | tuple):
            kinds = item_hints(hint, len(value))
            return tuple(
                _value(item, kind, f"{path}.{place}")
                for place, (item, kind) in enumerate(zip(value, kinds, strict=True))
            )
        return check_value(value, hint)


def _unknown(path: str, here: list[str], known: list[str]) -> RunError:
    """Names the nearest: one like it in the same group, or one of its name in another."""
    group, dot, name = path.rpartition(".")
    similar = difflib.get_close_matches(name, [other.rpartition(".")[2] for other in here], n=1)
    nearest = [f"{group}{dot}{other}" for other in similar]
    nearest += [other for other in known if other.rpartition(".")[2] == name]
    hint = f"did you mean {nearest[0]!r}?" if nearest else f"known: {', '.join(here)}"
    return RunError(f"unknown setting {path!r}: {hint}")
