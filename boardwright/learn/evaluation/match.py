"""Contests of a net for alpha-beta with the nets of earlier iterations, and the ratings that come of them."""

from __future__ import annotations

from typing import NamedTuple

from boardwright.games.base import DRAW, Game
from boardwright.learn.evaluation.config import AlphaBetaConfig, AlphaBetaContestsConfig
from boardwright.learn.evaluation.selfplay import (
    GameRecord,
    MakeSearch,
    Weights,
    map_in_threads,
    play_game,
    random_opening,
)
from boardwright.learn.reporting.rating import update_ratings
from boardwright.learn.run import league
from boardwright.learn.run.method import MethodContext
from boardwright.nets import netfile


def opponents(config: AlphaBetaContestsConfig, done: int) -> list[int]:
    """Whom the net of an iteration meets, by iteration: the one measured last, and one about half as old; else none."""
    if not config.every or done % config.every:
        return []
    return sorted({done - config.every, done // (2 * config.every) * config.every})


class Contest(NamedTuple):
    """How a net fared in one role."""

    wins: int
    draws: int
    losses: int
    plies: int


def contest(
    game: Game, make_search: MakeSearch, net: Weights, other: Weights, config: AlphaBetaContestsConfig, seed: str
) -> tuple[Contest, Contest]:
    """A net against another, as role 0 and as role 1: pairs of games from the same random openings."""

    def one(number: int) -> GameRecord:
        pair, role = divmod(number, 2)
        searches = [make_search(weights) for weights in ((net, other) if role == 0 else (other, net))]
        plies = config.opening_plies
        return play_game(game, searches, config.nodes, random_opening(game, f"{seed} {pair}", plies, plies))

    records = map_in_threads(one, range(config.games))

    def fared(role: int) -> Contest:
        winners = [record.winner for record in records[role::2]]
        plies = sum(record.plies for record in records[role::2])
        return Contest(winners.count(role), winners.count(DRAW), winners.count(1 - role), plies)

    return fared(0), fared(1)


def evaluated(
    config: AlphaBetaConfig, game: Game, make_search: MakeSearch, net: Weights, done: int, context: MethodContext
) -> dict[str, float]:
    """Plays the net of an iteration against earlier ones, stores how that went, and returns its rating."""
    wanted = opponents(config.evaluation, done)
    if not wanted:
        return {}
    others = league.nearest_kept(context.nets, wanted, before=done)
    for met, other in enumerate(others):
        context.observer.progress("evaluation", met * config.evaluation.games, len(others) * config.evaluation.games)
        old = netfile.read(league.path_of(context.nets, other), game=game).weights
        seed = f"{config.seed} {done} {other} contest"
        first, second = contest(game, make_search, net, old, config.evaluation, seed)
        context.metrics.log_match(done, done, other, first.wins, first.draws, first.losses, first.plies)
        context.metrics.log_match(done, other, done, second.losses, second.draws, second.wins, second.plies)
    return update_ratings(context.metrics, done)
