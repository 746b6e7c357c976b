"""The searches of self-play as they are configured: what values count for."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from midgames import started

import boardwright
from boardwright.learn.match.policies import make_search
from boardwright.learn.shared.config import SearchConfig


def test_blunder_does_not_flatten_other_values() -> None:
    """Of three moves one is a little better than the other, and one loses. Relative values then differ little between
    the first two; absolute ones differ equally with and without the losing move.
    """
    game = boardwright.game("draughts")
    env = game.batch()
    start = started(env, 1)
    legal = np.flatnonzero(start.legal_action_mask[0])[:3]

    @functools.partial(jax.jit, static_argnums=1)
    def policy(last: Array, config: SearchConfig) -> tuple[Array, Array]:
        worth = jnp.zeros(game.num_actions).at[legal].set(jnp.array([0.1, 0.0, last]))
        places = jax.vmap(lambda action: env.step(jax.tree.map(lambda leaf: leaf[0], start), action, None))(legal)

        def evaluate(states: Any) -> tuple[Array, Array]:
            logits = jnp.where(jnp.isin(jnp.arange(game.num_actions), legal), 0.0, -30.0)
            is_child = (states.board[:, None] == places.board[None]).all(axis=2)  # [B, 3]
            value = -(is_child * worth[legal]).sum(axis=1)  # from the side of who moves then
            return jnp.broadcast_to(logits, (states.board.shape[0], game.num_actions)), value

        found = make_search(env, config, evaluate, 3, game.max_search_actions)(jax.random.key(0), start)
        return found.slot_actions[0], found.policy[0]

    def shares(last: float, **scales: Any) -> np.ndarray:
        """The policy of the first two moves, after the third was found to be worth so much."""
        actions, share = policy(jnp.float32(last), SearchConfig(**scales))
        by_action = dict(zip(actions.tolist(), share.tolist(), strict=True))
        first, second = (by_action[int(action)] for action in legal[:2])
        return np.log(first / second)

    absolute = {"values": "absolute", "c_scale": 1.0}
    assert shares(0.0, **absolute) == pytest.approx(51 * 0.05, rel=1e-3)  # c_visit and a visit, half of 0.1
    assert shares(-1.0, **absolute) == pytest.approx(51 * 0.05, rel=1e-3)
    assert shares(0.0) == pytest.approx(5.1, rel=1e-3)
    assert shares(-1.0) == pytest.approx(5.1 * 0.1 / 1.1, rel=1e-3)
