"""Matches on the device: thousands of games at once between policies, from random openings.

    games = play_matches(key, env, (first, second), openings=500, opening_plies=4)
    (result,) = games.results()

`play_nets` is a match between nets from files, of any architectures and observations.

Two policies play every opening twice, each of them in either role; one policy plays both roles of every opening once.
Policies move in turns (see `policies`), so that few of their answers are wasted.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import Partial

from boardwright.errors import NetError, RunError
from boardwright.games.base import BatchEnv, Game
from boardwright.games.batched import after_chance, random_action, where_games, without_chance, without_forced
from boardwright.learn.distributed import processes
from boardwright.learn.distributed.device import compute_dtype
from boardwright.learn.match.policies import BOTH, Policy, make_net_evaluator, on_move, search_policy
from boardwright.learn.shared.config import SearchConfig
from boardwright.mcts.split import split
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.netfile import NetFile
from boardwright.nets.network import make_network, variables_of

AT_ONCE = 10_000  # default of concurrent games
CHUNK, SEARCH_CHUNK = 16, 4  # turns of each policy between two checks whether all games are over
MAX_TURNS = 1 << 14  # of all policies together; a game that is not over then has no result

OnShare = Callable[[float], None]
NetPlayer = Callable[[Sequence[NetFile], int], Policy]  # nets that share the games, plies of the opening -> policy


@dataclass(frozen=True)
class MatchResult:
    """Games of a policy against another, counted by the role of the first; games without a result are draws."""

    wins: tuple[int, int]
    draws: tuple[int, int]
    losses: tuple[int, int]
    plies: tuple[int, int]  # of all games together
    pairs: tuple[int, ...] = ()  # of games from one opening: how many brought 0, ½, 1, 1½ and 2 points
    decisions: tuple[int, int] = (0, 0)  # actions chosen by each policy
    rewards: tuple[float, float] = (0.0, 0.0)  # sums by policy over all actions but those of openings
    reward_errors: tuple[float, float] = (0.0, 0.0)  # standard errors of the mean reward of a decision

    @property
    def games(self) -> int:
        """Number of games in both roles."""
        return sum(self.wins) + sum(self.draws) + sum(self.losses)

    @property
    def points(self) -> float:
        """Share of the points; a draw is half a win."""
        return (sum(self.wins) + sum(self.draws) / 2) / self.games

    @property
    def reward_per_decision(self) -> tuple[float, float]:
        """Mean reward of each policy per decision it made."""
        return self.rewards[0] / max(self.decisions[0], 1), self.rewards[1] / max(self.decisions[1], 1)

    @property
    def reward_per_game(self) -> tuple[float, float]:
        """Mean reward of each policy per game."""
        return self.rewards[0] / self.games, self.rewards[1] / self.games


@dataclass(frozen=True, eq=False)
class Games:
    """Games that were played, [group, role of the first policy, opening]; of one policy alone, that axis is 1."""

    result: np.ndarray  # the role that won, DRAW, or ONGOING
    plies: np.ndarray  # those of the opening included
    openings: np.ndarray  # [..., 2] uint32: hash of the position after the opening
    decisions: np.ndarray  # [..., 2] by policy
    rewards: np.ndarray  # [..., 2] by policy

    def results(self) -> list[MatchResult]:
        """The result of each group."""
        arrays = (self.result, self.plies, self.decisions, self.rewards)
        return [count_games(*(array[group] for array in arrays)) for group in range(len(self.result))]


class _Table(NamedTuple):
    """B games in progress, and sums over them so far."""

    states: Any
    decisions: Array  # [B, 2] int32 by policy
    rewards: Array  # [B, 2] float32 by policy


def play_matches(
    key: Array,
    env: BatchEnv,
    policies: Sequence[Policy],
    *,
    openings: int,
    groups: int = 1,
    at_once: int | None = None,
    opening_plies: int = 0,
    forced: int = 0,
    draw_chance: bool = False,
    chunk: int = CHUNK,
    on_share: OnShare | None = None,
) -> Games:
    """Plays all games to their end.

    Args:
        key: random key of the match.
        env: what is played; a new one is compiled again.
        policies: one or two.
        openings: of each group.
        groups: such as opponents of the first policy; the second must know which games are whose.
        at_once: openings on the device at a time; None: all.
        opening_plies: random actions of an opening.
        forced: positions with one legal action that a step passes through.
        draw_chance: whether `env` leaves chance to move, so that its actions are drawn here.
        chunk: turns of each policy in one call.
        on_share: gets the share of the games that are over.
    """
    sides = tuple(policy if isinstance(policy, Partial) else Partial(policy) for policy in policies)
    shape = (groups, len(sides), openings)
    keys = [key]
    if at_once is not None:
        rounds = math.ceil(openings / at_once)
        shape = (groups, len(sides), math.ceil(openings / rounds))
        keys = [jax.random.fold_in(key, number) for number in range(rounds)]
    played: list[list[np.ndarray]] = []
    for number, round_key in enumerate(keys):
        begin_key, play_key = jax.random.split(round_key)
        table = _begin(begin_key, jnp.int32(opening_plies), env=env, shape=shape, draw_chance=draw_chance)
        opened = processes.on_host(table.states.hash).copy()
        for turn in range(MAX_TURNS // (chunk * len(sides))):
            over = int(table.states.terminated.sum()) / table.states.terminated.size  # counted: a mean may be rounded
            if on_share is not None:
                on_share((number + over) / len(keys))
            if over == 1:
                break
            turn_key = jax.random.fold_in(play_key, turn)
            table = _advance(
                turn_key, table, sides, env=env, shape=shape, forced=forced, draw_chance=draw_chance, chunk=chunk
            )
        arrays = (table.states.result, table.states.plies, opened, table.decisions, table.rewards)
        on_host = (processes.on_host(array) for array in arrays)
        played.append([array.reshape(*shape, *array.shape[1:]) for array in on_host])
    return Games(*(np.concatenate(parts, axis=2)[:, :, :openings] for parts in zip(*played, strict=True)))


def play_pairs(
    key: Array,
    env: BatchEnv,
    first: Policy,
    second: Policy,
    *,
    games: int,
    at_once: int = AT_ONCE,
    **options: Any,
) -> MatchResult:
    """A match of policies without search, in an environment with chance or without; options of `play_matches`."""
    if games < 2 or games % 2 or at_once < 2:
        raise RunError(f"games must be even and at least 2, and at_once at least 2: got {games} and {at_once}")
    sizes = {"openings": games // 2, "at_once": at_once // 2}
    (result,) = play_matches(key, env, (first, second), **sizes, draw_chance=True, **options).results()
    return result


def play_nets(
    challenger: NetFile,
    others: Sequence[NetFile],
    *,
    games: int,
    simulations: int,
    opening_plies: int,
    seed: int,
    on_share: Callable[[float], None] | None = None,
) -> list[MatchResult]:
    """Role-swapped pairs of games against each of several nets of one architecture, with equal simulations.

    The search is Gumbel's, also for nets that were trained with PUCT. Raises NetError for nets of other games or rules.
    """
    game, theirs = netfile.game_of(challenger), netfile.game_of(others[0])
    for other in others:
        if other.game != challenger.game or netfile.differing_rules(other, game):
            raise NetError(f"net file {other.path}: made for another game or other rules than {challenger.path}")
        if (other.config, other.observation) != (others[0].config, others[0].observation):
            raise NetError(
                f"net file {other.path}: its architecture or observation differs from {others[0].path}: "
                "play a separate match against each"
            )
    first = net_player(game, game, challenger.config, simulations)([challenger], opening_plies)
    second = net_player(game, theirs, others[0].config, simulations)(others, opening_plies)
    return play_matches(
        jax.random.key(seed),
        env_of(game),
        (first, second),
        openings=games // 2,
        groups=len(others),
        opening_plies=opening_plies,
        chunk=SEARCH_CHUNK,
        on_share=on_share,
    ).results()


@functools.lru_cache(maxsize=8)  # compiled once for a game
def env_of(game: Game) -> BatchEnv:
    """The batched environment of a game, whose steps sample chance moves."""
    return without_chance(game.batch()) if game.has_chance else game.batch()


@functools.lru_cache(maxsize=8)  # compiled once for nets of an architecture
def net_player(game: Game, observed: Game, config: Architecture, simulations: int) -> NetPlayer:
    """Gumbel search of a game with nets of an architecture, with the observation of `observed`."""
    network = make_network(config, observed, dtype=compute_dtype())
    slots, fold = min(game.max_search_actions, game.num_actions), jax.jit(network.fold)
    evaluator = make_net_evaluator(network, observed.batch())
    policy = search_policy(env_of(game), evaluator, SearchConfig(), simulations=simulations, slots=slots)
    return lambda nets, opening_plies: policy([fold(variables_of(net.weights)) for net in nets], opening_plies)


def open_games(env: BatchEnv, key: Array, games: int, plies: Array | int) -> Any:
    """States of games after some random actions each; a game that these would end stays before its end."""
    state_key, opening_key = jax.random.split(key)
    states = jax.vmap(env.init)(jax.random.split(state_key, games))

    def act(number: Array, states: Any) -> Any:
        keys = jax.random.split(jax.random.fold_in(opening_key, number), games)
        actions = jax.vmap(random_action)(keys, states.legal_action_mask)
        after = jax.vmap(env.step)(states, actions, keys)
        return where_games(after.terminated, states, after)  # an opening does not decide a game

    return jax.lax.fori_loop(0, plies, act, states)


def count_games(result: np.ndarray, plies: np.ndarray, decisions: np.ndarray, rewards: np.ndarray) -> MatchResult:
    """Counts games [role of the first policy, opening]."""
    role = np.arange(2)[:, None]
    won, lost = (result == role).sum(axis=1), (result == 1 - role).sum(axis=1)
    drawn = result.shape[1] - won - lost
    points = np.where(result == role, 2, np.where(result == 1 - role, 0, 1)).sum(axis=0)  # of a pair, in halves
    decided, gained = decisions.sum(axis=(0, 1)), rewards.astype(np.float64).sum(axis=(0, 1))
    # Of a ratio of sums over games: how far each game is from what its decisions would bring on average.
    residuals = rewards - decisions * (gained / np.maximum(decided, 1))
    errors = np.sqrt(np.square(residuals).sum(axis=(0, 1))) / np.maximum(decided, 1)
    counts = [(int(numbers[0]), int(numbers[1])) for numbers in (won, drawn, lost, plies.sum(axis=1))]
    return MatchResult(
        *counts,
        pairs=tuple(np.bincount(points, minlength=5).tolist()),
        decisions=(int(decided[0]), int(decided[1])),
        rewards=(float(gained[0]), float(gained[1])),
        reward_errors=(float(errors[0]), float(errors[1])),
    )


@functools.partial(jax.jit, static_argnames=("env", "shape", "draw_chance"))
def _begin(key: Array, plies: Array, *, env: BatchEnv, shape: tuple[int, int, int], draw_chance: bool) -> _Table:
    groups, roles, openings = shape
    states = open_games(without_chance(env) if draw_chance else env, key, groups * openings, plies)

    def in_all_roles(leaf: Array) -> Array:
        by_group = leaf.reshape(groups, 1, openings, *leaf.shape[1:])
        return jnp.concatenate([by_group] * roles, axis=1).reshape(-1, *leaf.shape[1:])

    games = groups * roles * openings
    table = _Table(jax.tree.map(in_all_roles, states), jnp.zeros((games, 2), jnp.int32), jnp.zeros((games, 2)))
    return split(table)


@functools.partial(jax.jit, static_argnames=("env", "shape", "forced", "draw_chance", "chunk"), donate_argnums=1)
def _advance(
    key: Array,
    table: _Table,
    policies: tuple[Policy, ...],
    *,
    env: BatchEnv,
    shape: tuple[int, int, int],
    forced: int,
    draw_chance: bool,
    chunk: int,
) -> _Table:
    """The games after `chunk` turns of each policy."""
    groups, roles, openings = shape
    games, choices = groups * roles * openings, without_forced(env, forced)
    first_role = jnp.arange(2) if roles == 2 else jnp.array([BOTH])  # of the first policy
    seat = jnp.tile(jnp.repeat(first_role.astype(jnp.int8), openings), groups)

    def turn(key: Array, table: _Table, number: int) -> _Table:
        states = table.states
        moves = on_move(states, seat, theirs=number == 1) & ~states.terminated

        def move(table: _Table) -> _Table:
            choose_key, step_key, chance_key = jax.random.split(key, 3)
            actions = policies[number](choose_key, states)
            after = jax.vmap(choices.step)(states, actions, jax.random.split(step_key, games))
            by_policy = jnp.where(seat[:, None] == 1, after.rewards[:, ::-1], after.rewards)
            if draw_chance:
                settle = functools.partial(after_chance, env)
                after = jax.vmap(settle)(after, jax.random.split(chance_key, games))
            return _Table(
                where_games(moves, after, states),
                table.decisions.at[:, number].add(moves),
                table.rewards + jnp.where(moves[:, None], by_policy, 0),
            )

        return jax.lax.cond(moves.any(), move, lambda table: table, table)  # skips a policy that moves in no game

    def turns(number: Array, table: _Table) -> _Table:
        for policy in range(len(policies)):
            table = turn(jax.random.fold_in(key, len(policies) * number + policy), table, policy)
        return table

    return split(jax.lax.fori_loop(0, chunk, turns, table))
