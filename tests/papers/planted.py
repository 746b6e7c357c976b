"""Results of the Cathedral paper's tables that were made up."""

import numpy as np

from boardwright.learn.run.metrics import History, Series
from boardwright.papers.cathedral.claims import CELLS, TRAININGS, Played, Results

VAE = {
    "validation/reconstruction": 0.95,
    "validation/all_zeros": 0.91,
    "validation/occupied": 0.6,
    "validation/bce": 30.0,
    "validation/kl": 12.0,
}


def played(score: float, games: int = 1000) -> Played:
    """Games of a score, the same in both roles."""
    half = games // 2
    wins = round(half * score)
    return Played((wins, wins), (0, 0), (half - wins, half - wins), (2 * score, 2 - 2 * score))


def history(strengths: list[float], **scalars: float) -> History:
    """A run of a number of iterations."""
    iterations = np.arange(1, len(strengths) + 1)
    columns = {"evaluation/random": strengths, "selfplay/games": [100.0] * len(strengths)}
    columns |= {"speed/seconds": [30.0] * len(strengths), "selfplay/mean_reward": strengths}
    columns |= {name: [value] * len(strengths) for name, value in scalars.items()}
    found = {name: Series(iterations, 10 * iterations, np.array(values)) for name, values in columns.items()}
    return History(found, ())


def calm(level: float = 0.95, swing: float = 0.0) -> History:
    """A run that reaches a level and then oscillates around it."""
    return history([0.5, 0.6, 0.9, *(level + swing * (-1) ** number for number in range(7))])


def planted(seeds: int = 4, **scores: list[float]) -> Results:
    """Results in which every run scores one half, except in cells named FIRST_SECOND."""
    cells = {}
    for cell in CELLS:
        key = f"{cell.first}_{cell.second}".replace("-", "")
        cells[cell.name] = tuple(played(score) for score in scores.get(key, [0.5] * seeds))
    histories = {
        training.name: tuple(history([0.5], **VAE) if training.method == "vae" else calm() for _ in range(seeds))
        for training in TRAININGS.values()
    }
    return Results(cells, histories)
