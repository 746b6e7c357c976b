"""Where the games of a match begin: the start, positions or moves from a file, random moves, a game's own list.

    start          the first position of the rules, always
    random:K       K random whole moves, drawn for every pair of games
    ballots        the game's own list, in an order drawn by the seed
    ballots:DECK   a part of that list
    FILE           one opening per line, a position or moves; `#` begins a comment

Deterministic players would play the same game again and again from one position. So matches begin with two random moves
by default. Each opening serves a pair of games with the roles swapped, so a biased one favours neither player.
"""

import functools
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from boardwright.agents.specs import whole
from boardwright.atomicfile import read_bounded
from boardwright.errors import BoardwrightError, IllegalMoveError, PositionError
from boardwright.games.base import CHANCE, Game, Position
from boardwright.games.lines import play_words

DEFAULT = "random:2"
MAX_RANDOM_MOVES = 100
MAX_FILE_BYTES = 16 << 20
_TRIES = 50  # attempts to find a new random opening that is not decided


@dataclass(frozen=True)
class Beginning:
    """Where a game begins: the moves that the players do not choose."""

    start: str | None = None  # text of the first position, where it is not the one of the rules
    actions: tuple[int, ...] = ()  # played from there

    def position(self, game: Game) -> Position:
        """The first position in which a player chooses."""
        position = game.start() if self.start is None else game.position(self.start)
        return position.play_all(self.actions)


def identity(game: Game, source: str) -> str:
    """A text that identifies the openings of a source, its name or its file's content; raises BoardwrightError."""
    if source == "start" or source.partition(":")[0] in ("random", "ballots"):
        next(beginnings(game, source, seed=0))
        return source
    return "\n".join(line for line, _ in _read_file(game, source))


def beginnings(game: Game, source: str, seed: int) -> Iterator[Beginning]:
    """The openings of a source, one per pair of games, without end; raises BoardwrightError.

    The same source and seed always give the same openings.
    """
    kind, _, detail = source.partition(":")
    if source == "start":
        return itertools.repeat(Beginning())
    if kind == "random":
        try:
            moves = whole(1, MAX_RANDOM_MOVES)(detail)
        except ValueError:
            expected = f"expected random:1 to random:{MAX_RANDOM_MOVES}"
            raise BoardwrightError(f"openings {source[:40]!r}: {expected}") from None
        return _random_beginnings(game, moves, seed)
    if kind == "ballots":
        listed = game.openings(detail or None)
        random.Random(seed).shuffle(listed)
        positions = [functools.reduce(Position.play, opening.moves, game.start()) for opening in listed]
        return itertools.cycle([Beginning(None, tuple(position.actions())) for position in positions])
    return itertools.cycle([beginning for _, beginning in _read_file(game, source)])


def _random_beginnings(game: Game, moves: int, seed: int) -> Iterator[Beginning]:
    """Random openings that leave the game open, without repetition while new ones are found."""
    chance, had = random.Random(seed), set()
    while True:
        position = None
        for _ in range(_TRIES):
            drawn = _random_position(game, moves, chance)
            if drawn is not None:
                position = drawn
                if drawn.hash not in had:
                    break
        if position is None:
            raise BoardwrightError(f"openings random:{moves}: the game is over within {moves} moves: choose fewer")
        had.add(position.hash)
        yield Beginning(None, tuple(position.actions()))


def _random_position(game: Game, moves: int, chance: random.Random) -> Position | None:
    """A position after `moves` random whole moves; None if the game is over by then."""
    position = game.start()
    while moves:
        chosen = position.role_to_move != CHANCE
        position = position.play(chance.choice(position.legal_actions()))
        while position.core.continues:
            position = position.play(chance.choice(position.legal_actions()))
        if position.outcome is not None:
            return None
        moves -= chosen
    return position


def _read_file(game: Game, source: str) -> list[tuple[str, Beginning]]:
    """The lines that are not empty, and their openings."""
    try:
        text = read_bounded(Path(source), MAX_FILE_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BoardwrightError(f"openings {source!r}: not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a valid file name"
        known = "start, random:K, ballots or ballots:DECK"
        raise BoardwrightError(
            f"openings {source!r}: cannot read that file ({reason}); other choices: {known}"
        ) from None
    stripped = [line.partition("#")[0].strip() for line in text.splitlines()]
    read = [(line, _read_line(game, source, number, line)) for number, line in enumerate(stripped, start=1) if line]
    if not read:
        raise BoardwrightError("the file of openings is empty: give one opening per line, a position or moves")
    return read


def _read_line(game: Game, source: str, number: int, line: str) -> Beginning:
    try:
        beginning = Beginning(game.position(line).text)
    except PositionError as not_a_position:
        try:
            beginning = Beginning(None, tuple(play_words(game.start(), line.split()).actions()))
        except IllegalMoveError as not_moves:
            looks_like_position = line[0] == game.start().text[0] or len(line.split()[0]) > 12
            wrong = not_a_position if looks_like_position else not_moves
            raise BoardwrightError(f"openings {source!r}, line {number}: {wrong}") from None
    outcome = beginning.position(game).outcome
    if outcome is not None:
        raise BoardwrightError(f"openings {source!r}, line {number}: the game is over: {outcome.reason}")
    return beginning
