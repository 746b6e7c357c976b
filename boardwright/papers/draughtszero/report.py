"""The draughts paper's claims and our figures, as text and as pictures."""

import math
from typing import Any

from boardwright import __version__
from boardwright.games.draughts.endgames.conversion import Conversion
from boardwright.games.draughts.endgames.tablebase import Tablebase
from boardwright.learn.reporting import figures
from boardwright.papers.draughtszero.claims import NAME, OURS, PRESET, SETUP, TITLE
from boardwright.papers.draughtszero.results import Results
from boardwright.papers.draughtszero.runs import Work
from boardwright.papers.report import Rows, head, pictures, table
from boardwright.views.chart import Chart

CURVES = ("loss-policy", "loss-value", "outcomes", "gating", "elo")  # of `learn.figures`


def curves(results: Results) -> dict[str, Chart]:
    """By name of a file."""
    known = {figure.name: figure for figure in figures.FIGURES}
    drawn = {f"{NAME}-{name}": figures.chart(known[name], {PRESET: results.history}) for name in CURVES}
    return {name: chart for name, chart in drawn.items() if chart is not None}


def page(results: Results, work: Work, command: str) -> tuple[str, dict[str, Chart]]:
    """The page and its charts by name of a file."""
    charts = curves(results)
    setting = (
        f"{work.games} games a match, {work.positions} endings a row, {work.simulations} simulations a move "
        f"where nets search, boardwright {__version__}"
    )
    most = Tablebase(work.tables).pieces
    proven_by = f"proven by tables to {most} pieces, beyond them by alpha-beta that reaches them by force"
    parts = head(TITLE, command, setting, quick="a small net, few games, little training" if work.quick else "")
    parts += [f"The run is of `{PRESET}`, our variant of the paper's method; the set-up lists the differences.", ""]
    parts += ["## Verdicts", "", *table(_claims(results)), ""]
    parts += ["## Set-up", "", *table(_setup(results, work)), "", "## Matches", ""]
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
    return "\n".join([*parts, *pictures([f"{name}.svg" for name in charts])]), charts


def summary(results: Results) -> list[str]:
    """Lines for the terminal: the verdicts."""
    return [f"{one.claim}: {one.ours}: {one.verdict}: {one.note}" for one in results.claims()]


def to_json(results: Results) -> dict[str, Any]:
    """`{claims: [{claim, ours, verdict, note}], endings: [{net, asked, pieces, won, positions}]}`."""
    endings = [
        {"net": net, "asked": asked, "pieces": one.pieces, "won": one.won, "positions": one.endings}
        for (net, asked), found in results.endings.items()
        for one in found
    ]
    return {"claims": [claim._asdict() for claim in results.claims()], "endings": endings}


def _claims(results: Results) -> Rows:
    rows = [(one.claim, one.ours, f"{one.verdict}: {one.note}") for one in results.claims()]
    return [("the paper says", "ours", "verdict"), *rows]


def _setup(results: Results, work: Work) -> Rows:
    """The set-up of the paper and ours, with the settings and totals of this run."""
    scalars = results.history.scalars
    numbers = {
        **{group: getattr(work.config(), group) for group in ("net", "search", "learner", "gating")},
        "games": int(scalars["selfplay/games"].values.sum()),
        "minutes": float(scalars["speed/seconds"].values.sum()) / 60,
        "device": ", ".join(results.history.devices),
    }
    rows = [(what, published, ours.format(**numbers), difference) for what, published, ours, difference in SETUP]
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
