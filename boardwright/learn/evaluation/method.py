"""Evaluation networks for alpha-beta as a method of the training loop: when it plays, learns and is evaluated."""

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
from boardwright.learn.evaluation.learner import EvaluationLearner, LearnerState
from boardwright.learn.evaluation.match import evaluated
from boardwright.learn.evaluation.replay import Replay, add, new_replay
from boardwright.learn.evaluation.selfplay import (
    GameRecord,
    Samples,
    concatenate,
    make_searches,
    map_in_threads,
    play_game,
    random_opening,
    samples_of,
)
from boardwright.learn.run.method import Method, MethodContext
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

    learner: LearnerState
    replay: Replay
    tally: Tally


class AlphaBetaEvaluation(Method[Run]):
    """An evaluation network for alpha-beta; a chunk is some games of self-play, or some steps of learning."""

    name = "alphabeta"
    portable_fields = ("learner",)

    def __init__(self, config: AlphaBetaConfig):
        self.config = config
        self.game = _game(config)
        self._learner = EvaluationLearner(config, self.game.observation_shape)
        self._seed = jax.random.key(config.seed)
        self._learning_key = jax.random.fold_in(self._seed, LEARN)
        self._make_search = make_searches(self.game, config.tablebase_dir)
        selfplay = config.selfplay
        about = NODES_PLAYED // (MOVES * selfplay.nodes)
        self._play_chunk = min(selfplay.games, max(LEAST_PLAYED, min(about, MOST_PLAYED)))  # games
        self._learn_chunk = chunk_of(config.learner.steps, MOST_LEARNED)
        self._plays = -(-selfplay.games // self._play_chunk)
        self.chunks = self._plays + config.learner.steps // self._learn_chunk
        self._init = jax.jit(self._new_state)
        self._step = jax.jit(self._learner.step, donate_argnums=0)

    def initialise(self) -> Run:
        """New weights and an empty replay."""
        return self._init()

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        """Games of self-play first, then steps of learning."""
        del context
        with memory("replay or learner.batch_size"):
            if chunk < self._plays:
                return jax.block_until_ready(self._play(state, iteration, chunk * self._play_chunk)), {}
            steps = (chunk - self._plays) * self._learn_chunk
            return self._learn(state, iteration * self.config.learner.steps + steps)

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        """In games, then in steps of learning."""
        if chunks <= self._plays:
            games = self.config.selfplay.games
            return "self-play", min(chunks * self._play_chunk, games), games
        return "learning", (chunks - self._plays) * self._learn_chunk, self.config.learner.steps

    def collect_metrics(self, state: Run) -> dict[str, float]:
        """Of self-play, and the learning rate."""
        return scalars(state.tally) | {"learning_rate": self._learner.learning_rate(int(state.learner.steps))}

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        """Games against nets of earlier iterations."""
        return evaluated(self.config, self.game, self._make_search, weights_of(_variables(state)), done, context)

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        """The evaluation network."""
        return self.config.net, _variables(state)

    def next_iteration(self, state: Run) -> Run:
        """With a new tally."""
        return dataclasses.replace(state, tally=_nothing_counted())

    def _new_state(self) -> Run:
        learner = self._learner.init(jax.random.fold_in(self._seed, BEGIN))
        return Run(learner, new_replay(self.config.replay, self.game.observation_shape), _nothing_counted())

    def _play(self, run: Run, iteration: int, first: int) -> Run:
        """The state after the games of one chunk."""
        weights, selfplay, game = weights_of(_variables(run)), self.config.selfplay, self.game

        def one(number: int) -> tuple[GameRecord, Samples]:
            opening = random_opening(
                game, f"{self.config.seed} {iteration} {number}", selfplay.min_random_plies, selfplay.max_random_plies
            )
            search = self._make_search(weights)
            record = play_game(game, (search, search), selfplay.nodes, opening)
            samples = samples_of(record, game, search.SCALE)
            return dataclasses.replace(record, seen=record.seen[:0].copy()), samples  # which have packed it

        numbers = range(first, min(first + self._play_chunk, selfplay.games))
        records, samples = zip(*map_in_threads(one, numbers), strict=True)
        everything = concatenate(samples)
        tally = jax.tree.map(jnp.add, run.tally, _counted(records, len(everything.bits)))
        return Run(run.learner, add(run.replay, everything), tally)

    def _learn(self, run: Run, first: int) -> tuple[Run, Mapping[str, Any]]:
        learner, losses = run.learner, []
        for number in range(first, first + self._learn_chunk):
            learner, loss = self._step(learner, run.replay, jax.random.fold_in(self._learning_key, number))
            losses.append(loss)
        return Run(learner, run.replay, run.tally), {"value": np.mean(jax.device_get(losses))}


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


def _counted(records: Sequence[GameRecord], learnable: int) -> Tally:
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
