"""Rules for beginners from data: a game's `howto.toml` has the sentences, by the options of the rule set.

    [[Moves]]
    when = { corners_restricted = "true" }
    text = "Only the king may stop on a corner."

A piece of text is shown if all options in `when` have that value, and none in `unless` has. Braces name an option, or a
fact that the game computes.
"""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from boardwright.games.declarations import Paragraph
from boardwright.games.rulefile import value_text


def read_paragraphs(package: str, rules: Any, facts: Mapping[str, str]) -> tuple[Paragraph, ...]:
    """The paragraphs of the file in a game's package, under a rule set."""
    values = {**{option: value_text(value) for option, value in vars(rules).items()}, **facts}
    text = resources.files(package).joinpath("howto.toml").read_text(encoding="utf-8")
    paragraphs = []
    for title, pieces in tomllib.loads(text).items():
        shown = [
            piece["text"].format_map(values)
            for piece in pieces
            if all(values[option] == value for option, value in piece.get("when", {}).items())
            and not any(values[option] == value for option, value in piece.get("unless", {}).items())
        ]
        paragraphs.append(Paragraph(title, " ".join(shown)))
    return tuple(paragraphs)
