"""The syntax of the Hub protocol, version 2, of draughts programs.

    pos pos=Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww moves="11-15 23-19"

A line is a command and arguments, `name=value` or a name alone; values with spaces are quoted. A position is
the side to move, `W` or `B`, and one letter per square: `w b` men, `W B` kings, `e` empty. A move names its ends
and then every captured square: `22x15x18`. The protocol was made for boards of fifty squares; for English
draughts we say the variant `english`, with thirty-two.
"""

import re
from collections.abc import Sequence

from boardwright._core import DraughtsPosition
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.base import Position
from boardwright.games.draughts import board as b
from boardwright.games.draughts import notation
from boardwright.games.draughts.notation import Placement

VARIANT = "english"
_ARGUMENT = re.compile(r'([^\s="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s"]+)))?')
_MOVE = re.compile(r"\d{1,2}(?:-\d{1,2}|(?:x\d{1,2})+)", re.ASCII)


def parse_line(line: str) -> tuple[str, dict[str, str]]:
    """(command, arguments) of a line; an argument without a value has the empty one."""
    command, _, rest = line.strip().partition(" ")
    return command, {match[1]: match[2] or match[3] or "" for match in _ARGUMENT.finditer(rest)}


def position_text(position: Position) -> str:
    """A position of draughts as the protocol writes it."""
    core = position.core_as(DraughtsPosition)
    letters = ["e"] * b.SQUARES
    for bits, man in ((core.black, "b"), (core.white, "w")):
        for square in b.squares_of(bits):
            king = core.kings >> (square - 1) & 1
            letters[square - 1] = man.upper() if king else man
    return "BW"[core.role_to_move] + "".join(letters)


def parse_position(text: str) -> str:
    """Our text of a position that the protocol writes; raises PositionError."""
    if not re.fullmatch(rf"[BW][bwBWe]{{{b.SQUARES}}}", text):
        raise PositionError(f"position {text[:60]!r}: expected B or W and {b.SQUARES} letters of b, w, B, W and e")
    bits = {letter: sum(1 << square for square, at in enumerate(text[1:]) if at == letter) for letter in "bwBW"}
    to_move = "BW".index(text[0])
    kings = bits["B"] | bits["W"]
    return notation.fen(Placement(bits["b"] | bits["B"], bits["w"] | bits["W"], kings, to_move, plies=to_move))


def move_text(position: Position, actions: Sequence[int]) -> str:
    """A whole move as the protocol writes it."""
    core = position.core_as(DraughtsPosition)
    route = notation.route_of(list(actions), core.black | core.white)
    return "x".join([route.ends, *map(str, sorted(route.captured))])


def parse_move(position: Position, text: str) -> tuple[int, ...]:
    """The actions of a move that the protocol writes; raises IllegalMoveError."""
    if not _MOVE.fullmatch(text):
        raise IllegalMoveError(f"move {text!r}: expected a form like 11-15 or 22x15x18")
    squares = [int(square) for square in re.split("[-x]", text)]
    for actions in position.core.routes():
        written = [int(square) for square in re.split("[-x]", move_text(position, actions))]
        if written[:2] == squares[:2] and written[2:] == sorted(squares[2:]) and ("x" in text) == (len(written) > 2):
            return tuple(actions)
    raise IllegalMoveError(f"move {text!r} is not legal here; legal moves: {' '.join(position.moves())}")
