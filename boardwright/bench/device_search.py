"""Speed of the batched search, compared with the network alone.

A move of self-play is a search and a step, in games that restart when they end. Both rates are measured in
the same run with the same network, so their ratio is the cost of search and rules, even on a loaded
machine. Without a network, `stub` takes its place: what is left is the cost of the search itself.
"""

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.bench.engine import REPETITIONS, Figure
from boardwright.games.base import BatchEnv, Game
from boardwright.games.batched import where_games, without_chance
from boardwright.learn.match.matches import open_games
from boardwright.mcts.policies import SearchResult, gumbel_search, puct_search
from boardwright.mcts.tree import Evaluate

SEARCHES: dict[str, Callable[..., SearchResult]] = {"gumbel": gumbel_search, "puct": puct_search}
OPENING = 16  # random actions before anything is measured, so that games differ
EVALUATIONS = 16  # of the network alone, one after the other


def measure(
    game: Game,
    *,
    games: int,
    simulations: int,
    slots: int | None = None,
    evaluate: Evaluate | None = None,
    search: str = "gumbel",
    moves: int = 1,
) -> Iterator[Figure]:
    """Search alone, with a stub; and where there is a network, network alone, search with it, and the share.

    `slots` are by default the game's; `moves` are played one after the other in one timed call, best of several.
    """
    slots = game.max_search_actions if slots is None else slots
    env = without_chance(game.batch()) if game.has_chance else game.batch()
    states = play_openings(env, games)
    what = f"{search}, {simulations} simulations, {games:,} games, {slots} slots"

    def moves_rate(evaluate: Evaluate) -> float:
        run = functools.partial(SEARCHES[search], num_simulations=simulations, num_slots=slots)
        return _moves_rate(env, states, functools.partial(run, env=env, evaluate=evaluate), moves)

    alone = moves_rate(stub(game.num_actions))
    yield Figure("search", f"{what}, without a network", alone, "moves/s")
    microseconds = 1e6 * games / (alone * simulations)
    yield Figure("simulation", "the same, a simulation of all games", microseconds, "µs")
    if evaluate is None:
        return
    network = evaluations_rate(evaluate, states)
    yield Figure("network", f"network alone, {games:,} positions at once", network, "positions/s")
    rate = moves_rate(evaluate)
    yield Figure("selfplay", what, rate, "moves/s")
    yield Figure("share", "of the network alone", 100 * rate * simulations / network, "%")


def stub(actions: int) -> Evaluate:
    """Instead of a network: logits and values that cost next to nothing and differ from state to state."""

    def evaluate(states: Any) -> tuple[Array, Array]:
        seed = (states.hash[:, 0] ^ states.hash[:, 1]) * jnp.uint32(0x9E3779B1)
        mixed = (seed[:, None] + jnp.arange(actions, dtype=jnp.uint32)) * jnp.uint32(0x85EBCA77)
        mixed = (mixed ^ (mixed >> 15)) * jnp.uint32(0x2C1B3C6D)
        return (mixed >> 8).astype(jnp.float32) / 2.0**23, (seed >> 8).astype(jnp.float32) / 2.0**23 - 1

    return evaluate


def evaluations_rate(evaluate: Evaluate, states: Any) -> float:
    """Positions per second, including observation; evaluations are sequential, as in a search."""

    def again(_: int, carry: tuple[Any, Array]) -> tuple[Any, Array]:
        states, total = carry
        logits, value = evaluate(states)
        output = value.mean() + logits.mean()
        # Never so, which the compiler cannot know: so every evaluation needs the one before.
        following = jax.tree.map(lambda leaf: jnp.where(jnp.isnan(output), jnp.zeros_like(leaf), leaf), states)
        return following, total + output

    run = jax.jit(lambda states: jax.lax.fori_loop(0, EVALUATIONS, again, (states, jnp.float32(0)))[1])
    games = states.terminated.shape[0]
    return games * EVALUATIONS / _best_seconds(lambda: run(states))


def _moves_rate(env: BatchEnv, states: Any, search: Callable[..., SearchResult], moves: int) -> float:
    """Moves a second over all games."""
    games = states.terminated.shape[0]

    def play(number: Array, carry: tuple[Array, Any]) -> tuple[Array, Any]:
        key, states = carry
        key, search_key, step_key, new_key = jax.random.split(key, 4)
        action = search(search_key, states).action
        states = jax.vmap(env.step)(states, action, jax.random.split(step_key, games))
        fresh = jax.vmap(env.init)(jax.random.split(new_key, games))
        return key, where_games(states.terminated, fresh, states)

    run = jax.jit(lambda key, states: jax.lax.fori_loop(0, moves, play, (key, states)))
    key = jax.random.key(1)
    return games * moves / _best_seconds(lambda: run(key, states))


def play_openings(env: BatchEnv, games: int) -> Any:
    """Games after some random actions."""
    return jax.jit(lambda key: open_games(env, key, games, OPENING))(jax.random.key(0))


def _best_seconds(work: Callable[[], Any]) -> float:
    jax.block_until_ready(work())  # compiles
    best = float("inf")
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        jax.block_until_ready(work())
        best = min(best, time.perf_counter() - begin)
    return best
