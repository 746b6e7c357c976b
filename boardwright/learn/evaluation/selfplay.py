"""Games of alpha-beta with an evaluation network, played by threads, and the positions learned from them.

    search = make_searches(game, tables)(weights)
    record = play_game(game, (search, search), nodes, random_opening(game, seed, 4, 12))
    samples = samples_of(record, game, search.SCALE)

Every game has searches of its own: it depends on its seed and the nets only, not on the number of threads or on other
games. A game ends by the rules, or as soon as a search proves a win or endgame tables have the result. Samples are the
quiet positions, in which the chosen move captures nothing: alpha-beta does not evaluate others, it resolves captures
first.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax.struct import PyTreeNode
from jax import Array

from boardwright.errors import BoardwrightError, RunError
from boardwright.games.base import DRAW, ONGOING, AlphaBetaSearch, Game, SearchResources
from boardwright.learn.evaluation.config import AlphaBetaGamesConfig
from boardwright.learn.shared.boards import pack
from boardwright.learn.shared.tally import count, game_metrics
from boardwright.processes import usable_cores

MEGABYTES = 1  # of a search's transposition table: enough for a game with few nodes per move

Weights = Mapping[str, np.ndarray]  # of a net, named as in net files
MakeSearch = Callable[[Weights], AlphaBetaSearch]  # a new search with an evaluation network
T = TypeVar("T")
U = TypeVar("U")


def make_searches(game: Game, tables: str | None) -> MakeSearch:
    """A maker of searches of a game, which use the endgame tables of a folder if one is named."""
    folder = game.shipped_tables if tables is None else Path(tables)

    def make(weights: Weights) -> AlphaBetaSearch:
        try:
            return game.alphabeta(MEGABYTES, 1, SearchResources(folder, weights))
        except BoardwrightError as error:
            if tables is None:
                raise
            raise RunError(f"setting tablebase_dir: {error}") from error

    return make


@dataclass(frozen=True, eq=False)
class GameRecord:
    """A game after its random opening: N actions."""

    winner: int  # the role that won, or DRAW
    adjudicated: bool  # decided by a proof before the rules ended it
    plies: int  # whole moves, those of the opening included
    seen: np.ndarray  # [N + 1, rows, columns, planes] float32: observations of the mover, the final one last
    roles: np.ndarray  # [N] int32: to move
    searched: np.ndarray  # [N] bool; False where there was one legal action
    scores: np.ndarray  # [N] int32: of the search, for the mover; 0 where nothing was searched
    depth: int  # of all searches together, in whole moves


class Samples(NamedTuple):
    """N positions to learn from, from the mover's side."""

    bits: np.ndarray  # [N, bytes] uint8: observations, see `boards.pack`
    values: np.ndarray  # [N] float32: expected results by the search, from -1 to 1
    results: np.ndarray  # [N] int8: results of the games, -1, 0 or 1


class Tally(PyTreeNode):
    """Sums over an iteration so far."""

    ended: Array = count(3)  # games won by role 0, by role 1, drawn
    adjudicated: Array = count()  # games decided by a proof
    plies: Array = count()
    moves: Array = count()  # actions after the openings
    searched: Array = count()  # of these, chosen by a search
    depth: Array = count()  # sum over these searches, in whole moves
    learnable: Array = count()  # positions to learn from


def play_game(game: Game, players: Sequence[AlphaBetaSearch], nodes: int, opening: Sequence[int]) -> GameRecord:
    """Plays a game of the searches of both roles with a number of nodes per move, after an opening of actions."""
    core = game.start().core.play_all(opening)
    seen, moves, depth, winner = [], [], 0, core.result
    while winner == ONGOING:
        role, actions = core.role_to_move, core.legal_actions()
        seen.append(core.observe(role))
        action, score = actions[0], 0
        if len(actions) > 1:
            found = players[role].search(core, 0, nodes, 0.0)
            action, score = found.principal_variation[0], found.score
            depth += found.depth
        moves.append((role, len(actions) > 1, score))
        core = core.play(action)
        winner = core.result
        # A proven win is one. A loss need not be: the search may have stopped before the move that avoids it.
        if winner == ONGOING and score > players[role].PROVEN:
            winner = role
        elif winner == ONGOING and (proven := game.proven_outcome(core)) is not None:
            winner = DRAW if proven.winner is None else proven.winner
    seen.append(core.observe(core.role_to_move))
    roles, searched, scores = np.array(moves, np.int32).reshape(-1, 3).T
    adjudicated = core.result == ONGOING
    return GameRecord(winner, adjudicated, core.plies, np.stack(seen), roles, searched.astype(bool), scores, depth)


def play_games(
    game: Game, make_search: MakeSearch, net: Weights, config: AlphaBetaGamesConfig, seeds: Sequence[str]
) -> tuple[Samples, Tally]:
    """Plays a game of a net against itself for each seed; returns their samples, in order, and their tally."""

    def play(seed: str) -> tuple[GameRecord, Samples]:
        search = make_search(net)
        opening = random_opening(game, seed, config.min_random_plies, config.max_random_plies)
        record = play_game(game, (search, search), config.nodes, opening)
        samples = samples_of(record, game, search.SCALE)
        return replace(record, seen=record.seen[:0].copy()), samples  # observations are in the samples, packed

    records, samples = zip(*map_in_threads(play, seeds), strict=True)
    winners = [record.winner for record in records]
    joined = Samples(*(np.concatenate([getattr(some, name) for some in samples]) for name in Samples._fields))
    return joined, Tally(
        ended=jnp.array([winners.count(result) for result in (0, 1, DRAW)]),
        adjudicated=jnp.int32(sum(record.adjudicated for record in records)),
        plies=jnp.int32(sum(record.plies for record in records)),
        moves=jnp.int32(sum(len(record.roles) for record in records)),
        searched=jnp.int32(sum(record.searched.sum() for record in records)),
        depth=jnp.int32(sum(record.depth for record in records)),
        learnable=jnp.int32(len(joined.bits)),
    )


def random_opening(game: Game, seed: str, low: int, high: int) -> list[int]:
    """Random actions, for `low` to `high` plies or until the game is over."""
    chance = random.Random(seed)
    plies, core = chance.randint(low, high), game.start().core
    while core.plies < plies and core.result == ONGOING:
        core = core.play(chance.choice(core.legal_actions()))
    return core.actions()


def samples_of(record: GameRecord, game: Game, scale: float) -> Samples:
    """The samples of a game; `scale` is the search's score whose expected result is tanh 1."""
    pieces = record.seen.reshape(len(record.seen), -1).sum(axis=1)
    kept = record.searched & (pieces[1:] >= pieces[:-1])
    won = np.where(record.roles == record.winner, 1, -1) * (record.winner != DRAW)
    return Samples(
        bits=pack(record.seen[:-1][kept], game),
        values=np.tanh(record.scores[kept] / scale).astype(np.float32),
        results=won[kept].astype(np.int8),
    )


def collect_metrics(tally: Tally) -> dict[str, float]:
    """Metrics of the games of an iteration."""
    counted: Any = jax.device_get(tally)
    return game_metrics(counted) | {
        "selfplay/learnable": int(counted.learnable),
        "selfplay/search_depth": int(counted.depth) / max(int(counted.searched), 1),
        "selfplay/adjudicated": int(counted.adjudicated) / int(counted.ended.sum()),
    }


def map_in_threads(work: Callable[[T], U], items: Iterable[T], threads: int | None = None) -> list[U]:
    """Results of a function for each item, in order, by as many threads as the process has cores by default.

    Searches release the interpreter lock, so that no processes are needed.
    """
    with ThreadPoolExecutor(threads or usable_cores()) as pool:
        return list(pool.map(work, items))
