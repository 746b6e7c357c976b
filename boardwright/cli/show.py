"""Draw a position, in the terminal or as SVG."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from boardwright.cli.choose import PositionOptions, print_json
from boardwright.cli.files import write_text
from boardwright.games.base import CHANCE, Position


@dataclass(frozen=True)
class Options(PositionOptions):
    """What to draw, and where."""

    svg: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write the picture to this file as SVG."""


def run(options: Options) -> None:
    """Prints the board and its text, or JSON `{game, rules, position, to_move, plies, hash, outcome}`."""
    position = options.chosen_position()
    bound = position.game
    if options.svg is not None:
        write_text(options.svg, position._repr_svg_())
    if options.json:
        print_json(description(position))
        return
    if options.svg is None:
        from boardwright.views.terminal import render

        print(render(bound.scene(position), colour=sys.stdout.isatty()))
    else:
        print(f"wrote {options.svg}")
    print(position.text)


def description(position: Position) -> dict[str, object]:
    """What a program wants to know about a position."""
    bound, outcome = position.game, position.outcome
    mover = "chance" if position.role_to_move == CHANCE else bound.roles[position.role_to_move]
    winner = None if outcome is None or outcome.winner is None else bound.roles[outcome.winner]
    return {
        "game": bound.name,
        "rules": bound.rules.name,
        "position": position.text,
        "to_move": mover if outcome is None else None,
        "plies": position.plies,
        "hash": f"{position.hash:016x}",
        "outcome": None if outcome is None else {"winner": winner, "reason": outcome.reason},
    }
