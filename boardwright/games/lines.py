"""Lines of play as text: moves one after the other, as files, people and engines write them; and counters in text."""

from collections.abc import Iterable, Iterator, Sequence

from boardwright.errors import IllegalMoveError
from boardwright.games.base import Position

MAX_COUNTER = 999_999  # of a counter in the text of a position
MAX_MOVE_WORDS = 3  # as in `castle b3 r90`


def play_words(position: Position, words: Sequence[str]) -> Position:
    """The position after moves written one after the other; raises IllegalMoveError naming the move.

    A move is one word where that is legal, and otherwise the most words that are.
    """
    played, ply = 0, 1
    while played < len(words):
        for length in (1, *range(min(MAX_MOVE_WORDS, len(words) - played), 1, -1)):
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
    after = position.play_all(actions)
    if len(actions) == 1:
        return position.action_text(actions[0])
    moves = position.game.moves(position.core)
    return next(move.text for move in moves if position.play(move.text).hash == after.hash)


def each_move(position: Position, line: Sequence[int]) -> Iterator[tuple[Position, tuple[int, ...]]]:
    """(position before it, its actions) of every move of a line, of which the last may be incomplete."""
    before, begun = position, 0
    for number, action in enumerate(line, start=1):
        position = position.play(action)
        if number == len(line) or not position.core.continues:
            yield before, tuple(line[begun:number])
            before, begun = position, number


def whole_moves(position: Position, line: Sequence[int]) -> list[tuple[Position, tuple[int, ...]]]:
    """The moves of a line that a search expects.

    It may end in the middle of a move: such a move is completed if there is only one way, else left out.
    """
    moves = list(each_move(position, line))
    if moves:
        before, actions = moves.pop()
        after = before.play_all(actions)
        while after.core.continues and after.count_actions() == 1:
            actions += tuple(after.legal_actions())
            after = after.play(actions[-1])
        if not after.core.continues:
            moves.append((before, actions))
    return moves


def fill(words: Iterable[str], width: int, gap: str = " ") -> list[str]:
    """The words in lines of at most `width` characters, with a gap between two words."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(gap) + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]}{gap}{word}" if lines[-1] else word
    return lines


def parse_counter(text: str) -> int | None:
    """A whole number from 0 to MAX_COUNTER in plain digits, or None for anything else."""
    if len(text) > len(str(MAX_COUNTER)) or not (text.isascii() and text.isdigit()):
        return None
    return int(text)
