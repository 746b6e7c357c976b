"""The Cathedral paper's tables as text and as pictures: published and ours, and verdicts on the paper's claims."""

import dataclasses
import itertools
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from boardwright import __version__
from boardwright.learn.run.metrics import History
from boardwright.papers import report as parts
from boardwright.papers.cathedral import claims
from boardwright.papers.cathedral.claims import (
    CELLS,
    CURVES,
    TRAININGS,
    Cell,
    Decided,
    Results,
    cell_of,
    labels_of,
    targets,
    verdicts,
)
from boardwright.papers.cathedral.runs import Work
from boardwright.papers.report import Rows
from boardwright.stats.score import Interval, over_seeds
from boardwright.views.chart import Chart, Line

GAMES = "selfplay/games"  # the metric: games that ended in an iteration


def page(results: Results, work: Work, command: str) -> tuple[str, dict[str, Chart]]:
    """The page and its charts by name of a file."""
    charts, decided, seeds = curves(results), verdicts(results), _seeds(len(work.seeds))
    played_on = sorted({one.device for cell in results.played.values() for one in cell if one.device is not None})
    games = f"{work.games:,} games per cell and seed (fewer against simple players)"
    devices = " and ".join(played_on) or "devices not recorded"
    tables = (
        f"### {name[0].upper()}{name[1:]}\n\n{parts.table(_cells(results, list(cells)))}"
        for name, cells in itertools.groupby(CELLS, key=lambda cell: cell.table)
    )
    variants: Rows = [("method", "runs", "published", "ours")]
    for variant, words in claims.VARIANTS.items():
        runs = ", ".join(name for name, training in TRAININGS.items() if training.variant == variant)
        variants.append((f"variant: {variant}", runs, words["published"], words["ours"]))
    text = parts.fill_template(
        __file__,
        command=command,
        setting=f"rule set `{claims.RULES}`, {games}, on {devices}, boardwright {__version__}",
        note=parts.quick_note("small nets, few games, little training") if work.quick else "",
        seeds=seeds,
        seeds_of_longest=_seeds(len(TRAININGS["dqn"].seeds(work.seeds))),
        seeds_of_ours=_seeds(len(TRAININGS["dqn-best"].seeds(work.seeds))),
        variants=parts.table(variants),
        findings=parts.table(_findings(decided)),
        gain=parts.GAIN,
        in_short=_in_short(decided, seeds),
        targets=parts.table(_targets(results)),
        tables="\n\n".join(tables),
        vae=_reconstruction(results.histories["vae"]),
        runs=parts.table(_runs(results)),
        curves=parts.pictures(charts),
    )
    return text, charts


def summary(results: Results) -> list[str]:
    """Lines for the terminal: the verdicts."""
    return [f"{one.claim}: {one.verdict}{one.note and f', {one.note}'}" for one in verdicts(results)]


def to_json(results: Results) -> dict[str, Any]:
    """`{findings: [{claim, words, verdict, note, figure, low, high, one_seed_more}], targets: [{…, score, met}]}`."""
    findings = []
    for one in verdicts(results):
        fields = {name: getattr(one, name) for name in ("claim", "words", "verdict", "note")}
        if one.figure is not None:
            fields["figure"] = one.figure.mean
            if one.figure.is_bounded:
                fields |= {"low": one.figure.low, "high": one.figure.high}
            if one.single is not None and one.single.is_bounded:
                fields["one_seed_more"] = [one.single.low, one.single.high]
        findings.append(fields)
    reached = [
        dataclasses.asdict(target) | {"score": score.mean, "low": score.low, "high": score.high, "met": met}
        for target, score, met in targets(results)
    ]
    return {"findings": findings, "targets": reached}


def curves(results: Results) -> dict[str, Chart]:
    """By name of a file: lines are means over seeds, bands reach from the lowest seed to the highest."""
    charts = {}
    for curve in CURVES:
        lines = [
            _line(run, histories, curve.metric, place)
            for place, run in enumerate(curve.runs)
            if (histories := results.histories.get(run))
            and all({curve.metric, GAMES} <= history.scalars.keys() for history in histories)
        ]
        if lines:
            charts[curve.name] = Chart(curve.title, "games", curve.axis, tuple(lines), x_includes=(0.0,))
    return charts


def _line(run: str, histories: Sequence[History], metric: str, colour: int) -> Line:
    """A metric of a run by games that had ended."""
    iterations = histories[0].scalars[metric].iterations
    values = np.stack([history.scalars[metric].values for history in histories])  # [seeds, points]
    ended = [
        np.cumsum(games.values)[np.searchsorted(games.iterations, iterations)]
        for games in (history.scalars[GAMES] for history in histories)
    ]
    low, high = (values.min(axis=0).tolist(), values.max(axis=0).tolist()) if len(histories) > 1 else ((), ())
    return Line(run, np.mean(ended, axis=0).tolist(), values.mean(axis=0).tolist(), low, high, colour=colour)


def _seeds(count: int) -> str:
    return "1 seed" if count == 1 else f"{count} seeds"


def _findings(verdicts: Sequence[Decided]) -> Rows:
    rows: Rows = [("the paper says", "ours", "over seeds", "single runs", "published: won", "method", "verdict")]
    for decided in verdicts:
        figure = decided.figure
        ours = "not measured" if figure is None else f"{decided.words}: {figure.mean:.3f}"
        bounds = ["" if one is None else _bounds(one) for one in (figure, decided.single)]
        published = "" if decided.cell is None else _figures(decided.cell.wins)
        verdict = f"**{decided.verdict}**{decided.note and f', {decided.note}'}"
        rows.append((decided.claim, ours, *bounds, published, labels_of(*decided.runs), verdict))
    return rows


def _in_short(verdicts: Sequence[Decided], seeds: str) -> str:
    """The claims by verdict, those on the paper's own methods apart from those on our variants."""
    lines = []
    introduced = {parts.HOLDS: "Holds", parts.FAILS: "Does not hold", parts.OPEN: f"Not decided by {seeds}"}
    for verdict, words in introduced.items():
        for scope in sorted({bool(decided.note) for decided in verdicts}):
            found = [one.claim for one in verdicts if one.verdict == verdict and bool(one.note) == scope]
            if found:
                lines.append(f"* {words}{', for our variant' * scope}: {'; '.join(found)}.")
    if all(decided.note for decided in verdicts):
        lines.append("* Of the paper's own methods: no verdict, since they were not run.")
    return "\n".join(lines)


def _targets(results: Results) -> Rows:
    rows: Rows = [("player", "against", "target", "score", "over games", "over seeds", "method", "")]
    for target, score, reached in targets(results):
        least = f"above {target.least:g} over games" if target.surely else f"{target.least:g}"
        seeds = over_seeds(results.shares(cell_of(target.first, target.second)), is_share=True)
        figures = (f"{score.mean:.3f}", _bounds(score), _bounds(seeds), labels_of(target.first, target.second))
        rows.append((target.first, target.second, least, *figures, "met" if reached else "**NOT MET**"))
    return rows


def _cells(results: Results, cells: list[Cell]) -> Rows:
    ours = ("won / drawn / lost", "score", "over games", "over seeds", "as light / dark", "reward")
    rows: Rows = [("player", "against", *ours, "published: won", "published: reward", "method")]
    for cell in cells:
        played, total = results.played[cell.name], results.total(cell)
        by_role = [fmean(one.as_role(role).share for one in played) for role in (0, 1)]
        rewards = [one.rewards for one in played if one.rewards is not None]
        sides = (0, 1) if len(cell.wins) > 1 else (0,)  # those whose figures are published
        rows.append(
            (
                _player(cell.first, cell),
                _player(cell.second, cell),
                " / ".join(f"{100 * (count / total.games):.1f}" for count in (total.wins, total.draws, total.losses))
                + " %",
                f"{total.share:.3f}",
                _bounds(total.interval),
                _bounds(over_seeds(results.shares(cell), is_share=True)),
                _figures(by_role),
                _figures([over_seeds([pair[side] for pair in rewards]).mean for side in sides] if rewards else ()),
                _figures(cell.wins),
                _figures(cell.rewards),
                labels_of(cell.first, cell.second),
            )
        )
    return rows


def _player(name: str, cell: Cell) -> str:
    """A player's name, and how it draws its moves where it is a net that does."""
    draws = cell.temperature and name != claims.RANDOM
    return f"{name} at temperature {cell.temperature:g}" if draws else name


def _reconstruction(histories: Sequence[History]) -> dict[str, str]:
    """By metric of the VAE, on boards of validation games: its value and interval."""
    found = {}
    for metric in ("reconstruction", "all_zeros", "occupied", "bce", "kl"):
        values = [float(history.scalars[f"validation/{metric}"].values[-1]) for history in histories]
        figure = over_seeds(values, is_share=metric not in ("bce", "kl"))
        found[metric] = f"{figure.mean:.3f} | {_bounds(figure)}"
    return found


def _runs(results: Results) -> Rows:
    rows: Rows = [("run", "what it is", "method", "preset", "seeds", "games", "on", "minutes", "published: time")]
    for name, histories in results.histories.items():
        training = TRAININGS[name]
        games = [history.scalars[GAMES].values.sum() for history in histories if GAMES in history.scalars]
        seconds = over_seeds([float(history.scalars["speed/seconds"].values.sum()) for history in histories])
        published = claims.TRAINING_TIME if training.method == "dqn" else parts.NOT_REPORTED
        rows.append(
            (
                name,
                training.words,
                training.label,
                f"{training.method} {training.preset}",
                f"{len(histories)}",
                f"{np.mean(games):,.0f}" if games else "",
                ", ".join(sorted({device for history in histories for device in history.devices})),
                f"{seconds.mean / 60:.1f}",
                "" if training.variant == claims.OWN else published,
            )
        )
    return rows


def _bounds(figure: Interval) -> str:
    return f"[{figure.low:.3f}, {figure.high:.3f}]" if figure.is_bounded else "one seed"


def _figures(values: Sequence[float]) -> str:
    return " / ".join(f"{value:.3f}" for value in values)
