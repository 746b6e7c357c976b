"""The figures of a run, as the papers draw them: which metrics each shows, and how they become charts.

Runs are drawn over each other, by frames, iterations or minutes of devices. A figure none of whose metrics a run has
is left out, and metrics that no figure names are nobody's business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boardwright.learn.run.metrics import History, Series
from boardwright.views.chart import Chart, Line


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure."""

    name: str  # of its file
    title: str
    y_label: str
    scalars: Mapping[str, str]  # what it shows: metrics, and what the legend calls them
    band: tuple[str, str] | None = None  # metrics between which the truth lies, for figures of one scalar
    rolling: bool = False  # the mean of iterations around, with what was measured faint behind it
    includes: tuple[float, ...] = ()  # values the y axis shows in any case


def _loss(what: str, y_label: str = "loss") -> Figure:
    name, title = f"loss-{what.replace('_', '-')}", f"Loss: {what.replace('_', ' ')}"
    return Figure(name=name, title=title, y_label=y_label, scalars={f"loss/{what}": what}, rolling=True)


FIGURES = (
    Figure(
        name="elo",
        title="Strength",
        y_label="Elo",
        scalars={"evaluation/elo": "Elo"},
        band=("evaluation/elo_low", "evaluation/elo_high"),
    ),
    Figure(
        name="against-random",
        title="Score against the random player",
        y_label="score",
        scalars={"evaluation/random": "score"},
        includes=(0.0, 1.0),
    ),
    Figure(
        name="outcomes",
        title="Outcomes of self-play",
        y_label="share of games",
        scalars={
            "selfplay/role0_wins": "role 0 wins",
            "selfplay/role1_wins": "role 1 wins",
            "selfplay/draws": "draws",
        },
        rolling=True,
        includes=(0.0, 1.0),
    ),
    _loss("total"),
    _loss("policy"),
    _loss("value"),
    _loss("l2"),
    _loss("ownership"),
    _loss("margin"),
    _loss("plies_left"),
    Figure(
        name="entropy",
        title="Entropy of the policy searched",
        y_label="nats",
        scalars={"selfplay/entropy": "entropy"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="pieces-left",
        title="Pieces left at the end",
        y_label="pieces",
        scalars={"selfplay/pieces_left": "pieces left"},
        rolling=True,
    ),
    Figure(
        name="plies",
        title="Length of games",
        y_label="plies",
        scalars={"selfplay/plies": "plies"},
        rolling=True,
    ),
    Figure(
        name="search-depth",
        title="Depth of search",
        y_label="actions",
        scalars={"selfplay/search_depth": "depth"},
        rolling=True,
    ),
    Figure(
        name="root-value",
        title="Value the search found",
        y_label="value for the role to move",
        scalars={"selfplay/root_value": "value"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="speed",
        title="Speed",
        y_label="frames a second",
        scalars={"speed/frames_per_second": "frames a second"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="gating",
        title="Score against the best net before",
        y_label="score",
        scalars={"gating/score": "score"},
        includes=(0.5,),
    ),
    Figure(
        name="learning-rate",
        title="Learning rate",
        y_label="rate",
        scalars={"learning_rate": "rate"},
        includes=(0.0,),
    ),
    Figure(
        name="vae-loss",
        title="Boards learned from and held back",
        y_label="nats a board",
        scalars={
            "loss/bce": "cross-entropy",
            "validation/bce": "cross-entropy, held back",
            "loss/kl": "divergence",
            "validation/kl": "divergence, held back",
        },
    ),
    Figure(
        name="reconstruction",
        title="Cells drawn right, of boards held back",
        y_label="share of cells",
        scalars={
            "validation/reconstruction": "all cells",
            "validation/all_zeros": "all cells, if everything is called empty",
            "validation/occupied": "occupied cells",
        },
        includes=(1.0,),
    ),
    Figure(
        name="ppo-updates",
        title="How far updates moved the policy",
        y_label="share of decisions, nats",
        scalars={"ppo/clip_share": "moved beyond the clip", "ppo/kl": "divergence"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="explained-variance",
        title="Variance of returns that values foretold",
        y_label="share",
        scalars={"ppo/explained_variance": "explained"},
        rolling=True,
        includes=(0.0, 1.0),
    ),
    Figure(
        name="against-opponent",
        title="Score against the opponent learned from",
        y_label="score",
        scalars={"league/role0_score": "in role 0", "league/role1_score": "in role 1"},
        rolling=True,
        includes=(0.5,),
    ),
    Figure(
        name="policy-entropy",
        title="Entropy of the policy learned",
        y_label="nats",
        scalars={"loss/entropy": "entropy"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="rewards",
        title="Rewards of a game",
        y_label="reward",
        scalars={"selfplay/mean_reward": "in training", "evaluation/random_reward": "against a random player"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="exploration",
        title="Exploration",
        y_label="epsilon or temperature",
        scalars={"exploration/epsilon": "epsilon", "exploration/boltzmann": "temperature"},
        includes=(0.0,),
    ),
    Figure(
        name="q-values",
        title="Value seen in the best action",
        y_label="discounted rewards",
        scalars={"selfplay/mean_q": "value"},
        rolling=True,
        includes=(0.0,),
    ),
    Figure(
        name="td-error",
        title="Error of Q-values before they are learned",
        y_label="absolute error",
        scalars={"loss/error": "error"},
        rolling=True,
        includes=(0.0,),
    ),
)
X_LABELS = {"frames": "frames", "iterations": "iterations", "minutes": "device minutes of self-play and learning"}
_LEAST_WINDOW, _WINDOW_SHARE = 5, 0.05  # of a rolling mean: iterations, share of the run


def chart(figure: Figure, runs: Mapping[str, History], x: str = "frames") -> Chart | None:
    """A figure of several runs by name over one of `X_LABELS`, or None where none of them has what it shows."""
    lines: list[Line] = []
    for place, (run, history) in enumerate(runs.items()):
        for part, (metric, words) in enumerate(figure.scalars.items()):
            if metric not in history.scalars:
                continue
            names = [run] * (len(runs) > 1) + [words] * (len(figure.scalars) > 1)
            # One run tells its metrics apart by colour, several runs use the colour for the run.
            colour, dash = (part, 0) if len(runs) == 1 else (place, part)
            lines += _lines(figure, metric, history, x, ": ".join(names), colour, dash)
    if not lines:
        return None
    return Chart(figure.title, X_LABELS[x], figure.y_label, tuple(lines), x_includes=(0.0,), y_includes=figure.includes)


def minutes(history: History, iterations: np.ndarray) -> list[float]:
    """[N] of iterations [N]: device minutes the run had used at the end of each; NaN where it has not measured that."""
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
        window = max(_LEAST_WINDOW, round(_WINDOW_SHARE * len(ys)) | 1)
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
