"""PPO on the device: everything a run holds as one pytree, and the jitted functions that move it on.

    ppo = make_ppo(config)
    run = ppo.init()
    run, told = ppo.update(run, iteration, number)   # plays some rows of all games, and learns from them
    run = ppo.next_iteration(run)

The paper plays five games and then passes over all their decisions 20 times: so do five games at once, played for as
many rows as a game has decisions, with one minibatch. More games at once keep the ratio with as many times more
minibatches, each still of five games' decisions. There are then as many steps of learning for every game, but what is
learned from was decided by a policy that is more steps old.

Random numbers come from the seed, the iteration and the number of the update alone.
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
from boardwright.games.batched import with_openings
from boardwright.games.registry import game as make_game
from boardwright.learn.distributed.device import chunk_of, on_cpu
from boardwright.learn.match.pairing import in_their_steps, make_asking
from boardwright.learn.match.rivals import at_random
from boardwright.learn.ppo import selfplay
from boardwright.learn.ppo.actor import make_choose, make_decide
from boardwright.learn.ppo.config import PPOConfig
from boardwright.learn.ppo.learner import Batch, LearnerState, Losses, PPOLearner, explained_variance
from boardwright.learn.ppo.opponents import follow
from boardwright.learn.ppo.selfplay import Choose, Games, Tally
from boardwright.learn.shared.encoder import with_encoder
from boardwright.learn.shared.rewards import training_env
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.nets.network import Network, Variables, make_network

BEGIN, UPDATE = range(2)  # what random numbers are for
MOST_LEARNED_ON_CPU = 4  # steps in one call, where they are unrolled
LOSSES = ("policy", "value", "entropy", "total")
TOLD = ("clip_share", "kl", "explained_variance", "updates")


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """All that changes."""

    games: Games
    tally: Tally
    learner: LearnerState
    opponent: Any  # variables of the older self, or [nets, ...] of past selves; none where there are neither
    episodes: Array  # int32: games that have ended so far
    followed: Array  # int32: how many had when the older self last followed
    told: dict[str, Array]  # sums over the updates of this iteration, and their number


@dataclasses.dataclass(frozen=True)
class PPO:
    """The functions of one run, and what they are made of."""

    config: PPOConfig
    game: Game  # that nets are kept for
    env: BatchEnv  # what is played
    network: Network
    init: Callable[[], Run]
    update: Callable[[Run, int, int], tuple[Run, Losses]]  # run, iteration, number of the update in it
    next_iteration: Callable[[Run], Run]  # the run with a new tally


def make_ppo(config: PPOConfig, *, encoder: Mapping[str, ArrayLike] | None = None, dtype: Any = jnp.float32) -> PPO:
    """Builds a run's functions; `encoder`: weights the net's encoder begins with, by name. Nets compute in `dtype`."""
    game = make_game(config.game, config.rules, config.observation)
    env = training_env(game, config.rewards)
    opened = with_openings(env, config.rollout.opening_plies)
    network = make_network(config.architecture, game, dtype=dtype)
    images = SymmetryImages.of(game, config.rollout.augment)
    asking = make_asking(network, env)
    count, rows, against = config.rollout.games, config.rollout.steps, config.opponent_games
    steps = config.learner.epochs * config.learner.minibatches
    learner = PPOLearner(
        config.learner,
        network,
        total_steps=config.iterations * config.updates * steps,
        frozen=config.frozen,
    )
    seed = jax.random.key(config.seed)  # an argument of what is compiled, so that runs from other seeds find it there

    def init(seed: Array) -> Run:
        net_key, games_key = jax.random.split(jax.random.fold_in(seed, BEGIN))
        variables = with_encoder(network.init(net_key), encoder)
        return Run(
            games=selfplay.new_games(games_key, opened, count, against),
            tally=selfplay.new_tally(),
            learner=learner.init(variables),
            opponent=_first_opponent(config, variables),
            episodes=jnp.int32(0),
            followed=jnp.int32(0),
            told=_nothing_told(),
        )

    def reply_of(opponent: Any) -> Choose | None:
        if not against:
            return None
        if config.opponent.kind == "random":
            return at_random
        if config.opponent.kind == "older":
            return make_choose(asking(network.fold(opponent)))
        past = [network.fold(_place(opponent, n)) for n in range(config.opponent.nets)]
        return make_choose(in_their_steps(asking, past[0], past, against))

    def play(seed: Array, run: Run, iteration: Array, number: Array) -> tuple[Run, Batch, Array]:
        """The run after some rows of all games, what there is to learn from them, and in which minibatches."""
        key = jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(seed, UPDATE), iteration), number)
        row_key, tail_key, learn_key = jax.random.split(key, 3)
        variables = run.learner.variables
        ask, reply = asking(network.fold(variables)), reply_of(run.opponent)
        decide = make_decide(network, env, images, variables, dtype)

        def one_row(carry: tuple[Games, Tally], key: Array) -> tuple[tuple[Games, Tally], selfplay.Row]:
            games, tally, row = selfplay.play_row(key, *carry, env=opened, decide=decide, reply=reply, against=against)
            return (games, tally), row

        (games, tally), played = jax.lax.scan(one_row, (run.games, run.tally), jax.random.split(row_key, rows))
        games, tally, tail = selfplay.play_tail(
            tail_key,
            games,
            tally,
            env=opened,
            value=lambda states: ask(states)[1],
            own=make_choose(ask),
            reply=reply,
            against=against,
        )
        found = selfplay.row_advantages(played, tail, discount=config.learner.discount, trace=config.learner.gae_lambda)
        batch = Batch(played.decision, found, found + played.decision.value, played.decided)
        batch = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), batch)
        chosen = learner.draw_minibatches(learn_key, batch.decided)
        episodes = run.episodes + (tally.ended - run.tally.ended).sum()
        return dataclasses.replace(run, games=games, tally=tally, episodes=episodes), batch, chosen

    def close(run: Run, grown: LearnerState, batch: Batch, chosen: Array, terms: Losses) -> Run:
        """The run after learning, with what was told of it, and the opponent where its schedule wants it."""
        grown = learner.refresh(grown, batch, chosen)
        opponent = run.opponent
        if against and config.opponent.kind == "older":
            opponent = follow(config.opponent, opponent, grown.variables, run.followed, run.episodes)
        new = {**terms, "explained_variance": explained_variance(batch), "updates": jnp.float32(1)}
        told = {name: total + new[name] for name, total in run.told.items()}
        return dataclasses.replace(run, learner=grown, opponent=opponent, followed=run.episodes, told=told)

    learn_chunk = chunk_of(steps, MOST_LEARNED_ON_CPU if on_cpu() else steps)
    unrolled = learn_chunk if on_cpu() else 1
    jitted_init = jax.jit(init)
    jitted_play = jax.jit(play, donate_argnums=1)
    jitted_learn = jax.jit(learner.learn, static_argnums=3)
    jitted_close = jax.jit(close, donate_argnums=(0, 1))

    def update(run: Run, iteration: int, number: int) -> tuple[Run, Losses]:
        run, batch, chosen = jitted_play(seed, run, jnp.int32(iteration), jnp.int32(number))
        grown, told = run.learner, []
        for first in range(0, steps, learn_chunk):
            grown, terms = jitted_learn(grown, batch, chosen[first : first + learn_chunk], unrolled)
            told.append(terms)
        means = told[0] if len(told) == 1 else jax.tree.map(lambda *terms: jnp.stack(terms).mean(), *told)
        return jitted_close(run, grown, batch, chosen, means), {name: means[name] for name in LOSSES}

    return PPO(
        config=config,
        game=game,
        env=env,
        network=network,
        init=lambda: jitted_init(seed),
        update=update,
        next_iteration=jax.jit(
            lambda run: dataclasses.replace(run, tally=selfplay.new_tally(), told=_nothing_told()), donate_argnums=0
        ),
    )


def with_past_self(run: Run, place: int, variables: Variables) -> Run:
    """The run with another past self in one place of the league."""
    opponent = jax.tree.map(lambda leaf, new: leaf.at[place].set(new), run.opponent, variables)
    return dataclasses.replace(run, opponent=opponent)


def _first_opponent(config: PPOConfig, variables: Variables) -> Any:
    if not config.opponent_games or config.opponent.kind == "random":
        return None
    if config.opponent.kind == "older":
        return variables
    return jax.tree.map(lambda leaf: jnp.stack([leaf] * config.opponent.nets), variables)


def _place(league: Any, place: int) -> Variables:
    return jax.tree.map(lambda leaf: leaf[place], league)


def _nothing_told() -> dict[str, Array]:
    return {name: jnp.float32(0) for name in TOLD}
