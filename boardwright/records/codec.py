"""Encoding of the parts of a game in the database.

Actions are arrays of 16-bit numbers and thinking times of 32-bit floats, six bytes per action; JSON would take three
times that, and no query needs a single action. Rules, tags and remarks are JSON, which any tool can read.
"""

import functools
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boardwright.coerce import MismatchError, check_value
from boardwright.errors import BoardwrightError
from boardwright.games import registry, rulefile
from boardwright.games.base import Rules
from boardwright.games.record import Line

if TYPE_CHECKING:
    from pydantic import TypeAdapter

# What reading a damaged value raises.
READING_ERRORS = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)
_CONDITIONS = {"seconds": float | None, "max_plies": int | None, "adjudicate": bool}


def canonical(value: Any) -> str:
    """JSON with one text for equal values; raises BoardwrightError."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BoardwrightError(f"{str(value)[:80]!r} cannot be stored: {error}") from error


def to_blobs(actions: Sequence[int], seconds: Sequence[float]) -> dict[str, bytes]:
    """Actions and thinking times as bytes, by the names of their columns."""
    if any(not 0 <= action < 1 << 16 for action in actions):
        raise BoardwrightError("a game with action numbers above 65535 cannot be stored")
    return {"actions": np.array(actions, "<u2").tobytes(), "seconds": np.array(seconds, "<f4").tobytes()}


def from_blobs(actions: bytes, seconds: bytes) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Actions and thinking times from bytes."""
    return tuple(np.frombuffer(actions, "<u2").tolist()), tuple(np.frombuffer(seconds, "<f4").tolist())


def rules_of(game: str, text: str) -> Rules:
    """The rule set; options that came after it was stored have their defaults."""
    return rulefile.build(registry.game_class(game), _table(json.loads(text), "rules"))


def config_of(text: str) -> dict[str, Any]:
    """The configuration of an event; the parts that are read later are check_value."""
    config = _table(json.loads(text), "config")
    check_value(config.get("players", []), tuple[str, ...])
    check_value(list(_table(config.get("nets", {}), "nets").values()), tuple[str, ...])
    conditions = _table(config.get("conditions", {}), "conditions")
    for name, hint in _CONDITIONS.items():
        if name in conditions:
            check_value(conditions[name], hint)
    if conditions.get("clock") is not None:
        clock = _table(conditions["clock"], "clock")
        check_value([clock["seconds"], clock["increment"]], tuple[float, float])
    return config


def remarks_text(line: Line) -> str | None:
    """The comments, marks and variations of a line; None if it has none."""
    bare = Line(comments=line.comments, marks=line.marks, variations=line.variations)
    remarks = _lines().dump_python(bare, mode="json", exclude_defaults=True)
    return canonical(remarks) if remarks else None


def remarks_of(text: str | None) -> dict[str, Any]:
    """The comments, marks and variations that `remarks_text` wrote."""
    try:
        line = Line() if text is None else _lines().validate_json(text, strict=True)
    except ValueError as error:
        raise MismatchError("its comments, marks or variations are damaged") from error
    return {"comments": line.comments, "marks": line.marks, "variations": line.variations}


@functools.cache
def _lines() -> "TypeAdapter[Line]":
    from pydantic import TypeAdapter  # takes a while to import, and few games have remarks

    return TypeAdapter(Line)


def _table(value: Any, name: str) -> dict[str, Any]:
    """A JSON object; raises MismatchError for other values."""
    if not isinstance(value, dict):
        raise MismatchError(f"{name}: expected an object, not {str(value)[:40]!r}")
    return value
