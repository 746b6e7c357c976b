"""Evaluation matches of an evaluation network against those of earlier iterations, and its rating."""

from boardwright.games.base import Game
from boardwright.learn.evaluation import selfplay
from boardwright.learn.evaluation.config import AlphaBetaConfig, AlphaBetaMatchesConfig
from boardwright.learn.evaluation.selfplay import GameRecord, MakeSearch, Weights
from boardwright.learn.reporting.rating import update_ratings
from boardwright.learn.run import league
from boardwright.learn.run.method import MethodContext
from boardwright.nets import netfile
from boardwright.stats.score import Score


def opponents(config: AlphaBetaMatchesConfig, done: int) -> list[int]:
    """Iterations of the nets that an iteration is evaluated against: the last evaluated, and one about half as old."""
    if not config.every or done % config.every:
        return []
    return sorted({done - config.every, done // (2 * config.every) * config.every})


def play_match(
    game: Game, make_search: MakeSearch, net: Weights, other: Weights, config: AlphaBetaMatchesConfig, seed: str
) -> tuple[tuple[Score, int], tuple[Score, int]]:
    """(score, plies of all games) of a net as role 0 and as role 1, in pairs of games with the same random opening."""

    def play(number: int) -> GameRecord:
        pair, role = divmod(number, 2)
        searches = [make_search(weights) for weights in ((net, other) if role == 0 else (other, net))]
        plies = config.opening_plies
        opening = selfplay.random_opening(game, f"{seed} {pair}", plies, plies)
        return selfplay.play_game(game, searches, config.nodes, opening)

    records = selfplay.map_in_threads(play, range(config.games))

    def count(role: int) -> tuple[Score, int]:
        own = records[role::2]
        return sum((Score.of(record.winner, role) for record in own), Score()), sum(record.plies for record in own)

    return count(0), count(1)


def evaluate(
    config: AlphaBetaConfig, game: Game, make_search: MakeSearch, net: Weights, done: int, context: MethodContext
) -> dict[str, float]:
    """Plays the net of an iteration against earlier ones, stores the results, and returns its rating."""
    iterations = opponents(config.evaluation, done)
    if not iterations:
        return {}
    others = league.nearest_iterations(context.nets, iterations, before=done)
    for played, other in enumerate(others):
        context.observer.progress("evaluation", played * config.evaluation.games, len(others) * config.evaluation.games)
        old = netfile.read(league.path_of(context.nets, other), game=game).weights
        seed = f"{config.seed} {done} {other} contest"
        (first, plies), (second, more) = play_match(game, make_search, net, old, config.evaluation, seed)
        context.metrics.log_match(done, done, other, first.wins, first.draws, first.losses, plies)
        context.metrics.log_match(done, other, done, second.losses, second.draws, second.wins, more)
    return update_ratings(context.metrics, done)
