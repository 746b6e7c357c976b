"""The sequential test: closed forms, error rates of simulated matches, and odd input."""

import math

import numpy as np
import pytest

from boardwright.errors import BoardwrightError
from boardwright.stats.score import PAIR_SHARES, elo_of_score, score_interval, score_of_elo
from boardwright.stats.sprt import Sprt, count_pairs, log_likelihood_ratio


def pair_odds(elo: float, draws: float = 0.3, bias: float = 0.25) -> np.ndarray:
    """[5] probabilities of a pair's outcomes; openings are lopsided by `bias` in the score of the first game."""
    score, odds = score_of_elo(elo), np.zeros(5)
    for first in (min(score + bias, 0.99 - draws / 2), max(score * 2 - min(score + bias, 0.99 - draws / 2), draws / 2)):
        game = np.array([1 - first - draws / 2, draws, first - draws / 2])
        odds = game if not odds.any() else np.convolve(odds, game)
    return odds


def test_the_model_of_these_tests_has_the_right_mean() -> None:
    odds = pair_odds(40.0)
    assert odds.sum() == pytest.approx(1.0)
    assert (odds > 0).all()
    assert odds @ np.array(PAIR_SHARES) == pytest.approx(score_of_elo(40.0))


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, "H1"), (60.0, "H0")])
def test_error_rates_are_as_promised(elo: float, wrong: str) -> None:
    test, random = Sprt(elo0=0.0, elo1=60.0, alpha=0.1, beta=0.1), np.random.default_rng(5)
    tests, mistakes = 300, 0
    for _ in range(tests):
        outcomes = random.choice(5, size=2000, p=pair_odds(elo))
        counts = np.zeros(5, dtype=int)
        for start in range(0, len(outcomes), 4):
            counts += np.bincount(outcomes[start : start + 4], minlength=5)
            verdict = test.judge(counts.tolist())
            if verdict.decision != "continue":
                mistakes += verdict.decision == wrong
                break
        else:
            pytest.fail("the test never ended")
    assert 0.03 < mistakes / tests < 0.14


def test_many_balanced_pairs_approach_the_normal_approximation() -> None:
    counts, s0, s1 = (2000, 8000, 20000, 9000, 2400), 0.5, score_of_elo(3.0)
    share = np.array(counts) / sum(counts)
    mean = share @ np.array(PAIR_SHARES)
    variance = share @ (np.array(PAIR_SHARES) - mean) ** 2
    normal = sum(counts) * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert log_likelihood_ratio(counts, s0, s1) == pytest.approx(normal, rel=0.02)


def test_decisive_pairs_follow_a_binomial_model() -> None:
    exact = 30 * math.log(0.6 / 0.5) + 10 * math.log(0.4 / 0.5)
    assert log_likelihood_ratio((10, 0, 0, 0, 30), 0.5, 0.6) == pytest.approx(exact, rel=1e-3)


def test_better_results_favour_h1() -> None:
    ratios = [log_likelihood_ratio((20 - k, 10, 40, 10, 20 + k), 0.5, 0.55) for k in range(-20, 21)]
    assert ratios == sorted(ratios)
    mirrored = log_likelihood_ratio((7, 18, 30, 10, 3), 1 - 0.5, 1 - 0.55)
    assert log_likelihood_ratio((3, 10, 30, 18, 7), 0.5, 0.55) == pytest.approx(mirrored)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 1), (1, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 10**6, 0, 0)])
@pytest.mark.parametrize("elos", [(-1000.0, 1000.0), (0.0, 5.0), (-10.0, 0.0)])
def test_lopsided_counts_have_a_finite_ratio(counts: tuple[int, ...], elos: tuple[float, float]) -> None:
    assert math.isfinite(Sprt(*elos).judge(counts).llr)


def test_few_lucky_pairs_decide_nothing() -> None:
    assert Sprt(0.0, 10.0).judge((0, 0, 0, 0, 3)).decision == "continue"
    assert Sprt(0.0, 10.0).judge((0, 0, 0, 0, 0)).llr == 0.0


def test_verdict_has_all_fields() -> None:
    verdict = Sprt(0.0, 10.0).judge((100, 300, 900, 420, 150))
    assert verdict.decision == "H1"
    assert verdict.upper == pytest.approx(math.log(19)) == -verdict.lower
    assert verdict.elo_low < verdict.elo < verdict.elo_high
    assert verdict.elo == pytest.approx(elo_of_score(verdict.score))
    assert verdict.pairs == 1870
    assert Sprt(0.0, 10.0).judge((150, 420, 900, 300, 100)).decision == "H0"


def test_pairs_are_counted() -> None:
    assert count_pairs([(0, 0), (0.5, 0), (1, 0), (0.5, 0.5), (1, 0.5), (1, 1), (1, 1)]) == (1, 1, 2, 1, 2)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"elo0": 10.0, "elo1": 0.0}, "elo0 10 must be below elo1 0"),
        ({"elo0": 0.0, "elo1": math.nan}, "must be below"),
        ({"elo0": 0.0, "elo1": 5000.0}, "-1000 to 1000"),
        ({"elo0": 0.0, "elo1": 1.0, "alpha": 0.0}, "alpha must be above 0"),
        ({"elo0": 0.0, "elo1": 1.0, "beta": 0.5}, "below 0.5, not 0.5"),
    ],
)
def test_invalid_hypotheses_are_refused(options: dict[str, float], complaint: str) -> None:
    with pytest.raises(BoardwrightError, match=complaint):
        Sprt(**options)


# Intervals


def test_intervals_of_single_games_are_agresti_coull() -> None:
    score = score_interval([(1.0,)] * 10)
    assert (score.mean, score.high) == (1.0, 1.0)
    assert score.low == pytest.approx(0.6791, abs=1e-3)
    even = score_interval([(1.0,), (0.0,)] * 50)
    assert (even.low, even.mean, even.high) == pytest.approx((0.4038, 0.5, 0.5962), abs=1e-3)


def test_no_games_give_the_whole_interval() -> None:
    score = score_interval([])
    assert (score.mean, score.low, score.high) == (0.5, 0.0, 1.0)
    assert score_interval([(), ()]) == score


def test_draws_and_decided_openings_narrow_the_interval() -> None:
    def width(groups: list[tuple[float, ...]]) -> float:
        score = score_interval(groups)
        return score.high - score.low

    assert width([(0.5,)] * 100) < width([(1.0,), (0.0,)] * 50)
    assert width([(1.0, 0.0)] * 50) < width([(1.0,), (0.0,)] * 50) < width([(1.0, 1.0), (0.0, 0.0)] * 25)
    assert width([(0.5, 0.5)] * 100) > 0.01


@pytest.mark.parametrize("games", [6, 40, 200])
@pytest.mark.parametrize("elo", [0.0, 150.0])
def test_interval_has_its_coverage(games: int, elo: float) -> None:
    random, trials = np.random.default_rng(1), 2000
    odds, covered = pair_odds(elo, draws=0.1, bias=0.1), 0
    for _ in range(trials):
        score = score_interval([(PAIR_SHARES[k], PAIR_SHARES[k]) for k in random.choice(5, size=games, p=odds)])
        covered += score.low <= score_of_elo(elo) <= score.high
        assert score.low <= score.mean <= score.high
    assert covered / trials > 0.935


def test_elo_and_score_are_inverse() -> None:
    for elo in (-700.0, -3.0, 0.0, 40.0):
        assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo)
    assert (elo_of_score(1.0), elo_of_score(0.0)) == (math.inf, -math.inf)
