"""AlphaZero as a method of the training loop: when it plays, learns, is gated and evaluated."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from boardwright.errors import NetError, RunError
from boardwright.learn.alphazero import alphazero
from boardwright.learn.alphazero.alphazero import PLAY, Run, make_alphazero, scalars, with_past_self
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.distributed import mesh
from boardwright.learn.distributed.device import memory
from boardwright.learn.match.duel import Contest, finished, make_duel
from boardwright.learn.run import league
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.run.rating import rated
from boardwright.nets import netfile, shipped
from boardwright.nets.network import Variables, variables_of
from boardwright.nets.resized import weights_for


class AlphaZero(Method[Run]):
    """A chunk is some steps of self-play in all games, or some steps of learning."""

    name = "alphazero"
    portable_fields = ("learner", "reference", "league")
    uses_all_devices = True

    def __init__(self, config: AlphaZeroConfig):
        self.config = config
        with mesh.all_devices(config):
            self.functions = make_alphazero(config)
        self.game = self.functions.game
        self._plays = config.selfplay.steps // self.functions.play_chunk
        self.chunks = self._plays + config.learner.steps // self.functions.learn_chunk

    def on_devices(self) -> AbstractContextManager[None]:
        """Splits games and batches over all devices of all processes."""
        return mesh.all_devices(self.config)

    def describe_devices(self) -> str | None:
        """Games and samples on each device."""
        return mesh.in_words(self.config)

    def initialise(self) -> Run:
        """New games, nets and replay."""
        return self.functions.init()

    def initialise_from(self, state: Run) -> Run:
        """The state with the weights of the config's initial net, if it names one."""
        return _begun(self.functions, state)

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        """Self-play first, then learning."""
        az, plays = self.functions, self._plays
        if chunk < plays:
            with memory("selfplay.games, or search.simulations"):
                if chunk == 0:
                    state = _with_league(az, state, iteration, context.nets)
                state = az.play(state, iteration, chunk * az.play_chunk)
                if chunk == plays - 1:
                    state = az.settle(state, iteration)
                return jax.block_until_ready(state), {}
        with memory("learner.batch_size"):
            state, losses = jax.block_until_ready(az.learn(state, iteration, (chunk - plays) * az.learn_chunk))
            return state, losses if az.has_enough(state) else {}

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """In steps."""
        if chunks <= self._plays:
            return "self-play", chunks * self.functions.play_chunk, self.config.selfplay.steps
        return "learning", (chunks - self._plays) * self.functions.learn_chunk, self.config.learner.steps

    def collect_metrics(self, state: Run) -> dict[str, float]:
        """Of self-play, and the learning rate."""
        return scalars(state.tally) | {"learning_rate": self.functions.learning_rate(int(state.learner.steps))}

    def gate(self, state: Run, done: int, context: MethodContext) -> tuple[Run, dict[str, float]]:
        """Promotes the candidate if it scored enough against the reference."""
        return _gated(self.functions, state, done, context)

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        """Games against past checkpoints, and the rating after them."""
        return _evaluated(self.functions, state, done, context)

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        """The net that plays."""
        return self.config.net, self.functions.players(state)

    def next_iteration(self, state: Run) -> Run:
        """With a new tally."""
        return self.functions.next_iteration(state)


def _begun(az: alphazero.AlphaZero, run: Run) -> Run:
    """A new run with the weights of the net it was told to begin with, which may have learned other rules on another
    board.
    """
    text = az.config.init_from
    if text is None:
        return run
    try:
        net = netfile.read(shipped.find(text))
        weights = weights_for(net, az.game)
    except NetError as error:
        raise RunError(f"setting init_from: {error}") from error
    if net.config != az.config.net:
        raise RunError(f"setting init_from: {text} is a {net.config.size} net that is built otherwise than net.* says")

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


def _with_league(az: alphazero.AlphaZero, run: Run, iteration: int, nets: Path) -> Run:
    """The run with another past self in the league, which changes in turn."""
    if run.league is None or iteration == 0:
        return run
    (past,) = league.nearest_kept(nets, [league.drawn_past_self(az.config.seed, iteration)], before=iteration)
    variables = league.recall(league.path_of(nets, past), az.game)
    return with_past_self(run, iteration % az.config.league.nets, variables)


def _gated(az: alphazero.AlphaZero, run: Run, done: int, context: MethodContext) -> tuple[Run, dict[str, float]]:
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
        (score,) = finished(
            games, lambda share: context.observer.progress("gating", round(share * config.games), config.games)
        )
    promoted = score.points > config.threshold
    if promoted:
        run = dataclasses.replace(run, reference=jax.tree.map(lambda leaf: leaf.copy(), candidate))
    return run, {"gating/score": score.points, "gating/promoted": float(promoted)}


def _evaluated(az: alphazero.AlphaZero, run: Run, done: int, context: MethodContext) -> dict[str, float]:
    """Plays the net of an iteration against past ones, stores how that went, and returns its rating."""
    config, metrics = az.config.evaluation, context.metrics
    if not league.is_evaluated(config, done):
        return {}
    drawn = league.drawn_opponents(config, az.config.seed, done)
    opponents = league.nearest_kept(context.nets, drawn, before=done)
    with memory("evaluation.games"):
        contest = _contest(
            az,
            opponents=len(opponents),
            games=config.games,
            simulations=config.simulations,
            plies=config.opening_plies,
        )
        fold = jax.jit(az.network.fold)
        others = [fold(league.recall(league.path_of(context.nets, other), az.game)) for other in opponents]
        total = config.games * len(opponents)
        games = contest(_duel_key(az, done, 2), fold(az.players(run)), others)
        scores = finished(games, lambda share: context.observer.progress("evaluation", round(share * total), total))
    for other, score in zip(opponents, scores, strict=True):
        for role, (first, second) in enumerate(((done, other), (other, done))):
            wins = (score.wins[role], score.losses[role])
            metrics.log_match(done, first, second, wins[role], score.draws[role], wins[1 - role], score.plies[role])
    return {} if context.rate is None else rated(metrics, done, context.rate)


@functools.lru_cache(maxsize=8)  # compiled once for contests of a size
def _contest(az: alphazero.AlphaZero, *, opponents: int, games: int, simulations: int, plies: int) -> Contest:
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


def _duel_key(az: alphazero.AlphaZero, done: int, use: int) -> jax.Array:
    return jax.random.fold_in(jax.random.fold_in(jax.random.key(az.config.seed), PLAY + 16 + use), done)
