"""The searches of self-play as they are configured: noise in the root, and what values count for."""

from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from midgames import played, quick_jit, started

import boardwright
from boardwright.learn import settings
from boardwright.learn.alphazero import make_alphazero
from boardwright.learn.config import SearchConfig
from boardwright.learn.presets import PRESETS
from boardwright.learn.searching import make_search


@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_without_noise_chance_has_no_say(kind: Literal["gumbel", "puct"]) -> None:
    game = boardwright.game("draughts")
    env = game.batch()
    states = played(env, 32, 20)

    def evaluate(states: Any) -> tuple[Array, Array]:
        """Something that differs from position to position."""
        number = (states.board % 997).sum(axis=1)
        return jnp.sin(number[:, None] + jnp.arange(game.num_actions)), jnp.cos(number).astype(jnp.float32)

    config = SearchConfig(kind=kind, warm_plies=0)  # puct: the most visited move is played

    def policies(noise: float) -> list[Array]:
        search = quick_jit(make_search(env, config, evaluate, 12, game.slots, noise))
        found = [search(jax.random.key(seed), states) for seed in range(3)]
        return [jnp.concatenate([one.action[:, None], one.policy], axis=1) for one in found]

    first, *others = policies(0.0)
    assert all(np.array_equal(first, other) for other in others)
    first, *others = policies(1.0)
    assert not any(np.array_equal(first, other) for other in others)


def test_a_blunder_does_not_hide_what_tells_the_others_apart() -> None:
    """Of three moves one is a little better than the other, and one loses. Beside that, relative values see no great
    difference between the first two; absolute ones see the same whether there is such a move or not.
    """
    game = boardwright.game("draughts")
    env = game.batch()
    start = started(env, 1)
    legal = np.flatnonzero(start.legal_action_mask[0])[:3]

    def shares(last: float, **scales: Any) -> np.ndarray:
        """The policy of the first two moves, after the third was found to be worth so much."""
        worth = jnp.zeros(game.num_actions).at[legal].set(jnp.array([0.1, 0.0, last]))
        places = jax.vmap(lambda action: env.step(jax.tree.map(lambda leaf: leaf[0], start), action, None))(legal)

        def evaluate(states: Any) -> tuple[Array, Array]:
            logits = jnp.where(jnp.isin(jnp.arange(game.num_actions), legal), 0.0, -30.0)
            is_child = (states.board[:, None] == places.board[None]).all(axis=2)  # [B, 3]
            value = -(is_child * worth[legal]).sum(axis=1)  # from the side of who moves then
            return jnp.broadcast_to(logits, (states.board.shape[0], game.num_actions)), value

        search = make_search(env, SearchConfig(**scales), evaluate, 3, game.slots)
        found = search(jax.random.key(0), start)
        by_action = dict(zip(found.actions[0].tolist(), found.policy[0].tolist(), strict=True))
        first, second = (by_action[int(action)] for action in legal[:2])
        return np.log(first / second)

    absolute = {"values": "absolute", "c_scale": 1.0}
    assert shares(0.0, **absolute) == pytest.approx(51 * 0.05, rel=1e-3)  # c_visit and a visit, half of 0.1
    assert shares(-1.0, **absolute) == pytest.approx(51 * 0.05, rel=1e-3)
    assert shares(0.0) == pytest.approx(5.1, rel=1e-3)
    assert shares(-1.0) == pytest.approx(5.1 * 0.1 / 1.1, rel=1e-3)


def test_quick_moves_of_self_play_are_those_that_seem_best() -> None:
    """All but hardly any moves are quick: without noise, games that begin alike go on alike."""

    def boards(noise: float) -> np.ndarray:
        told = ["full_share=0.01", "opening_plies=0", "games=6", "steps=6", f"quick_noise={noise}"]
        config = settings.apply(
            PRESETS["draughts-tiny"], ["league.share=0", *(f"selfplay.{setting}" for setting in told)]
        )
        az = make_alphazero(config)
        return np.asarray(az.play(az.init(), 0, 0).games.states.board)

    quiet = boards(0.0)
    assert (quiet == quiet[0]).all()
    assert not (boards(1.0) == boards(1.0)[0]).all()
