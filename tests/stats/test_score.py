"""Scores and crosstables: counting, points, intervals."""

import pytest

from boardwright.games import base
from boardwright.stats.pairings import Encounter, condense, crosstable
from boardwright.stats.score import DRAW, Score


def test_draw_is_the_result_that_games_use() -> None:
    assert DRAW == base.DRAW


@pytest.mark.parametrize(("result", "role", "points"), [(0, 0, 1.0), (0, 1, 0.0), (1, 1, 1.0), (DRAW, 0, 0.5)])
def test_points_of_one_game(result: int, role: int, points: float) -> None:
    assert Score.of(result, role).points == points
    assert Score.of(result, role).games == 1


def test_scores_add_up() -> None:
    total = Score(3, 1, 0) + Score(0, 1, 1)
    assert total == Score(3, 2, 1)
    assert (total.games, total.points, total.share) == (6, 4.0, pytest.approx(2 / 3))
    assert (Score().share, Score().interval.mean) == (0.5, 0.5)


def test_interval_contains_the_share() -> None:
    found = Score(60, 20, 20).interval
    assert found.mean == pytest.approx(0.7) == Score(60, 20, 20).share
    assert 0.6 < found.low < 0.7 < found.high < 0.8


def test_crosstable_is_symmetric_and_sorted_by_share() -> None:
    games = [Encounter("a", "b", 0), Encounter("b", "a", 0), Encounter("b", "a", DRAW), Encounter("c", "b", 1)]
    rows = crosstable([*games, Encounter("c", "c", 0)])
    assert [(row.name, row.total) for row in rows] == [
        ("b", Score(2, 1, 1)),
        ("a", Score(1, 1, 1)),
        ("c", Score(0, 0, 1)),
    ]
    assert rows[0].against == {"a": Score(1, 1, 1), "c": Score(1, 0, 0)}


def test_counted_encounters_are_condensed_like_listed_ones() -> None:
    listed = condense([Encounter("a", "b", 0)] * 3 + [Encounter("b", "a", DRAW)])
    counted = condense({Encounter("a", "b", 0): 3, Encounter("b", "a", DRAW): 1, Encounter("c", "a", 0): 0})
    assert counted.names == listed.names == ("a", "b")
    assert (counted.counts == listed.counts).all()
