"""The how-to-play text of a game under every rule set of the contract. Not a test itself."""

from pathlib import Path
from typing import Any

import pytest

import boardwright
from boardwright.games.base import Game
from boardwright.games.registry import game_class

RULE_FILES = Path(__file__).parent / "rules"


def game_fixture(name: str) -> Any:
    """A fixture `game` with every rule set that ships or is a file of the contract."""
    cases = [*game_class(name).rule_sets(), *sorted((RULE_FILES / name).glob("*.*"))]

    @pytest.fixture(name="game", params=cases, ids=lambda rules: Path(rules).stem)
    def game_under_rules(request: pytest.FixtureRequest) -> Game:
        return boardwright.game(name, request.param)

    return game_under_rules


def words(game: Game) -> str:
    """The whole text in one line."""
    return " ".join(paragraph.text for paragraph in game.how_to_play())
