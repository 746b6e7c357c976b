"""The replay of Q-learning holds the last transitions, and draws them evenly or in proportion to their priority."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn.replay import Replay, Transition

CAPACITY = 10


def numbered(first: int, count: int) -> Transition:
    """Transitions that are identified by their action."""
    numbers = jnp.arange(first, first + count)
    words = numbers[:, None].astype(jnp.uint32)
    role, side = (numbers % 2).astype(jnp.int8), (numbers % 3 - 1).astype(jnp.int8)
    return Transition(words, words + 3, role, numbers, numbers * -0.5, side, words + 1, words + 2)


def filled(*counts: int) -> Replay:
    replay, first = replay_buffer.new_replay(CAPACITY, words=1, legal_words=1), 0
    for count in counts:
        replay = replay_buffer.add(replay, numbered(first, count))
        first += count
    return replay


@pytest.mark.parametrize("counts", [(4,), (4, 4), (4, 4, 4), (10, 10, 10, 3), (7,) * 9])
def test_replay_holds_the_last_transitions(counts: tuple[int, ...]) -> None:
    replay, total = filled(*counts), sum(counts)
    held = int(replay_buffer.size(replay))
    assert held == min(total, CAPACITY)
    there = replay_buffer.unpack(replay.rows[:held], words=1)
    assert sorted(there.action.tolist()) == list(range(total - held, total))
    expected = numbered(0, total)
    for name, found in there._asdict().items():
        assert found.tolist() == getattr(expected, name)[there.action].tolist(), name
    assert (np.asarray(replay.weight) > 0).sum() == held


def test_uniform_draws_reach_exactly_the_stored_transitions() -> None:
    replay = filled(4, 3)
    places = replay_buffer.draw_uniformly((jnp.arange(700) + 0.5) / 700, replay)
    assert np.bincount(places, minlength=CAPACITY).tolist() == [100] * 7 + [0] * 3
    assert replay_buffer.draw_uniformly(jnp.ones(1), replay).tolist() == [6]  # where something was rounded up


@pytest.mark.parametrize("capacity", [1, 2, 5, 16, 17, 1000])
def test_weighted_draws_agree_with_cumulative_sums(capacity: int) -> None:
    rng = np.random.default_rng(capacity)
    weight = rng.integers(0, 8, capacity).astype(np.float32)
    weight[0] = 1
    uniform = rng.uniform(size=64).astype(np.float32)
    target = (np.arange(64) + uniform.astype(np.float64)) / 64 * weight.sum()
    expected = np.searchsorted(np.cumsum(weight), target, side="right")
    places = np.asarray(replay_buffer.draw_by_weight(jnp.asarray(uniform), jnp.asarray(weight)))
    near_a_border = np.abs(np.cumsum(weight)[None] - target[:, None]).min(axis=1) < 1e-3  # where rounding decides
    assert (places == expected)[~near_a_border].all()
    assert (weight[places] > 0).all()


def test_draws_are_in_proportion_to_priority() -> None:
    replay = filled(CAPACITY)
    errors = jnp.asarray([0, 0.1, 0.2, 0.5, 1, 2, 3, 5, 8, -13.0])
    replay = replay_buffer.update_weights(replay, jnp.arange(CAPACITY), errors, alpha=0.6, epsilon=1e-2)
    share = (np.abs(np.asarray(errors)) + 1e-2) ** 0.6
    share /= share.sum()
    draws, batch = 4000, 32
    uniforms = jax.random.uniform(jax.random.key(0), (draws, batch))
    places = jax.vmap(lambda uniform: replay_buffer.draw_by_weight(uniform, replay.weight))(uniforms)
    found = np.bincount(np.asarray(places).reshape(-1), minlength=CAPACITY) / (draws * batch)
    # Draws from equal parts of the weight vary less than independent ones, whose deviation this is.
    assert (np.abs(found - share) < 4 * np.sqrt(share * (1 - share) / (draws * batch))).all()


def test_priorities_follow_errors_and_new_ones_get_the_highest() -> None:
    replay = filled(6)
    assert replay.weight.tolist() == [1.0] * 6 + [0.0] * 4
    replay = replay_buffer.update_weights(replay, jnp.asarray([1, 4]), jnp.asarray([-3.0, 0.0]), alpha=0.5, epsilon=1.0)
    assert replay.weight.tolist() == pytest.approx([1, 2, 1, 1, 1, 1, 0, 0, 0, 0])
    replay = replay_buffer.update_weights(replay, jnp.asarray([1]), jnp.asarray([0.21]), alpha=0.5, epsilon=1.0)
    replay = replay_buffer.add(replay, numbered(6, 2))
    assert replay.weight.tolist() == pytest.approx([1, 1.1, 1, 1, 1, 1, 2, 2, 0, 0])  # the greatest so far, not now


def test_importance_weights_correct_the_draws() -> None:
    replay = filled(CAPACITY)
    weights = np.linspace(1, 5, CAPACITY)
    replay = replay_buffer.update_weights(replay, jnp.arange(CAPACITY), jnp.asarray(weights), alpha=1.0, epsilon=0.0)
    places = jnp.asarray([9, 2, 5])
    chance = weights / weights.sum()
    for beta in (0.0, 0.4, 1.0):
        expected = (CAPACITY * chance[np.asarray(places)]) ** -beta
        found = replay_buffer.importance_weights(replay, places, jnp.float32(beta))
        assert found.tolist() == pytest.approx((expected / expected.max()).tolist(), rel=1e-5)
