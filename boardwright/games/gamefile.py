"""Reads and writes files of games, of any format: one game after the other, results, and errors with their place."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from boardwright.errors import BoardwrightError, GameFileError, printable
from boardwright.games.base import ONGOING, Outcome, Position
from boardwright.games.record import GameRecord, outcome_of, result_of

MAX_CHARACTERS = 16 << 20
MAX_MESSAGE_LENGTH = 400


class MisreadError(Exception):
    """What is wrong, and where in the file."""

    def __init__(self, offset: int, message: str):
        super().__init__(message)
        self.offset = offset


class DrawnError(MisreadError):
    """The game continues, or was won, where the rules it is read under ended it as a draw."""

    @classmethod
    def if_drawn(cls, outcome: Outcome, offset: int, message: str) -> MisreadError:
        """This error for a draw, else the general one."""
        return (cls if outcome.winner is None else MisreadError)(offset, message)


@contextmanager
def misread_at(offset: int) -> Iterator[None]:
    """Turns an error of rules, positions and moves into a MisreadError at a place in the file."""
    try:
        yield
    except BoardwrightError as error:
        raise MisreadError(offset, str(error)) from None


def decode(data: bytes) -> str:
    """The text of a file: UTF-8, or Latin-1 as old collections have it."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


@dataclass(frozen=True)
class GameFiles:
    """Reading and writing files of one format, from what is done for one game."""

    write: Callable[[GameRecord], str]
    split: Callable[[str], Iterable[Any]]  # the games of a text, in order
    make_reader: Callable[[], Callable[[Any], GameRecord]]  # called for every file; readers may raise MisreadError

    def write_all(self, records: Iterable[GameRecord]) -> str:
        """The text of several games."""
        return "\n".join(map(self.write, records))

    def read_all(self, text: str) -> tuple[list[GameRecord], list[GameFileError]]:
        """The games of a file that can be read, and what is wrong with each of the others, by line and column."""
        if len(text) > MAX_CHARACTERS:
            raise GameFileError(f"the game file has more than {MAX_CHARACTERS} characters")
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        read_game, records, errors = self.make_reader(), [], []
        line, line_start, counted = 1, 0, 0
        for game in self.split(text):
            try:
                records.append(read_game(game))
            except MisreadError as problem:
                line += text.count("\n", counted, problem.offset)
                line_start = max(line_start, text.rfind("\n", counted, problem.offset) + 1)
                counted = problem.offset
                message = f"line {line}, column {problem.offset - line_start + 1}: {problem}"
                if len(message) > MAX_MESSAGE_LENGTH:
                    message = message[: MAX_MESSAGE_LENGTH - 3] + "..."
                errors.append(GameFileError(printable(message)))
        return records, errors

    def read(self, text: str) -> list[GameRecord]:
        """The games of a file; raises GameFileError for the first that cannot be read."""
        records, errors = self.read_all(text)
        if errors:
            raise errors[0]
        return records


@dataclass(frozen=True)
class Results:
    """How a format writes results, and how messages call them."""

    texts: Mapping[str, int]  # the first text of a result is the one that is written
    words: tuple[str, ...]  # by result

    def text(self, result: int) -> str:
        """A result as files write it."""
        return next(text for text, number in self.texts.items() if number == result)

    def contradiction(self, claimed: int, outcome: Outcome) -> str:
        """The error message for a result that contradicts the last position."""
        truth = self.words[result_of(outcome)]
        return f"result {self.text(claimed)} says that {self.words[claimed]}, but {truth}: {outcome.reason}"

    def agree(self, claims: Iterable[tuple[int, str, int]], outcome: Outcome | None) -> int:
        """The result by what a file claims (result, text, offset), which must agree with the last position.

        Raises MisreadError; DrawnError where the game was drawn, but the file says that it was won.
        """
        known = ONGOING if outcome is None else result_of(outcome)
        for claimed, text, offset in claims:
            if outcome is not None and claimed not in (ONGOING, known):
                raise DrawnError.if_drawn(outcome, offset, self.contradiction(claimed, outcome))
            if ONGOING not in (known, claimed) and known != claimed:
                raise MisreadError(offset, f"result {text} contradicts the earlier result {self.text(known)}")
            known = known if claimed == ONGOING else claimed
        return known

    def check(self, record: GameRecord, last: Position) -> None:
        """Raises GameFileError for a record whose result contradicts its moves."""
        if record.resigned is not None and last.outcome is not None:
            raise GameFileError(f"a resignation, but the game is over: {last.outcome.reason}")
        outcome = outcome_of(last, record.resigned)
        if outcome is not None and record.result != result_of(outcome):
            raise GameFileError(self.contradiction(record.result, outcome))
