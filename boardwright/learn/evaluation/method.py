"""Evaluation networks for alpha-beta as a method of the training loop: when it plays, learns and is evaluated."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax.struct import PyTreeNode

from boardwright.errors import RunError
from boardwright.games.base import Game
from boardwright.games.registry import game as make_game
from boardwright.games.registry import game_class
from boardwright.learn.distributed.device import chunk_of, out_of_memory_hint
from boardwright.learn.evaluation import selfplay
from boardwright.learn.evaluation.config import AlphaBetaConfig, AlphaBetaMatchesConfig
from boardwright.learn.evaluation.learner import EvaluationLearner, LearnerState, Replay, add, new_replay
from boardwright.learn.evaluation.selfplay import GameRecord, MakeSearch, Tally, Weights
from boardwright.learn.reporting.rating import update_ratings
from boardwright.learn.run import league
from boardwright.learn.run.method import Method, MethodContext
from boardwright.learn.run.metrics import Match
from boardwright.learn.shared.tally import clear
from boardwright.nets import netfile
from boardwright.nets.network import Variables, weights_of
from boardwright.stats.score import Score

INIT, LEARN = range(2)  # uses of random numbers of JAX
NODES_PER_CHUNK = 10_000_000  # about; some seconds, so that a run can report progress and be stopped
MIN_GAMES, MAX_GAMES = 64, 1000  # in a chunk: enough for all cores, few enough for memory
MOVES = 40  # searched in a game, about
MAX_STEPS = 64  # of learning in a chunk


class Run(PyTreeNode):
    """Everything that changes in a run; checkpoints use the names of its fields."""

    learner: LearnerState
    replay: Replay
    tally: Tally


class AlphaBetaEvaluation(Method[Run]):
    """An evaluation network for alpha-beta; a chunk is some games of self-play, or some steps of learning."""

    name = "alphabeta"
    portable_fields = ("learner",)

    def __init__(self, config: AlphaBetaConfig):
        self.config = config
        observation = game_class(config.game).evaluation_observation
        if observation is None:
            raise RunError(f"setting game: alpha-beta of {config.game} has no evaluation network: choose another game")
        self.game = make_game(config.game, config.rules, observation)
        self._learner = EvaluationLearner(config, self.game.observation_shape)
        self._seed = jax.random.key(config.seed)
        self._learning_key = jax.random.fold_in(self._seed, LEARN)
        self._make_search = selfplay.make_searches(self.game, config.tablebase_dir)
        about, games = NODES_PER_CHUNK // (MOVES * config.selfplay.nodes), config.selfplay.games
        self._play_chunk = min(games, max(MIN_GAMES, min(about, MAX_GAMES)))  # games
        self._learn_chunk = chunk_of(config.learner.steps, MAX_STEPS)
        self._plays = -(-games // self._play_chunk)
        self.chunks = self._plays + config.learner.steps // self._learn_chunk
        self.initialise = jax.jit(self._new_state)
        self._step = jax.jit(self._learner.step, donate_argnums=0)

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        with out_of_memory_hint("replay or learner.batch_size"):
            if chunk < self._plays:
                return jax.block_until_ready(self._play(state, iteration, chunk * self._play_chunk)), {}
            learner, losses = state.learner, []
            first = iteration * self.config.learner.steps + (chunk - self._plays) * self._learn_chunk
            for number in range(first, first + self._learn_chunk):
                learner, loss = self._step(learner, state.replay, jax.random.fold_in(self._learning_key, number))
                losses.append(loss)
            return Run(learner, state.replay, state.tally), {"value": np.mean(jax.device_get(losses))}

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        if chunks <= self._plays:
            games = self.config.selfplay.games
            return "self-play", min(chunks * self._play_chunk, games), games
        return "learning", (chunks - self._plays) * self._learn_chunk, self.config.learner.steps

    def collect_metrics(self, state: Run) -> dict[str, float]:
        return selfplay.collect_metrics(state.tally) | {
            "learning_rate": float(jnp.asarray(self._learner.schedule(int(state.learner.steps))))
        }

    def evaluate(self, state: Run, done: int, context: MethodContext) -> dict[str, float]:
        config, metrics = self.config.evaluation, context.metrics
        if not (iterations := opponents(config, done)):
            return {}
        net, others = (
            weights_of(self.export_net(state)[1]),
            league.nearest_iterations(context.nets, iterations, before=done),
        )
        for played, other in enumerate(others):
            context.observer.progress("evaluation", played * config.games, len(others) * config.games)
            old = netfile.read(league.path_of(context.nets, other), game=self.game).weights
            seed = f"{self.config.seed} {done} {other} contest"  # as in older versions, whose results stay the same
            (first, plies), (second, more) = play_match(self.game, self._make_search, net, old, config, seed)
            metrics.log_match(Match(done, done, other, first.wins, first.draws, first.losses, plies))
            metrics.log_match(Match(done, other, done, second.losses, second.draws, second.wins, more))
        return update_ratings(metrics, done)

    def export_net(self, state: Run) -> tuple[Any, Variables]:
        return self.config.net, {"params": state.learner.params}

    def next_iteration(self, state: Run) -> Run:
        return state.replace(tally=clear(state.tally))

    def _new_state(self) -> Run:
        learner = self._learner.init(jax.random.fold_in(self._seed, INIT))
        return Run(learner, new_replay(self.config.replay, self.game.observation_shape), Tally())

    def _play(self, run: Run, iteration: int, first: int) -> Run:
        """The state after the games of one chunk."""
        games = range(first, min(first + self._play_chunk, self.config.selfplay.games))
        seeds = [f"{self.config.seed} {iteration} {number}" for number in games]
        weights = weights_of(self.export_net(run)[1])
        samples, tally = selfplay.play_games(self.game, self._make_search, weights, self.config.selfplay, seeds)
        return Run(run.learner, add(run.replay, samples), jax.tree.map(jnp.add, run.tally, tally))


def opponents(config: AlphaBetaMatchesConfig, done: int) -> list[int]:
    """Iterations of the nets that an iteration is evaluated against: the last evaluated, and one about half as old."""
    if not config.every or done % config.every:
        return []
    return sorted({done - config.every, done // (2 * config.every) * config.every})


def play_match(
    game: Game, make_search: MakeSearch, net: Weights, other: Weights, config: AlphaBetaMatchesConfig, seed: str
) -> tuple[tuple[Score, int], tuple[Score, int]]:
    """(score, plies of all games) of a net as role 0 and as role 1, in pairs of games with the same random opening."""

    def play(number: int) -> GameRecord:
        pair, role = divmod(number, 2)
        searches = [make_search(weights) for weights in ((net, other) if role == 0 else (other, net))]
        plies = config.opening_plies
        opening = selfplay.random_opening(game, f"{seed} {pair}", plies, plies)
        return selfplay.play_game(game, searches, config.nodes, opening)

    records = selfplay.map_in_threads(play, range(config.games))

    def count(role: int) -> tuple[Score, int]:
        own = records[role::2]
        return sum((Score.of(record.winner, role) for record in own), Score()), sum(record.plies for record in own)

    return count(0), count(1)
