"""Runs of the Tablut paper that were made up, as folders and as results."""

import dataclasses
from pathlib import Path

from boardwright.arena.balance import BalanceSettings, Counts, Line
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.run import config_file, league, settings
from boardwright.learn.run.metrics import Match, Metrics
from boardwright.papers.tablutzero.claims import FULL, TRAININGS
from boardwright.papers.tablutzero.results import BalanceResult, PairingResult, Results, read_run

SECONDS = 30.0  # of an iteration
GAMES = 250  # against an opponent, in each role
BY_ITS_OWN_MEASURE = ("evaluation.first=5", "evaluation.simulations=32")  # our run's here, not the paper's


def config_of(name: str, *changes: str) -> AlphaZeroConfig:
    """Of a run by its name."""
    own = BY_ITS_OWN_MEASURE if name == "fast" else ()
    return settings.apply(PRESETS[TRAININGS[name].preset], [*own, *changes])


def plant(
    runs: Path, name: str, *changes: str, done: int | None = None, odds: float = 10.0, by_steps: bool = False
) -> Path:
    """A run's settings and metrics, and no more: every net beats the untrained one with these odds and is as good as
    any other, or beats the one five iterations before it.
    """
    config = config_of(name, *changes)
    folder = runs / TRAININGS[name].preset
    folder.mkdir(parents=True)
    config_file.store(folder, "alphazero", config)
    done = config.iterations if done is None else done
    with Metrics(folder) as metrics:
        for iteration in range(1, done + 1):
            share = iteration / config.iterations
            report = {
                "selfplay/games": 100,
                "selfplay/role0_wins": 0.5 + 0.2 * share,
                "selfplay/role1_wins": 0.4 - 0.2 * share,
                "selfplay/draws": 0.1,
                "selfplay/entropy": 3.0 - 1.5 * share,
                "selfplay/pieces_left": 22 - 7 * share,
                "speed/seconds": SECONDS,
            }
            metrics.log(iteration, 1000 * iteration, report)
            if not league.is_evaluated(config.evaluation, iteration):
                continue
            for other in league.draw_opponents(config.evaluation, config.seed, iteration):
                steps = (iteration - other) / 5 if by_steps else float(other == 0)
                won = round(GAMES / (1 + odds**-steps))
                metrics.log_match(Match(iteration, iteration, other, won, 0, GAMES - won, 50_000))
                metrics.log_match(Match(iteration, other, iteration, GAMES - won, 0, won, 50_000))
    return folder


def made_up(runs: Path, *, odds: float = 2.0, pairs: tuple[int, ...] = (1, 0, 10, 0, 89)) -> Results:
    """Our run next to the paper's, with the matches between their nets and the balance of the rules."""
    found = {}
    for name in ("paper", "fast"):
        run = read_run(plant(runs, name, odds=odds, by_steps=True))
        evaluations = tuple(match for match in run.matches if match.iteration >= FULL.protocol.first)
        found[name] = dataclasses.replace(run, matches=evaluations, played_again=name == "fast")
    met = PairingResult((60, 60), (30.0, 30.0), (95, 93), (0, 0), (5, 7), pairs, 128)
    counts = Counts(wins=(700, 250), draws=50, plies=80_000, squared_plies=8_000_000, openings=999)
    settings = BalanceSettings(game="tablut", nets=(Path("best.net"),), rules=("tablutzero", "mcgill"))
    lines = tuple(
        Line(rules, "tablut-fast 60", rules == "tablutzero", plies, counts)
        for rules in settings.rules
        for plies in (0, 4)
    )
    return Results(found, {"fast--paper": met}, BalanceResult("fast", 60, settings, lines), FULL.protocol)
