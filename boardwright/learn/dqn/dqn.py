"""DQN on the device: everything a run holds as one pytree, and the jitted functions that move it on.

    dqn = make_dqn(config)
    run = dqn.init()
    run = dqn.act(run, iteration, step)           # one action of every game
    run, losses = dqn.learn(run, iteration, step, 0)  # dqn.learn_chunk of the updates that follow a step
    run = dqn.next_iteration(run)

With B games at once B actions are followed by B times as many updates as one would be, so that the ratio of the two
is as configured. Random numbers come from the seed, the iteration, the step and the update alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from boardwright.games.base import BatchEnv, Game
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import chunk_of, compute_dtype, on_cpu
from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn import selfplay
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.dqn.learner import LearnerState, Losses, QLearner
from boardwright.learn.dqn.replay import Replay
from boardwright.learn.dqn.selfplay import Games, Tally, exploration_level
from boardwright.learn.shared.encoder import with_encoder
from boardwright.learn.shared.observation_codec import ObservationCodec, pack_flags
from boardwright.learn.shared.rewards import training_env
from boardwright.nets.network import Network, Variables, make_network

BEGIN, ACT, LEARN = range(3)  # what random numbers are for
MOST_LEARNED_ON_CPU = 4  # updates in one call, where they are unrolled


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """All that changes."""

    games: Games
    tally: Tally
    episodes: Array  # int32: games that have ended so far
    replay: Replay
    learner: LearnerState


@dataclasses.dataclass(frozen=True)
class DQN:
    """The functions of one run, and what they are made of."""

    config: DQNConfig
    game: Game  # what nets are kept for
    env: BatchEnv  # what they learn from, which may pay otherwise
    network: Network
    learn_chunk: int  # updates in one call
    init: Callable[[], Run]
    act: Callable[[Run, int, int], Run]  # run, iteration, step
    learns: Callable[[int, int], bool]  # iteration, step: whether enough is remembered to learn from after it
    learn: Callable[[Run, int, int, int], tuple[Run, Losses]]  # run, iteration, step, first update
    next_iteration: Callable[[Run], Run]  # the run with a new tally
    scalars: Callable[[Run], dict[str, float]]  # what is told of an iteration


def make_dqn(config: DQNConfig, *, encoder: Mapping[str, ArrayLike] | None = None, dtype: Any = None) -> DQN:
    """Builds a run's functions; `encoder`: weights the net's encoder begins with, by name. Nets compute in `dtype`, by
    default bfloat16 on an accelerator, else float32.
    """
    game = make_game(config.game, config.rules, config.observation)
    env = training_env(game, config.rewards)
    dtype = compute_dtype() if dtype is None else dtype
    network = make_network(config.architecture, game, dtype=dtype)
    learner = QLearner(config, game, network, dtype)
    codec = ObservationCodec.of(game)
    updates = config.updates_a_step
    learn_chunk = chunk_of(updates, MOST_LEARNED_ON_CPU if on_cpu() else updates)
    seed = jax.random.key(config.seed)  # an argument of what is compiled, so that runs from other seeds find it there

    def key_of(seed: Array, use: int, *numbers: Array | int) -> Array:
        key = jax.random.fold_in(seed, use)
        for number in numbers:
            key = jax.random.fold_in(key, number)
        return key

    def init(seed: Array) -> Run:
        net_key, games_key = jax.random.split(key_of(seed, BEGIN))
        variables = with_encoder(network.init(net_key), encoder)
        legal_words = jax.eval_shape(pack_flags, jax.ShapeDtypeStruct((game.num_actions,), bool)).shape[0]
        return Run(
            games=selfplay.new_games(games_key, env, config.acting),
            tally=selfplay.new_tally(),
            episodes=jnp.int32(0),
            replay=replay_buffer.new_replay(config.transitions.capacity, words=codec.words, legal_words=legal_words),
            learner=learner.init(variables),
        )

    def act(seed: Array, run: Run, iteration: Array, step: Array) -> Run:
        states = run.games.states
        observation = jax.vmap(env.observe)(states, states.current_role)
        q = learner.evaluate(run.learner.variables, observation, states.current_role, states.legal_action_mask)
        games, tally, episodes, row = selfplay.take_step(
            key_of(seed, ACT, iteration, step),
            run.games,
            run.tally,
            run.episodes,
            q,
            env=env,
            codec=codec,
            config=config.acting,
        )
        replay = replay_buffer.add(run.replay, row)
        every, learned = config.learner.target_every, run.learner
        if every:
            due = episodes // every > run.episodes // every
            target = jax.tree.map(lambda new, old: jnp.where(due, new, old), learned.variables, learned.target)
            learned = dataclasses.replace(learned, target=target)
        return Run(games, tally, episodes, replay, learned)

    def learn(seed: Array, run: Run, iteration: Array, step: Array, first: Array) -> tuple[Run, Losses]:
        key = key_of(seed, LEARN, iteration, step, first)
        learned, replay, losses = learner.learn(key, run.learner, run.replay, learn_chunk)
        return dataclasses.replace(run, learner=learned, replay=replay), losses

    def learns(iteration: int, step: int) -> bool:
        written = (iteration * config.acting.steps + step + 1) * config.acting.games
        return written >= config.learner.min_replay_size

    def scalars(run: Run) -> dict[str, float]:
        told = selfplay.collect_metrics(run.tally)
        episodes, updates = int(run.episodes), int(run.learner.updates)
        return told | {
            "selfplay/episodes": episodes,
            f"exploration/{config.acting.exploration}": float(exploration_level(jnp.int32(episodes), config.acting)),
            "learning/updates": updates,  # gradient steps
            "learning/merged_updates": updates * config.learner.merge,  # of `learner.batch_size` transitions each
            "learning_rate": learner.learning_rate(updates),
        }

    jitted_init = jax.jit(init)
    jitted_act = jax.jit(act, donate_argnums=1)
    jitted_learn = jax.jit(learn, donate_argnums=1)
    return DQN(
        config=config,
        game=game,
        env=env,
        network=network,
        learn_chunk=learn_chunk,
        init=lambda: jitted_init(seed),
        act=lambda run, iteration, step: jitted_act(seed, run, jnp.int32(iteration), jnp.int32(step)),
        learns=learns,
        learn=lambda run, iteration, step, first: jitted_learn(
            seed, run, jnp.int32(iteration), jnp.int32(step), jnp.int32(first)
        ),
        next_iteration=jax.jit(lambda run: dataclasses.replace(run, tally=selfplay.new_tally()), donate_argnums=0),
        scalars=scalars,
    )


def stepped(dqn: DQN, run: Run, iteration: int, step: int) -> tuple[Run, Mapping[str, Array]]:
    """The run after one action in every game and the updates that follow it, and the mean of their losses."""
    run = dqn.act(run, iteration, step)
    if not dqn.learns(iteration, step):
        return run, {}
    calls = []
    for first in range(0, dqn.config.updates_a_step, dqn.learn_chunk):
        run, losses = dqn.learn(run, iteration, step, first)
        calls.append(losses)
    return run, {name: jnp.stack([losses[name] for losses in calls]).mean() for name in calls[0]}


def player(run: Run) -> Variables:
    """The variables that play."""
    return run.learner.variables
