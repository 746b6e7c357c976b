"""Alpha-beta with a net at its leaves as a method of the loop: when it plays, learns and meets earlier nets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from boardwright.errors import RunError
from boardwright.games.base import DRAW, Game
from boardwright.games.registry import game as make_game
from boardwright.games.registry import game_class
from boardwright.learn.distributed.device import chunk_of, memory
from boardwright.learn.evaluation.config import AlphaBetaConfig
from boardwright.learn.evaluation.learner import Learner, Replay, make_learner, new_replay, remembered
from boardwright.learn.evaluation.match import evaluated
from boardwright.learn.evaluation.selfplay import (
    Played,
    Samples,
    in_threads,
    joined,
    make_searches,
    played,
    random_opening,
    samples_of,
)
from boardwright.learn.run.loop import Desk, Method
from boardwright.nets.network import Variables, weights_of

BEGIN, LEARN = range(2)  # what random numbers of JAX are for
NODES_PLAYED = 10_000_000  # in a piece of work, about, so that a run can be watched and stopped: some seconds
LEAST_PLAYED, MOST_PLAYED = 64, 1000  # games in one: enough for the cores of a machine, few enough for its memory
MOVES = 40  # that are searched in a game, about
MOST_LEARNED = 64  # steps in a piece of work


class Tally(NamedTuple):
    """What is counted in an iteration, all int32."""

    ended: Array  # [3] games won by role 0, by role 1, drawn
    adjudicated: Array  # games over before their end
    plies: Array
    moves: Array  # actions that were not random
    searched: Array  # those that a search chose
    depth: Array  # of these searches together, in whole moves
    learnable: Array  # positions to learn from


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """All that changes."""

    learner: Learner
    replay: Replay
    tally: Tally


def alphabeta_method(config: AlphaBetaConfig) -> Method[Run]:
    """What the loop runs."""
    game = _game(config)
    functions = make_learner(config, game.observation_shape)
    seed, selfplay = jax.random.key(config.seed), config.selfplay

    def init() -> Run:
        learner = functions.init(jax.random.fold_in(seed, BEGIN))
        return Run(learner, new_replay(config.replay, game.observation_shape), _nothing_counted())

    make_search = make_searches(game, config.tables)
    about = NODES_PLAYED // (MOVES * selfplay.nodes)
    a_piece = min(selfplay.games, max(LEAST_PLAYED, min(about, MOST_PLAYED)))  # games
    plays, learn_chunk = -(-selfplay.games // a_piece), chunk_of(config.learner.steps, MOST_LEARNED)
    step, learning_key = jax.jit(functions.step, donate_argnums=0), jax.random.fold_in(seed, LEARN)

    def play(run: Run, iteration: int, first: int) -> Run:
        weights = weights_of(_variables(run))

        def one(number: int) -> tuple[Played, Samples]:
            opening = random_opening(
                game, f"{config.seed} {iteration} {number}", selfplay.least_random, selfplay.most_random
            )
            search = make_search(weights)
            record = played(game, (search, search), selfplay.nodes, opening)
            samples = samples_of(record, game, search.SCALE)
            return dataclasses.replace(record, seen=record.seen[:0].copy()), samples  # which have packed it

        records, samples = zip(*in_threads(one, range(first, min(first + a_piece, selfplay.games))), strict=True)
        everything = joined(samples)
        tally = jax.tree.map(jnp.add, run.tally, _counted(records, len(everything.bits)))
        return Run(run.learner, remembered(run.replay, everything), tally)

    def learn(run: Run, first: int) -> tuple[Run, Mapping[str, Any]]:
        learner, losses = run.learner, []
        for number in range(first, first + learn_chunk):
            learner, loss = step(learner, run.replay, jax.random.fold_in(learning_key, number))
            losses.append(loss)
        return Run(learner, run.replay, run.tally), {"value": np.mean(jax.device_get(losses))}

    def work(run: Run, iteration: int, chunk: int, desk: Desk) -> tuple[Run, Mapping[str, Any]]:
        del desk
        with memory("replay or learner.batch"):
            if chunk < plays:
                return jax.block_until_ready(play(run, iteration, chunk * a_piece)), {}
            return learn(run, iteration * config.learner.steps + (chunk - plays) * learn_chunk)

    def phase(chunks: int) -> tuple[str, int, int]:
        if chunks <= plays:
            return "self-play", min(chunks * a_piece, selfplay.games), selfplay.games
        return "learning", (chunks - plays) * learn_chunk, config.learner.steps

    def told(run: Run) -> dict[str, float]:
        return scalars(run.tally) | {"learning_rate": float(jnp.asarray(functions.rate(run.learner.steps)))}

    def evaluate(run: Run, done: int, desk: Desk) -> dict[str, float]:
        return evaluated(config, game, make_search, weights_of(_variables(run)), done, desk)

    return Method(
        name="alphabeta",
        config=config,
        game=game,
        init=jax.jit(init),
        chunks=plays + config.learner.steps // learn_chunk,
        work=work,
        phase=phase,
        scalars=told,
        player=lambda run: (config.net, _variables(run)),
        evaluate=evaluate,
        next_iteration=lambda run: dataclasses.replace(run, tally=_nothing_counted()),
        carried=("learner",),
    )


def scalars(tally: Tally) -> dict[str, float]:
    """What is told of the self-play of an iteration, by the names that `boardwright plot` knows."""
    counted: Any = jax.device_get(tally)
    games, searched = int(counted.ended.sum()), max(int(counted.searched), 1)
    return {
        "selfplay/games": games,
        "selfplay/moves": int(counted.moves),
        "selfplay/learnable": int(counted.learnable),
        "selfplay/search_depth": int(counted.depth) / searched,
        "selfplay/role0_wins": int(counted.ended[0]) / games,
        "selfplay/role1_wins": int(counted.ended[1]) / games,
        "selfplay/draws": int(counted.ended[2]) / games,
        "selfplay/plies": int(counted.plies) / games,
        "selfplay/adjudicated": int(counted.adjudicated) / games,
    }


def _game(config: AlphaBetaConfig) -> Game:
    """As nets for alpha-beta see it; raises RunError for a game whose alpha-beta takes none."""
    observation = game_class(config.game).evaluation_observation
    if observation is None:
        raise RunError(f"setting game: alpha-beta of {config.game} takes no net: choose another game")
    return make_game(config.game, config.rules, observation)


def _variables(run: Run) -> Variables:
    return {"params": run.learner.params}


def _nothing_counted() -> Tally:
    zero = jnp.int32(0)
    return Tally(jnp.zeros(3, jnp.int32), *(zero for _ in Tally._fields[1:]))


def _counted(records: Sequence[Played], learnable: int) -> Tally:
    winners = [record.winner for record in records]
    numbers = (
        sum(record.adjudicated for record in records),
        sum(record.plies for record in records),
        sum(len(record.roles) for record in records),
        sum(int(record.searched.sum()) for record in records),
        sum(record.depth for record in records),
        learnable,
    )
    return Tally(jnp.array([winners.count(result) for result in (0, 1, DRAW)]), *map(jnp.int32, numbers))
