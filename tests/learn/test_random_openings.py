"""Random openings of games that begin on the device."""

import jax
import numpy as np

from boardwright.games.batched import with_openings
from boardwright.games.registry import game


def test_openings_have_zero_to_max_random_actions() -> None:
    env = with_openings(game("tablut", "tablutzero").batch(), 3)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 400))
    plies = np.asarray(states.plies)
    assert sorted(set(plies.tolist())) == [0, 1, 2, 3]
    assert np.bincount(plies).min() > 60  # of 100, which four standard deviations are 35 off
    start = game("tablut", "tablutzero").start()
    after_one = {tuple(start.play(action).core.legal_actions()) for action in start.legal_actions()}
    masks = np.asarray(states.legal_action_mask)
    seen = {tuple(np.flatnonzero(mask).tolist()) for mask in masks[plies == 1]}
    assert len(seen) > 30  # of 56 first moves
    assert seen <= after_one


def test_an_opening_does_not_end_a_game() -> None:
    env = with_openings(game("tictactoe").batch(), 9)
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), 300))
    assert not states.terminated.any()
    assert int(states.plies.max()) >= 7
