"""The draughts paper's claims and our figures, as text and as pictures."""

import math
from collections.abc import Sequence

from boardwright.learn.alphazero.config import AlphaZeroConfig
from boardwright.learn.reporting import figures
from boardwright.papers.draughtszero.runs import NAME, OURS, PRESET, SETUP, TITLE, Conversion, Results
from boardwright.papers.markdown import Rows, table
from boardwright.views.chart import Chart

CURVES = ("loss-policy", "loss-value", "outcomes", "gating", "elo")  # of `learn.figures`


def curves(results: Results) -> dict[str, Chart]:
    """By name of a file."""
    known = {figure.name: figure for figure in figures.FIGURES}
    drawn = {f"{NAME}-{name}": figures.chart(known[name], {PRESET: results.history}) for name in CURVES}
    return {name: chart for name, chart in drawn.items() if chart is not None}


def markdown(
    results: Results,
    config: AlphaZeroConfig,
    *,
    command: str,
    setting: str,
    quick: bool,
    proven_by: str,
    pictures: Sequence[str],
) -> str:
    """The report that is kept; `pictures` are the names of the plots beside it."""
    parts = [f"# {TITLE}", "", f"Made by `{command}`: {setting}.", ""]
    if quick:
        parts += [
            "**This is a quick look**: a small net, few games, little training. It shows that everything works, and",
            "is no evidence for or against the paper.",
            "",
        ]
    parts += [f"The run is of `{PRESET}`, our variant of the paper's method; the set-up lists the differences.", ""]
    parts += ["## Verdicts", "", *table(_claims(results)), ""]
    parts += ["## Set-up", "", *table(_setup(results, config)), "", "## Matches", ""]
    parts += ["Our net with search and tables, ballots with both colours; intervals count games.", ""]
    parts += [*table(_matches(results)), ""]
    parts += [
        "## Won endings",
        "",
        "As by `boardwright endings`: random positions, no side more than one piece ahead, proven wins of 15 plies",
        f"or more, {proven_by}. The defender does not err where tables know. Spoiled: won no longer.",
        "Nowhere: drawn by the rules, those that the net learned, though still won.",
        "",
        *table(_endings(results)),
        "",
        "## Promotions",
        "",
        _promotions(results),
        "",
        "## Learning curves",
        "",
    ]
    for picture in pictures:
        parts += [f"![{picture.removesuffix('.svg').replace('-', ' ')}]({picture})", ""]
    return "\n".join(parts)


def _claims(results: Results) -> Rows:
    rows = [(one.claim, one.ours, f"{one.verdict}: {one.note}") for one in results.claims()]
    return [("the paper says", "ours", "verdict"), *rows]


def _setup(results: Results, config: AlphaZeroConfig) -> Rows:
    scalars = results.history.scalars
    numbers = {
        "blocks": config.net.blocks,
        "width": config.net.width,
        "hidden": config.net.value_hidden,
        "c": config.search.pb_c_init,
        "simulations": config.search.simulations[0],
        "alpha": config.search.dirichlet_alpha,
        "share": config.search.dirichlet_fraction,
        "warm": config.search.temperature_plies,
        "rate": config.learner.lr_peak,
        "batch": config.learner.batch_size,
        "gates": config.gating.games,
        "every": config.gating.every,
        "least": config.gating.threshold,
        "games": int(scalars["selfplay/games"].values.sum()),
        "minutes": float(scalars["speed/seconds"].values.sum()) / 60,
        "device": ", ".join(results.history.devices),
    }
    rows = [(what, published, ours.format_map(numbers), difference) for what, published, ours, difference in SETUP]
    return [("", "published", "ours", "difference"), *rows]


def _matches(results: Results) -> Rows:
    rows: Rows = [("against", "won", "drawn", "lost", "score", "95 % between")]
    for opponent, counts in results.matches.items():
        score = results.score(opponent)
        bounds = f"{score.low:.3f}–{score.high:.3f}"
        rows.append((f"`{opponent}`", *map(str, counts), f"{score.mean:.3f}", bounds))
    return rows


def _endings(results: Results) -> Rows:
    rows: Rows = [("net", "asked", "pieces", "won", "95 % between", "spoiled", "nowhere", "plies", "best")]
    for (net, asked), found in results.endings.items():
        name = "this run's" if net == OURS else net
        rows += [(name, asked, str(one.pieces), *_figures(one)) for one in found]
    return rows


def _figures(one: Conversion) -> tuple[str, ...]:
    lengths = tuple("–" if math.isnan(plies) else f"{plies:.1f}" for plies in (one.plies, one.best))
    bounds = f"{100 * one.share.low:.0f}–{100 * one.share.high:.0f} %"
    return (f"{one.won} of {one.endings}", bounds, str(one.spoiled), str(one.nowhere), *lengths)


def _promotions(results: Results) -> str:
    scalars = results.history.scalars
    if "gating/promoted" not in scalars:
        return "No candidate met the reference."
    scores, promoted = scalars["gating/score"], scalars["gating/promoted"].values
    met = [
        f"{iteration}: {score:.2f}{' (promoted)' if taken else ''}"
        for iteration, score, taken in zip(scores.iterations, scores.values, promoted, strict=True)
    ]
    return f"Score of the candidate against the reference by iteration: {', '.join(met)}."
