"""The Tablut paper's plots with our runs, the published figures drawn in."""

from collections.abc import Callable

from boardwright.learn.reporting.figures import rolling_mean
from boardwright.papers import balance_page
from boardwright.papers.tablutzero import claims as paper
from boardwright.papers.tablutzero.claims import TRAININGS
from boardwright.papers.tablutzero.results import RatedNet, Results, RunResult, curve, frames_at, wins_as
from boardwright.views.chart import Chart, Line, Points

PAPER_COLOUR = 5  # of lines
INK = "#22303a"  # of points


def charts(results: Results) -> dict[str, Chart]:
    """By name of a file; what was not measured is left out. The balance's comes last."""
    ends = (0.0, paper.FRAMES)
    found = {
        "elo": _elo(results, "frames", lambda point: point.frames),
        "elo-by-minutes": _elo(results, "GPU-minutes", lambda point: point.minutes),
        "entropy": _metric(results, "Entropy of the policy", "nats", "selfplay/entropy", ends, paper.ENTROPY),
        "pieces": _metric(results, "Pieces left at the end", "pieces", "selfplay/pieces_left", ends, paper.PIECES),
        "attackers": _metric(
            results,
            f"Attackers win in self-play, mean of {paper.ROLLING} iterations",
            "share of games",
            "selfplay/role0_wins",
            ends[1:],
            (paper.SELFPLAY_ATTACKERS,),
        ),
        "roles": _roles(results),
    }
    if results.balance is not None:
        found["balance"] = balance_page.chart(results.balance.question, results.balance.lines)
    return {f"tablutzero-{name}": chart for name, chart in found.items() if chart is not None}


def _elo(results: Results, axis: str, x: Callable[[RatedNet], float]) -> Chart | None:
    lines = []
    for place, name, run in _numbered(results):
        for dash, mode in enumerate(reversed(paper.RATING_MODES)):
            points = sorted(curve(run, mode), key=x)
            if points:
                elos = [point.elo for point in points]
                columns = ([elo.mean for elo in elos], [elo.low for elo in elos], [elo.high for elo in elos])
                xs = [x(point) for point in points]
                lines.append(Line(f"{name}, {mode.command}", xs, *columns, colour=place, dash=dash))
    if not lines:
        return None
    furthest = max(line.xs[-1] for line in lines)
    words = f"published, at the end: {paper.ELO:,.0f}"
    lines.append(Line(words, [0.0, furthest], [paper.ELO, paper.ELO], colour=PAPER_COLOUR, dash=2))
    return Chart("Elo above iteration 0, by BayesElo", axis, "Elo", tuple(lines), x_includes=(0.0,))


def _metric(
    results: Results, title: str, axis: str, metric: str, xs: tuple[float, ...], theirs: tuple[float, ...]
) -> Chart | None:
    lines = []
    for place, name, run in _numbered(results):
        series = run.history.scalars.get(metric)
        if series is not None:
            frames, values = series.frames.tolist(), series.values.tolist()
            smooth = rolling_mean(values, paper.ROLLING | 1).tolist()
            lines += [
                Line(name, frames, values, colour=place, faint=True),
                Line(name, frames, smooth, colour=place),
            ]
    if not lines:
        return None
    return Chart(title, "frames", axis, tuple(lines), (Points("published", xs, theirs, INK),), x_includes=(0.0,))


def _roles(results: Results) -> Chart | None:
    lines = []
    for place, name, run in _numbered(results):
        for role, role_name in enumerate(("attackers", "defenders")):
            evaluated = wins_as(run, role)
            xs = [frames_at(run.history, iteration) for iteration, _, _ in evaluated]
            ys = [won / games for _, won, games in evaluated]
            if evaluated:
                lines.append(Line(f"{name}: as {role_name}", xs, ys, colour=place, dash=role))
    if not lines:
        return None
    points = Points("published, at the end, as attackers and as defenders", [paper.FRAMES] * 2, paper.LATE_WINS, INK)
    axes = ("frames", "share of games won")
    return Chart(
        "Wins against past checkpoints", *axes, tuple(lines), (points,), x_includes=(0.0,), y_includes=(0.0, 1.0)
    )


def _numbered(results: Results) -> list[tuple[int, str, RunResult]]:
    """Place of its colour, name and run."""
    return [
        (place, training.preset, results.runs[training.name])
        for place, training in enumerate(TRAININGS)
        if training.name in results.runs
    ]
