"""AlphaZero as a method of the loop: when it plays, learns, meets past selves, is gated and measured.

train(config, folder, watch)
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from boardwright.errors import NetError, RunError
from boardwright.learn.alphazero.alphazero import PLAY, AlphaZero, Run, make_alphazero, scalars, with_past_self
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.distributed import mesh, processes
from boardwright.learn.distributed.device import memory
from boardwright.learn.match.duel import Contest, finished, make_duel
from boardwright.learn.run import league, loop
from boardwright.learn.run.loop import SECONDS_BETWEEN_CHECKPOINTS, Desk, Method, Progress, Rate, Watch
from boardwright.learn.run.rating import rated
from boardwright.nets import netfile, shipped
from boardwright.nets.network import Variables, variables_of
from boardwright.nets.resized import weights_for


def train(
    config: AlphaZeroConfig,
    folder: Path,
    watch: Watch | None = None,
    *,
    rate: Rate | None = None,
    seconds_between_checkpoints: float = SECONDS_BETWEEN_CHECKPOINTS,
) -> Progress:
    """`loop.train` of AlphaZero, on all devices there are."""
    watch = watch or Watch()
    with mesh.all_devices(config):
        split = mesh.in_words(config)
        if split is not None and processes.is_first():
            watch.word(split)
        seconds = {"seconds_between_checkpoints": seconds_between_checkpoints}
        return loop.train(alphazero_method(config), folder, watch, rate=rate, **seconds)


def alphazero_method(config: AlphaZeroConfig) -> Method[Run]:
    """What the loop runs; inside `mesh.all_devices` split over devices."""
    az = make_alphazero(config)
    plays, learns = config.selfplay.steps // az.play_chunk, config.learner.steps // az.learn_chunk

    def work(run: Run, iteration: int, chunk: int, desk: Desk) -> tuple[Run, Mapping[str, Any]]:
        if chunk < plays:
            with memory("selfplay.games, or search.simulations"):
                if chunk == 0:
                    run = _with_league(az, run, iteration, desk.nets)
                run = az.play(run, iteration, chunk * az.play_chunk)
                if chunk == plays - 1:
                    run = az.settle(run, iteration)
                return jax.block_until_ready(run), {}
        with memory("learner.batch"):
            run, losses = jax.block_until_ready(az.learn(run, iteration, (chunk - plays) * az.learn_chunk))
            return run, losses if az.has_enough(run) else {}

    def phase(chunks: int) -> tuple[str, int, int]:
        if chunks <= plays:
            return "self-play", chunks * az.play_chunk, config.selfplay.steps
        return "learning", (chunks - plays) * az.learn_chunk, config.learner.steps

    def told(run: Run) -> dict[str, float]:
        return scalars(run.tally) | {"learning_rate": az.learning_rate(int(run.learner.steps))}

    def player(run: Run) -> tuple[Any, Variables]:
        return config.net, az.players(run)

    return Method(
        name="alphazero",
        config=config,
        game=az.game,
        init=az.init,
        begun=functools.partial(_begun, az),
        chunks=plays + learns,
        work=work,
        phase=phase,
        scalars=told,
        player=player,
        judge=functools.partial(_gated, az),
        evaluate=functools.partial(_evaluated, az),
        next_iteration=az.next_iteration,
        carried=("learner", "reference", "league"),
        devices=mesh.size(),
    )


def _begun(az: AlphaZero, run: Run) -> Run:
    """A new run with the weights of the net it was told to begin with, which may have learned other rules on another
    board.
    """
    text = az.config.initial
    if text is None:
        return run
    try:
        net = netfile.read(shipped.find(text))
        weights = weights_for(net, az.game)
    except NetError as error:
        raise RunError(f"setting initial: {error}") from error
    if net.config != az.config.net:
        raise RunError(f"setting initial: {text} is a {net.config.size} net that is built otherwise than net.* says")

    def instead(variables: Variables) -> Variables:
        """Its weights in the place of others, of which there may be several in a row."""
        new = variables_of(weights)
        return jax.tree.map(
            lambda old, leaf: jax.device_put(jnp.broadcast_to(leaf, old.shape), old.sharding), variables, new
        )

    learner = dataclasses.replace(
        run.learner, variables=instead(run.learner.variables), averaged=instead(run.learner.averaged)
    )
    reference = None if run.reference is None else instead(run.reference)
    league_nets = None if run.league is None else instead(run.league)
    return dataclasses.replace(run, learner=learner, reference=reference, league=league_nets)


def _with_league(az: AlphaZero, run: Run, iteration: int, nets: Path) -> Run:
    """The run with another past self in the league, which changes in turn."""
    if run.league is None or iteration == 0:
        return run
    (past,) = league.nearest_kept(nets, [league.drawn_past_self(az.config.seed, iteration)], before=iteration)
    variables = league.recall(league.path_of(nets, past), az.game)
    return with_past_self(run, iteration % az.config.league.nets, variables)


def _gated(az: AlphaZero, run: Run, done: int, desk: Desk) -> tuple[Run, dict[str, float]]:
    """The run with its candidate promoted if it scored enough against the reference, and the score."""
    config = az.config.gating
    if not config.games or done % config.every:
        return run, {}
    with memory("gating.games"):
        contest = _contest(
            az, opponents=1, games=config.games, simulations=config.simulations, plies=config.opening_plies
        )
        fold = jax.jit(az.network.fold)
        candidate = az.candidate(run)
        games = contest(_duel_key(az, done, 1), fold(candidate), [fold(run.reference)])
        (score,) = finished(games, lambda share: desk.watch.phase("gating", round(share * config.games), config.games))
    promoted = score.points > config.threshold
    if promoted:
        run = dataclasses.replace(run, reference=jax.tree.map(lambda leaf: leaf.copy(), candidate))
    return run, {"gating/score": score.points, "gating/promoted": float(promoted)}


def _evaluated(az: AlphaZero, run: Run, done: int, desk: Desk) -> dict[str, float]:
    """Plays the net of an iteration against past ones, stores how that went, and returns its rating."""
    config, metrics = az.config.evaluation, desk.metrics
    if not league.is_evaluated(config, done):
        return {}
    drawn = league.drawn_opponents(config, az.config.seed, done)
    opponents = league.nearest_kept(desk.nets, drawn, before=done)
    with memory("evaluation.games"):
        contest = _contest(
            az,
            opponents=len(opponents),
            games=config.games,
            simulations=config.simulations,
            plies=config.opening_plies,
        )
        fold = jax.jit(az.network.fold)
        others = [fold(league.recall(league.path_of(desk.nets, other), az.game)) for other in opponents]
        total = config.games * len(opponents)
        games = contest(_duel_key(az, done, 2), fold(az.players(run)), others)
        scores = finished(games, lambda share: desk.watch.phase("evaluation", round(share * total), total))
    for other, score in zip(opponents, scores, strict=True):
        for role, (first, second) in enumerate(((done, other), (other, done))):
            wins = (score.wins[role], score.losses[role])
            metrics.log_match(done, first, second, wins[role], score.draws[role], wins[1 - role], score.plies[role])
    return {} if desk.rate is None else rated(metrics, done, desk.rate)


@functools.lru_cache(maxsize=8)  # compiled once for contests of a size
def _contest(az: AlphaZero, *, opponents: int, games: int, simulations: int, plies: int) -> Contest:
    return make_duel(
        az.env,
        az.asking,
        az.config.search,
        opponents=opponents,
        games=games,
        simulations=simulations,
        slots=min(az.game.slots, az.game.num_actions),
        opening_plies=plies,
    )


def _duel_key(az: AlphaZero, done: int, use: int) -> jax.Array:
    return jax.random.fold_in(jax.random.fold_in(jax.random.key(az.config.seed), PLAY + 16 + use), done)
