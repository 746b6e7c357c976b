"""Settings as fields of a dataclass: a default and a sentence for each, and the range of those that are numbers.

lr: float = setting(1e-3, "learning rate", 0, 10)
"""

import dataclasses
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """Metadata of a field: its meaning, and the range of a number, or of the items of a tuple."""

    description: str
    low: float | None = None
    high: float | None = None
    was: str | None = None  # name of the field in configs of older versions

    def allows(self, value: Any) -> bool:
        """Whether a value is in the range; values that are not numbers are, as are fields without a range."""
        if isinstance(value, tuple):
            return all(map(self.allows, value))
        if self.low is None or self.high is None or not isinstance(value, int | float):
            return True
        return self.low <= value <= self.high

    @property
    def range_text(self) -> str:
        """`from 0 to 10`."""
        return f"from {self.low:g} to {self.high:g}"


def setting(
    default: Any, description: str, low: float | None = None, high: float | None = None, *, was: str | None = None
) -> Any:
    """A field of a dataclass with its metadata; `dataclasses.MISSING` as the default makes it required."""
    return dataclasses.field(default=default, metadata={"setting": Setting(description, low, high, was)})


@dataclass(frozen=True)
class Field:
    """A setting of a class of configs."""

    path: str  # such as `learner.steps`
    hint: Any  # its type
    setting: Setting | None
    default: Any  # dataclasses.MISSING where it is required


def group_of(hint: Any) -> type | None:
    """The dataclass of a type hint, alone or in a union with None; None for other hints."""
    arms = typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    groups = [arm for arm in arms if dataclasses.is_dataclass(arm) and isinstance(arm, type)]
    return groups[0] if len(groups) == 1 and {*arms} <= {groups[0], types.NoneType} else None


def settings_of(kind: type) -> dict[str, Setting]:
    """The metadata of the settings of a dataclass, by name."""
    return {field.name: field.metadata["setting"] for field in dataclasses.fields(kind) if "setting" in field.metadata}


def current_names(kind: type) -> dict[str, str]:
    """The names of a dataclass's fields by those that they had in older versions."""
    return {setting.was: name for name, setting in settings_of(kind).items() if setting.was is not None}


def fields_of(kind: type, prefix: str = "") -> Iterator[Field]:
    """All settings of a class of configs, those of nested dataclasses included."""
    hints, settings = typing.get_type_hints(kind), settings_of(kind)
    for field in dataclasses.fields(kind):
        path, group = prefix + field.name, group_of(hints[field.name])
        if group is None:
            yield Field(path, hints[field.name], settings.get(field.name), field.default)
        else:
            yield from fields_of(group, f"{path}.")


def out_of_range(config: Any, prefix: str = "") -> Iterator[tuple[str, Any, Setting]]:
    """Path, value and metadata of every setting of a config that is not in its range."""
    settings = settings_of(type(config))
    for field in dataclasses.fields(config):
        path, value = prefix + field.name, getattr(config, field.name)
        if dataclasses.is_dataclass(value):
            yield from out_of_range(value, f"{path}.")
        elif field.name in settings and not settings[field.name].allows(value):
            yield path, value, settings[field.name]
