"""Encoding of the parts of a game in the database.

Actions are arrays of 16-bit numbers and thinking times of 32-bit floats, six bytes per action; JSON would take three
times that, and no query needs a single action. Rules, tags and remarks are JSON, which any tool can read.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from boardwright.errors import BoardwrightError
from boardwright.games import registry, rulefile
from boardwright.games.base import Rules
from boardwright.games.record import Line


def canonical(value: Any) -> str:
    """JSON with one text for equal values; raises BoardwrightError."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BoardwrightError(f"{str(value)[:80]!r} cannot be stored: {error}") from error


def actions_blob(actions: Sequence[int]) -> bytes:
    """Actions as bytes."""
    if any(not 0 <= action < 1 << 16 for action in actions):
        raise BoardwrightError("a game with action numbers above 65535 cannot be stored")
    return np.array(actions, "<u2").tobytes()


def actions_of(blob: bytes) -> tuple[int, ...]:
    """Actions from bytes."""
    return tuple(np.frombuffer(blob, "<u2").tolist())


def seconds_blob(seconds: Sequence[float]) -> bytes:
    """Thinking times as bytes."""
    return np.array(seconds, "<f4").tobytes()


def seconds_of(blob: bytes) -> tuple[float, ...]:
    """Thinking times from bytes."""
    return tuple(np.frombuffer(blob, "<f4").tolist())


def rules_text(rules: Any) -> str:
    """A rule set with all its options."""
    return canonical(dataclasses.asdict(rules))


def rules_of(game: str, text: str) -> Rules:
    """The rule set; options that came after it was stored have their defaults."""
    return rulefile.build(registry.game_class(game), json.loads(text))


def remarks_text(line: Line) -> str | None:
    """The comments, marks and variations of a line; None if it has none."""
    remarks = _remarks(line)
    return canonical(remarks) if remarks else None


def remarks_of(text: str | None) -> dict[str, Any]:
    """The fields of a line that `remarks_text` wrote."""
    return {} if text is None else _remark_fields(json.loads(text))


def _remarks(line: Line) -> dict[str, Any]:
    variations = {
        str(played): [{"actions": list(other.actions), **_remarks(other)} for other in others]
        for played, others in line.variations.items()
    }
    remarks = {
        "comments": {str(played): text for played, text in line.comments.items()},
        "marks": {str(played): list(marks) for played, marks in line.marks.items()},
        "variations": variations,
    }
    return {name: field for name, field in remarks.items() if field}


def _remark_fields(remarks: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "comments": {int(played): text for played, text in remarks.get("comments", {}).items()},
        "marks": {int(played): tuple(marks) for played, marks in remarks.get("marks", {}).items()},
        "variations": {
            int(played): tuple(Line(actions=tuple(other["actions"]), **_remark_fields(other)) for other in others)
            for played, others in remarks.get("variations", {}).items()
        },
    }
