"""The Tablut paper's results as text: ours beside the paper's, what differs, and what follows."""

from collections.abc import Callable, Sequence

from boardwright.learn.alphazero.presets import PRESETS
from boardwright.learn.run import settings
from boardwright.papers import balance_page
from boardwright.papers import tablutzero as paper
from boardwright.papers.estimates import Estimate
from boardwright.papers.markdown import Rows, table
from boardwright.papers.tablutzero import MEETINGS, TRAININGS, training_of
from boardwright.papers.tablutzero_cells import NOT_PLAYED, NOT_RUN, UNKNOWN, elo_text, minutes_text, share_text
from boardwright.papers.tablutzero_results import (
    Results,
    RunResult,
    curve,
    differences,
    early_and_late_wins,
    first_and_last,
    frames_at,
    iterations_of,
    off_protocol,
    reached,
    selfplay_attackers,
    total_minutes,
)
from boardwright.papers.tablutzero_targets import objections, targets
from boardwright.papers.verdicts import OPEN, excludes_half, is_more
from boardwright.views.chart import short

PROTOCOL = """\
The paper measures its net from iteration 20 on, every 5 iterations, against 4 opponents drawn from a pool of up to 10
past nets, of which the untrained one, iteration 0, is a fixed anchor; ratings are BayesElo's, which knows draws and
the advantage of a role. So are ours, with iteration 0 at 0 Elo, from all games of a run together. Minutes of the
device are those of self-play and learning, compiling included; of a run that did not measure them by themselves, its
contests and checkpoints are in them too.

What the paper leaves open, and we took: each opponent is met in {games} games, half in each role, in pairs from the
same {plies} random plies, with {simulations} simulations a move (the paper's self-play has 128); the pool is the
untrained net, the one measured before, and others evenly spaced between; ratings have BayesElo's usual prior
of two draws. Runs that were measured otherwise while they trained are measured again by this protocol where their nets
are kept; the table above says of each. A run that travelled between machines has kept only some: where a net that was
drawn as an opponent is gone, the nearest past one takes its place. Entropy is that of the policy the search found,
in nats; the paper does not say of which policy it speaks. Self-play of runs with past selves includes the games
against them.

As in the paper, a rating compares nets of one run's own pool: runs are compared by games between them, below. The
paper's runs and ours are one each, so that intervals are over games, not over runs."""


def markdown(results: Results, *, command: str, setting: str, quick: bool, pictures: Sequence[str]) -> str:
    """The report that is kept; `pictures` are the names of the plots beside it, that of the balance left out."""
    protocol = results.protocol
    parts = [f"# {paper.TITLE}", "", f"Made by `{command}`: {setting}.", ""]
    if quick:
        parts += [
            "**This is a quick look**: small nets, few games, little training. It shows that everything works, and",
            "says nothing about the paper.",
            "",
        ]
    parts += ["## Targets", "", *table(_targets(results)), "", "## Ours beside the paper's", ""]
    parts += [*table(figures(results)), "", "## Runs", "", *table(_runs(results, quick=quick)), ""]
    described = PROTOCOL.format(games=protocol.games, plies=protocol.opening_plies, simulations=protocol.simulations)
    parts += ["## How strength is measured", "", described, "", "## Head to head", "", *_meetings(results), ""]
    for picture in pictures:
        parts += [f"![{picture.removesuffix('.svg').replace('-', ' ')}]({picture})", ""]
    return "\n".join([*parts, "## Which side is favoured", "", *_balance(results)])


def figures(results: Results) -> Rows:
    """A column the paper, a column a run."""
    rows: Rows = [("", "paper", *(f"`{training.preset}`" for training in TRAININGS))]

    def row(words: str, theirs: str, ours: Callable[[RunResult], str | None]) -> None:
        cells = []
        for training in TRAININGS:
            run = results.runs.get(training.name)
            cells.append(NOT_RUN if run is None else ours(run) or UNKNOWN)
        rows.append((words, theirs, *cells))

    early, late = paper.EARLY_WINS, paper.LATE_WINS
    until = f"up to {100 * paper.TURN:.0f} % of the training"
    row("iterations", f"{paper.ITERATIONS}", lambda run: f"{iterations_of(run.history)} of {run.config.iterations}")
    row("frames", short(paper.FRAMES), lambda run: short(_rounded(frames_at(run.history, iterations_of(run.history)))))
    row("trained on", paper.DEVICES, lambda run: ", ".join(run.history.devices))
    row("device minutes", "not told", lambda run: minutes_text(total_minutes(run.history)))
    row(
        "Elo of the last net",
        f"{paper.ELO:,.0f}",
        lambda run: elo_text(points[-1].elo) if (points := curve(run)) else None,
    )
    row(f"minutes until {paper.ELO:,.0f} Elo", UNKNOWN, _minutes_until)
    row("entropy of the policy, nats", _from_to(paper.ENTROPY, 2), _metric("selfplay/entropy", 2))
    row("pieces left at the end of a game", _from_to(paper.PIECES, 0), _metric("selfplay/pieces_left", 1))
    row(
        f"attackers win in self-play, last {paper.ROLLING} iterations",
        f"about {100 * paper.SELFPLAY_ATTACKERS:.0f} %",
        lambda run: share_text(found) if (found := selfplay_attackers(run)) is not None else None,
    )
    for role, name in enumerate(("attackers", "defenders")):
        low, high = early[role]
        row(
            f"wins as {name} against past selves, {until}",
            f"{100 * low:.0f}–{100 * high:.0f} %",
            lambda run, role=role: _optional(early_and_late_wins(run, role)[0]),
        )
        row(
            f"wins as {name} against past selves, at the end",
            f"{100 * late[role]:.0f} %",
            lambda run, role=role: _optional(early_and_late_wins(run, role)[1]),
        )
    return rows


def _rounded(value: float) -> float:
    """To three digits."""
    return float(f"{value:.3g}")


def _targets(results: Results) -> Rows:
    words = {True: "met", False: "**NOT MET**", None: OPEN}
    return [("wanted", "ours", ""), *((wanted, ours, words[met]) for wanted, ours, met in targets(results))]


def _runs(results: Results, *, quick: bool) -> Rows:
    usual = "the preset for a quick look" if quick else "the preset"
    rows: Rows = [("preset", "what it is", f"settings that differ from {usual}", "contests")]
    for training in TRAININGS:
        run = results.runs.get(training.name)
        if run is None:
            rows.append((f"`{training.preset}`", training.words, NOT_RUN, ""))
            continue
        preset = settings.apply(PRESETS[training.preset], paper.QUICK_SETTINGS if quick else ())
        changed = ", ".join(f"`{change}`" for change in differences(run.config, preset))
        off = off_protocol(run, results.protocol)
        when = "played again after the training" if run.played_again else "while it trained"
        contests = f"{when}, with {', '.join(off)}" if off else f"by the protocol, {when}"
        if not run.contests:
            contests = "none yet"
        rows.append((f"`{training.preset}`", training.words, changed or "none", contests))
    return rows


def _meetings(results: Results) -> list[str]:
    rows: Rows = [("", "nets", "device minutes", "games", "pairs with 0, ½, 1, 1½, 2 points", "score", "", "verdict")]
    for meeting in MEETINGS:
        met = results.meeting(meeting)
        names = f"{training_of(meeting.first).preset} – {training_of(meeting.second).preset}, {meeting.at}"
        if met is None:
            rows.append((names, NOT_PLAYED, *[""] * 6))
            continue
        against = objections(results, meeting)
        verdict = f"**{OPEN}**: {'; '.join(against)}" if against else f"**{is_more(met.score, 0.5)}**"
        rows.append(
            (
                names,
                " – ".join(f"iteration {number}" for number in met.iterations),
                " – ".join(f"{minutes:.1f}" for minutes in met.minutes),
                f"{met.games:,}",
                ", ".join(map(str, met.pairs)),
                share_text(met.score),
                excludes_half(met.score),
                f"{meeting.claim}: {verdict}",
            )
        )
    simulations = next((f" ({met.simulations} a move)" for met in results.met.values()), "")
    return [
        "Nets of two runs meet in pairs of games from one random opening, roles swapped, with equal simulations",
        f"for both{simulations}. At equal minutes the second sends the latest net it kept within the smaller of both",
        "totals, or within what was asked for, and the first its latest with no more minutes than that one. The score",
        "is the first's, with an interval of 95 % over pairs.",
        "",
        *table(rows),
    ]


def _balance(results: Results) -> list[str]:
    found = results.balance
    if found is None:
        return [f"{NOT_PLAYED[0].upper()}{NOT_PLAYED[1:]}: there are no nets among the runs given.", ""]
    preset = training_of(found.run).preset
    return [
        "The paper saw attackers win more and more, and leaves open whether its rules favour them or defending is",
        f"harder to learn. The net of iteration {found.iteration} of `{preset}` against itself:",
        "",
        *balance_page.section(found.question, found.lines, f"{paper.NAME}-{balance_page.PICTURE}"),
    ]


def _minutes_until(run: RunResult) -> str | None:
    if not run.contests:
        return None
    point = reached(run, paper.ELO)
    if point is None:
        return "never" if iterations_of(run.history) >= run.config.iterations else "not yet"
    return f"{minutes_text(point.minutes)} (iteration {point.iteration})"


def _metric(name: str, digits: int) -> Callable[[RunResult], str | None]:
    def of(run: RunResult) -> str | None:
        found = first_and_last(run, name)
        return None if found is None else _from_to(found, digits)

    return of


def _from_to(pair: tuple[float, float], digits: int) -> str:
    return f"{pair[0]:.{digits}f} → {pair[1]:.{digits}f}"


def _optional(share: Estimate | None) -> str | None:
    return None if share is None else share_text(share)
