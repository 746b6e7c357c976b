"""Ratings of a run's nets, brought up to date after every contest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from boardwright.learn.run.metrics import Match, Metrics

# All matches so far -> (elo, low, high) of the difference to iteration 0, by iteration of the net.
Rate = Callable[[Sequence[Match]], Mapping[int, tuple[float, float, float]]]


def rated(metrics: Metrics, done: int, rate: Rate) -> dict[str, float]:
    """The rating of an iteration's net, empty where no games connect it with iteration 0; updates earlier ones."""
    history = metrics.read()
    ratings = rate(history.matches)
    moves = history.scalars["selfplay/moves"]
    frames_at = dict(zip(moves.iterations.tolist(), moves.frames.tolist(), strict=True))
    names = ("evaluation/elo", "evaluation/elo_low", "evaluation/elo_high")
    by_iteration: dict[int, dict[str, float]] = {
        iteration: dict(zip(names, numbers, strict=True)) for iteration, numbers in ratings.items()
    }
    for iteration, scalars in by_iteration.items():
        if iteration != done:
            metrics.correct(iteration, frames_at.get(iteration, 0), scalars)
    return by_iteration.get(done, {})
