"""Draw a position in the terminal or as SVG, or a game as an animated SVG."""

import sys
from dataclasses import dataclass
from pathlib import Path

from boardwright.cli.common import FILE, PositionOptions, print_json, read_bytes, write_text
from boardwright.errors import BoardwrightError
from boardwright.games.base import CHANCE, Position
from boardwright.games.registry import game_class

MAX_RECORD_SIZE = 1 << 20  # bytes


@dataclass(frozen=True)
class Options(PositionOptions):
    """What to draw, and where."""

    svg: FILE[Path | None] = None  # Write the picture to this file as SVG.
    record: FILE[Path | None] = None
    """Animate the first game of this file, under the file's rules; needs --svg."""


def run(options: Options) -> None:
    """Prints the board and its text, or JSON `{game, rules, position, to_move, plies, hash, outcome}`."""
    if options.record is not None:
        position = _animate(options)
    else:
        position = options.chosen_position()
        if options.svg is not None:
            write_text(options.svg, position._repr_svg_())
    bound = position.game
    if options.json:
        print_json(description(position))
        return
    if options.svg is None:
        from boardwright.views.terminal import render

        print(render(bound.scene(position), colour=sys.stdout.isatty()))
    else:
        print(f"wrote {options.svg}")
    print(position.text)


def _animate(options: Options) -> Position:
    """Writes the animated picture of a game and returns its last position."""
    from boardwright.games.gamefile import decode
    from boardwright.views.animation import render

    if options.record is None or options.svg is None:
        raise BoardwrightError("--record writes an animated SVG: add --svg FILE")
    records, errors = game_class(options.game).read_games(decode(read_bytes(options.record, MAX_RECORD_SIZE)))
    if not records:
        raise errors[0] if errors else BoardwrightError(f"{options.record}: no game in this file")
    positions = list(records[0].positions())
    frames = [position for position in positions if not position.core.continues]  # whole moves
    write_text(options.svg, render([position.game.scene(position) for position in frames]))
    return positions[-1]


def description(position: Position) -> dict[str, object]:
    """The fields of a position in JSON."""
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
