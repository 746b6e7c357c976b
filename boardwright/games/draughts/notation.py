"""Positions and moves as text.

Position: FEN as draughts programs write it, `B:W21,22,…,32:B1,…,12`: the side to move, then the pieces
of each side, K before a king; ranges of men (`W21-32`) and of kings (`K29-32`, `K29-K32`) are read. We
add, only where it matters, `:H12` (plies of inactivity), `:F9` (move number, one for each pair of plies)
and `:X15` (the piece on 15 is in the middle of a capture and must continue).
Move: `11-15`, `15x22`; where several captures share their ends, the full path, `2x11x4`.
"""

import re
from dataclasses import dataclass

from boardwright._core import DraughtsPosition
from boardwright.errors import IllegalMoveError, PositionError
from boardwright.games.draughts import board as b
from boardwright.games.lines import MAX_COUNTER, parse_counter

SIDES = ("black", "white")
_LETTERS = "BW"
_PIECE = re.compile(r"(K?)(\d{1,2})(?:-(K?)(\d{1,2}))?", re.ASCII)
_MOVE = re.compile(r"\d{1,2}(?:[-x:]\d{1,2})+", re.ASCII)


@dataclass(frozen=True)
class Placement:
    """What a position text says, by the names that the engine has for it."""

    black: int  # bits of all black pieces
    white: int
    kings: int  # of both
    role_to_move: int
    continuing: int = 0  # square of the piece that must continue capturing, 0 for none
    quiet: int = 0
    plies: int = 0


def fen(placement: Placement | DraughtsPosition) -> str:
    """The text of a position, which `parse_fen` reads back."""
    parts = [_LETTERS[placement.role_to_move]]
    for letter, bits in (("W", placement.white), ("B", placement.black)):
        pieces = [f"{'K' if placement.kings >> (s - 1) & 1 else ''}{s}" for s in b.squares_of(bits)]
        parts.append(letter + ",".join(pieces))
    if placement.quiet or placement.plies > 1:
        parts += [f"H{placement.quiet}", f"F{placement.plies // 2 + 1}"]
    if placement.continuing:
        parts.append(f"X{placement.continuing}")
    return ":".join(parts)


def parse_fen(text: str) -> Placement:
    """Reads a position text; raises PositionError that names what is wrong."""

    def wrong(what: str) -> PositionError:
        return PositionError(f"position {text!r}: {what}")

    fields = [field.strip() for field in text.strip().rstrip(".").split(":")]
    if len(fields) < 3 or fields[0] not in ("B", "W"):
        raise wrong("expected a FEN such as B:W21,22:B1,K5, beginning with B or W for the side to move")
    pieces, kings, numbers = {"B": 0, "W": 0}, 0, {"H": 0, "F": 1, "X": 0}
    seen: set[str] = set()
    for field in fields[1:]:
        letter, rest = field[:1], field[1:]
        if letter in seen:
            raise wrong(f"{field!r} is given twice")
        if letter not in ("B", "W", *numbers):
            raise wrong(f"{field!r} is not a list of pieces such as W21,K22")
        seen.add(letter)
        if letter in numbers:
            number = parse_counter(rest)
            if number is None:
                raise wrong(f"{field!r} needs a number from 0 to {MAX_COUNTER}")
            numbers[letter] = number
            continue
        for item in filter(None, (item.strip() for item in rest.split(","))):
            squares, is_king = _squares(item, wrong)
            for square in squares:
                bit = 1 << (square - 1)
                if (pieces["B"] | pieces["W"]) & bit:
                    raise wrong(f"square {square} is given twice")
                if not is_king and bit & b.CROWN_ROWS[_LETTERS.index(letter)]:
                    raise wrong(
                        f"a {SIDES[_LETTERS.index(letter)]} man on {square} would have been crowned: write K{square}"
                    )
                pieces[letter] |= bit
                kings |= bit if is_king else 0
    if not {"B", "W"} <= seen:
        raise wrong("both sides must be listed, an empty one as 'B' or 'W' alone")
    to_move = _LETTERS.index(fields[0])
    if numbers["F"] < 1:
        raise wrong(f"the move number must be F1 or higher, not 'F{numbers['F']}'")
    plies = 2 * (numbers["F"] - 1) + to_move
    square = numbers["X"]
    if square and (square > b.SQUARES or not pieces[fields[0]] >> (square - 1) & 1):
        raise wrong(f"X{square}: no piece of the side to move on that square")
    return Placement(pieces["B"], pieces["W"], kings, to_move, square, numbers["H"], plies)


def _squares(item: str, wrong) -> tuple[range, bool]:
    match = _PIECE.fullmatch(item)
    if match is None:
        raise wrong(f"{item!r} is not a square, a king (K5) or a range (21-32, K29-32)")
    first, last = int(match[2]), int(match[4] or match[2])
    for square in (first, last):
        if not 1 <= square <= b.SQUARES:
            raise wrong(f"square {square} is not from 1 to {b.SQUARES}")
    if last < first:
        raise wrong(f"the range {item!r} is not from a lower to a higher square")
    if match[3] and not match[1]:
        raise wrong(f"the range {item!r} begins with a man and ends with a king: write K{first}-{last} for kings")
    return range(first, last + 1), bool(match[1])


@dataclass(frozen=True)
class Route:
    """One way to make a whole move: the squares it touches, and whether it captures."""

    squares: tuple[int, ...]
    jumps: bool
    actions: tuple[int, ...]

    @property
    def path(self) -> str:
        """The full path, `2x11x4`."""
        return ("x" if self.jumps else "-").join(map(str, self.squares))

    @property
    def captured(self) -> list[int]:
        """The squares of the pieces it captures, in order."""
        hops = zip(self.squares, self.actions, strict=False) if self.jumps else ()
        return [square for origin, action in hops if (square := b.neighbour(origin, b.decode_action(action)[1]))]

    @property
    def effect(self) -> tuple[str, frozenset[int]]:
        """Its ends and captures: routes that share them are the same move."""
        return self.ends, frozenset(self.captured)

    @property
    def ends(self) -> str:
        """From and to alone, `2x4`."""
        return f"{self.squares[0]}{'x' if self.jumps else '-'}{self.squares[-1]}"


def route_of(actions: list[int], occupied: int) -> Route:
    """The squares a sequence of hops touches; `occupied` are all pieces before it."""
    first, direction = b.decode_action(actions[0])
    adjacent = b.neighbour(first, direction)
    jumps = adjacent is not None and bool(occupied >> (adjacent - 1) & 1)
    squares = [first]
    for action in actions:
        landing = b.neighbour(squares[-1], b.decode_action(action)[1], 2 if jumps else 1)
        assert landing is not None, "hops come from the engine"
        squares.append(landing)
    return Route(tuple(squares), jumps, tuple(actions))


def find_route(text: str, moves: dict[str, Route], routes: list[Route]) -> Route:
    """The legal route of a move text; raises IllegalMoveError unless there is exactly one."""
    stripped = text.strip()
    if stripped in moves:
        return moves[stripped]
    if _MOVE.fullmatch(stripped) is None:
        raise IllegalMoveError(f"move {text!r}: expected a form like 11-15, 15x22 or 2x11x4")
    squares = tuple(map(int, re.split(r"[-x:]", stripped)))
    fitting = []
    for route in routes:  # those that begin and end where the text does and pass the squares it names, in order
        remaining = iter(route.squares)
        same_ends = (route.squares[0], route.squares[-1]) == (squares[0], squares[-1])
        if same_ends and all(square in remaining for square in squares):
            fitting.append(route)
    if not fitting:
        raise IllegalMoveError(_why_not(stripped, squares, routes))
    exact = [r for r in fitting if r.squares == squares]
    if exact:
        return exact[0]
    effects = {route.effect for route in fitting}
    results = {name for name, route in moves.items() if route.effect in effects}
    if len(results) > 1:
        raise IllegalMoveError(f"move {text!r} is ambiguous: write {' or '.join(sorted(results))}")
    return fitting[0]


def _why_not(text: str, squares: tuple[int, ...], routes: list[Route]) -> str:
    if not routes:
        return f"move {text!r}: the game is over"
    if any(not 1 <= square <= b.SQUARES for square in squares):
        return f"move {text!r}: squares go from 1 to {b.SQUARES}"
    if routes[0].jumps and not any(r.squares[0] == squares[0] for r in routes):
        captures = ", ".join(sorted({r.ends for r in routes}))
        return f"move {text!r}: a capture is forced: {captures}"
    from_here = sorted({r.ends for r in routes if r.squares[0] == squares[0]})
    if not from_here:
        return f"move {text!r}: no piece of the side to move can leave square {squares[0]}"
    longer = [r for r in routes if r.squares[: len(squares)] == squares]
    if longer:
        return f"move {text!r}: the capture must be completed: {longer[0].path}"
    return f"move {text!r}: the piece on {squares[0]} can only play {', '.join(from_here)}"


def why_no_hop(action: int, core) -> str:
    """Which rule forbids an action that is not legal."""
    square, direction = b.decode_action(action)
    own, enemy = (core.black, core.white) if core.role_to_move == b.BLACK else (core.white, core.black)
    adjacent, behind = b.neighbour(square, direction), b.neighbour(square, direction, 2)
    name = f"action {action} (square {square}, {('up-left', 'up-right', 'down-left', 'down-right')[direction]})"
    if adjacent is None:
        return f"{name} leaves the board"
    if not own >> (square - 1) & 1:
        return f"{name}: no {SIDES[core.role_to_move]} piece on {square}"
    if core.continuing and square != core.continuing:
        return f"{name}: the piece on {core.continuing} must continue capturing"
    forward = (direction >= 2) == (core.role_to_move == b.BLACK)
    if not forward and not core.kings >> (square - 1) & 1:
        return f"{name}: men move forward only"
    if own >> (adjacent - 1) & 1:
        return f"{name}: {adjacent} holds a piece of one's own"
    if enemy >> (adjacent - 1) & 1:
        reason = "there is no square behind it" if behind is None else f"{behind} behind it is occupied"
        return f"{name}: {adjacent} cannot be captured, {reason}"
    return f"{name}: a capture is forced"
