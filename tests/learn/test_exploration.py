"""Exploration chooses by its formulas and decays as in equations 8 and 9 of the Cathedral paper."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.learn.dqn import selfplay
from boardwright.learn.dqn.config import ActingConfig
from boardwright.learn.dqn.selfplay import exploration_level

Q = np.array([0.5, 2.0, -1.0, 3.0, 1.9], np.float32)
LEGAL = np.array([True, True, True, False, True])


def test_the_level_decays_with_the_episodes() -> None:
    config = ActingConfig(exploration_start=1.0, exploration_end=0.1, exploration_decay=500.0)
    for episodes in (0, 1, 500, 10_000):
        expected = 0.1 + 0.9 * np.exp(-episodes / 500)
        assert float(exploration_level(jnp.int32(episodes), config)) == pytest.approx(expected, rel=1e-5)


def test_the_decay_restarts_after_a_first_phase() -> None:
    config = ActingConfig(random_episodes=100, exploration_decay=50)
    at = [float(exploration_level(jnp.int32(episodes), config)) for episodes in (0, 99, 100, 150)]
    assert at == pytest.approx([1.0, 0.1 + 0.9 * np.exp(-99 / 50), 1.0, 0.1 + 0.9 / np.e], rel=1e-5)


POWERS = np.where(LEGAL, np.exp(Q / 0.6), 0)


@pytest.mark.parametrize(
    ("kind", "expected"), [("boltzmann", POWERS / POWERS.sum()), ("epsilon", np.array([0.15, 0.55, 0.15, 0, 0.15]))]
)
def test_choices_have_the_expected_frequencies(kind: selfplay.Exploration, expected: np.ndarray) -> None:
    games = 40_000
    rows = (jnp.broadcast_to(jnp.asarray(Q), (games, 5)), jnp.broadcast_to(jnp.asarray(LEGAL), (games, 5)))
    actions = selfplay.choose(jax.random.key(5), *rows, jnp.float32(0.6), kind)
    found = np.bincount(np.asarray(actions), minlength=5) / games
    assert found[3] == 0
    assert (np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / games) + 1e-9).all()
