"""Evaluation matches of an evaluation network against those of earlier iterations, and its rating."""

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
    """Iterations of the nets that an iteration is evaluated against: the last evaluated, and one about half as old."""
    if not config.every or done % config.every:
        return []
    return sorted({done - config.every, done // (2 * config.every) * config.every})


class RoleScore(NamedTuple):
    """Results of a net in one role."""

    wins: int
    draws: int
    losses: int
    plies: int


def play_match(
    game: Game, make_search: MakeSearch, net: Weights, other: Weights, config: AlphaBetaContestsConfig, seed: str
) -> tuple[RoleScore, RoleScore]:
    """The scores of a net against another as role 0 and as role 1, in pairs of games with the same random opening."""

    def play(number: int) -> GameRecord:
        pair, role = divmod(number, 2)
        searches = [make_search(weights) for weights in ((net, other) if role == 0 else (other, net))]
        plies = config.opening_plies
        return play_game(game, searches, config.nodes, random_opening(game, f"{seed} {pair}", plies, plies))

    records = map_in_threads(play, range(config.games))

    def score(role: int) -> RoleScore:
        winners = [record.winner for record in records[role::2]]
        plies = sum(record.plies for record in records[role::2])
        return RoleScore(winners.count(role), winners.count(DRAW), winners.count(1 - role), plies)

    return score(0), score(1)


def evaluate(
    config: AlphaBetaConfig, game: Game, make_search: MakeSearch, net: Weights, done: int, context: MethodContext
) -> dict[str, float]:
    """Plays the net of an iteration against earlier ones, stores the results, and returns its rating."""
    iterations = opponents(config.evaluation, done)
    if not iterations:
        return {}
    others = league.nearest_kept(context.nets, iterations, before=done)
    for played, other in enumerate(others):
        context.observer.progress("evaluation", played * config.evaluation.games, len(others) * config.evaluation.games)
        old = netfile.read(league.path_of(context.nets, other), game=game).weights
        seed = f"{config.seed} {done} {other} contest"
        first, second = play_match(game, make_search, net, old, config.evaluation, seed)
        context.metrics.log_match(done, done, other, first.wins, first.draws, first.losses, first.plies)
        context.metrics.log_match(done, other, done, second.losses, second.draws, second.wins, second.plies)
    return update_ratings(context.metrics, done)
