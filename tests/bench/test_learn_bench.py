"""The benchmark of DQN and PPO plays and learns for real, and adds up."""

import dataclasses

import pytest

from boardwright.bench import learn
from boardwright.games import registry
from boardwright.learn.methods import PRESETS


@pytest.mark.parametrize("method", ["dqn", pytest.param("ppo", marks=pytest.mark.slow)])
def test_learning_is_measured_with_its_games(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learn, "PPO_UPDATES", 8)
    monkeypatch.setitem(registry.GAMES, "tictactoe", "tictactoe:TicTacToe")  # which is quick to compile
    config = dataclasses.replace(PRESETS[method]["draughts-tiny"], game="tictactoe")
    by_key = {figure.key: figure.value for figure in learn.measure(config)}
    assert min(by_key.values()) > 0
    assert by_key["many_games"] == pytest.approx(10_000 / by_key["games"])
    if method == "dqn":
        assert by_key["games"] < by_key["acting"]  # a game is several actions, and each is learned from


def test_default_settings_are_the_papers() -> None:
    assert learn.default_config("dqn", "cathedral") == PRESETS["dqn"]["cathedral-paper"]
    assert learn.default_config("dqn", "tablut") == PRESETS["dqn"]["tablut-best"]
