"""The draughts paper's claims and our figures, as text and as pictures."""

import math
from typing import Any

from boardwright import __version__
from boardwright.games.draughts.endgames.tablebase import Tablebase
from boardwright.learn.reporting import figures
from boardwright.papers.draughtszero.runs import OURS, PRESET, Results, Work
from boardwright.papers.report import Rows, fill_template, pictures, quick_note, table
from boardwright.views.chart import Chart

CURVES = ("loss-policy", "loss-value", "outcomes", "gating", "elo")  # of `learn.figures`


def page(results: Results, work: Work, command: str) -> tuple[str, dict[str, Chart]]:
    """The page and its charts by name of a file."""
    known = {figure.name: figure for figure in figures.FIGURES}
    drawn = {f"draughts-{name}": figures.chart(known[name], {PRESET: results.history}) for name in CURVES}
    charts = {name: chart for name, chart in drawn.items() if chart is not None}
    setting = (
        f"{work.games} games per match, {work.positions} endings per row, {work.simulations} simulations per move "
        f"where nets search, boardwright {__version__}"
    )
    claims = [(one.claim, one.ours, f"{one.verdict}: {one.note}") for one in results.claims()]
    config, scalars = work.config(), results.history.scalars
    scores = map(results.score, results.matches)
    matches = [
        (f"`{opponent}`", *map(str, counts), f"{score.mean:.3f}", f"{score.low:.3f}–{score.high:.3f}")
        for (opponent, counts), score in zip(results.matches.items(), scores, strict=True)
    ]
    text = fill_template(
        __file__,
        command=command,
        setting=setting,
        note=quick_note("a small net, few games, little training") if work.quick else "",
        preset=PRESET,
        claims=table([("the paper says", "ours", "verdict"), *claims]),
        **{group: getattr(config, group) for group in ("net", "search", "learner", "gating")},
        games=int(scalars["selfplay/games"].values.sum()),
        minutes=float(scalars["speed/seconds"].values.sum()) / 60,
        device=", ".join(results.history.devices),
        matches=table([("against", "won", "drawn", "lost", "score", "95 % interval"), *matches]),
        pieces=Tablebase(work.tables).pieces,
        endings=table(_endings(results)),
        promotions=_promotions(results),
        curves=pictures(charts),
    )
    return text, charts


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


def _endings(results: Results) -> Rows:
    rows: Rows = [("net", "plays with", "pieces", "won", "95 % interval", "spoiled", "unconverted", "plies", "best")]
    for (net, asked), found in results.endings.items():
        for one in found:
            lengths = ("–" if math.isnan(plies) else f"{plies:.1f}" for plies in (one.plies, one.best))
            bounds = f"{100 * one.share.low:.0f}–{100 * one.share.high:.0f} %"
            won = f"{one.won} of {one.endings}"
            counts = (str(one.pieces), won, bounds, str(one.spoiled), str(one.nowhere))
            rows.append(("this run's" if net == OURS else net, asked, *counts, *lengths))
    return rows


def _promotions(results: Results) -> str:
    scalars = results.history.scalars
    if "gating/promoted" not in scalars:
        return "No candidate has played the reference yet."
    scores, promoted = scalars["gating/score"], scalars["gating/promoted"].values
    met = [
        f"{iteration}: {score:.2f}{' (promoted)' if taken else ''}"
        for iteration, score, taken in zip(scores.iterations, scores.values, promoted, strict=True)
    ]
    return f"Score of the candidate against the reference by iteration: {', '.join(met)}."
