"""Ratings: the original program's answers, planted strengths, and data with little information."""

import json
import math
import time
from pathlib import Path

import numpy as np
import pytest

from boardwright.errors import BoardwrightError
from boardwright.games.base import DRAW
from boardwright.stats.bayeselo import Ratings, rate, rate_by_role, scale
from boardwright.stats.pairings import Encounter, condense, groups, identifies_advantage

RESULTS = {"first": 0, "second": 1, "draw": DRAW}


def test_ratings_agree_with_the_original_program() -> None:
    fixture = json.loads((Path(__file__).parent / "bayeselo.json").read_text())
    expected = fixture["expected"]
    found = rate(Encounter(first, second, RESULTS[result]) for first, second, result in fixture["games"])
    assert found.advantage == pytest.approx(expected["first_mover_advantage"], abs=0.1)
    assert found.draw == pytest.approx(expected["draw_elo"], abs=0.1)
    assert [rating.name for rating in found.ratings] == list(expected["ratings"])
    for rating in found.ratings:
        answer = expected["ratings"][rating.name]
        assert rating.elo == pytest.approx(answer["elo"], abs=0.2)
        assert rating.plus == pytest.approx(answer["plus"], abs=1.0)
        assert rating.minus == pytest.approx(answer["minus"], abs=1.0)
        assert rating.games == answer["games"]
    assert found.warnings == ()


def simulated(
    first: np.ndarray, second: np.ndarray, advantage: float, draw: float, games: int, seed: int = 7
) -> list[Encounter]:
    """Games of players with these ratings in each role, drawn from the model."""
    random = np.random.default_rng(seed)

    def f(x: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + 10.0 ** (x / 400.0))

    one, other = random.integers(len(first), size=(2, games))
    one, other = one[one != other], other[one != other]
    gap = first[one] - second[other] + advantage
    luck = random.random(len(gap))
    results = np.where(luck < f(draw - gap), 0, np.where(luck > 1.0 - f(draw + gap), 1, DRAW))
    return [Encounter(f"p{i}", f"p{j}", int(r)) for i, j, r in zip(one, other, results, strict=True)]


def by_name(ratings: Ratings) -> dict[str, float]:
    return {rating.name: rating.elo for rating in ratings.ratings}


def test_planted_strengths_are_recovered() -> None:
    planted = np.array([-250.0, -100.0, -20.0, 0.0, 120.0, 250.0])
    found = rate(simulated(planted, planted, advantage=60.0, draw=120.0, games=60_000))
    assert found.advantage == pytest.approx(60.0, abs=5.0)
    assert found.draw == pytest.approx(120.0, abs=5.0)
    for player, elo in enumerate(planted):
        assert by_name(found)[f"p{player}"] == pytest.approx(elo * scale(120.0), abs=8.0)
    assert sum(by_name(found).values()) == pytest.approx(0.0, abs=1e-6)


def test_intervals_cover_planted_strengths() -> None:
    planted = np.linspace(-200.0, 200.0, 20)
    found = rate(simulated(planted, planted, advantage=0.0, draw=60.0, games=6000))
    inside = 0
    for rating in found.ratings:
        truth = planted[int(rating.name[1:])] * scale(60.0)
        inside += rating.elo - rating.minus <= truth <= rating.elo + rating.plus
    assert inside >= 16


def test_planted_roles_are_recovered() -> None:
    attack, defence = np.array([200.0, 0.0, -50.0, -150.0]), np.array([-100.0, 150.0, 50.0, -100.0])
    found = rate_by_role(simulated(attack, defence, advantage=-80.0, draw=50.0, games=80_000), ("white", "black"))
    assert found.advantage == pytest.approx(-80.0, abs=6.0)
    assert found.draw == pytest.approx(50.0, abs=5.0)
    for role, planted in (("white", attack), ("black", defence)):
        elos = [by_name(found)[f"p{player} as {role}"] for player in range(4)]
        assert sum(elos) == pytest.approx(0.0, abs=1e-6)
        assert elos == pytest.approx((planted * scale(50.0)).tolist(), abs=9.0)
    assert found.warnings == ()


def test_swapped_roles_change_the_sign_of_the_advantage() -> None:
    games = simulated(np.array([0.0, 100.0, 30.0]), np.array([0.0, 100.0, 30.0]), 50.0, 70.0, 900)
    swapped = [Encounter(second, first, {0: 1, 1: 0}.get(result, DRAW)) for first, second, result in games]
    here, there = rate(games), rate(swapped)
    assert here.advantage == pytest.approx(-there.advantage)
    assert by_name(here) == pytest.approx(by_name(there))


def log_posterior(point: np.ndarray, games: list[Encounter]) -> float:
    """By the formulas of the model, for three players a, b and c of whom each pair met equally often.

    `point` is the ratings of b and c above a, the advantage and the draw parameter, in Elo points. The prior: half a
    draw of each pair in either role, and a game between equals with the outcomes usual for a draw parameter of 97.3.
    """
    ratings, (advantage, draw) = {"a": 0.0, "b": point[0], "c": point[1]}, point[2:]

    def f(x: float) -> float:
        return 1.0 / (1.0 + 10.0 ** (x / 400.0))

    def chances(gap: float, draw: float) -> list[float]:
        wins, loses = f(draw - gap), f(draw + gap)
        return [wins, loses, 1.0 - wins - loses]

    gaps = {(one, other): ratings[one] - ratings[other] + advantage for one in "abc" for other in "abc" if one != other}
    value = sum(0.5 * math.log(chances(gap, draw)[2]) for gap in gaps.values())
    value += sum(
        math.log(chances(gaps[game.first, game.second], draw)[(0, 1, DRAW).index(game.result)]) for game in games
    )
    return value + float(np.dot(chances(0.0, 97.3), np.log(chances(0.0, draw))))


@pytest.mark.parametrize(("fixed_parameters", "fitted"), [(False, 4), (True, 2)])
def test_difference_agrees_with_a_numeric_hessian(fixed_parameters: bool, fitted: int) -> None:
    outcomes = {"ab": (5, 9, 2), "ba": (11, 4, 1), "ac": (2, 12, 2), "ca": (14, 1, 1), "bc": (6, 7, 3), "cb": (9, 6, 1)}
    games = [
        Encounter(first, second, result)
        for (first, second), counts in outcomes.items()
        for result, count in zip((0, 1, DRAW), counts, strict=True)
        for _ in range(count)
    ]
    found = rate(games, fixed_parameters=fixed_parameters)
    if fixed_parameters:
        assert (found.advantage, found.draw) == pytest.approx((32.8, 97.3))
    unit, elo = scale(found.draw), by_name(found)
    best = np.array([(elo["b"] - elo["a"]) / unit, (elo["c"] - elo["a"]) / unit, found.advantage, found.draw])
    step = 1e-2 * np.eye(4)[:fitted]
    slope = [log_posterior(best + one, games) - log_posterior(best - one, games) for one in step]
    assert np.abs(slope).max() < 1e-7  # the maximum, in the parameters that are fitted
    step = 2.0 * np.eye(4)[:fitted]
    hessian = [
        [
            sum(
                sign * other_sign * log_posterior(best + sign * one + other_sign * other, games)
                for sign in (1, -1)
                for other_sign in (1, -1)
            )
            / 16.0
            for other in step
        ]
        for one in step
    ]
    covariance = np.linalg.inv(-np.array(hessian))
    for one, other, direction in (("b", "a", (1, 0)), ("c", "a", (0, 1)), ("c", "b", (-1, 1))):
        weights = np.array([*direction, 0, 0][:fitted])
        reach = 1.959964 * unit * math.sqrt(weights @ covariance @ weights)
        lead = elo[one] - elo[other]
        assert found.difference(one, other) == pytest.approx((lead, lead - reach, lead + reach), rel=1e-3)
        assert found.difference(other, one) == pytest.approx((-lead, -lead - reach, -lead + reach), rel=1e-3)


@pytest.mark.parametrize("fixed_parameters", [False, True])
def test_difference_intervals_cover_planted_differences(fixed_parameters: bool) -> None:
    planted, inside = np.array([-150.0, 0.0, 100.0, 150.0]), 0
    for seed in range(200):
        found = rate(simulated(planted, planted, 32.8, 97.3, 400, seed), fixed_parameters=fixed_parameters)
        _, low, high = found.difference("p3", "p0")
        inside += low <= 300.0 * scale(97.3) <= high
    assert 180 <= inside <= 198  # 190 expected


def test_fixed_parameters_need_no_change_of_roles() -> None:
    games = [Encounter("a", "b", 0)] * 4 + [Encounter("a", "b", 1)] * 2
    assert "never changed roles" in rate(games).warnings[0]
    found = rate(games, fixed_parameters=True)
    assert found.warnings == ()
    assert by_name(found)["a"] > by_name(found)["b"]


def test_unconnected_players_have_no_difference() -> None:
    found = rate([Encounter("a", "b", 0), Encounter("b", "a", 0), Encounter("c", "d", 1)])
    assert all(map(math.isnan, found.difference("a", "c")))
    assert all(map(math.isfinite, found.difference("a", "b")))


def test_superiority() -> None:
    games = [Encounter("a", "b", 0), Encounter("b", "a", 1)] * 30 + [Encounter("b", "c", 0), Encounter("c", "b", 0)]
    found = rate([*games, Encounter("d", "e", 0)])
    names = [rating.name for rating in found.ratings]
    chance = found.superiority[names.index("a"), names.index("b")]
    assert chance > 0.999
    assert found.superiority[names.index("b"), names.index("a")] == pytest.approx(1.0 - chance)
    assert math.isnan(found.superiority[names.index("a"), names.index("d")])


def test_superiority_compares_within_a_role() -> None:
    strength = np.array([200.0, 0.0, -200.0])
    found = rate_by_role(simulated(strength, strength, 0.0, 50.0, 2000), ("white", "black"))
    names = [rating.name for rating in found.ratings]
    place = {name: names.index(name) for name in names}
    assert found.superiority[place["p0 as white"], place["p1 as white"]] > 0.99
    assert math.isnan(found.superiority[place["p0 as white"], place["p1 as black"]])


def test_unconnected_groups_are_reported() -> None:
    found = rate([Encounter("a", "b", 0), Encounter("b", "a", 0), Encounter("c", "d", 1)])
    (warning,) = found.warnings
    assert warning == "2 groups never met, so only ratings within a group compare: a, b; c, d"
    elos = by_name(found)
    assert elos["a"] + elos["b"] == pytest.approx(0.0, abs=1e-9)
    assert elos["d"] == pytest.approx(-elos["c"])
    many = rate([Encounter(f"x{k}", f"y{k}", 0) for k in range(50)])
    assert many.warnings[0].startswith("50 groups never met")
    assert len(many.warnings[0]) < 300


def test_unmeasurable_advantage_is_reported() -> None:
    always_first = [Encounter("a", "b", 0), Encounter("a", "c", DRAW)]
    assert "never changed roles" in rate(always_first).warnings[0]
    assert not identifies_advantage(condense(always_first))
    assert not identifies_advantage(condense([Encounter("a", "b", 0), Encounter("b", "c", 0)]))
    assert identifies_advantage(condense([Encounter("a", "b", 0), Encounter("b", "a", 0)]))
    assert identifies_advantage(condense([Encounter("a", "b", 0), Encounter("b", "c", 0), Encounter("a", "c", 0)]))
    assert identifies_advantage(condense([Encounter("a", "a", 0)]))


def test_players_without_common_opponents_are_separate_groups() -> None:
    games = [Encounter(one, other, 0) for one, other in ("ab", "cd", "bc", "ef")]
    assert groups(condense(games)) == [[0, 1, 2, 3], [4, 5]]


@pytest.mark.parametrize(
    "games",
    [
        [],
        [Encounter("a", "a", 0)],
        [Encounter("a", "a", DRAW)] * 100,
        [Encounter("a", "b", 0)],
        [Encounter("a", "b", DRAW)],
        [Encounter("a", "b", DRAW)] * 10_000,
        [Encounter("a", "b", 0)] * 100_000,
        [Encounter("a", "b", 0), Encounter("b", "a", 1)] * 1000,
        [Encounter("a", "b", 0), Encounter("b", "a", 0)] * 1000,
        [Encounter(f"{k}", f"{k + 1}", 0) for k in range(60)] * 50,
        [Encounter(f"{k}", f"{k + 1}", k % 3) for k in range(60)],
        [Encounter("a", "b", 0)] * 1000 + [Encounter("c", "d", DRAW)],
    ],
)
def test_few_games_give_wide_intervals(games: list[Encounter]) -> None:
    for found in (rate(games), rate(games, fixed_parameters=True), rate_by_role(games, ("white", "black"))):
        assert math.isfinite(found.advantage)
        assert 0.0 < found.draw < 10_000.0
        for rating in found.ratings:
            assert math.isfinite(rating.elo)
            assert 0.0 <= rating.plus < 10_000.0
            assert 0.0 <= rating.minus < 10_000.0
        assert sum(rating.elo for rating in found.ratings) == pytest.approx(0.0, abs=1e-4)
        elos = [rating.elo for rating in found.ratings]
        assert elos == sorted(elos, reverse=True)


def test_a_game_against_oneself_counts_once() -> None:
    found = rate([Encounter("a", "b", 0), Encounter("b", "a", DRAW), Encounter("a", "a", 0)])
    assert {rating.name: rating.games for rating in found.ratings} == {"a": 3, "b": 2}


def test_an_unfinished_game_is_not_rated() -> None:
    with pytest.raises(ValueError, match="not finished"):
        rate([Encounter("a", "b", 3)])


def test_a_hundred_players_and_a_hundred_thousand_games() -> None:
    planted = np.linspace(-400.0, 400.0, 100)
    games = simulated(planted, planted, 30.0, 90.0, 100_000)
    begin = time.perf_counter()
    rate(games)
    assert time.perf_counter() - begin < 15.0  # a second on an idle machine


def test_too_many_players_are_refused() -> None:
    with pytest.raises(BoardwrightError, match="100000 players are too many to rate: at most 4000"):
        rate([Encounter(f"a{number}", f"b{number}", 0) for number in range(50_000)])
