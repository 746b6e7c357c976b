"""Which figures runs give, and what is in them."""

import math

import numpy as np
import pytest

from boardwright.learn.reporting.figures import FIGURES, chart, rolling_mean
from boardwright.learn.run.metrics import History, Series

BY_NAME = {figure.name: figure for figure in FIGURES}


def run(**scalars: list[float]) -> History:
    """Metrics by name, `__` for the slash; an iteration is 100 frames."""
    series = {}
    for name, values in scalars.items():
        iterations = np.arange(1, len(values) + 1)
        series[name.replace("__", "/")] = Series(iterations, 100 * iterations, np.array(values))
    return History(series, ())


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(FIGURES)


def test_a_figure_without_its_metrics_is_left_out() -> None:
    history = run(loss__policy=[1.0], made__up=[2.0], loss__value=[math.nan, math.nan])
    assert [figure.name for figure in FIGURES if chart(figure, {"a": history})] == ["loss-policy"]


def test_elo_has_its_interval_where_there_is_one() -> None:
    history = run(
        evaluation__elo=[0.0, 50.0, 90.0], evaluation__elo_low=[-10.0, 30.0], evaluation__elo_high=[9.0, 66.0]
    )
    drawing = chart(BY_NAME["elo"], {"a": history})
    assert drawing is not None
    (line,) = drawing.lines
    assert (line.xs, line.ys) == ([100, 200, 300], [0.0, 50.0, 90.0])
    assert (line.low[:2], line.high[:2]) == ([-10.0, 30.0], [9.0, 66.0])
    assert math.isnan(line.low[2])
    assert drawing.x_includes == (0.0,)


def test_one_run_is_coloured_by_metric_and_several_by_run() -> None:
    history = run(selfplay__role0_wins=[0.5] * 9, selfplay__role1_wins=[0.25] * 9, selfplay__draws=[0.25] * 9)
    one = chart(BY_NAME["outcomes"], {"a": history})
    two = chart(BY_NAME["outcomes"], {"a": history, "b": history})
    assert one is not None
    assert two is not None
    bold = [(line.name, line.colour, line.dash) for line in one.lines if not line.faint]
    assert bold == [("role 0 wins", 0, 0), ("role 1 wins", 1, 0), ("draws", 2, 0)]
    bold = [(line.name, line.colour, line.dash) for line in two.lines if not line.faint]
    assert bold[1:4] == [("a: role 1 wins", 0, 1), ("a: draws", 0, 2), ("b: role 0 wins", 1, 0)]
    assert sum(line.faint for line in two.lines) == 6


@pytest.mark.parametrize("window", [1, 3, 5, 99])
def test_rolling_mean(window: int) -> None:
    values = [3.0, math.nan, 1.0, math.inf, 5.0, 2.0, math.nan, math.nan, math.nan, math.nan]
    expected = []
    for place in range(len(values)):
        near = values[max(0, place - window // 2) : place + window // 2 + 1]
        finite = [value for value in near if math.isfinite(value)]
        expected.append(sum(finite) / len(finite) if finite else math.nan)
    assert rolling_mean(values, window).tolist() == pytest.approx(expected, nan_ok=True)
