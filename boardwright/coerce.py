"""Checks values from files and command lines against type hints.

Hints are bool, int, float, str, Literal, unions (mostly with None) and tuples of these. The only conversions are lists
to tuples, and whole numbers to floats where the hint is float.
"""

import json
import math
import re
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", types.NoneType: "none"}
_BOOLEANS = {"true": True, "on": True, "false": False, "off": False}


class MismatchError(ValueError):
    """A value that is not of its type; the message says why, to follow the name of the thing."""


def check_value(value: Any, hint: Any) -> Any:
    """A value from JSON or TOML as `hint` requires it; raises MismatchError."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        if any(type(value) is type(choice) and value == choice for choice in arguments):
            return value
        raise MismatchError(f"{value!r} is not one of {', '.join(map(str, arguments))}")
    if origin in (types.UnionType, typing.Union):
        return _first(value, arguments, check_value)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise MismatchError(f"expected a list, not {value!r}")
        return tuple(check_value(item, kind) for item, kind in zip(value, item_hints(hint, len(value)), strict=True))
    if isinstance(value, int) and value.bit_length() > 63:
        raise MismatchError("the number is too large: expected one between -2^63 and 2^63")
    if hint is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if hint is types.NoneType and value is None:
        return None
    if type(value) is not hint or hint is float:  # bool is an int in Python, but not here
        raise MismatchError(f"expected {_WORDS[hint]}, not {value!r}")
    return value


def parse_value(text: str, hint: Any) -> Any:
    """A value from text: on or off, numbers, `none`, items separated by commas or as a JSON list."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        # `none` before a text that could be anything.
        return _first(text, sorted(arguments, key=lambda arm: arm is not types.NoneType), parse_value)
    if origin is typing.Literal:
        return check_value(next((choice for choice in arguments if str(choice) == text), text), hint)
    if origin is tuple:
        if text.startswith("["):
            return check_value(json_value(text), hint)
        items = [item.strip() for item in text.split(",")] if text.strip() else []
        return tuple(parse_value(item, kind) for item, kind in zip(items, item_hints(hint, len(items)), strict=True))
    value: Any = text
    if hint is bool:
        value = _BOOLEANS.get(text.lower(), text)
    elif hint is types.NoneType:
        value = None if text.lower() == "none" else text
    elif hint is int and re.fullmatch("[+-]?[0-9]{1,30}", text):
        value = int(text)
    elif hint is float and re.fullmatch(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?", text):
        value = float(text)
    return check_value(value, hint)


def json_value(text: str) -> Any:
    """The value of a JSON text; raises MismatchError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MismatchError(f"expected a JSON list, not {text!r}") from error


def item_hints(hint: Any, count: int) -> tuple[Any, ...]:
    """The hints of the `count` items of a tuple; raises MismatchError if the hint has another number of them."""
    arguments = typing.get_args(hint)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return (arguments[0],) * count
    if len(arguments) != count:
        raise MismatchError(f"expected {len(arguments)} items, not {count}")
    return arguments


def _first(value: Any, arms: Iterable[Any], convert: Callable[[Any, Any], Any]) -> Any:
    """The value by the first arm of a union that accepts it; raises MismatchError with the errors of all."""
    complaints = []
    for arm in arms:
        try:
            return convert(value, arm)
        except MismatchError as error:
            if arm is not types.NoneType:  # not worth mentioning
                complaints.append(str(error))
    raise MismatchError(" and ".join(complaints))
