"""AlphaZero on the device: everything a run holds as one pytree, and the jitted functions that move it on.

    az = make_alphazero(config)
    run = az.init()
    run = az.play(run, iteration, step)        # az.play_chunk steps of self-play from a step of an iteration on
    run = az.settle(run, iteration)            # once all steps of the iteration are played
    run, losses = az.learn(run, iteration, 0)  # az.learn_chunk steps of learning
    run = az.next_iteration(run)

Random numbers come from the seed, the iteration and the step alone, so a run goes on from any chunk as if it had
never stopped. Made inside `mesh.all_devices`, and used there, the functions split their work over devices.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.errors import BoardwrightError, RunError
from boardwright.games.base import BatchEnv, Game, Learning, ProvenResults
from boardwright.games.batched import without_chance, without_forced
from boardwright.games.registry import game as make_game
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.alphazero.learner import Learner, Losses, make_learner
from boardwright.learn.alphazero.replay import Ending, Replay
from boardwright.learn.alphazero.selfplay import Games, Tally
from boardwright.learn.distributed.device import chunk_of, compute_dtype, on_cpu
from boardwright.learn.distributed.mesh import run_placement, same_everywhere
from boardwright.learn.match.pairing import Asking, in_their_steps, make_asking
from boardwright.learn.match.searching import make_search
from boardwright.learn.shared.schedules import warmup_cosine
from boardwright.nets.network import Network, Variables, make_network
from boardwright.search.tree import Evaluate

PLAY, LEARN, BEGIN = range(3)  # what random numbers are for
MOST_PLAYED, MOST_LEARNED = 8, 32  # steps in one call, so that a run can be watched and stopped
MOST_LEARNED_ON_CPU = 2  # where they are unrolled


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """All that changes; T steps an iteration, B games."""

    games: Games
    tally: Tally
    endings: Ending  # [T, B], of this iteration
    first_serial: Array  # [B] int32: numbers of the games when the iteration began
    replay: Replay
    learner: Learner
    reference: Any  # variables that play: with gating those that were promoted last, else none
    league: Any  # variables of the past selves in play, [nets, ...]; none without a league


@dataclasses.dataclass(frozen=True)
class AlphaZero:
    """The functions of one run, and what they are made of."""

    config: AlphaZeroConfig
    game: Game
    env: BatchEnv
    learning: Learning
    network: Network
    asking: Asking
    play_chunk: int  # steps of self-play in one call
    learn_chunk: int  # steps of learning in one call
    init: Callable[[], Run]
    play: Callable[[Run, int, int], Run]  # run, iteration, first step
    settle: Callable[[Run, int], Run]  # run, iteration
    learn: Callable[[Run, int, int], tuple[Run, Losses]]  # run, iteration, first step; without enough nothing changes
    has_enough: Callable[[Run], Array]  # bool: whether there is enough to learn from
    next_iteration: Callable[[Run], Run]  # the run with a new tally
    players: Callable[[Run], Variables]  # the variables that play
    candidate: Callable[[Run], Variables]  # those that would, had they been promoted
    learning_rate: Callable[[int], float]  # after so many steps


def make_alphazero(config: AlphaZeroConfig, *, dtype: Any = None) -> AlphaZero:
    """Builds a run's functions; nets compute in `dtype`, by default bfloat16 on an accelerator, else float32."""
    game = make_game(config.game, config.rules, config.observation)
    env = without_chance(game.batch()) if game.has_chance else game.batch()
    choices = without_forced(
        env, config.search.max_forced_plies
    )  # games go on to where there is something to learn, too
    learning = game.learning()
    network = make_network(config.net, game, dtype=compute_dtype() if dtype is None else dtype)
    asking = make_asking(network, env)
    total_steps = config.iterations * config.learner.steps
    proven = _proven_results(config, game)
    learner = make_learner(config.learner, game, env, learning, network, total_steps, proven)
    adjudicates = config.selfplay.adjudicate > 0
    steps, window, league_games = config.selfplay.steps, config.window, config.league_games
    cells = learning.views.shape[1]
    with_holders = "ownership" in config.net.auxiliary
    holder_words = replay_buffer.holder_words(cells) if with_holders else 0
    slots = min(game.slots, game.num_actions)
    play_chunk = chunk_of(steps, MOST_PLAYED, multiple=2 if league_games else 1)
    learn_chunk = chunk_of(config.learner.steps, MOST_LEARNED_ON_CPU if on_cpu() else MOST_LEARNED)
    seed = jax.random.key(config.seed)

    def key_of(use: int, iteration: Array | int, step: Array | int) -> Array:
        return jax.random.fold_in(jax.random.fold_in(jax.random.fold_in(seed, use), iteration), step)

    def init() -> Run:
        net_key, games_key = jax.random.split(key_of(BEGIN, 0, 0))
        variables = network.init(net_key)
        games = selfplay.new_games(games_key, env, config.selfplay, league_games)
        words = jax.eval_shape(jax.vmap(learning.pack), games.states).shape[1]
        past = jax.tree.map(lambda leaf: jnp.stack([leaf] * config.league.nets), variables) if league_games else None
        return Run(
            games=games,
            tally=selfplay.new_tally(adjudicates=adjudicates),
            endings=selfplay.new_endings(steps, config.selfplay.games, holder_words, stops=config.selfplay.stops_games),
            first_serial=games.serial,
            replay=replay_buffer.new_replay(
                window * steps, config.selfplay.games, words=words, slots=slots, holder_words=holder_words
            ),
            learner=learner.init(variables),
            reference=variables if config.gating.games else None,
            league=past,
        )

    def players(run: Run) -> Variables:
        return run.learner.averaged if run.reference is None else run.reference

    def evaluates(run: Run) -> list[Evaluate]:
        """What searches ask in one step after the other: in turns, where there is a league."""
        candidate_plays = config.gating.selfplay == "candidate"
        current = network.fold(run.learner.averaged if candidate_plays else players(run))
        if not league_games:
            return [asking(current)]
        past = [network.fold(jax.tree.map(lambda leaf, n=n: leaf[n], run.league)) for n in range(config.league.nets)]
        return [asking(current), in_their_steps(asking, current, past, league_games)]

    def play_some(run: Run, iteration: Array, first: Array, simulations: int, tables: Any) -> Run:
        turns = evaluates(run)
        knows = None
        if proven is not None and adjudicates:
            knows = functools.partial(jax.vmap(proven.result, (None, 0)), tables)
        capped = config.selfplay.full_share < 1

        def one_step(run: Run, step: Array, theirs: bool) -> Run:
            search = functools.partial(make_search, env, config.search, turns[theirs], slots=slots)
            games, tally, row, ending = selfplay.step(
                key_of(PLAY, iteration, step),
                run.games,
                run.tally,
                env=choices,
                learning=learning,
                config=config.selfplay,
                theirs=theirs,
                full=search(simulations=simulations),
                quick=search(simulations=config.selfplay.quick_simulations) if capped else None,
                with_holders=with_holders,
                proven=knows,
            )
            endings = jax.tree.map(lambda rows, new: rows.at[step].set(new), run.endings, ending)
            replay = replay_buffer.write_row(run.replay, iteration % window * steps + step, row)
            return dataclasses.replace(run, games=games, tally=tally, endings=endings, replay=replay)

        def body(number: Array, run: Run) -> Run:
            for turn in range(len(turns)):
                run = one_step(run, first + number * len(turns) + turn, theirs=turn == 1)
            return run

        return jax.lax.fori_loop(0, play_chunk // len(turns), body, run)

    def settle(run: Run, iteration: Array) -> Run:
        replay = replay_buffer.settle(
            run.replay,
            run.endings,
            iteration % window * steps,
            run.first_serial,
            surprise=config.learner.policy_surprise_weight,
            bootstrap=config.selfplay.unfinished == "bootstrap",
        )
        return dataclasses.replace(run, replay=replay, first_serial=run.games.serial)

    def has_enough(run: Run) -> Array:
        # A first iteration may end before its games do, and a few short ones are not worth learning by heart.
        return replay_buffer.usable_states(run.replay) >= config.learner.batch_size

    def learn_some(run: Run, iteration: Array, first: Array, tables: Any) -> tuple[Run, Losses]:
        after, losses = learner.learn(key_of(LEARN, iteration, first), run.learner, run.replay, learn_chunk, tables)
        enough = has_enough(run)
        kept = jax.tree.map(lambda new, old: jnp.where(enough, new, old), after, run.learner)
        return dataclasses.replace(run, learner=kept), jax.tree.map(lambda loss: jnp.where(enough, loss, 0.0), losses)

    placed = run_placement(jax.eval_shape(init))
    jit = functools.partial(jax.jit, out_shardings=placed)
    jitted_play = jit(play_some, static_argnums=3, donate_argnums=0)
    jitted_learn = jax.jit(learn_some, donate_argnums=0, out_shardings=(placed, same_everywhere()))
    schedule = warmup_cosine(config.learner.lr_peak, config.learner.lr_final, config.learner.warmup_steps, total_steps)
    tables = None if proven is None else jax.jit(lambda tables: tables, out_shardings=same_everywhere())(proven.tables)

    def play(run: Run, iteration: int, first: int) -> Run:
        simulations = config.search.at(iteration, config.iterations)
        return jitted_play(run, jnp.int32(iteration), jnp.int32(first), simulations, tables)

    return AlphaZero(
        config=config,
        game=game,
        env=env,
        learning=learning,
        network=network,
        asking=asking,
        play_chunk=play_chunk,
        learn_chunk=learn_chunk,
        init=jit(init),
        play=play,
        settle=jit(settle, donate_argnums=0),
        learn=lambda run, iteration, first: jitted_learn(run, jnp.int32(iteration), jnp.int32(first), tables),
        has_enough=jax.jit(has_enough, out_shardings=same_everywhere()),
        next_iteration=jit(
            lambda run: dataclasses.replace(run, tally=selfplay.new_tally(adjudicates=adjudicates)), donate_argnums=0
        ),
        players=players,
        candidate=lambda run: run.learner.averaged,
        learning_rate=lambda steps_taken: float(jnp.asarray(schedule(steps_taken))),
    )


def _proven_results(config: AlphaZeroConfig, game: Game) -> ProvenResults | None:
    """The endgame tables of a run that asks for any; raises RunError where there are none."""
    if config.asks_tables is None:
        return None
    try:
        return game.proven_results(None if config.tablebase_dir is None else Path(config.tablebase_dir))
    except BoardwrightError as error:
        raise RunError(f"setting {config.asks_tables}: {error}") from error


def with_past_self(run: Run, place: int, variables: Variables) -> Run:
    """The run with another past self in one place of the league."""
    league = jax.tree.map(lambda leaf, new: leaf.at[place].set(new), run.league, variables)
    return dataclasses.replace(run, league=league)


def scalars(tally: Tally) -> dict[str, float]:
    """What is told of the self-play of an iteration, by the names that `boardwright plot` knows."""
    counted: Any = jax.device_get(tally)
    ended, learnable = int(counted.ended.sum()), max(int(counted.learnable), 1)
    told = {
        "selfplay/games": ended,
        "selfplay/moves": int(counted.moves),
        "selfplay/learnable": int(counted.learnable),
        "selfplay/entropy": float(counted.entropy) / learnable,
        "selfplay/search_depth": float(counted.depth) / learnable,
        "selfplay/root_value": float(counted.root_value) / learnable,
        "selfplay/surprise": float(counted.surprise) / learnable,
    }
    if ended:
        told |= {
            "selfplay/role0_wins": int(counted.ended[0]) / ended,
            "selfplay/role1_wins": int(counted.ended[1]) / ended,
            "selfplay/draws": int(counted.ended[2]) / ended,
            "selfplay/plies": float(counted.plies) / ended,
            "selfplay/pieces_left": float(counted.pieces) / ended,
        }
    for role in range(2):
        games = int(counted.league[role].sum())
        if games:
            won, drawn = int(counted.league[role][0]), int(counted.league[role][1])
            told[f"league/role{role}_score"] = (won + drawn / 2) / games
    if counted.adjudicated is not None:
        told["selfplay/adjudicated"] = int(counted.adjudicated) / max(ended, 1)
    if int(counted.resigned):
        told["selfplay/resigned"] = int(counted.resigned) / max(ended, 1)
    if int(counted.audited[0]):
        told["selfplay/wrongly_resigned"] = int(counted.audited[1]) / int(counted.audited[0])
    return told
