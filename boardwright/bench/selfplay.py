"""Speed of AlphaZero's self-play and learning on this machine, compared with its network alone.

Real self-play: rules, observations, new games and the replay are included. Network and self-play are measured in the
same run with the same weights, so their ratio is the cost of the rest, even on a loaded machine. The weights are new,
and searches with new nets are less deep than with trained ones; on a GPU that makes next to no difference, since there
a search's descent is one kernel.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.bench.engine import Figure, fastest, on_cpu
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig, LeagueConfig, ReplayConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.alphazero.steps import TrainingState
from boardwright.learn.match.matches import open_games
from boardwright.mcts.tree import Evaluate

GAMES, GAMES_ON_CPU = 4096, 16  # default of concurrent games
SEARCHES = ("gumbel", "puct")
STEPS = 32  # of the iteration that the replay holds
WARM_UP_STEPS = 8  # so that games differ
OPENING = 16  # random actions before the network alone is measured, likewise
EVALUATIONS = 16  # of the network alone, one after the other


def default_config(game: str) -> AlphaZeroConfig:
    """The game's paper's settings, or where no paper has any, our fast ones."""
    return PRESETS.get(f"{game}-paper", PRESETS[f"{game}-fast"])


def measure(
    config: AlphaZeroConfig, *, games: int | None = None, simulations: int | None = None, net: str | None = None
) -> Iterator[Figure]:
    """Network alone, self-play by either search and their shares of it, learning, and room for a position.

    `net` is a size such as 8x128; what is left out is the config's, or for `games` what suits the machine.
    """
    games = games or (GAMES_ON_CPU if on_cpu() else GAMES)
    simulations = simulations or config.search.simulations[-1]
    config = dataclasses.replace(
        config,
        iterations=10**6,
        net=config.net if net is None else config.net.sized(net),
        selfplay=dataclasses.replace(config.selfplay, games=games, steps=STEPS, unfinished="bootstrap", full_share=1.0),
        league=LeagueConfig(share=0.0),
        replay=ReplayConfig(iterations=1),
    )
    size, rates, network = config.net.size, {}, 0.0
    for kind in SEARCHES:
        search = dataclasses.replace(config.search, kind=kind, simulations=(simulations,))
        az = AlphaZero(dataclasses.replace(config, search=search))
        state = az.initialise()
        if kind == SEARCHES[0]:
            network = _network_rate(az, state, games)
            yield Figure("network", f"network alone, {size}, {games:,} positions at once", network, "positions/s")
        rates[kind], state = _frames_rate(az, state, games)
        what = f"self-play, {kind}, {simulations} simulations, {size}, {games:,} games"
        yield Figure(kind, what, rates[kind], "frames/s")
        yield Figure(f"{kind}_share", "of the network alone", 100 * rates[kind] * simulations / network, "%")
        if kind == SEARCHES[0]:
            batch = config.learner.batch_size
            samples, state = _samples_rate(az, state)
            yield Figure("learning", f"learning, {size}, batches of {batch:,}", samples, "samples/s")
            yield Figure("replay", "replay", replay_buffer.bytes_per_state(state.replay), "bytes/state")
    yield Figure("puct_to_gumbel", "puct relative to gumbel", 100 * rates["puct"] / rates["gumbel"], "%")


def _network_rate(az: AlphaZero, state: TrainingState, games: int) -> float:
    folded = jax.jit(az.steps.network.fold)(state.playing)
    states = jax.jit(lambda key: open_games(az.steps.env, key, games, OPENING))(jax.random.key(0))
    return evaluations_rate(az.steps.evaluator(folded), states)


def _frames_rate(az: AlphaZero, state: TrainingState, games: int) -> tuple[float, TrainingState]:
    """Moves a second, and the state after them: one whole iteration."""
    for step in range(0, WARM_UP_STEPS, az.play_chunk):
        state = az.play(state, 0, step)
    seconds, state = fastest(state, lambda state, number: az.play(state, 0, (number + 1) * az.play_chunk % STEPS))
    return games * az.play_chunk / seconds, az.settle(state, 0)


def _samples_rate(az: AlphaZero, state: TrainingState) -> tuple[float, TrainingState]:
    seconds, state = fastest(state, lambda state, number: az.learn(state, 0, number)[0])
    return az.config.learner.batch_size * az.learn_chunk / seconds, state


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
    seconds, _ = fastest(None, lambda _, number: run(states))
    return states.terminated.shape[0] * EVALUATIONS / seconds
