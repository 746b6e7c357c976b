"""The benchmark of AlphaZero plays and learns for real."""

import dataclasses

import pytest

from boardwright.bench import selfplay
from boardwright.games import registry
from boardwright.learn.alphazero.config import PRESETS


@pytest.mark.slow
def test_figures_of_a_tiny_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "tictactoe", "tictactoe:TicTacToe")  # which is quick to compile
    tiny = dataclasses.replace(PRESETS["draughts-tiny"], game="tictactoe")
    config = dataclasses.replace(tiny, learner=dataclasses.replace(tiny.learner, steps=2, batch_size=8))
    figures = {figure.key: figure for figure in selfplay.measure(config, games=2, simulations=2, net="1x4")}
    assert set(figures) == {
        "network", "gumbel", "gumbel_share", "learning", "replay", "puct", "puct_share", "puct_to_gumbel"
    }  # fmt: skip
    assert all(figure.value > 0 for figure in figures.values())
    assert figures["gumbel_share"].value == pytest.approx(100 * figures["gumbel"].value * 2 / figures["network"].value)
    assert figures["replay"].value < 1000
    assert "1x4" in figures["gumbel"].label


def test_game_without_a_paper_uses_our_preset() -> None:
    assert selfplay.default_config("tablut") is PRESETS["tablut-paper"]
    assert selfplay.default_config("cathedral") is PRESETS["cathedral-fast"]
