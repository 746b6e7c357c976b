"""What a learner keeps of positions: packed and unpacked, they look the same to it."""

import functools
import itertools
from typing import Any

import jax
import numpy as np
from sizes import size

from boardwright.games.base import CHANCE, DRAW, Game
from boardwright.games.batched import random_action

GAMES, ACTIONS = size(16, full=48), 90
EVERY = size(4, full=1)  # of the states of a walk is looked at


@functools.lru_cache(maxsize=64)
def _walk(game: Game) -> list[Any]:
    """States of random games after every action, GAMES at a time."""
    env = game.batch()

    @jax.jit
    def step(states: Any, key: jax.Array) -> Any:
        keys = jax.random.split(key, GAMES)
        actions = jax.vmap(random_action)(keys, states.legal_action_mask)
        return jax.vmap(env.step)(states, actions, keys)

    states = jax.vmap(env.init)(jax.random.split(jax.random.key(0), GAMES))
    walk = [states]
    for ply in range(ACTIONS):
        walk.append(step(walk[-1], jax.random.key(ply)))
    return walk


def test_unpacked_position_has_the_same_observation(game: Game) -> None:
    env, learning = game.batch(), game.learning()

    @jax.jit
    def seen(states: Any) -> tuple[Any, ...]:
        observation = jax.vmap(env.observe)(states, states.current_role)
        return observation, states.legal_action_mask, states.current_role

    again = jax.jit(lambda states: seen(jax.vmap(learning.unpack)(jax.vmap(learning.pack)(states))))
    looked_at = 0
    for states in _walk(game)[::EVERY]:
        chosen = np.asarray(~states.terminated & (states.current_role != CHANCE))
        for before, after in zip(seen(states), again(states), strict=True):
            np.testing.assert_array_equal(np.asarray(before)[chosen], np.asarray(after)[chosen])
        looked_at += chosen.sum()
    assert looked_at > 4 * GAMES / EVERY


def test_packed_position_is_small(game: Game) -> None:
    state = game.batch().init(jax.random.key(0))
    assert jax.eval_shape(game.learning().pack, state).size * 4 < 200


def test_holders_agree_with_the_first_planes(game: Game) -> None:
    """Every game's first planes show own and enemy pieces, which hold their cells."""
    env, learning = game.batch(), game.learning()
    own, enemy = _planes_of_pieces(game)
    for states in _walk(game)[::15]:
        for role in (0, 1):
            planes = np.asarray(jax.vmap(lambda state, role=role: env.observe(state, role))(states))
            held = np.asarray(jax.vmap(learning.holders)(states))[:, learning.views[role]]
            planes = planes.reshape(GAMES, held.shape[1], -1)
            for who, which in ((role + 1, own), (2 - role, enemy)):
                assert (held[planes[:, :, which].any(axis=2)] == who).all()


def test_margin_at_the_end_agrees_with_the_result(game: Game) -> None:
    learning = game.learning()
    last = _walk(game)[-1]
    margins, held = (np.asarray(jax.vmap(of)(last)) for of in (learning.margin, learning.holders))
    assert np.isfinite(margins).all()
    assert (np.abs(margins) <= 2).all()
    assert set(np.unique(held)) <= {0, 1, 2}
    if game.name == "cathedral":  # there the margin is what decides
        over, result = np.asarray(last.terminated), np.asarray(last.result)
        assert over.any()
        assert (np.sign(margins) == np.where(result == 0, 1, np.where(result == 1, -1, 0)))[over].all()
        assert (result[over] != DRAW).any()


def _planes_of_pieces(game: Game) -> tuple[list[int], list[int]]:
    """Numbers of the planes that show the pieces now: the first ones, as far as they belong to a role."""
    first = list(itertools.takewhile(_is_of_now_and_of_somebody, game.planes))
    own = [number for number, name in enumerate(first) if name.startswith("own ")]
    enemy = [number for number, name in enumerate(first) if name.startswith("enemy ")]
    assert own
    assert enemy
    return own, enemy


def _is_of_now_and_of_somebody(plane: str) -> bool:
    return plane.startswith(("own ", "enemy ")) and not plane.endswith(" ago")
