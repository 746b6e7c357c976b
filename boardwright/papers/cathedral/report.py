"""The Cathedral paper's tables as text and as pictures: published and ours, and verdicts on the paper's claims."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from boardwright import __version__
from boardwright.learn.run.metrics import History
from boardwright.papers.cathedral import claims as tables
from boardwright.papers.cathedral.claims import CELLS, Cell, Figures, cell_of, training_of
from boardwright.papers.cathedral.results import STRENGTH, Decided, Results, targets, verdicts
from boardwright.papers.cathedral.runs import Work
from boardwright.papers.report import FAILS, GAIN, HOLDS, OPEN, Rows, head, pictures, table
from boardwright.stats.score import Interval, over_seeds, share_over_seeds
from boardwright.views.chart import Chart, Line

CURVES = {  # charts of runs, by name of a file: title, metric, axis, which runs
    "cathedral-dqn": ("DQN against random", STRENGTH, "score", ("boltzmann", "epsilon", "uniform", "dqn")),
    "cathedral-phases": ("First phases against random", STRENGTH, "score", tables.PHASED),
    "cathedral-ppo": ("PPO against random", STRENGTH, "score", ("ppo", "ppo-frozen", "ppo-tuned")),
    "cathedral-best": ("Our runs against random", STRENGTH, "score", ("dqn-best", "ppo-best", "dqn", "ppo")),
    "cathedral-rewards": ("Reward a game in training", "selfplay/mean_reward", "reward", ("dqn", "ppo", "ppo-frozen")),
}


def page(results: Results, work: Work, command: str) -> tuple[str, dict[str, Chart]]:
    """The page and its charts by name of a file."""
    charts = curves(results)
    devices = " and ".join(results.devices()) or "devices not recorded"
    games = f"{work.games:,} games a cell and seed (fewer against simple players)"
    setting = f"rule set `{tables.RULES}`, {games}, on {devices}, boardwright {__version__}"
    names = [f"{name}.svg" for name in charts]
    seeds = len(work.seeds)
    return markdown(results, command=command, setting=setting, seeds=seeds, quick=work.quick, charts=names), charts


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


def markdown(results: Results, *, command: str, setting: str, seeds: int, quick: bool, charts: Sequence[str]) -> str:
    """The page; `charts` are the file names of its pictures."""
    parts = head(tables.TITLE, command, setting, quick="small nets, few games, little training" if quick else "")
    counted, long, ours = (_seeds(min(seeds, most)) for most in (seeds, tables.LONG_SEEDS, tables.OUR_SEEDS))
    decided = verdicts(results)
    parts += [
        f"The paper's runs were made with {counted}, the longest, `dqn`, with {long}, our own with {ours};",
        "runs of one seed play each other. In brackets are 95 % confidence intervals: over *games* for these nets,",
        "over *seeds* for the method that trained them; verdicts use the second. Where no player chooses at random,",
        "pairs of games begin with two random placements. Rewards are the shaped ones, a mean over a side's decisions;",
        "what the published rewards are a mean over is not reported, so the two columns are not comparable.",
        "",
        "## Methods",
        "",
        "Where our runs depart from the paper's methods. Tables label such runs *variant*.",
        "",
        *table(_variants()),
        "",
        "## Verdicts",
        "",
        *table(_findings(decided)),
        "",
        f"A change is called no gain if a gain of {GAIN:g} of the score is excluded.",
        "",
        *_in_short(decided, counted),
        "",
        "## Targets",
        "",
        *table(_targets(results)),
        "",
        "## Tables",
        "",
    ]
    for name, cells in itertools.groupby(CELLS, key=lambda cell: cell.table):
        parts += [f"### {name[0].upper()}{name[1:]}", "", *table(_cells(results, list(cells))), ""]
    parts += ["### Reconstruction by the VAE", "", *table(_codes(results.histories["vae"])), ""]
    parts += ["## Runs", "", *table(_runs(results)), "", "## Learning curves", ""]
    return "\n".join([*parts, *pictures(charts)])


def _seeds(count: int) -> str:
    return "1 seed" if count == 1 else f"{count} seeds"


def curves(results: Results) -> dict[str, Chart]:
    """By name of a file: lines are means over seeds, bands reach from the lowest seed to the highest."""
    charts = {}
    for name, (title, metric, axis, runs) in CURVES.items():
        lines = [
            line for place, run in enumerate(runs) for line in _line(run, results.histories.get(run, ()), metric, place)
        ]
        if lines:
            charts[name] = Chart(title, "games", axis, tuple(lines), x_includes=(0.0,))
    return charts


def _line(run: str, histories: Sequence[History], metric: str, colour: int) -> list[Line]:
    measured = [history for history in histories if metric in history.scalars and "selfplay/games" in history.scalars]
    if not measured or len(measured) < len(histories):
        return []
    iterations = measured[0].scalars[metric].iterations
    values = np.stack([history.scalars[metric].values for history in measured])  # [seeds, points]
    games = np.mean([_games_at(history, iterations) for history in measured], axis=0)
    several = len(measured) > 1
    low, high = (values.min(axis=0).tolist(), values.max(axis=0).tolist()) if several else ((), ())
    return [Line(run, games.tolist(), values.mean(axis=0).tolist(), low, high, colour=colour)]


def _games_at(history: History, iterations: np.ndarray) -> np.ndarray:
    """Games that had ended after each of some iterations."""
    series = history.scalars["selfplay/games"]
    ended = np.cumsum(series.values)
    return ended[np.searchsorted(series.iterations, iterations)]


def _variants() -> Rows:
    rows: Rows = [("method", "runs", "published", "ours")]
    for variant, (published, ours) in tables.VARIANTS.items():
        runs = [training.name for training in tables.TRAININGS if training.variant == variant]
        rows.append((f"variant: {variant}", ", ".join(runs), published, ours))
    return rows


def _findings(verdicts: Sequence[Decided]) -> Rows:
    rows: Rows = [("the paper says", "ours", "over seeds", "one seed more", "published: won", "method", "verdict")]
    for decided in verdicts:
        figure, cell = decided.figure, decided.cell
        ours = "not measured" if figure is None else f"{decided.words}: {figure.mean:.3f}"
        paper = "" if cell is None else _papers(cell.paper, cell.paper_second, "wins")
        bounds = ["" if one is None else _bounds(one) for one in (figure, decided.single)]
        verdict = f"**{decided.verdict}**{decided.note and f', {decided.note}'}"
        rows.append((decided.claim, ours, *bounds, paper, tables.labels_of(*decided.runs), verdict))
    return rows


def _in_short(verdicts: Sequence[Decided], counted: str) -> list[str]:
    """The claims by verdict, those on the paper's own methods apart from those on our variants."""
    lines = []
    for verdict, words in ((HOLDS, "Holds"), (FAILS, "Does not hold"), (OPEN, f"Not decided by {counted}")):
        for scope in sorted({bool(decided.note) for decided in verdicts}):
            claims = [one.claim for one in verdicts if one.verdict == verdict and bool(one.note) == scope]
            lines.append(f"* {words}{', of our variant' * scope}: {'; '.join(claims) if claims else 'nothing'}.")
    if all(decided.note for decided in verdicts):
        lines.append("* Of the paper's own methods: no verdict, since they were not run.")
    return [
        *lines,
        "",
        "Not decided means that runs which differ in the seed alone could differ as much. The paper reports one run of",
        "each method, and *one seed more* is the interval for a single run of each: where it includes no difference,",
        "the published figure could be chance.",
    ]


def _targets(results: Results) -> Rows:
    rows: Rows = [("player", "against", "target", "score", "over games", "over seeds", "method", "")]
    for target, score, reached in targets(results):
        least = f"above {target.least:g} over games" if target.surely else f"{target.least:g}"
        seeds = results.score_over_seeds(cell_of(target.first, target.second))
        intervals = (_bounds(score), _bounds(seeds))
        words = (tables.labels_of(target.first, target.second), "met" if reached else "**NOT MET**")
        rows.append((target.first, target.second, least, f"{score.mean:.3f}", *intervals, *words))
    return rows


def _cells(results: Results, cells: list[Cell]) -> Rows:
    ours = ("won / drawn / lost", "score", "over games", "over seeds", "as light / dark", "reward")
    rows: Rows = [("player", "against", *ours, "published: won", "published: reward", "method")]
    for cell in cells:
        light, dark = results.scores_by_role(cell)
        rows.append(
            (
                _player(cell.first, cell),
                _player(cell.second, cell),
                " / ".join(f"{100 * share:.1f}" for share in results.shares(cell)) + " %",
                f"{results.score_over_games(cell).mean:.3f}",
                _bounds(results.score_over_games(cell)),
                _bounds(results.score_over_seeds(cell)),
                f"{light:.3f} / {dark:.3f}",
                _pair(results.reward(cell, 0), results.reward(cell, 1), both=cell.paper_second is not None),
                _papers(cell.paper, cell.paper_second, "wins"),
                _papers(cell.paper, cell.paper_second, "reward"),
                tables.labels_of(cell.first, cell.second),
            )
        )
    return rows


def _player(name: str, cell: Cell) -> str:
    """A player's name, and how it draws its moves where it is a net that does."""
    draws = cell.temperature and name != tables.RANDOM
    return f"{name} at temperature {cell.temperature:g}" if draws else name


def _codes(histories: Sequence[History]) -> Rows:
    """How well the VAE reconstructs boards of validation games."""
    lines = (
        ("cells reconstructed", "validation/reconstruction", f"{tables.RECONSTRUCTION:.3f}"),
        ("cells right if all are called empty", "validation/all_zeros", "not reported"),
        ("occupied cells reconstructed", "validation/occupied", "not reported"),
        ("cross-entropy, nats a board", "validation/bce", "not reported"),
        ("divergence of codes, nats a board", "validation/kl", "not reported"),
    )
    rows: Rows = [("", "ours", "over seeds", "published")]
    for words, metric, paper in lines:
        over = over_seeds if "nats" in words else share_over_seeds
        figure = over([float(history.scalars[metric].values[-1]) for history in histories])
        rows.append((words, f"{figure.mean:.3f}", _bounds(figure), paper))
    return rows


def _runs(results: Results) -> Rows:
    rows: Rows = [("run", "what it is", "method", "preset", "seeds", "games", "on", "minutes", "published: time")]
    for name, histories in results.histories.items():
        training = training_of(name)
        seconds = over_seeds([float(history.scalars["speed/seconds"].values.sum()) for history in histories])
        games = [history.scalars["selfplay/games"].values.sum() for history in histories if _plays(history)]
        is_papers = training.variant != tables.OWN
        paper = tables.TRAINING_TIME if training.method == "dqn" and is_papers else "not reported" if is_papers else ""
        played = f"{np.mean(games):,.0f}" if games else ""
        preset = f"{training.method} {training.preset}"
        devices = ", ".join(sorted({device for history in histories for device in history.devices}))
        figures = (f"{len(histories)}", played, devices, f"{seconds.mean / 60:.1f}")
        rows.append((name, training.words, training.label, preset, *figures, paper))
    return rows


def _plays(history: History) -> bool:
    return "selfplay/games" in history.scalars


def _bounds(figure: Interval) -> str:
    return f"[{figure.low:.3f}, {figure.high:.3f}]" if figure.is_bounded else "one seed"


def _pair(first: Interval | None, second: Interval | None, *, both: bool) -> str:
    known = [first, second] if both else [first]
    return " / ".join(f"{figure.mean:.3f}" for figure in known if figure is not None)


def _papers(first: Figures | None, second: Figures | None, what: str) -> str:
    values = [getattr(figures, what) for figures in (first, second) if figures is not None]
    return " / ".join(f"{value:.3f}" for value in values if value is not None)
