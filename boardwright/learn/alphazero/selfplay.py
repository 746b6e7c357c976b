"""Self-play: games in flight on the device, one action of each a step, written into the replay as they go.

Games continue from iteration to iteration and restart when they end. A step searches all games at once and plays
what the searches chose, in a league where its net is on move (see `pairing`). What is learned from: moves of the
current net, searched in full, past the random opening.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from boardwright.games.base import ONGOING, BatchEnv, Learning
from boardwright.games.batched import random_action, where_games
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import SelfPlayConfig
from boardwright.learn.alphazero.replay import Ending, Replay
from boardwright.learn.match.pairing import BOTH, first_seats, on_move
from boardwright.learn.match.policies import Search
from boardwright.mcts.nodes import side_of
from boardwright.mcts.policies import SearchResult

NO_ROLE = 2  # instead of the role that would have resigned
LEAST_PROBABILITY = 1e-9  # of a prior, in logarithms
GOLDEN = 0x9E3779B9  # 2^32 times the golden section


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Games:
    """B games in flight."""

    states: Any  # [B]
    serial: Array  # [B] int32: number of the game in its column
    seat: Array  # [B] int8: the role of the current net, or BOTH
    opening: Array  # [B] int32: random actions still to come
    may_resign: Array  # [B] bool: this game is not audited
    resigned: Array  # [B] int8: the role whose value fell below the limit first, in audited games; or NO_ROLE


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Tally:
    """Sums over what happened in an iteration so far; float32 but for counts."""

    moves: Array  # int32: searched and played
    learnable: Array  # int32: of these, moves to learn from
    entropy: Array  # of the searches' policies, over learnable moves as the next three
    depth: Array  # mean depth of searches
    root_value: Array  # from the side of role 0
    surprise: Array
    ended: Array  # [3] int32: games that role 0 won, role 1 won, were drawn; league games too
    plies: Array  # of ended games
    pieces: Array  # cells held at their ends
    league: Array  # [2, 3] int32: by role of the current net, its wins, draws and losses
    resigned: Array  # int32: games ended by resignation
    audited: Array  # [2] int32: audited games in which a role would have resigned; of these, not lost by it
    adjudicated: Array | None = None  # int32: games ended by endgame tables, where they are asked


Proven = Callable[[Any], Array]  # states -> [B] int8: who wins by endgame tables, DRAW, or ONGOING: they do not know


def new_games(key: Array, env: BatchEnv, config: SelfPlayConfig, league_games: int) -> Games:
    """All games at their beginning."""
    state_key, opening_key, audit_key = jax.random.split(key, 3)
    return Games(
        states=jax.vmap(env.init)(jax.random.split(state_key, config.games)),
        serial=jnp.zeros(config.games, jnp.int32),
        seat=first_seats(config.games, league_games),
        opening=_drawn_openings(opening_key, config),
        may_resign=_drawn_audits(audit_key, config),
        resigned=jnp.full(config.games, NO_ROLE, jnp.int8),
    )


def new_tally(*, adjudicates: bool = False) -> Tally:
    """Nothing has happened yet."""
    count, total = jnp.int32(0), jnp.float32(0)
    return Tally(
        moves=count,
        learnable=count,
        entropy=total,
        depth=total,
        root_value=total,
        surprise=total,
        ended=jnp.zeros(3, jnp.int32),
        plies=total,
        pieces=total,
        league=jnp.zeros((2, 3), jnp.int32),
        resigned=count,
        audited=jnp.zeros(2, jnp.int32),
        adjudicated=count if adjudicates else None,
    )


def step(
    key: Array,
    games: Games,
    tally: Tally,
    *,
    env: BatchEnv,
    learning: Learning,
    config: SelfPlayConfig,
    theirs: Array | bool,
    full: Search,
    quick: Search | None,
    with_holders: bool,
    proven: Proven | None = None,
) -> tuple[Games, Tally, Replay, Ending]:
    """One action of every game whose net is on move: the games after it, and a row to remember.

    `theirs`: in league games the past selves are asked and move, else the current net. The row says nothing of
    results, which `replay_buffer.settle` fills in from the ending. `proven` ends some games, see `_adjudged`.
    """
    search_key, cap_key, opening_key, step_key, begin_key = jax.random.split(key, 5)
    count = games.serial.shape[0]
    before, moving = games.states, on_move(games.states, games.seat, theirs=theirs)
    in_full = jnp.bool_(True)
    if quick is None:
        found = full(search_key, before)
    else:
        in_full = jax.random.uniform(cap_key) < config.full_share
        found = jax.lax.cond(in_full, full, quick, search_key, before)
    in_opening = games.opening > 0
    at_random = jax.vmap(random_action)(jax.random.split(opening_key, count), before.legal_action_mask)
    action = jnp.where(in_opening, at_random, found.action)
    stepped = jax.vmap(env.step)(before, action, jax.random.split(step_key, count))
    after = where_games(moving, stepped, before)
    by_current = (games.seat == BOTH) | jnp.logical_not(theirs)
    learnable = moving & by_current & ~in_opening & in_full

    role = before.current_role
    giving_up = moving & ~in_opening & (found.value < config.resign_below)
    resigns = giving_up & games.may_resign & ~after.terminated
    adjudged = None if proven is None else _adjudged(proven(after), games, config.adjudicate)
    ending = _ending(after, role, resigns, adjudged, moving, learning, with_holders, stops=config.stops_games)
    row = _row(games, found, learnable, learning, with_holders)
    resigned = jnp.where(giving_up & (games.resigned == NO_ROLE), role, games.resigned).astype(jnp.int8)
    tally = _counted(
        tally, dataclasses.replace(games, resigned=resigned), found, row, ending, after, moving, resigns, learning
    )
    if adjudged is not None and tally.adjudicated is not None:
        by_tables = (moving & (adjudged != ONGOING)).sum(dtype=jnp.int32)
        tally = dataclasses.replace(tally, adjudicated=tally.adjudicated + by_tables)
    following = dataclasses.replace(
        games,
        states=after,
        opening=jnp.where(moving, jnp.maximum(games.opening - 1, 0), games.opening),
        resigned=resigned,
    )
    return _begun_anew(begin_key, following, ending.over, env, config), tally, row, ending


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


def _adjudged(proven: Array, games: Games, share: float) -> Array:
    """[B] int8: what endgame tables say of games [B], but ONGOING in all but a share of them.

    Which games these are follows from column and number: multiples of the golden section fall evenly between 0 and 1.
    """
    number = (jnp.arange(games.serial.shape[0]) + games.serial).astype(jnp.uint32)
    chosen = (number * jnp.uint32(GOLDEN)) >> 8 < jnp.uint32(round(share * (1 << 24)))
    return jnp.where(chosen, proven, ONGOING)


def _ending(
    after: Any,
    mover: Array,
    resigns: Array,
    adjudged: Array | None,
    moving: Array,
    learning: Learning,
    with_holders: bool,
    *,
    stops: bool,
) -> Ending:
    """How games stand after a step, [B]; tables know better than who gives up."""
    won_by, over = jnp.where(resigns, 1 - mover, after.result), after.terminated | resigns
    if adjudged is not None:
        known = adjudged != ONGOING
        won_by, over = jnp.where(known, adjudged, won_by), over | known
    held = jax.vmap(learning.holders)(after)
    return Ending(
        over=moving & over,
        result=jnp.where(won_by == 0, 1.0, jnp.where(won_by == 1, -1.0, 0.0)).astype(jnp.float32),
        plies=after.plies,
        margin=jax.vmap(learning.margin)(after).astype(jnp.float32),
        holders=jax.vmap(replay_buffer.pack_holders)(held)
        if with_holders
        else jnp.zeros((held.shape[0], 0), jnp.uint32),
        stopped=~after.terminated if stops else None,
    )


def _row(games: Games, found: SearchResult, learnable: Array, learning: Learning, with_holders: bool) -> Replay:
    """What is remembered of a step, [B]."""
    count = games.serial.shape[0]
    cells = learning.views.shape[1]
    surprise = (
        jax.scipy.special.xlogy(found.policy, found.policy)
        - found.policy * jnp.log(jnp.maximum(found.prior, LEAST_PROBABILITY))
    ).sum(axis=1)
    nothing = jnp.zeros(count, jnp.float32)
    return Replay(
        words=jax.vmap(learning.pack)(games.states),
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
        holders=jnp.zeros((count, replay_buffer.holder_words(cells) if with_holders else 0), jnp.uint32),
    )


def _counted(
    tally: Tally,
    games: Games,
    found: SearchResult,
    row: Replay,
    ending: Ending,
    after: Any,
    moving: Array,
    resigns: Array,
    learning: Learning,
) -> Tally:
    """The tally with one step more."""
    learnable, over = row.status == replay_buffer.OPEN, ending.over
    among = functools.partial(jnp.where, learnable)
    outcome = jnp.where(ending.result > 0, 0, jnp.where(ending.result < 0, 1, 2))
    in_league = games.seat != BOTH
    own = ending.result * side_of(games.seat)  # of the current net, in league games
    own_outcome = jnp.where(own > 0, 0, jnp.where(own < 0, 2, 1))
    league = [
        [(over & in_league & (games.seat == role) & (own_outcome == what)).sum() for what in range(3)]
        for role in range(2)
    ]
    audited = over & ~games.may_resign & (games.resigned != NO_ROLE)
    wrongly = audited & (ending.result * side_of(games.resigned) >= 0)
    pieces = (jax.vmap(learning.holders)(after) > 0).sum(axis=1)
    return Tally(
        moves=tally.moves + moving.sum(dtype=jnp.int32),
        learnable=tally.learnable + learnable.sum(dtype=jnp.int32),
        entropy=tally.entropy + among(found.entropy, 0.0).sum(),
        depth=tally.depth + among(found.mean_depth, 0.0).sum(),
        root_value=tally.root_value + among(row.value, 0.0).sum(),
        surprise=tally.surprise + among(row.surprise, 0.0).sum(),
        ended=tally.ended + jnp.stack([(over & (outcome == what)).sum(dtype=jnp.int32) for what in range(3)]),
        plies=tally.plies + jnp.where(over, ending.plies, 0).sum().astype(jnp.float32),
        pieces=tally.pieces + jnp.where(over, pieces, 0).sum().astype(jnp.float32),
        league=tally.league + jnp.asarray(league, jnp.int32),
        resigned=tally.resigned + resigns.sum(dtype=jnp.int32),
        audited=tally.audited + jnp.stack([audited.sum(dtype=jnp.int32), wrongly.sum(dtype=jnp.int32)]),
        adjudicated=tally.adjudicated,
    )


def _begun_anew(key: Array, games: Games, over: Array, env: BatchEnv, config: SelfPlayConfig) -> Games:
    """Games, those that are over at a new beginning; in league games the current net changes its role."""
    state_key, opening_key, audit_key = jax.random.split(key, 3)
    fresh = jax.vmap(env.init)(jax.random.split(state_key, over.shape[0]))
    other_seat = jnp.where(games.seat == BOTH, BOTH, 1 - games.seat)
    return Games(
        states=where_games(over, fresh, games.states),
        serial=games.serial + over,
        seat=jnp.where(over, other_seat, games.seat).astype(jnp.int8),
        opening=jnp.where(over, _drawn_openings(opening_key, config), games.opening),
        may_resign=jnp.where(over, _drawn_audits(audit_key, config), games.may_resign),
        resigned=jnp.where(over, NO_ROLE, games.resigned).astype(jnp.int8),
    )


def _drawn_openings(key: Array, config: SelfPlayConfig) -> Array:
    """[B] int32: random actions a game begins with, from none to the most."""
    return jax.random.randint(key, (config.games,), 0, config.opening_plies + 1)


def _drawn_audits(key: Array, config: SelfPlayConfig) -> Array:
    """[B] bool: whether roles may resign in a game; False everywhere without resignation."""
    if config.resign_below <= -1:
        return jnp.zeros(config.games, bool)
    return jax.random.uniform(key, (config.games,)) >= config.audit_share
