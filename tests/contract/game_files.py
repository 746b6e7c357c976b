"""Checks that the game-file format of every game must pass; not a test itself."""

import random
import re
import time
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import boardwright
from boardwright.errors import GameFileError
from boardwright.games import gamefile as common
from boardwright.games.base import Position
from boardwright.games.record import GameRecord

few = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=40)


def random_game(
    game_name: str, rules: object, seed: int, max_moves: int = 10_000, start: str | None = None
) -> Position:
    """The last position of a random game of at most `max_moves` whole moves."""
    game = boardwright.game(game_name, rules)  # type: ignore[arg-type]
    position, generator = game.start() if start is None else game.position(start), random.Random(seed)
    while position.outcome is None and max_moves > 0:
        for action in generator.choice(position.core.routes()):
            position = position.play(action)
        max_moves -= 1
    return position


class GameFileChecks:
    """Assertions about one game's `gamefile` module."""

    def __init__(self, gamefile: ModuleType, *, keeps_tag_order: bool = False) -> None:
        self.gamefile = gamefile
        self.keeps_tag_order = keeps_tag_order

    def one(self, text: str) -> GameRecord:
        """The only game of a file."""
        (record,) = self.gamefile.read(text)
        return record

    def error_of(self, text: str) -> str:
        """The message with which a file is refused."""
        with pytest.raises(GameFileError) as caught:
            self.gamefile.read(text)
        return str(caught.value)

    def comes_back(self, record: GameRecord) -> None:
        """A record is the same after writing and reading, and so is its text."""
        text = self.gamefile.write(record)
        again = self.one(text)
        assert again == record
        if self.keeps_tag_order:
            assert list(again.tags) == list(record.tags)
        assert self.gamefile.write(again) == text

    def is_refused_at(self, text: str, place: str, complaint: str) -> None:
        """The first error names the place and the fault, in a short printable message."""
        _, errors = self.gamefile.read_all(text)
        message = str(errors[0])
        assert message.startswith(f"{place}: "), message
        assert complaint in message
        assert len(message) <= common.MAX_MESSAGE_LENGTH
        assert message.isprintable()

    def leaves_other_games(self, good: list[GameRecord], bad: str) -> None:
        """A bad game between good ones is the only one refused, and the error is on one of its lines."""
        texts = [self.gamefile.write(record) for record in good]
        for before in range(len(good) + 1):
            found, errors = self.gamefile.read_all("\n".join((*texts[:before], bad, *texts[before:])))
            assert found == good, bad
            assert len(errors) == 1, bad
            line = int(re.match(r"line (\d+), ", str(errors[0]))[1])  # type: ignore[index]
            first = sum(text.count("\n") + 1 for text in texts[:before])
            assert first < line <= first + bad.count("\n") + 1, bad

    def survives_damage(self, data: st.DataObject, text: str, characters: str) -> None:
        """A file with random edits is read or refused with a place, and what is read comes back."""
        for _ in range(data.draw(st.integers(1, 4))):
            at, cut = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 30))
            text = text[:at] + data.draw(st.text(characters, max_size=6)) + text[at + cut :]
        found, errors = self.gamefile.read_all(text)
        for error in errors:
            assert re.match(r"line [1-9]\d*, column [1-9]\d*: ", str(error))
            assert str(error).isprintable()
        for record in found:
            self.comes_back(record)

    def is_read_in_time(self, text: str) -> None:
        """A large file takes time in proportion to its length, and error messages stay short."""
        began = time.process_time()
        found, errors = self.gamefile.read_all(text)
        assert time.process_time() - began < 8
        assert all(len(str(error)) <= common.MAX_MESSAGE_LENGTH for error in errors)
        assert found or errors or text[-1] == "}"  # a lone comment is not a game
