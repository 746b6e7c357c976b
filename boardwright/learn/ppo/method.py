"""PPO as a method of the training loop: when it plays, learns and is evaluated.

    ppo = PPO(config)
    run = ppo.initialise()
    run, losses = ppo.update(run, iteration, number)  # plays some rows of all games, and learns from them
    run = ppo.next_iteration(run)

The Cathedral paper plays five games and then makes 20 passes over all their decisions. Here five concurrent games are
played for as many rows as a game has decisions, with one minibatch per pass. More concurrent games keep the ratio with
as many times more minibatches, each still of five games' decisions. Every game then has as many steps of learning, but
the policy that decided is more steps old.

Random numbers depend on the seed, the iteration and the number of the update only.
"""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.batched import with_openings
from boardwright.learn.distributed.device import chunk_of, on_cpu, out_of_memory_hint
from boardwright.learn.match.policies import (
    Policy,
    first_seats,
    make_net_evaluator,
    opponents_evaluate,
    random_policy,
    stack_nets,
    unstack_nets,
)
from boardwright.learn.ppo import selfplay
from boardwright.learn.ppo.config import OpponentConfig, PPOConfig
from boardwright.learn.ppo.learner import Batch, LearnerState, Losses, PPOLearner, explained_variance, row_advantages
from boardwright.learn.ppo.selfplay import Games, Tally, make_choose, make_decide
from boardwright.learn.run import league
from boardwright.learn.run.method import MethodContext, fold_in
from boardwright.learn.shared.policy_method import PolicyMethod
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.learn.shared.tally import clear
from boardwright.nets.network import Variables

INIT, UPDATE = range(2)  # uses of random numbers
MAX_UNROLLED = 4  # steps in one call on a CPU, where they are unrolled
LOSSES = ("policy", "value", "entropy", "total")
UPDATE_METRICS = ("clip_share", "kl", "explained_variance", "updates")


class Run(PyTreeNode):
    """Everything that changes in a run; checkpoints use the names of its fields."""

    games: Games
    tally: Tally
    learner: LearnerState
    opponent: Any  # variables of the older copy, or [nets, ...] of past checkpoints; None without either
    episodes: Array  # int32: games that have ended so far
    followed: Array  # int32: how many had when the older copy last followed
    told: dict[str, Array]  # UPDATE_METRICS: sums of this iteration; a name that checkpoints have


class PPO(PolicyMethod[Run]):
    """A chunk is one update."""

    name = "ppo"
    portable_fields = ("learner", "opponent", "episodes", "followed")
    config: PPOConfig

    def __init__(self, config: PPOConfig, *, load_encoder: bool = True):
        super().__init__(config, jnp.float32, load_encoder=load_encoder)
        self.chunks = config.updates
        self._opened = with_openings(self.env, config.rollout.opening_plies)
        self._images = SymmetryImages.of(self.game, config.rollout.augment)
        self._evaluator = make_net_evaluator(self.network, self.env)
        self._steps = config.learner.epochs * config.learner.minibatches  # of an update
        self._learn_chunk = chunk_of(self._steps, MAX_UNROLLED if on_cpu() else self._steps)
        total = config.iterations * config.updates * self._steps
        self._learner = PPOLearner(config.learner, self.network, total_steps=total, frozen=config.frozen)
        self._jitted_play = jax.jit(self._play, donate_argnums=1)
        self._jitted_learn = jax.jit(self._learner.learn, static_argnums=3)
        self._jitted_close = jax.jit(self._close, donate_argnums=(0, 1))

    def work(self, state: Run, iteration: int, chunk: int, context: MethodContext) -> tuple[Run, Mapping[str, Any]]:
        with out_of_memory_hint("rollout.games, rollout.steps or learner.minibatch_size"):
            if chunk == 0 and self.config.opponent.kind == "league":
                stack = league.with_past_net(state.opponent, context.nets, self.config.seed, iteration, self.game)
                state = state.replace(opponent=stack)
            return jax.block_until_ready(self.update(state, iteration, chunk))

    def progress_after(self, chunks: int) -> tuple[str, int, int]:
        return "updates", chunks, self.chunks

    def collect_metrics(self, state: Run) -> dict[str, float]:
        sums: Any = jax.device_get(state.told)
        updates = max(float(sums.pop("updates")), 1.0)
        return selfplay.collect_metrics(state.tally) | {
            "selfplay/episodes": int(state.episodes),
            **{f"ppo/{name}": float(total) / updates for name, total in sums.items()},
        }

    def update(self, run: Run, iteration: int, number: int) -> tuple[Run, Losses]:
        """The run after some rows of all games and learning from them, and the mean of every loss."""
        run, batch, places = self._jitted_play(self._seed, run, iteration, number)
        learned, calls, unrolled = run.learner, [], self._learn_chunk if on_cpu() else 1
        for first in range(0, self._steps, self._learn_chunk):
            some = places[first : first + self._learn_chunk]
            learned, terms = self._jitted_learn(learned, batch, some, unrolled)
            calls.append(terms)
        means = calls[0] if len(calls) == 1 else jax.tree.map(lambda *terms: jnp.stack(terms).mean(), *calls)
        return self._jitted_close(run, learned, batch, places, means), {name: means[name] for name in LOSSES}

    def _init(self, seed: Array) -> Run:
        net_key, games_key = jax.random.split(fold_in(seed, INIT))
        variables = self._new_variables(net_key)
        against, opponent = self.config.opponent_games, None
        if against and self.config.opponent.kind == "older":
            opponent = variables
        elif against and self.config.opponent.kind == "league":
            opponent = stack_nets(variables, self.config.opponent.nets)
        return Run(
            games=selfplay.new_games(games_key, self._opened, first_seats(self.config.rollout.games, against)),
            tally=Tally(),
            learner=self._learner.init(variables),
            opponent=opponent,
            episodes=jnp.int32(0),
            followed=jnp.int32(0),
            told={name: jnp.float32(0) for name in UPDATE_METRICS},
        )

    def _reset(self, state: Run) -> Run:
        return super()._reset(state).replace(told=clear(state.told))

    def _reply_of(self, opponent: Any) -> Policy | None:
        """How opponents choose; None without any."""
        config, against = self.config.opponent, self.config.opponent_games
        if not against:
            return None
        if config.kind == "random":
            return random_policy
        if config.kind == "older":
            return make_choose(self._evaluator(self.network.fold(opponent)))
        past = [self.network.fold(net) for net in unstack_nets(opponent, config.nets)]
        return make_choose(opponents_evaluate(self._evaluator, past[0], past, against))

    def _play(self, seed: Array, run: Run, iteration: Array, number: Array) -> tuple[Run, Batch, Array]:
        """The run after some rows of all games, what to learn from them, and the minibatches."""
        row_key, tail_key, learn_key = jax.random.split(fold_in(seed, UPDATE, iteration, number), 3)
        variables, config = run.learner.variables, self.config.learner
        ask, reply = self._evaluator(self.network.fold(variables)), self._reply_of(run.opponent)
        decide = make_decide(self.network, self.env, self._images, variables, self.dtype)
        shared: dict[str, Any] = {"env": self._opened, "reply": reply, "against": self.config.opponent_games}

        def one_row(carry: tuple[Games, Tally], key: Array) -> tuple[tuple[Games, Tally], selfplay.Row]:
            games, tally, row = selfplay.play_row(key, *carry, decide=decide, **shared)
            return (games, tally), row

        row_keys = jax.random.split(row_key, self.config.rollout.steps)
        (games, tally), rows = jax.lax.scan(one_row, (run.games, run.tally), row_keys)
        games, tally, tail = selfplay.play_tail(
            tail_key, games, tally, value=lambda states: ask(states)[1], own=make_choose(ask), **shared
        )
        advantage = row_advantages(rows, tail, discount=config.discount, trace=config.gae_lambda)
        batch = Batch(rows.decision, advantage, advantage + rows.decision.value, rows.decided)
        batch = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), batch)
        places = self._learner.draw_minibatches(learn_key, batch.decided)
        episodes = run.episodes + (tally.ended - run.tally.ended).sum()
        return run.replace(games=games, tally=tally, episodes=episodes), batch, places

    def _close(self, run: Run, learned: LearnerState, batch: Batch, places: Array, terms: Losses) -> Run:
        """The run after learning, with the metrics of the update, and its opponent if it follows now."""
        learned, opponent = self._learner.refresh(learned, batch, places), run.opponent
        if self.config.opponent_games and self.config.opponent.kind == "older":
            opponent = follow(self.config.opponent, opponent, learned.variables, run.followed, run.episodes)
        new = {**terms, "explained_variance": explained_variance(batch), "updates": jnp.float32(1)}
        sums = {name: total + new[name] for name, total in run.told.items()}
        return run.replace(learner=learned, opponent=opponent, followed=run.episodes, told=sums)


def times_due(every: int, before: Array, after: Array) -> Array:
    """int32: how often something due after `every` games (0: never) is due while they rise from `before` to `after`."""
    return after // every - before // every if every else jnp.int32(0)


def follow(config: OpponentConfig, opponent: Variables, learner: Variables, before: Array, after: Array) -> Variables:
    """The opponent after games `before` to `after`: moved part of the way to the learner for every soft update due
    among them, and all of it for a copy.
    """
    left = (1.0 - config.soft_share) ** times_due(config.soft_every, before, after).astype(jnp.float32)
    left = jnp.where(times_due(config.copy_every, before, after) > 0, 0.0, left)
    return jax.tree.map(lambda old, new: left * old + (1.0 - left) * new, opponent, learner)
