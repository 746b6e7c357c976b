"""The steps of AlphaZero on the device: pure functions from one training state to the next.

Random numbers come from the seed, the iteration and the step alone, so that a run resumes from any chunk with the
same results.
"""

import functools
import itertools
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.errors import BoardwrightError, RunError, reraise_as
from boardwright.games.base import ProvenResults
from boardwright.games.batched import without_forced
from boardwright.games.registry import game as make_game
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.alphazero.learner import AlphaZeroLearner, LearnerState, Losses
from boardwright.learn.alphazero.replay import Ending, Replay
from boardwright.learn.alphazero.selfplay import Games, Tally
from boardwright.learn.distributed.device import compute_dtype
from boardwright.learn.match.matches import env_of
from boardwright.learn.match.policies import (
    make_net_evaluator,
    make_search,
    opponents_evaluate,
    stack_nets,
    unstack_nets,
)
from boardwright.learn.run.method import fold_in
from boardwright.mcts.tree import Evaluate
from boardwright.nets.network import Variables, make_network

PLAY, LEARN, BEGIN = range(3)  # uses of random numbers


class TrainingState(PyTreeNode):
    """T steps per iteration, B games."""

    games: Games
    tally: Tally
    endings: Ending  # [T, B], of this iteration
    first_serial: Array  # [B] int32: numbers of the games when the iteration began
    replay: Replay
    learner: LearnerState
    reference: Any  # variables that play: with gating those that were promoted last, else None
    league: Any  # variables of the past checkpoints in play, [nets, ...]; None without a league

    @property
    def candidate(self) -> Variables:
        """The variables that learning has arrived at, averaged."""
        return self.learner.averaged

    @property
    def playing(self) -> Variables:
        """The variables that play: with gating those that were promoted last, else the candidate's."""
        return self.candidate if self.reference is None else self.reference


def with_weights(state: TrainingState, new: Variables) -> TrainingState:
    """The state with other weights in all its nets: learner, reference and league."""

    def put(variables: Any) -> Any:
        """A copy for each place, because steps donate their state and may not donate a buffer twice."""
        if variables is None:
            return None
        return jax.tree.map(
            lambda old, leaf: jax.device_put(jnp.broadcast_to(leaf, old.shape).copy(), old.sharding), variables, new
        )

    learner = state.learner.replace(variables=put(state.learner.variables), averaged=put(state.learner.averaged))
    return state.replace(learner=learner, reference=put(state.reference), league=put(state.league))


class Steps:
    """The steps of one config."""

    def __init__(self, config: AlphaZeroConfig):
        self.config = config
        self.game = make_game(config.game, config.rules, config.observation)
        self.env = env_of(self.game)
        self.learning = self.game.learning()
        self.network = make_network(config.net, self.game, dtype=compute_dtype())
        self.evaluator = make_net_evaluator(self.network, self.env)
        self.proven: ProvenResults | None = None
        if config.needs_tables is not None:
            with reraise_as(RunError, f"setting {config.needs_tables}", BoardwrightError):
                folder = config.tablebase_dir
                self.proven = self.game.proven_results(None if folder is None else Path(folder))
        self.slots = min(self.game.max_search_actions, self.game.num_actions)
        total_steps = config.iterations * config.learner.steps
        self.learner = AlphaZeroLearner(config.learner, self.game, self.network, total_steps, self.proven)
        self._with_holders = "ownership" in config.net.auxiliary
        self._key = functools.partial(fold_in, jax.random.key(config.seed))  # of a use, an iteration and a step

    def new_state(self) -> TrainingState:
        """New games, nets and replay."""
        config = self.config
        net_key, games_key = jax.random.split(self._key(BEGIN, 0, 0))
        variables = self.network.init(net_key)
        games = selfplay.new_games(games_key, self.env, config.selfplay, config.league_games)
        words = jax.eval_shape(jax.vmap(self.learning.pack), games.states).shape[1]
        holder_words = replay_buffer.holder_words(self.learning.views.shape[1]) if self._with_holders else 0
        steps, count = config.selfplay.steps, config.selfplay.games
        return TrainingState(
            games=games,
            tally=Tally(adjudicated=jnp.int32(0) if config.selfplay.adjudicate > 0 else None),
            endings=selfplay.new_endings(steps, count, holder_words, stops=config.selfplay.stops_games),
            first_serial=games.serial,
            replay=replay_buffer.new_replay(
                config.window * steps, count, words=words, slots=self.slots, holder_words=holder_words
            ),
            learner=self.learner.init(variables),
            reference=variables if config.gating.games else None,
            league=stack_nets(variables, config.league.nets) if config.league_games else None,
        )

    def _evaluates(self, state: TrainingState) -> list[Evaluate]:
        """Evaluators of successive steps; in a league those of current and past nets alternate."""
        config = self.config
        is_candidate = config.gating.selfplay == "candidate"
        current = self.network.fold(state.candidate if is_candidate else state.playing)
        if not config.league_games:
            return [self.evaluator(current)]
        folded = [self.network.fold(net) for net in unstack_nets(state.league, config.league.nets)]
        return [self.evaluator(current), opponents_evaluate(self.evaluator, current, folded, config.league_games)]

    def play(
        self, state: TrainingState, iteration: Array, first: Array, steps: int, simulations: int, tables: Any
    ) -> TrainingState:
        """The state after some steps of self-play, from a step of an iteration on, written into the replay."""
        config, proven = self.config, None
        if self.proven is not None and config.selfplay.adjudicate > 0:
            proven = functools.partial(jax.vmap(self.proven.result, (None, 0)), tables)

        def context_of(turn: int, evaluate: Evaluate) -> selfplay.StepContext:
            search = functools.partial(make_search, self.env, config.search, evaluate, slots=self.slots)
            quick = search(simulations=config.selfplay.quick_simulations) if config.selfplay.full_share < 1 else None
            return selfplay.StepContext(
                env=without_forced(self.env, config.search.max_forced_plies),  # to where there is something to learn
                learning=self.learning,
                config=config.selfplay,
                with_holders=self._with_holders,
                full=search(simulations=simulations),
                quick=quick,
                theirs=turn == 1,
                proven=proven,
            )

        turns = list(itertools.starmap(context_of, enumerate(self._evaluates(state))))

        def play_turns(number: Array, state: TrainingState) -> TrainingState:
            for turn, context in enumerate(turns):
                step = first + number * len(turns) + turn
                key = self._key(PLAY, iteration, step)
                games, tally, row, ending = selfplay.step(key, state.games, state.tally, context)
                endings = jax.tree.map(lambda rows, new, step=step: rows.at[step].set(new), state.endings, ending)
                place = iteration % config.window * config.selfplay.steps + step
                replay = replay_buffer.write_row(state.replay, place, row)
                state = state.replace(games=games, tally=tally, endings=endings, replay=replay)
            return state

        return jax.lax.fori_loop(0, steps // len(turns), play_turns, state)

    def settle(self, state: TrainingState, iteration: Array) -> TrainingState:
        """The state with the results of the games that ended in an iteration in its replay."""
        replay = replay_buffer.settle(
            state.replay,
            state.endings,
            iteration % self.config.window * self.config.selfplay.steps,
            state.first_serial,
            surprise=self.config.learner.policy_surprise_weight,
            bootstrap=self.config.selfplay.unfinished == "bootstrap",
        )
        return state.replace(replay=replay, first_serial=state.games.serial)

    def has_enough(self, state: TrainingState) -> Array:
        """Bool: whether the replay has enough to learn from."""
        # A first iteration may end before its games do, and a few short games would be overfitted.
        return replay_buffer.usable_states(state.replay) >= self.config.learner.batch_size

    def learn(
        self, state: TrainingState, iteration: Array, first: Array, steps: int, tables: Any
    ) -> tuple[TrainingState, Losses]:
        """The state after some steps of learning, and their losses; unchanged without enough to learn from."""
        key = self._key(LEARN, iteration, first)
        after, losses = self.learner.learn(key, state.learner, state.replay, steps, tables)
        enough = self.has_enough(state)
        learner = jax.tree.map(lambda new, old: jnp.where(enough, new, old), after, state.learner)
        losses = jax.tree.map(lambda loss: jnp.where(enough, loss, 0.0), losses)
        return state.replace(learner=learner), losses
