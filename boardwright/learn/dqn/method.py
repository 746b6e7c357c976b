"""DQN as a method of the training loop: when it acts, learns and is evaluated.

    dqn = DQN(config)
    run = dqn.initialise()
    run, losses = dqn.take_step(run, iteration, step)  # one action in every game and the updates that follow
    run = dqn.next_iteration(run)

An iteration is `acting.steps` actions in each game, of any number of episodes. An action in each of B games is followed
by B times as many updates as one action in one game, so that their ratio is as configured. Random numbers depend on the
seed, the iteration, the step and the update only.
"""

import functools
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.learn.distributed.device import chunk_of, compute_dtype, on_cpu, out_of_memory_hint
from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn import selfplay
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.dqn.learner import LearnerState, Losses, QLearner
from boardwright.learn.dqn.replay import Replay, pack_flags
from boardwright.learn.dqn.selfplay import Games, Tally
from boardwright.learn.run.method import MethodContext, fold_in
from boardwright.learn.shared.policy_method import PolicyMethod

INIT, ACT, LEARN = range(3)  # uses of random numbers
MAX_UNROLLED = 4  # updates in one call on a CPU, where they are unrolled


class Run(PyTreeNode):
    """Everything that changes in a run; checkpoints use the names of its fields."""

    games: Games
    tally: Tally
    episodes: Array  # int32: games that have ended so far
    replay: Replay
    learner: LearnerState


class DQN(PolicyMethod[Run]):
    """A chunk is one action in every game and the updates that follow it."""

    name = "dqn"
    config: DQNConfig

    def __init__(self, config: DQNConfig, *, load_encoder: bool = True):
        super().__init__(config, compute_dtype(), load_encoder=load_encoder)
        self.chunks = config.acting.steps
        self.learn_chunk = chunk_of(config.updates_per_step, MAX_UNROLLED if on_cpu() else config.updates_per_step)
        self._learner = QLearner(config, self.game, self.network, self.dtype)
        # (run, iteration, step) -> the run after one action in every game
        self.act = functools.partial(jax.jit(self._act, donate_argnums=1), self._seed)
        # (run, iteration, step, first) -> the run after `learn_chunk` of the updates that follow a step, from number
        # `first` on, and their losses
        self.learn = functools.partial(jax.jit(self._learn, donate_argnums=1), self._seed)

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        with out_of_memory_hint("acting.games, transitions.capacity, learner.batch_size or learner.merge"):
            return jax.block_until_ready(self.take_step(state, iteration, chunk))

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        return "learning", chunks, self.chunks

    def collect_metrics(self, state: Run) -> dict[str, float]:
        acting, updates = self.config.acting, int(state.learner.updates)
        return selfplay.collect_metrics(state.tally) | {
            "selfplay/episodes": int(state.episodes),
            f"exploration/{acting.exploration}": float(selfplay.exploration_level(state.episodes, acting)),
            "learning/updates": updates,
            "learning/merged_updates": updates * self.config.learner.merge,
            "learning_rate": float(jnp.asarray(self._learner.schedule(updates))),
        }

    def take_step(self, run: Run, iteration: int, step: int) -> tuple[Run, Losses]:
        """The run after one action in every game and the updates that follow it, and the mean of their losses."""
        run = self.act(run, iteration, step)
        stored = (iteration * self.config.acting.steps + step + 1) * self.config.acting.games
        if stored < self.config.learner.min_replay_size:
            return run, {}
        calls = []
        for first in range(0, self.config.updates_per_step, self.learn_chunk):
            run, losses = self.learn(run, iteration, step, first)
            calls.append(losses)
        return run, {name: jnp.stack([losses[name] for losses in calls]).mean() for name in calls[0]}

    def _init(self, seed: Array) -> Run:
        net_key, games_key = jax.random.split(fold_in(seed, INIT))
        words = self._learner.codec.words
        legal_words = jax.eval_shape(pack_flags, jax.ShapeDtypeStruct((self.game.num_actions,), bool)).shape[0]
        return Run(
            games=selfplay.new_games(games_key, self.env, jnp.int32(0), self.config.acting),
            tally=Tally(),
            episodes=jnp.int32(0),
            replay=replay_buffer.new_replay(self.config.transitions.capacity, words=words, legal_words=legal_words),
            learner=self._learner.init(self._new_variables(net_key)),
        )

    def _act(self, seed: Array, run: Run, iteration: Array, step: Array) -> Run:
        states, learned, every = run.games.states, run.learner, self.config.learner.target_every
        observation = jax.vmap(self.env.observe)(states, states.current_role)
        q = self._learner.evaluate(learned.variables, observation, states.current_role, states.legal_action_mask)
        games, tally, episodes, transitions = selfplay.take_step(
            fold_in(seed, ACT, iteration, step),
            run.games,
            run.tally,
            run.episodes,
            q,
            env=self.env,
            codec=self._learner.codec,
            config=self.config.acting,
        )
        if every:
            is_due = episodes // every > run.episodes // every
            target = jax.tree.map(lambda new, old: jnp.where(is_due, new, old), learned.variables, learned.target)
            learned = learned.replace(target=target)
        return Run(games, tally, episodes, replay_buffer.add(run.replay, transitions), learned)

    def _learn(self, seed: Array, run: Run, iteration: Array, step: Array, first: Array) -> tuple[Run, Losses]:
        key = fold_in(seed, LEARN, iteration, step, first)
        learned, replay, losses = self._learner.learn(key, run.learner, run.replay, self.learn_chunk)
        return run.replace(learner=learned, replay=replay), losses
