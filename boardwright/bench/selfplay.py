"""Speed of AlphaZero's self-play and learning on this machine, compared with its network alone.

Real self-play: rules, observations, new games and the replay are included. Network and self-play are measured in the
same run with the same weights, so their ratio is the cost of the rest, even on a loaded machine. The weights are new,
and searches with new nets are less deep than with trained ones; on a GPU that makes next to no difference, since there
a search's descent is one kernel.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax

from boardwright.bench.device_search import evaluations_rate, play_openings
from boardwright.bench.engine import REPETITIONS, Figure, on_cpu
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig, LeagueConfig, ReplayConfig
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.alphazero.steps import TrainingState

GAMES, GAMES_ON_CPU = 4096, 16  # at once, unless somebody says so
SEARCHES = ("gumbel", "puct")
STEPS = 32  # of the iteration that is remembered
WARM_UP_STEPS = 8  # so that games differ


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
            yield Figure("replay", "replay", replay_buffer.bytes_per_state(state.replay), "bytes a state")
    yield Figure("puct_to_gumbel", "puct relative to gumbel", 100 * rates["puct"] / rates["gumbel"], "%")


def _network_rate(az: AlphaZero, state: TrainingState, games: int) -> float:
    folded = jax.jit(az.steps.network.fold)(state.playing)
    return evaluations_rate(az.steps.evaluator(folded), play_openings(az.steps.env, games))


def _frames_rate(az: AlphaZero, state: TrainingState, games: int) -> tuple[float, TrainingState]:
    """Moves a second, and the state after them: one whole iteration."""
    for step in range(0, WARM_UP_STEPS, az.play_chunk):
        state = az.play(state, 0, step)
    seconds, state = fastest(state, lambda state, number: az.play(state, 0, (number + 1) * az.play_chunk % STEPS))
    return games * az.play_chunk / seconds, az.settle(state, 0)


def _samples_rate(az: AlphaZero, state: TrainingState) -> tuple[float, TrainingState]:
    seconds, state = fastest(state, lambda state, number: az.learn(state, 0, number)[0])
    return az.config.learner.batch_size * az.learn_chunk / seconds, state


def fastest(run: Any, work: Callable[[Any, int], Any]) -> tuple[float, Any]:
    """Seconds of the fastest of several, after one that compiles; and the run after all of them."""
    run = jax.block_until_ready(work(run, 0))
    best = float("inf")
    for number in range(REPETITIONS):
        begin = time.perf_counter()
        run = jax.block_until_ready(work(run, number + 1))
        best = min(best, time.perf_counter() - begin)
    return best, run
