"""The figures of a run, as the papers draw them: the metrics that each shows, and how they become charts.

Runs are drawn over each other, by frames, iterations or GPU-minutes. A figure is left out if a run has none of its
metrics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boardwright.learn.run.metrics import History, Series
from boardwright.views.chart import Chart, Line


@dataclass(frozen=True)
class Figure:
    """One figure."""

    name: str  # of its file
    title: str
    y_label: str
    scalars: Mapping[str, str]  # metrics, and their names in the legend
    includes: tuple[float, ...] = ()  # values that the y axis always shows
    rolling: bool = True  # the rolling mean over iterations, with the measured values faint behind it
    band: tuple[str, str] | None = None  # metrics of the bounds of an interval, for figures of one scalar


def _loss(what: str) -> Figure:
    words = what.replace("_", " ")
    return Figure(f"loss-{words.replace(' ', '-')}", f"Loss: {words}", "loss", {f"loss/{what}": what})


_OUTCOMES = {"selfplay/role0_wins": "role 0 wins", "selfplay/role1_wins": "role 1 wins", "selfplay/draws": "draws"}
_VAE_LOSSES = {
    "loss/bce": "cross-entropy",
    "validation/bce": "cross-entropy, validation",
    "loss/kl": "divergence",
    "validation/kl": "divergence, validation",
}
_RECONSTRUCTION = {
    "validation/reconstruction": "all cells",
    "validation/all_zeros": "all cells, if all are predicted empty",
    "validation/occupied": "occupied cells",
}
_REWARDS = {"selfplay/mean_reward": "in training", "evaluation/random_reward": "against a random player"}
_EXPLORATION = {"exploration/epsilon": "epsilon", "exploration/boltzmann": "temperature"}
_OPPONENT = {"league/role0_score": "in role 0", "league/role1_score": "in role 1"}
_UPDATES = {"ppo/clip_share": "beyond the clip range", "ppo/kl": "divergence"}
_ELO_BAND = ("evaluation/elo_low", "evaluation/elo_high")

FIGURES = (
    Figure("elo", "Strength", "Elo", {"evaluation/elo": "Elo"}, rolling=False, band=_ELO_BAND),
    Figure("against-random", "Score against the random player", "score", {"evaluation/random": "score"}, (0, 1), False),
    Figure("outcomes", "Outcomes of self-play", "share of games", _OUTCOMES, (0, 1)),
    *map(_loss, ("total", "policy", "value", "l2", "ownership", "margin", "plies_left")),
    Figure("entropy", "Entropy of the policy searched", "nats", {"selfplay/entropy": "entropy"}, (0,)),
    Figure("pieces-left", "Pieces left at the end", "pieces", {"selfplay/pieces_left": "pieces left"}),
    Figure("plies", "Length of games", "plies", {"selfplay/plies": "plies"}),
    Figure("search-depth", "Depth of search", "actions", {"selfplay/search_depth": "depth"}),
    Figure("root-value", "Root value", "value for the role to move", {"selfplay/root_value": "value"}, (0,)),
    Figure("speed", "Speed", "frames per second", {"speed/frames_per_second": "frames per second"}, (0,)),
    Figure("gating", "Score against the reference net", "score", {"gating/score": "score"}, (0.5,), False),
    Figure("learning-rate", "Learning rate", "rate", {"learning_rate": "rate"}, (0,), False),
    Figure("vae-loss", "Losses of the auto-encoder", "nats per board", _VAE_LOSSES, rolling=False),
    Figure("reconstruction", "Reconstructed cells, validation", "share of cells", _RECONSTRUCTION, (1,), False),
    Figure("ppo-updates", "Change of the policy by updates", "share of decisions, nats", _UPDATES, (0,)),
    Figure("explained-variance", "Explained variance", "share", {"ppo/explained_variance": "explained"}, (0, 1)),
    Figure("against-opponent", "Score against the opponent in training", "score", _OPPONENT, (0.5,)),
    Figure("policy-entropy", "Entropy of the policy learned", "nats", {"loss/entropy": "entropy"}, (0,)),
    Figure("rewards", "Rewards of a game", "reward", _REWARDS, (0,)),
    Figure("exploration", "Exploration", "epsilon or temperature", _EXPLORATION, (0,), False),
    Figure("q-values", "Q-value of the best action", "discounted rewards", {"selfplay/mean_q": "value"}, (0,)),
    Figure("td-error", "Temporal-difference error", "absolute error", {"loss/error": "error"}, (0,)),
)
X_LABELS = {"frames": "frames", "iterations": "iterations", "minutes": "GPU-minutes of self-play and learning"}
_MIN_WINDOW, _WINDOW_SHARE = 5, 0.05  # of a rolling mean: iterations, share of the run


def chart(figure: Figure, runs: Mapping[str, History], x: str = "frames") -> Chart | None:
    """A figure of several runs by name over one of `X_LABELS`, or None if they have none of its metrics."""
    lines: list[Line] = []
    for place, (run, history) in enumerate(runs.items()):
        for part, (metric, words) in enumerate(figure.scalars.items()):
            if metric not in history.scalars:
                continue
            names = [run] * (len(runs) > 1) + [words] * (len(figure.scalars) > 1)
            # In one run a colour is a metric, in several it is a run.
            colour, dash = (part, 0) if len(runs) == 1 else (place, part)
            lines += _lines(figure, metric, history, x, ": ".join(names), colour, dash)
    if not lines:
        return None
    return Chart(figure.title, X_LABELS[x], figure.y_label, tuple(lines), x_includes=(0.0,), y_includes=figure.includes)


def minutes(history: History, iterations: np.ndarray) -> list[float]:
    """[N] of iterations [N]: GPU-minutes used until the end of each; NaN where that was not measured."""
    used = history.scalars.get("time/device_seconds")
    known = {} if used is None else dict(zip(used.iterations.tolist(), (used.values / 60).tolist(), strict=True))
    return [{0: 0.0, **known}.get(iteration, float("nan")) for iteration in iterations.tolist()]


def rolling_mean(values: Sequence[float] | np.ndarray, window: int) -> np.ndarray:
    """[N] of [N]: the mean of the finite values among the `window`, an odd number, around each; NaN where none is."""
    values = np.asarray(values, np.float64)
    finite = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(finite, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(finite)])
    places = np.arange(len(values))
    starts, ends = np.maximum(places - window // 2, 0), np.minimum(places + window // 2 + 1, len(values))
    count = counts[ends] - counts[starts]
    return np.where(count > 0, (sums[ends] - sums[starts]) / np.maximum(count, 1), np.nan)


def _lines(figure: Figure, metric: str, history: History, x: str, name: str, colour: int, dash: int) -> list[Line]:
    series = history.scalars[metric]
    xs = {"frames": series.frames, "iterations": series.iterations}.get(x)
    xs = minutes(history, series.iterations) if xs is None else xs.tolist()
    ys = [y if np.isfinite(at) else float("nan") for at, y in zip(xs, series.values.tolist(), strict=True)]
    if not np.isfinite(ys).any():
        return []
    if figure.rolling:
        window = max(_MIN_WINDOW, round(_WINDOW_SHARE * len(ys)) | 1)
        mean = rolling_mean(ys, window).tolist()
        raw = Line(name, xs, ys, colour=colour, dash=dash, faint=True)
        return [raw, Line(name, xs, mean, colour=colour, dash=dash)]
    if figure.band is None:
        return [Line(name, xs, ys, colour=colour, dash=dash)]
    low, high = (_matching(history.scalars.get(bound), series) for bound in figure.band)
    return [Line(name, xs, ys, low, high, colour=colour, dash=dash)]


def _matching(bound: Series | None, series: Series) -> list[float]:
    """The values of a bound at the iterations of a series; NaN where it has none."""
    found = {} if bound is None else dict(zip(bound.iterations.tolist(), bound.values.tolist(), strict=True))
    return [found.get(iteration, float("nan")) for iteration in series.iterations.tolist()]
