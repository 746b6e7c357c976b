"""The public API in plain functions: players, searches, nets, matches, ratings and training.

`import boardwright` offers all of them; nothing heavy is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boardwright.agents.base import Agent, Choice, Limit, choose_move
from boardwright.agents.netplayers import shares
from boardwright.agents.players import make_agent
from boardwright.arena import openings as opening_sources
from boardwright.arena.backends import local_backend
from boardwright.arena.event import Conditions, Event, PlayedGame, check_even
from boardwright.arena.tally import match_tally, pair_points
from boardwright.errors import BoardwrightError
from boardwright.games import registry
from boardwright.games.base import Game, Position
from boardwright.records.events import play_events
from boardwright.records.files import RESULTS
from boardwright.records.store import open_store
from boardwright.stats.bayeselo import Ratings
from boardwright.stats.bayeselo import rate as rate_encounters
from boardwright.stats.pairings import Encounter
from boardwright.stats.score import Interval, Score, score_interval

if TYPE_CHECKING:
    from boardwright.learn.run.method import RunObserver
    from boardwright.nets.evaluator import Evaluator


@dataclass(frozen=True)
class Evaluation:
    """A net's evaluation of a position, without search."""

    value: float  # expected result from the side of the role to move, -1 to 1
    policy: Mapping[str, float]  # probability of each legal action, by its text


@dataclass(frozen=True)
class MatchResult:
    """The games of a match, counted from the first player's side."""

    score: Score
    by_role: tuple[Score, Score]  # in the games in which the first player had role 0, and role 1
    interval: Interval  # share of the points, with its 95 % interval over pairs of games
    games: tuple[PlayedGame, ...]


def agent(spec: str, game: Game) -> Agent:
    """A player by its spec, such as `alphabeta:time=1s`; `boardwright agents GAME` lists them."""
    return make_agent(spec, game)


def search(position: Position, player: str = "alphabeta", limit: Limit | None = None) -> Choice:
    """A player's choice of a whole move in a position, with value, principal variation and statistics.

    Without a limit the player uses that of its spec, or its default.
    """
    with closing(make_agent(player, position.game)) as chosen:
        return choose_move(chosen, position, limit or Limit())


def load_net(net: str | Path, game: Game | None = None) -> Evaluator:
    """A net, by the name of one that ships or by its file, ready to evaluate positions on the CPU.

    `game` defaults to the one that the net was trained for, with its rule set and its observation.
    """
    from boardwright.nets import netfile, shipped
    from boardwright.nets.evaluator import Evaluator

    path = shipped.find(str(net))
    return Evaluator(path, game=netfile.game_of(netfile.read(path)) if game is None else game)


def evaluate(net: Evaluator, positions: Sequence[Position]) -> list[Evaluation]:
    """A net's value and policy of each position; none may be over, and chance may not be to move."""
    for position in positions:
        if position.outcome is not None:
            raise BoardwrightError(f"position {position.text!r}: the game is over, so there is nothing to evaluate")
    evaluations = []
    for position, logits, value in zip(positions, *net.evaluate_positions(positions), strict=True):
        actions = position.legal_actions()
        texts = [position.game.action_text(position.core, action) for action in actions]
        policy = dict(zip(texts, shares(logits[actions]), strict=True))
        evaluations.append(Evaluation(float(value), policy))
    return evaluations


def match(
    game: Game,
    first: str,
    second: str,
    *,
    games: int = 100,
    seconds: float | None = None,
    openings: str = opening_sources.DEFAULT,
    seed: int = 0,
    workers: int = 1,
    database: Path | None = None,
) -> MatchResult:
    """Plays two players against each other in pairs of games with the roles swapped.

    Args:
        game: the game under its rules.
        first: spec of a player.
        second: spec of the other.
        games: an even number.
        seconds: time per move for players whose spec sets no limit.
        openings: `start`, `random:K`, `ballots` or a file, as of `boardwright match`.
        seed: of openings, chance and players.
        workers: concurrent games, each in its own process.
        database: stores the games; the same call resumes a match that was stopped.
    """
    event = Event(
        game=game.name,
        rules=game.rules,
        players=(first, second),
        openings=openings,
        seed=seed,
        conditions=Conditions(seconds=seconds),
    )
    event.check()
    event = event.with_nets()
    with nullcontext() if database is None else open_store(database, create=True) as store:
        played = tuple(play_events(store, [event], check_even("games", games), local_backend(workers)))
    sides = match_tally(played).a
    return MatchResult(
        score=sides[0].score + sides[1].score,
        by_role=(sides[0].score, sides[1].score),
        interval=score_interval(pair_points(played)),
        games=played,
    )


def rate(results: Iterable[tuple[str, str, str]], *, fixed_parameters: bool = False) -> Ratings:
    """BayesElo ratings from games, each as (first player, second player, `first`, `second` or `draw`).

    `fixed_parameters` holds the advantage of the first role and the draw parameter at BayesElo's defaults, as its
    command `mm` does; otherwise both are fitted (`mm 1 1`).
    """
    encounters = []
    for first, second, result in results:
        if result not in RESULTS:
            raise BoardwrightError(f"result {result!r}: expected one of {', '.join(RESULTS)}")
        encounters.append(Encounter(first, second, RESULTS[result]))
    return rate_encounters(encounters, fixed_parameters=fixed_parameters)


def train(
    method: str,
    game: str,
    out: Path | str,
    *,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    observer: RunObserver | None = None,
) -> Path:
    """Trains a net in the folder `out`, or resumes the run there, and returns the path of the best net.

    Args:
        method: `alphazero`, `dqn`, `ppo`, `vae` or `alphabeta`.
        game: name of the game.
        out: folder of the run.
        preset: name of the settings to begin with; by default the game's usual preset.
        settings: changes to it, such as `{"iterations": 10, "learner.batch_size": 64}`.
        observer: callbacks for progress and metrics, and to stop the run.
    """
    import functools

    from boardwright.arena.positions import boards_for
    from boardwright.learn import methods
    from boardwright.learn.run import loop
    from boardwright.learn.run import settings as run_settings
    from boardwright.learn.run.method import RunObserver

    registry.game_class(game)  # raises for an unknown game
    if method not in methods.METHODS:
        raise BoardwrightError(f"unknown method {method!r}; choose one of {', '.join(methods.METHODS)}")
    folder, observer = Path(out), observer or RunObserver()
    changes = [f"{name}={run_settings.as_text(value)}" for name, value in (settings or {}).items()]
    config = run_settings.apply(methods.preset(method, preset, game), changes)
    boards = functools.partial(boards_for, folder=folder, on_progress=observer.progress)
    made = methods.make_method(method, config, boards)
    loop.train(made, folder, observer)
    return folder / "nets" / made.best_name
