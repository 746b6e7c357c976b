"""The benchmark measures what it says; how fast the machine is stays out of the tests."""

import boardwright
from boardwright.bench import engine


def test_batched_rate_plays_real_games() -> None:
    for observing in (False, True):
        assert engine.batched_rate(boardwright.game("tablut", "mcgill"), 8, observing) > 0


def test_ratio_to_a_peer() -> None:
    assert engine.Figure("steps", "ours", 30.0, "steps/s", "theirs", 12.0).ratio == 2.5
    assert engine.Figure("steps", "ours", 30.0, "steps/s").ratio is None


def test_scalar_figures_come_first_and_are_labelled() -> None:
    figures = engine.measure("tablut", None)
    perft, playouts = next(figures), next(figures)
    assert (perft.key, perft.unit) == ("perft", "nodes/s")
    assert (playouts.key, playouts.unit) == ("playouts", "games/s")
    assert min(perft.value, playouts.value) > 0
