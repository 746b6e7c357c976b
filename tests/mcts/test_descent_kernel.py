"""The descent as a GPU kernel, interpreted here: the same searches, and a program that a GPU would take."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jax.sharding import AxisType

import boardwright
from boardwright.games.batched import random_action, without_chance
from boardwright.mcts import descent_kernel
from boardwright.mcts.policies import SearchResult, gumbel_search, puct_search
from boardwright.mcts.split import AXIS
from boardwright.mcts.tree import Evaluate

SEARCHES: dict[str, Callable[..., SearchResult]] = {"gumbel": gumbel_search, "puct": puct_search}
GAMES, SIMULATIONS = 6, 24


def stub(actions: int) -> Evaluate:
    """Instead of a network: logits and values that cost next to nothing and differ from state to state."""

    def evaluate(states: Any) -> tuple[Array, Array]:
        seed = (states.hash[:, 0] ^ states.hash[:, 1]) * jnp.uint32(0x9E3779B1)
        mixed = (seed[:, None] + jnp.arange(actions, dtype=jnp.uint32)) * jnp.uint32(0x85EBCA77)
        mixed = (mixed ^ (mixed >> 15)) * jnp.uint32(0x2C1B3C6D)
        return (mixed >> 8).astype(jnp.float32) / 2.0**23, (seed >> 8).astype(jnp.float32) / 2.0**23 - 1

    return evaluate


def _search(name: str, kind: str) -> Callable[[], SearchResult]:
    """A search of a few games some moves from the start."""
    game = boardwright.game(name)
    env = without_chance(game.batch()) if game.has_chance else game.batch()
    keys = jax.random.split(jax.random.key(0), GAMES)
    states: Any = jax.vmap(env.init)(keys)
    step = jax.jit(
        lambda states, keys: jax.vmap(env.step)(states, jax.vmap(random_action)(keys, states.legal_action_mask), keys)
    )
    for number in range(8):
        states = step(states, jax.random.split(jax.random.key(number), GAMES))
    run = functools.partial(
        SEARCHES[kind],
        env=env,
        evaluate=stub(game.num_actions),
        num_simulations=SIMULATIONS,
        num_slots=game.max_search_actions,
    )
    return lambda: jax.jit(lambda key: run(key, states))(jax.random.key(5))  # traced again each time


@pytest.mark.parametrize("kind", SEARCHES)
def test_kernel_agrees_with_the_loop(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    search = _search("draughts", kind)
    together = search()
    interpreted = functools.partial(descent_kernel.descend, interpret=True)
    used = []

    def chosen(*inputs: Any, cuda: Callable[..., Any], default: Callable[..., Any]) -> Any:
        used.append(default)
        return cuda(*inputs)

    monkeypatch.setattr(descent_kernel, "descend", interpreted)
    monkeypatch.setattr(jax.lax, "platform_dependent", chosen)
    apart = search()
    assert used
    assert int(np.asarray(together.max_depth).max()) >= 3
    for one, other in zip(jax.tree.leaves(together), jax.tree.leaves(apart), strict=True):
        np.testing.assert_allclose(np.asarray(one, np.float64), np.asarray(other, np.float64), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", SEARCHES)
@pytest.mark.parametrize("name", ["tablut", "draughts"])
def test_kernel_lowers_for_a_gpu(name: str, kind: str, one_gpu: Any) -> None:
    """Without one: what Triton cannot do is refused here already."""
    game = boardwright.game(name)
    env = game.batch()
    states = jax.eval_shape(jax.vmap(env.init), jax.random.split(jax.random.key(0), 4))
    run = functools.partial(
        SEARCHES[kind], env=env, evaluate=stub(game.num_actions), num_simulations=4, num_slots=game.max_search_actions
    )
    with jax.sharding.use_abstract_mesh(one_gpu((), ())):
        lowered = jax.jit(run).trace(jax.random.key(1), states).lower(lowering_platforms=("cuda",))
    assert "triton" in lowered.as_text()


def test_every_device_of_a_mesh_has_the_kernel(monkeypatch: pytest.MonkeyPatch, one_gpu: Any) -> None:
    """For its own games, however many devices the machine has."""
    game = boardwright.game("draughts")
    env = game.batch()
    monkeypatch.setattr(jax, "device_count", lambda: 4)
    run = functools.partial(
        gumbel_search, env=env, evaluate=stub(game.num_actions), num_simulations=4, num_slots=game.max_search_actions
    )
    key = jax.random.key(1)
    states = jax.eval_shape(jax.vmap(env.init), jax.random.split(key, 4))
    with jax.sharding.use_abstract_mesh(one_gpu((1,), (AXIS,), axis_types=(AxisType.Auto,))):
        lowered = jax.jit(run).trace(key, states).lower(lowering_platforms=("cuda",))
    assert "triton" in lowered.as_text()
