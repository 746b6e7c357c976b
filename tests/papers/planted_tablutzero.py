"""Runs of the Tablut paper that were made up, as folders and as results."""

from pathlib import Path

from boardwright.learn import configfile, settings
from boardwright.learn.config import AlphaZeroConfig
from boardwright.learn.metrics import Metrics
from boardwright.learn.presets import PRESETS
from boardwright.papers.tablutzero import training_of

SECONDS = 30.0  # of an iteration
BY_ITS_OWN_MEASURE = ("evaluation.first=5", "evaluation.simulations=32")  # our run's here, not the paper's


def config_of(name: str, *changes: str) -> AlphaZeroConfig:
    """Of a run by its name."""
    own = BY_ITS_OWN_MEASURE if name == "fast" else ()
    return settings.apply(PRESETS[training_of(name).preset], [*own, *changes])


def plant(
    runs: Path, name: str, *changes: str, done: int | None = None, odds: float = 10.0, by_steps: bool = False
) -> Path:
    """A run's settings and metrics, and no more: every net that is evaluated beats the untrained one so many to one,
    or the one evaluated before it.
    """
    config = config_of(name, *changes)
    folder = runs / training_of(name).preset
    folder.mkdir(parents=True)
    configfile.keep(folder, "alphazero", config)
    done = config.iterations if done is None else done
    other = 0
    with Metrics(folder) as metrics:
        for iteration in range(1, done + 1):
            share = iteration / config.iterations
            told = {
                "selfplay/games": 100,
                "selfplay/role0_wins": 0.5 + 0.2 * share,
                "selfplay/role1_wins": 0.4 - 0.2 * share,
                "selfplay/draws": 0.1,
                "selfplay/entropy": 3.0 - 1.5 * share,
                "selfplay/pieces_left": 22 - 7 * share,
                "speed/seconds": SECONDS,
            }
            metrics.log(iteration, 1000 * iteration, told)
            if iteration >= config.evaluation.first and (iteration - config.evaluation.first) % 5 == 0:
                won = round(1000 * odds / (1 + odds))
                metrics.log_match(iteration, iteration, other, won, 0, 1000 - won, 50_000)
                metrics.log_match(iteration, other, iteration, 1000 - won, 0, won, 50_000)
                other = iteration if by_steps else 0
    return folder
