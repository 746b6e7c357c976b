"""What is kept of observations is all of them, in every game and way to observe."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.games.batched import random_action, without_chance
from boardwright.games.registry import game as make_game
from boardwright.games.registry import game_class, game_names
from boardwright.learn.dqn.replay import ObservationCodec, pack_flags, unpack_flags

GAMES, STEPS = 8, 40
WAYS = [(name, way) for name in game_names() for way in {game_class(name).observations[place]: 0 for place in (0, -1)}]


@pytest.mark.parametrize(("name", "observation"), WAYS)
def test_observations_survive_a_round_trip(name: str, observation: str) -> None:
    game = make_game(name, None, observation)
    env, codec = without_chance(game.batch()), ObservationCodec.of(game)

    @jax.jit
    def observed(key: jax.Array) -> tuple[jax.Array, ...]:
        def step(states: Any, key: jax.Array) -> tuple[Any, tuple[jax.Array, ...]]:
            seen = jax.vmap(env.observe)(states, states.current_role)
            words = jax.vmap(codec.pack)(seen)
            keys = jax.random.split(key, GAMES)
            actions = jax.vmap(random_action)(keys, states.legal_action_mask)
            return jax.vmap(env.step)(states, actions, keys), (seen, words, codec.unpack(words))

        begin = jax.vmap(env.init)(jax.random.split(key, GAMES))
        return jax.lax.scan(step, begin, jax.random.split(key, STEPS))[1]

    seen, words, again = observed(jax.random.key(1))
    assert words.shape[2] == codec.words
    assert words.shape[2] * 16 < np.prod(game.observation_shape)  # a bit for a flag, more or less
    assert np.unique(np.asarray(seen)).size >= 2
    assert np.array_equal(np.asarray(seen), np.asarray(again))


def test_flags_survive_a_round_trip() -> None:
    flags = np.random.default_rng(2).integers(0, 2, (5, 70)).astype(bool)
    words = jax.vmap(pack_flags)(jnp.asarray(flags))
    assert words.shape == (5, 3)
    assert np.array_equal(np.asarray(unpack_flags(words, 70)), flags)
