"""The Tablut paper's plots with our runs, the published figures drawn in."""

from collections.abc import Callable

from boardwright.learn.reporting.figures import rolling_mean
from boardwright.papers import balance_page
from boardwright.papers.tablutzero import claims as paper
from boardwright.papers.tablutzero.results import RatedNet, Results, RunResult, curve, frames_at, wins_as
from boardwright.views.chart import Chart, Line, Points

PAPER_COLOUR = 5  # of lines
INK = "#22303a"  # of points


def charts(results: Results) -> dict[str, Chart]:
    """By name of a file; what was not measured is left out. The balance's comes last."""
    attackers = f"Attackers win in self-play, mean of {paper.ROLLING} iterations"
    found = {
        "elo": _elo(results, "frames", lambda point: point.frames),
        "elo-by-minutes": _elo(results, "GPU-minutes", lambda point: point.minutes),
        "entropy": _metric(results, "entropy", "Entropy of the policy", "nats", *paper.ENTROPY),
        "pieces": _metric(results, "pieces_left", "Pieces left at the end", "pieces", *paper.PIECES),
        "attackers": _metric(results, "role0_wins", attackers, "share of games", paper.SELFPLAY_ATTACKERS),
        "roles": _roles(results),
    }
    if results.balance is not None:
        found["balance"] = balance_page.chart(results.balance.settings, results.balance.lines)
    return {f"tablutzero-{name}": chart for name, chart in found.items() if chart.lines}


def _elo(results: Results, axis: str, x: Callable[[RatedNet], float]) -> Chart:
    lines = []
    for place, name, run in _numbered(results):
        for dash, mode in enumerate(reversed(paper.RATING_MODES)):
            points = sorted(curve(run, mode), key=x)
            columns = ([getattr(point.elo, end) for point in points] for end in ("mean", "low", "high"))
            if points:
                xs = [x(point) for point in points]
                lines.append(Line(f"{name}, {mode.command}", xs, *columns, colour=place, dash=dash))
    if lines:
        ends = [0.0, max(line.xs[-1] for line in lines)]
        words = f"published, at the end: {paper.ELO:,.0f}"
        lines.append(Line(words, ends, [paper.ELO, paper.ELO], colour=PAPER_COLOUR, dash=2))
    return Chart("Elo above iteration 0, by BayesElo", axis, "Elo", tuple(lines), x_includes=(0.0,))


def _metric(results: Results, metric: str, title: str, axis: str, *published: float) -> Chart:
    """A metric of self-play; published are its values at the beginning and at the end, or that at the end alone."""
    lines = []
    for place, name, run in _numbered(results):
        series = run.history.scalars.get(f"selfplay/{metric}")
        if series is not None:
            frames, values = series.frames.tolist(), series.values.tolist()
            lines.append(Line(name, frames, values, colour=place, faint=True))
            lines.append(Line(name, frames, rolling_mean(values, paper.ROLLING | 1).tolist(), colour=place))
    points = Points("published", (0.0, paper.FRAMES)[-len(published) :], published, INK)
    return Chart(title, "frames", axis, tuple(lines), (points,), x_includes=(0.0,))


def _roles(results: Results) -> Chart:
    lines = []
    for place, name, run in _numbered(results):
        for role, role_name in enumerate(("attackers", "defenders")):
            evaluated = wins_as(run, role)
            xs = [frames_at(run.history, iteration) for iteration, _, _ in evaluated]
            ys = [won / games for _, won, games in evaluated]
            if evaluated:
                lines.append(Line(f"{name}: as {role_name}", xs, ys, colour=place, dash=role))
    points = Points("published, at the end, as attackers and as defenders", [paper.FRAMES] * 2, paper.LATE_WINS, INK)
    labels = ("Wins against past checkpoints", "frames", "share of games won")
    return Chart(*labels, tuple(lines), (points,), x_includes=(0.0,), y_includes=(0.0, 1.0))


def _numbered(results: Results) -> list[tuple[int, str, RunResult]]:
    """Place of its colour, name and run."""
    return [
        (place, training.preset, results.runs[name])
        for place, (name, training) in enumerate(paper.TRAININGS.items())
        if name in results.runs
    ]
