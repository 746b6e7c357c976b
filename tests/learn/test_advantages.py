"""Advantages against closed forms, by hand and by a slow walk along every player's own decisions."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import Array

from boardwright.learn.ppo.learner import advantages

DISCOUNT, TRACE = 0.5, 0.25


def _found(
    rewards: Sequence[float],
    values: Sequence[float],
    decided: Sequence[int],
    over: Sequence[int],
    last_value: float,
    discount: float = DISCOUNT,
    trace: float = TRACE,
) -> np.ndarray:
    """Of one game, as plain numbers."""

    def column(numbers: Sequence[float], kind: type) -> Array:
        return jnp.asarray(numbers, kind)[:, None]

    found = advantages(
        column(rewards, float),
        column(values, float),
        column(decided, bool),
        column(over, bool),
        jnp.asarray([last_value], float),
        discount=discount,
        trace=trace,
    )
    return np.asarray(found)[:, 0]


def test_a_game_to_its_end_by_hand() -> None:
    # Three decisions in turn with the opponent's replies; the opponent ends the game after the third, which costs 10.
    found = _found([1, 2, -10], [4, 6, 8], [1, 1, 1], [0, 0, 1], last_value=99)
    third = -10 - 8  # nothing follows the end
    second = 2 + 0.5 * 8 - 6 + 0.5 * 0.25 * third
    first = 1 + 0.5 * 6 - 4 + 0.5 * 0.25 * second
    assert found.tolist() == [first, second, third]


def test_truncated_game_bootstraps_from_its_value() -> None:
    found = _found([1, 2], [4, 6], [1, 1], [0, 0], last_value=10)
    second = 2 + 0.5 * 10 - 6
    assert found.tolist() == [1 + 0.5 * 6 - 4 + 0.5 * 0.25 * second, second]


def test_rewards_between_decisions_go_to_the_earlier_one() -> None:
    # Decision, two rows in which the opponent moves again and again, decision.
    found = _found([1, -3, -5, 2], [4, 7, 7, 6], [1, 0, 0, 1], [0, 0, 0, 1], last_value=99)
    last = 2 - 6
    assert found[3] == last
    assert found[0] == (1 - 3 - 5) + 0.5 * 6 - 4 + 0.5 * 0.25 * last


def test_end_without_a_decision_reaches_the_earlier_one() -> None:
    found = _found([1, 0, -10, 3], [4, 7, 7, 6], [1, 0, 0, 1], [0, 0, 1, 0], last_value=2)
    assert found[0] == 1 - 10 - 4
    assert found[3] == 3 + 0.5 * 2 - 6


def test_rewards_before_the_first_decision_are_dropped() -> None:
    with_it = _found([5, 100, 1], [4, 7, 6], [1, 0, 1], [1, 0, 1], last_value=0)
    assert with_it[0] == 5 - 4
    assert with_it[2] == 1 - 6


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_a_trace_of_one_is_the_return_less_the_value(discount: float) -> None:
    rewards, values = [1.0, 2.0, 3.0], [0.5, 0.25, 0.125]
    found = _found(rewards, values, [1, 1, 1], [0, 0, 0], last_value=8, discount=discount, trace=1.0)
    returns = [sum(discount**k * reward for k, reward in enumerate([*rewards[t:], 8.0])) for t in range(3)]
    np.testing.assert_allclose(found + values, returns, rtol=1e-6)


@st.composite
def _games(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    rows, games = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    numbers = [rng.integers(-8, 9, (rows, games)).astype(float) for _ in range(2)]
    flags = [rng.random((rows, games)) < share for share in (0.6, 0.25)]
    return *numbers, *flags, rng.integers(-8, 9, games).astype(float)


@settings(max_examples=60, deadline=None)
@given(_games(), st.sampled_from([0.0, 0.5, 0.97, 1.0]), st.sampled_from([0.0, 0.5, 0.95, 1.0]))
def test_it_agrees_with_a_loop_over_the_decisions(games: tuple[np.ndarray, ...], discount: float, trace: float) -> None:
    rewards, values, decided, over, last = (jnp.asarray(part) for part in games)
    found = np.asarray(advantages(rewards, values, decided, over, last, discount=discount, trace=trace))
    for game in range(found.shape[1]):
        rewards, values, decided, over, last = (part[..., game] for part in games)
        expected = _walked(rewards, values, decided, over, float(last), discount, trace)
        for row, advantage in expected.items():
            assert found[row, game] == pytest.approx(advantage, rel=1e-4, abs=1e-4)
        assert set(expected) == set(np.flatnonzero(decided))


def _walked(
    rewards: np.ndarray,
    values: np.ndarray,
    decided: np.ndarray,
    over: np.ndarray,
    last: float,
    discount: float,
    trace: float,
) -> dict[int, float]:
    """By row: the sum of all later errors of one decision's foresight, each discounted and traced, term by term."""
    rows = len(rewards)

    def error(row: int) -> tuple[float, int | None]:
        """Of a decision: what was paid until the next one and what that was worth, less what was expected; and the
        row of the next, if there is one.
        """
        paid = 0.0
        for later in range(row, rows):
            if later > row and decided[later]:
                return paid + discount * values[later] - values[row], later
            paid += rewards[later]
            if over[later]:
                return paid - values[row], None
        return paid + discount * last - values[row], None

    found = {}
    for row in np.flatnonzero(decided):
        total, weight, place = 0.0, 1.0, int(row)
        while place is not None:
            delta, place = error(place)
            total, weight = total + weight * delta, weight * discount * trace
        found[int(row)] = total
    return found
