"""Self-play: concurrent games on the device, one action in each per step, written into the replay.

Games continue from iteration to iteration and restart when they end. A step searches all games at once and plays the
chosen actions, in a league where its net is on move (see `policies`). Only moves of the current net are learned from,
those searched in full after the random opening.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from flax.struct import PyTreeNode
from jax import Array

from boardwright.games.base import DRAW, ONGOING, BatchEnv, Learning
from boardwright.games.batched import where_games
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import SelfPlayConfig
from boardwright.learn.alphazero.replay import Ending, Replay
from boardwright.learn.match.policies import (
    BOTH,
    Search,
    count_outcomes,
    first_seats,
    on_move,
    other_seats,
    random_policy,
)
from boardwright.learn.shared.tally import count, game_metrics, opponent_scores, total
from boardwright.mcts.nodes import side_of
from boardwright.mcts.policies import SearchResult

NO_ROLE = 2  # instead of the role that would have resigned
MIN_PROBABILITY = 1e-9  # of a prior, in logarithms
GOLDEN = 0x9E3779B9  # 2^32 times the golden section


class Games(PyTreeNode):
    """B games in progress."""

    states: Any  # [B]
    serial: Array  # [B] int32: number of the game in its column
    seat: Array  # [B] int8: the role of the current net, or BOTH
    opening: Array  # [B] int32: random actions still to come
    may_resign: Array  # [B] bool: this game is not audited
    resigned: Array  # [B] int8: the role whose value fell below the limit first, in audited games; or NO_ROLE


class Tally(PyTreeNode):
    """Sums over an iteration so far."""

    moves: Array = count()  # searched and played
    learnable: Array = count()  # of these, moves to learn from
    entropy: Array = total()  # of the searches' policies, over learnable moves as the next three
    depth: Array = total()  # mean depth of searches
    root_value: Array = total()  # from the side of role 0
    surprise: Array = total()
    ended: Array = count(3)  # games that role 0 won, role 1 won, were drawn; league games too
    plies: Array = total()  # of ended games
    pieces: Array = total()  # cells held at their ends
    league: Array = count(2, 3)  # by role of the current net, its wins, draws and losses
    resigned: Array = count()  # games ended by resignation
    audited: Array = count(2)  # audited games in which a role would have resigned; of these, not lost by it
    adjudicated: Array | None = None  # int32: games ended by endgame tables, if there are any


Proven = Callable[[Any], Array]  # states -> [B] int8: who wins by endgame tables, DRAW, or ONGOING: they do not know


def new_games(key: Array, env: BatchEnv, config: SelfPlayConfig, league_games: int) -> Games:
    """All games at their start."""
    return _begin(key, env, config, jnp.zeros(config.games, jnp.int32), first_seats(config.games, league_games))


@dataclasses.dataclass(frozen=True)
class StepContext:
    """Everything a step of self-play needs besides the games."""

    env: BatchEnv
    learning: Learning
    config: SelfPlayConfig
    with_holders: bool  # whether the net has an ownership head
    full: Search
    quick: Search | None = None
    theirs: Array | bool = False  # in league games the past checkpoints move, else the current net
    proven: Proven | None = None  # endgame tables, which end some games, see `_adjudicate`


def step(key: Array, games: Games, tally: Tally, context: StepContext) -> tuple[Games, Tally, Replay, Ending]:
    """One action of every game whose net is on move: the games after it, and a row of the replay.

    The row has no results: `replay_buffer.settle` fills them in from the ending.
    """
    env, config = context.env, context.config
    search_key, cap_key, opening_key, step_key, begin_key = jax.random.split(key, 5)
    count = games.serial.shape[0]
    before, moving = games.states, on_move(games.states, games.seat, theirs=context.theirs)
    in_full = jnp.bool_(True)
    if context.quick is None:
        found = context.full(search_key, before)
    else:
        in_full = jax.random.uniform(cap_key) < config.full_share
        found = jax.lax.cond(in_full, context.full, context.quick, search_key, before)
    in_opening = games.opening > 0
    action = jnp.where(in_opening, random_policy(opening_key, before), found.action)
    stepped = jax.vmap(env.step)(before, action, jax.random.split(step_key, count))
    after = where_games(moving, stepped, before)
    by_current = (games.seat == BOTH) | jnp.logical_not(context.theirs)
    learnable = moving & by_current & ~in_opening & in_full

    role = before.current_role
    giving_up = moving & ~in_opening & (found.value < config.resign_below)
    resigns = giving_up & games.may_resign & ~after.terminated
    adjudged = None if context.proven is None else _adjudicate(context.proven(after), games, config.adjudicate)
    ending = _ending(context, after, role, resigns, adjudged, moving)
    row = _row(context, games, found, learnable)
    resigned = jnp.where(giving_up & (games.resigned == NO_ROLE), role, games.resigned).astype(jnp.int8)
    following = dataclasses.replace(
        games,
        states=after,
        opening=jnp.where(moving, jnp.maximum(games.opening - 1, 0), games.opening),
        resigned=resigned,
    )
    tally = _count(context, tally, following, found, row, ending, moving, resigns, adjudged)
    fresh = _begin(begin_key, env, config, games.serial + 1, other_seats(games.seat))
    return where_games(ending.over, fresh, following), tally, row, ending


def new_endings(steps: int, games: int, holder_words: int, *, stops: bool = False) -> Ending:
    """Room for the endings of an iteration, of which some may be of games that were stopped."""
    return Ending(
        over=jnp.zeros((steps, games), bool),
        result=jnp.zeros((steps, games), jnp.float32),
        plies=jnp.zeros((steps, games), jnp.int32),
        margin=jnp.zeros((steps, games), jnp.float32),
        holders=jnp.zeros((steps, games, holder_words), jnp.uint32),
        stopped=jnp.zeros((steps, games), bool) if stops else None,
    )


def collect_metrics(tally: Tally) -> dict[str, float]:
    """Metrics of the games of an iteration."""
    counted: Any = jax.device_get(tally)
    ended, learnable = int(counted.ended.sum()), max(int(counted.learnable), 1)
    metrics = {
        **game_metrics(counted),
        "selfplay/learnable": int(counted.learnable),
        "selfplay/entropy": float(counted.entropy) / learnable,
        "selfplay/search_depth": float(counted.depth) / learnable,
        "selfplay/root_value": float(counted.root_value) / learnable,
        "selfplay/surprise": float(counted.surprise) / learnable,
        **opponent_scores(counted.league),
    }
    if ended:
        metrics["selfplay/pieces_left"] = float(counted.pieces) / ended
    if counted.adjudicated is not None:
        metrics["selfplay/adjudicated"] = int(counted.adjudicated) / max(ended, 1)
    if int(counted.resigned):
        metrics["selfplay/resigned"] = int(counted.resigned) / max(ended, 1)
    if int(counted.audited[0]):
        metrics["selfplay/wrongly_resigned"] = int(counted.audited[1]) / int(counted.audited[0])
    return metrics


def _adjudicate(proven: Array, games: Games, share: float) -> Array:
    """[B] int8: what endgame tables say of games [B], but ONGOING in all but a share of them.

    Which games these are follows from column and number: multiples of the golden section fall evenly between 0 and 1.
    """
    number = (jnp.arange(games.serial.shape[0]) + games.serial).astype(jnp.uint32)
    chosen = (number * jnp.uint32(GOLDEN)) >> 8 < jnp.uint32(round(share * (1 << 24)))
    return jnp.where(chosen, proven, ONGOING)


def _ending(
    context: StepContext, after: Any, mover: Array, resigns: Array, adjudged: Array | None, moving: Array
) -> Ending:
    """The endings of games [B] after a step; endgame tables overrule a resignation."""
    won_by, over = jnp.where(resigns, 1 - mover, after.result), after.terminated | resigns
    if adjudged is not None:
        known = adjudged != ONGOING
        won_by, over = jnp.where(known, adjudged, won_by), over | known
    held = jax.vmap(context.learning.holders)(after)
    words = (
        jax.vmap(replay_buffer.pack_holders)(held) if context.with_holders else jnp.zeros((len(held), 0), jnp.uint32)
    )
    return Ending(
        over=moving & over,
        result=jnp.where(won_by == 0, 1.0, jnp.where(won_by == 1, -1.0, 0.0)).astype(jnp.float32),
        plies=after.plies,
        margin=jax.vmap(context.learning.margin)(after).astype(jnp.float32),
        holders=words,
        stopped=~after.terminated if context.config.stops_games else None,
    )


def _row(context: StepContext, games: Games, found: SearchResult, learnable: Array) -> Replay:
    """A row of the replay, [B]."""
    count, cells = games.serial.shape[0], context.learning.views.shape[1]
    surprise = (
        jax.scipy.special.xlogy(found.policy, found.policy)
        - found.policy * jnp.log(jnp.maximum(found.prior, MIN_PROBABILITY))
    ).sum(axis=1)
    nothing = jnp.zeros(count, jnp.float32)
    return Replay(
        words=jax.vmap(context.learning.pack)(games.states),
        actions=found.slot_actions,
        policy=found.policy.astype(jnp.bfloat16),
        value=found.value * side_of(games.states.current_role),
        surprise=jnp.maximum(surprise, 0.0),
        serial=games.serial,
        status=jnp.where(learnable, replay_buffer.OPEN, replay_buffer.EMPTY).astype(jnp.int8),
        weight=jnp.zeros(count, jnp.int16),
        result=nothing,
        plies=games.states.plies.astype(jnp.int16),
        margin=nothing,
        holders=jnp.zeros((count, replay_buffer.holder_words(cells) if context.with_holders else 0), jnp.uint32),
    )


def _count(
    context: StepContext,
    tally: Tally,
    games: Games,
    found: SearchResult,
    row: Replay,
    ending: Ending,
    moving: Array,
    resigns: Array,
    adjudged: Array | None,
) -> Tally:
    """The tally with one step more."""
    learnable, over = row.status == replay_buffer.OPEN, ending.over
    among = functools.partial(jnp.where, learnable)
    winner = jnp.where(ending.result > 0, 0, jnp.where(ending.result < 0, 1, DRAW))
    ended, league = count_outcomes(over, winner, games.seat)
    audited = over & ~games.may_resign & (games.resigned != NO_ROLE)
    wrongly = audited & (ending.result * side_of(games.resigned) >= 0)
    pieces = (jax.vmap(context.learning.holders)(games.states) > 0).sum(axis=1)
    step = Tally(
        moves=moving.sum(dtype=jnp.int32),
        learnable=learnable.sum(dtype=jnp.int32),
        entropy=among(found.entropy, 0.0).sum(),
        depth=among(found.mean_depth, 0.0).sum(),
        root_value=among(row.value, 0.0).sum(),
        surprise=among(row.surprise, 0.0).sum(),
        ended=ended,
        plies=jnp.where(over, ending.plies, 0).sum().astype(jnp.float32),
        pieces=jnp.where(over, pieces, 0).sum().astype(jnp.float32),
        league=league,
        resigned=resigns.sum(dtype=jnp.int32),
        audited=jnp.stack([audited.sum(dtype=jnp.int32), wrongly.sum(dtype=jnp.int32)]),
        adjudicated=None if adjudged is None else (moving & (adjudged != ONGOING)).sum(dtype=jnp.int32),
    )
    return jax.tree.map(jnp.add, tally, step)


def _begin(key: Array, env: BatchEnv, config: SelfPlayConfig, serial: Array, seat: Array) -> Games:
    """Games at their start, with these numbers and seats [B]."""
    state_key, opening_key, audit_key = jax.random.split(key, 3)
    if config.resign_below > -1:
        may_resign = jax.random.uniform(audit_key, (config.games,)) >= config.audit_share
    else:
        may_resign = jnp.zeros(config.games, bool)
    return Games(
        states=jax.vmap(env.init)(jax.random.split(state_key, config.games)),
        serial=serial,
        seat=seat,
        opening=jax.random.randint(opening_key, (config.games,), 0, config.opening_plies + 1),
        may_resign=may_resign,
        resigned=jnp.full(config.games, NO_ROLE, jnp.int8),
    )
