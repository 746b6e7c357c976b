"""Games of alpha-beta with nets at its leaves, played by threads, and what is learned of them.

    search = make_searches(game, tables)(weights)
    record = played(game, (search, search), nodes, random_opening(game, seed, 4, 12))
    samples = samples_of(record, game, search.SCALE)

A game is played by searches of its own: it depends on its seed and the nets alone, never on how many threads there are
or what they played before. A game ends by the rules, or as soon as a search proves a win or endgame tables know the
result. What is kept of a game are quiet positions, those in which the move chosen takes nothing: at others
alpha-beta does not ask a net how they stand, it plays the captures first.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from boardwright.errors import BoardwrightError, RunError
from boardwright.games.base import DRAW, ONGOING, AlphaBetaSearch, Game
from boardwright.learn.shared.boards import packed

MEGABYTES = 1  # of a search's table: more than the positions of a game with few nodes a move need

Weights = Mapping[str, np.ndarray]  # of a net, as net files name them
MakeSearch = Callable[[Weights], AlphaBetaSearch]  # a new search with a net at its leaves
T = TypeVar("T")
U = TypeVar("U")


def make_searches(game: Game, tables: str | None) -> MakeSearch:
    """How searches of a game are made, that ask the endgame tables of a folder where one is named."""
    extra: dict[str, Any] = {} if tables is None else {"tables": Path(tables)}

    def make(weights: Weights) -> AlphaBetaSearch:
        try:
            return game.alphabeta(MEGABYTES, 1, net=weights, **extra)  # type: ignore[call-arg]
        except BoardwrightError as error:
            if tables is None:
                raise
            raise RunError(f"setting tables: {error}") from error

    return make


@dataclass(frozen=True, eq=False)
class Played:
    """A game from its first ply that was not random: N actions."""

    winner: int  # the role that won, or DRAW
    adjudicated: bool  # it was over before its end
    plies: int  # whole moves, random ones included
    seen: np.ndarray  # [N + 1, rows, columns, planes] float32: as the mover sees the board, where it ended last
    roles: np.ndarray  # [N] int8: who is to move
    searched: np.ndarray  # [N] bool; not where there was but one move
    scores: np.ndarray  # [N] int32: what the search said, for the mover; 0 where there was none
    depth: int  # of all searches together, in whole moves


@dataclass(frozen=True, eq=False)
class Samples:
    """N positions to learn from, with what is known of them from the mover's side."""

    bits: np.ndarray  # [N, bytes] uint8: observations, see `boards.packed`
    values: np.ndarray  # [N] float32: the expected result as the search saw it, from -1 to 1
    results: np.ndarray  # [N] int8: how the game ended, -1, 0 or 1


def played(game: Game, players: Sequence[AlphaBetaSearch], nodes: int, opening: Sequence[int]) -> Played:
    """A game of the searches of both roles with so many nodes a move, after an opening of actions."""
    core = game.start().core.play_all(opening)
    seen, roles, searched, scores, depths, winner = [], [], [], [], 0, core.result
    while winner == ONGOING:
        role, actions = core.role_to_move, core.legal_actions()
        seen.append(core.observe(role))
        roles.append(role)
        action, score = actions[0], 0
        if len(actions) > 1:
            found = players[role].search(core, 0, nodes, 0.0)
            action, score = found.principal_variation[0], found.score
            depths += found.depth
        searched.append(len(actions) > 1)
        scores.append(score)
        core = core.play(action)
        winner = core.result
        # A win that a search has seen is one. A loss need not be: it may have stopped before the move that holds.
        if winner == ONGOING and score > players[role].PROVEN:
            winner = role
        elif winner == ONGOING and (proven := game.proven_outcome(core)) is not None:
            winner = DRAW if proven.winner is None else proven.winner
    seen.append(core.observe(core.role_to_move))
    return Played(
        winner=winner,
        adjudicated=core.result == ONGOING,
        plies=core.plies,
        seen=np.stack(seen),
        roles=np.array(roles, np.int8),
        searched=np.array(searched, bool),
        scores=np.array(scores, np.int32),
        depth=depths,
    )


def random_opening(game: Game, seed: str, least: int, most: int) -> list[int]:
    """Random actions, of a number of plies from the least to the most, or until the game is over."""
    chance = random.Random(seed)
    plies, core = chance.randint(least, most), game.start().core
    while core.plies < plies and core.result == ONGOING:
        core = core.play(chance.choice(core.legal_actions()))
    return core.actions()


def samples_of(played: Played, game: Game, scale: float) -> Samples:
    """What is learned of a game; `scale` is the search's score that is worth tanh 1 of a game."""
    pieces = played.seen.reshape(len(played.seen), -1).sum(axis=1)
    kept = played.searched & (pieces[1:] >= pieces[:-1])
    won = np.where(played.roles == played.winner, 1, -1) * (played.winner != DRAW)
    return Samples(
        bits=packed(played.seen[:-1][kept], game),
        values=np.tanh(played.scores[kept] / scale).astype(np.float32),
        results=won[kept].astype(np.int8),
    )


def joined(samples: Iterable[Samples]) -> Samples:
    """Those of several games, at least one, in order."""
    columns = zip(*((some.bits, some.values, some.results) for some in samples), strict=True)
    return Samples(*map(np.concatenate, columns))


def in_threads(work: Callable[[T], U], items: Iterable[T], threads: int | None = None) -> list[U]:
    """What becomes of each item, in their order; by as many threads as the process has cores unless told.

    Searches let other threads run, so that this takes no processes.
    """
    with ThreadPoolExecutor(threads or _cores()) as pool:
        return list(pool.map(work, items))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
