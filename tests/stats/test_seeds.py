"""Student's intervals over seeds: coverage, shares, and one more seed."""

import random

import pytest

from boardwright.stats.score import over_seeds


def test_students_interval_has_its_coverage() -> None:
    draws = random.Random(1)
    for seeds in (2, 3, 5, 20):
        covered = sum(
            (found := over_seeds([draws.gauss(0.3, 0.1) for _ in range(seeds)])).low <= 0.3 <= found.high
            for _ in range(2000)
        )
        assert 0.935 < covered / 2000 < 0.972, seeds
    assert over_seeds([0.2, 0.4]).mean == pytest.approx(0.3)
    assert over_seeds([0.2, 0.4]).high == pytest.approx(0.3 + 12.706 * 0.1)
    alone = over_seeds([0.7])
    assert not alone.is_bounded
    assert alone.mean == 0.7
    with pytest.raises(ValueError, match="no seed"):
        over_seeds([])


def test_interval_of_a_share_is_within_0_and_1() -> None:
    assert over_seeds([0.45, 0.47], is_share=True) == over_seeds([0.45, 0.47])
    wide = over_seeds([0.2, 0.9], is_share=True)
    assert (wide.mean, wide.low, wide.high) == (pytest.approx(0.55), 0.0, 1.0)
    assert not over_seeds([0.7], is_share=True).is_bounded


def test_prediction_interval_of_one_more_seed() -> None:
    draws = random.Random(5)
    for seeds in (2, 4, 9):
        within = 0
        for _ in range(2000):
            *known, new = (draws.gauss(0.3, 0.1) for _ in range(seeds + 1))
            within += (found := over_seeds(known, further=1)).low <= new <= found.high
        assert 0.935 < within / 2000 < 0.972, seeds
    assert over_seeds([0.9, 0.95], is_share=True, further=1).high == 1.0
    assert not over_seeds([0.7], further=1).is_bounded
