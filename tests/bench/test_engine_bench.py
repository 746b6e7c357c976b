"""The benchmark measures what it says; how fast the machine is stays out of the tests."""

import itertools

import pytest

import boardwright
from boardwright.bench import engine
from boardwright.games.base import Game


def test_batched_rate_plays_real_games() -> None:
    for observing in (False, True):
        assert engine.batched_rate(boardwright.game("tablut", "mcgill"), 8, observing) > 0


def test_ratio_to_another_program() -> None:
    assert engine.Figure("steps", "ours", 30.0, "steps/s", "theirs", 12.0).ratio == 2.5
    assert engine.Figure("steps", "ours", 30.0, "steps/s").ratio is None


def test_scalar_figures_come_first_and_are_labelled() -> None:
    figures = engine.measure("tablut", None)
    perft, playouts = next(figures), next(figures)
    assert (perft.key, perft.unit) == ("perft", "nodes/s")
    assert (playouts.key, playouts.unit) == ("playouts", "games/s")
    assert min(perft.value, playouts.value) > 0


def test_every_rule_set_has_its_own_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cathedral is measured on both boards; the keys of the first rule set are those of other games."""
    measured = []

    def batched_rate(game: Game, batch: int, observing: bool) -> float:
        measured.append((game.rules.name, batch, observing))
        return 1.0

    monkeypatch.setattr(engine, "batched_rate", batched_rate)
    monkeypatch.setattr(engine, "MIN_SECONDS", 0.0001)
    figures = list(itertools.islice(engine.measure("cathedral", 64), 9))
    assert [figure.key for figure in figures] == [
        *("perft", "playouts", "actions", "playouts_paper", "actions_paper"),
        *("steps", "observed_steps", "steps_paper", "observed_steps_paper"),
    ]
    assert measured == [(rules, 64, observing) for rules in ("official", "paper") for observing in (False, True)]
    assert all(figure.value > 0 for figure in figures)
    by_key = {figure.key: figure.label for figure in figures}
    assert "official" in by_key["playouts"]
    assert "paper" in by_key["playouts_paper"]
    assert "paper" in by_key["observed_steps_paper"]
