"""Presets by name, and the errors where a method has none."""

import pytest

from boardwright.errors import BoardwrightError
from boardwright.games.registry import game_names
from boardwright.learn.methods import PRESETS, USUAL, preset


@pytest.mark.parametrize("method", PRESETS)
def test_every_method_has_its_default_preset(method: str) -> None:
    for game in {config.game for config in PRESETS[method].values()}:
        assert preset(method, None, game) == PRESETS[method][f"{game}-{USUAL[method]}"]


def test_game_without_presets_names_games_that_have_some() -> None:
    without = next(name for name in game_names() if name != "cathedral")
    with pytest.raises(BoardwrightError, match=f"vae has no presets of {without}: choose one of its games, cathedral"):
        preset("vae", None, without)
    with pytest.raises(BoardwrightError, match="unknown dqn preset of cathedral 'cathedral-papr': did you mean"):
        preset("dqn", "cathedral-papr", "cathedral")


@pytest.mark.parametrize("method", ["alphazero", "dqn", "ppo"])
def test_new_game_has_general_presets(method: str) -> None:
    usual = preset(method, None, "tictactoe")
    assert usual.game == "tictactoe"
    tiny = preset(method, "tictactoe-tiny", "tictactoe")
    assert tiny.iterations < usual.iterations
    with pytest.raises(BoardwrightError, match=f"unknown {method} preset of tictactoe 'tictactoe-tinny': did you mean"):
        preset(method, "tictactoe-tinny", "tictactoe")
