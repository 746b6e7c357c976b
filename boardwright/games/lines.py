"""Lines of play as text: moves one after the other, as files, people and engines write them; and counters in text."""

import functools
from collections.abc import Iterable, Sequence

from boardwright.errors import IllegalMoveError
from boardwright.games.base import Position

MOST = 999_999  # of a counter in the text of a position
LONGEST_MOVE = 3  # words: `castle b3 r90`


def play_words(position: Position, words: Sequence[str]) -> Position:
    """The position after moves written one after the other; raises IllegalMoveError naming the move.

    A move is one word where that is legal, and otherwise the most words that are.
    """
    played, ply = 0, 1
    while played < len(words):
        for length in (1, *range(min(LONGEST_MOVE, len(words) - played), 1, -1)):
            try:
                position = position.play(" ".join(words[played : played + length]))
            except IllegalMoveError:
                continue
            break
        else:  # the next words are no legal move: find the reason
            length = max((len(move.split()) for move in position.moves()), default=1)
            try:
                position = position.play(" ".join(words[played : played + length]))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"ply {ply}: {error}") from None
        played, ply = played + length, ply + 1
    return position


def move_text(position: Position, actions: Sequence[int]) -> str:
    """The text of the whole move that `actions` make from a position."""
    after = functools.reduce(Position.play, actions, position)
    if len(actions) == 1:
        return position.action_text(actions[0])
    moves = position.game.moves(position.core)
    return next(move.text for move in moves if position.play(move.text).hash == after.hash)


def whole_moves(position: Position, line: Sequence[int]) -> list[tuple[Position, tuple[int, ...]]]:
    """(position before it, its actions) of every whole move of a line.

    A search may end its line in the middle of a move: such a move is completed if there is only one way, else left out.
    """
    moves, begun, before = [], 0, position
    for number, action in enumerate(line, start=1):
        position = position.play(action)
        if not position.core.continues:
            moves.append((before, tuple(line[begun:number])))
            before, begun = position, number
    last = list(line[begun:])
    while last and position.core.continues and position.count_actions() == 1:
        last += position.legal_actions()
        position = position.play(last[-1])
    if last and not position.core.continues:
        moves.append((before, tuple(last)))
    return moves


def wrap(words: Iterable[str], width: int, blank: str = " ") -> list[str]:
    """Lines of at most `width` characters with the words, which may contain blanks themselves."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1] + blank + word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]}{blank}{word}" if lines[-1] else word
    return lines


def parse_counter(text: str) -> int | None:
    """A whole number from 0 to MOST in plain digits, or None for anything else."""
    if len(text) > len(str(MOST)) or not (text.isascii() and text.isdigit()):
        return None
    return int(text)
