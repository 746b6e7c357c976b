"""The Tablut paper's results as text: published and ours, what differs, and what follows."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from boardwright import __version__
from boardwright.arena.balance import fields
from boardwright.games.registry import game_class
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.run import settings
from boardwright.papers import balance_page
from boardwright.papers.report import (
    NOT_PLAYED,
    NOT_REPORTED,
    NOT_RUN,
    OPEN,
    UNKNOWN,
    Rows,
    elo_text,
    excludes_half,
    head,
    is_more,
    minutes_text,
    percent,
    pictures,
    table,
)
from boardwright.papers.tablutzero import claims as paper
from boardwright.papers.tablutzero import results as measured
from boardwright.papers.tablutzero.charts import charts
from boardwright.papers.tablutzero.claims import PAIRINGS, RATING_MODES, TRAININGS, RatingMode, Training, training_of
from boardwright.papers.tablutzero.results import Results, RunResult, curve, iterations_of, variant
from boardwright.papers.tablutzero.runs import Work
from boardwright.papers.tablutzero.targets import objections, targets, variant_text
from boardwright.stats.score import Interval
from boardwright.views.chart import Chart, short

PROTOCOL = """\
The paper evaluates its net from iteration 20, every 5 iterations, against 4 opponents drawn from a pool of up to 10
past nets, of which the untrained one, iteration 0, is a fixed anchor. Ratings are by BayesElo, whose model has draws
and the advantage of a role. So are ours, from all evaluation games of a run together.

BayesElo is run in two ways. The command `mm` fits ratings only, for an advantage of 32.8 and a draw parameter of 97.3
Elo; `mm 1 1` fits these two as well. On the same games they give different ratings. It is unknown which command
produced the published {elo:,.0f}; the authors' public code has `mm`. A rating here is the difference to iteration 0,
and its interval is that of the difference, with the full covariance of all parameters that were fitted. It is wide
where the untrained net lost nearly all its games, since such games hardly say how much weaker it is.

GPU-minutes are those of self-play and learning, compiling included. A run that did not measure them separately has
its evaluation games and checkpoints in them too.

The paper does not specify the following; we chose: {games} games against each opponent, half in each role, in pairs
from the same {plies} random plies, with {simulations} simulations a move (the paper's self-play has 128); a pool of
the untrained net, the one evaluated before, and others evenly spaced between; BayesElo's default prior of two draws.
A run that was evaluated otherwise while it trained is evaluated again by this protocol where its nets were kept; the
table above says which. Where a net that was drawn as an opponent is missing, the nearest past one replaces it.
Entropy is that of the policy after search, in nats; the paper does not say which policy it means, the authors' code has
this one. Self-play of runs with past checkpoints includes the games against them.

As in the paper, a rating compares nets of one run's own pool: runs are compared by games between them, below. The
published runs and ours are one each, so intervals are over games, not over runs."""


def page(results: Results, work: Work, command: str) -> tuple[str, dict[str, Chart]]:
    """The page and its charts by name of a file."""
    drawn = charts(results)
    names = [f"{name}.svg" for name in drawn if not name.endswith("-balance")]
    devices = " and ".join(results.games_on)
    games = f"games after the training on {devices}" if devices else "no games after the training"
    setting = f"{games}, boardwright {__version__}"
    return markdown(results, command=command, setting=setting, quick=work.quick, names=names), drawn


def summary(results: Results) -> list[str]:
    """Lines for the terminal: the targets."""
    words = {True: "met", False: "NOT MET", None: OPEN}
    return [f"{target}: {ours}: {words[met]}".replace("`", "") for target, ours, met in targets(results)]


def to_json(results: Results) -> dict[str, Any]:
    """`{targets: [{wanted, ours, met}], runs: {…}, meetings: {…}, balance: […]}`."""
    runs = {}
    for name, found in results.runs.items():
        done = iterations_of(found.history)
        elo = {
            "elo_fixed_parameters" if mode.fixed_parameters else "elo": [
                {"iteration": at.iteration, "elo": at.elo.mean, "low": at.elo.low, "high": at.elo.high}
                for at in curve(found, mode)
            ]
            for mode in RATING_MODES
        }
        minutes = measured.total_minutes(found.history)  # NaN where the run did not measure it
        counts = {"iterations": done, "frames": measured.frames_at(found.history, done)}
        runs[name] = {**counts, "minutes": minutes if math.isfinite(minutes) else None, **elo}
    pairings = {
        name: {"iterations": found.iterations, "minutes": found.minutes, "pairs": found.pairs}
        | {"score": found.score.mean, "low": found.score.low, "high": found.score.high}
        for name, found in results.pairings.items()
    }
    lines = () if results.balance is None else results.balance.lines
    balance = [fields(line, game_class(paper.GAME).roles) for line in lines]
    judged = [{"wanted": target, "ours": ours, "met": met} for target, ours, met in targets(results)]
    return {"targets": judged, "runs": runs, "meetings": pairings, "balance": balance}


def markdown(results: Results, *, command: str, setting: str, quick: bool, names: Sequence[str]) -> str:
    """The page; `names` are the files of its pictures, without that of the balance."""
    protocol = results.protocol
    small = "small nets, few games, little training" if quick else ""
    parts = head(paper.TITLE, command, setting, quick=small, limits="says nothing about the paper.")
    parts += ["## Targets", "", *table(_targets(results)), "", "## Published and ours", ""]
    parts += [*table(figures(results, quick=quick)), "", "## Runs", "", *table(_runs(results, quick=quick)), ""]
    described = PROTOCOL.format(
        elo=paper.ELO, games=protocol.games, plies=protocol.opening_plies, simulations=protocol.simulations
    )
    parts += [
        "## How strength is measured",
        "",
        described,
        "",
        "## Head to head",
        "",
        *_pairings(results),
        "",
        *pictures(names),
    ]
    return "\n".join([*parts, "## Which side is favoured", "", *_balance(results)])


def figures(results: Results, *, quick: bool) -> Rows:
    """A column for the published figures, then one for each run of ours."""
    rows: Rows = [("", "published", *(f"ours: `{training.preset}`" for training in TRAININGS))]

    def row(words: str, theirs: str, ours: Callable[[RunResult], str | None]) -> None:
        cells = []
        for training in TRAININGS:
            run = results.runs.get(training.name)
            cells.append(NOT_RUN if run is None else ours(run) or UNKNOWN)
        rows.append((words, theirs, *cells))

    early, late = paper.EARLY_WINS, paper.LATE_WINS
    until = f"up to {100 * paper.TURN:.0f} % of the training"
    cells = [_variant_cell(results.runs.get(training.name), training, quick=quick) for training in TRAININGS]
    rows.append(("settings", "", *cells))
    row("iterations", f"{paper.ITERATIONS}", lambda run: f"{iterations_of(run.history)} of {run.config.iterations}")
    row("frames", short(paper.FRAMES), _frames)
    row("trained on", paper.DEVICES, lambda run: ", ".join(run.history.devices))
    row("GPU-minutes", NOT_REPORTED, lambda run: minutes_text(measured.total_minutes(run.history)))
    for mode in RATING_MODES:
        row(
            f"Elo of the last net above iteration 0, {mode.label}",
            f"{paper.ELO:,.0f} (command {NOT_REPORTED})",
            lambda run, mode=mode: elo_text(points[-1].elo) if (points := curve(run, mode)) else None,
        )
    for mode in RATING_MODES:
        row(
            f"GPU-minutes until {paper.ELO:,.0f} Elo by `{mode.command}`",
            NOT_REPORTED,
            lambda run, mode=mode: _minutes_until(run, mode),
        )
    row("entropy of the policy, nats", _from_to(paper.ENTROPY, 2), _metric("selfplay/entropy", 2))
    row("pieces left at the end of a game", _from_to(paper.PIECES, 0), _metric("selfplay/pieces_left", 1))
    row(
        f"attackers win in self-play, last {paper.ROLLING} iterations",
        f"about {100 * paper.SELFPLAY_ATTACKERS:.0f} %",
        lambda run: percent(found) if (found := measured.selfplay_attackers(run)) is not None else None,
    )
    for role, name in enumerate(("attackers", "defenders")):
        low, high = early[role]
        row(
            f"wins as {name} against past checkpoints, {until}",
            f"{100 * low:.0f}–{100 * high:.0f} %",
            lambda run, role=role: _optional(measured.early_and_late_wins(run, role)[0]),
        )
        row(
            f"wins as {name} against past checkpoints, at the end",
            f"{100 * late[role]:.0f} %",
            lambda run, role=role: _optional(measured.early_and_late_wins(run, role)[1]),
        )
    return rows


def _frames(run: RunResult) -> str:
    """The frames of a run to three digits."""
    return short(float(f"{measured.frames_at(run.history, iterations_of(run.history)):.3g}"))


def _targets(results: Results) -> Rows:
    words = {True: "met", False: "**not met**", None: OPEN}
    return [("target", "ours", "verdict"), *((target, ours, words[met]) for target, ours, met in targets(results))]


def _runs(results: Results, *, quick: bool) -> Rows:
    usual = "the preset for a quick look" if quick else "the preset"
    rows: Rows = [("preset", "what it is", f"settings that differ from {usual}", "evaluation games")]
    for training in TRAININGS:
        run = results.runs.get(training.name)
        if run is None:
            rows.append((f"`{training.preset}`", training.words, NOT_RUN, ""))
            continue
        preset = _preset(training, quick=quick)
        changed = ", ".join(f"`{change}`" for change in measured.differences(run.config, preset))
        words = variant_text(variant(run.config, preset))
        off = measured.off_protocol(run, results.protocol)
        when = "played again after the training" if run.played_again else "while it trained"
        evaluation = f"{when}, with {', '.join(off)}" if off else f"by the protocol, {when}"
        if not run.matches:
            evaluation = "none yet"
        cell = f"{words} ({changed})" if words else changed or "none"
        rows.append((f"`{training.preset}`", training.words, cell, evaluation))
    return rows


def _preset(training: Training, *, quick: bool) -> AlphaZeroConfig:
    return settings.apply(PRESETS[training.preset], paper.QUICK_SETTINGS if quick else ())


def _variant_cell(run: RunResult | None, training: Training, *, quick: bool) -> str:
    if run is None:
        return NOT_RUN
    return variant_text(variant(run.config, _preset(training, quick=quick))) or "as the preset"


def _pairings(results: Results) -> list[str]:
    rows: Rows = [("", "nets", "GPU-minutes", "games", "pairs with 0, ½, 1, 1½, 2 points", "score", "", "verdict")]
    for pairing in PAIRINGS:
        met = results.pairing(pairing)
        names = f"{training_of(pairing.first).preset} – {training_of(pairing.second).preset}, {pairing.at}"
        if met is None:
            rows.append((names, NOT_PLAYED, *[""] * 6))
            continue
        against = objections(results, pairing)
        verdict = f"**{OPEN}**: {'; '.join(against)}" if against else f"**{is_more(met.score, 0.5)}**"
        rows.append(
            (
                names,
                " – ".join(f"iteration {number}" for number in met.iterations),
                " – ".join(f"{minutes:.1f}" for minutes in met.minutes),
                f"{met.games:,}",
                ", ".join(map(str, met.pairs)),
                percent(met.score),
                excludes_half(met.score),
                f"{pairing.claim}: {verdict}",
            )
        )
    simulations = next((f" ({met.simulations} a move)" for met in results.pairings.values()), "")
    return [
        "Nets of two runs play pairs of games from one random opening, roles swapped, with equal simulations",
        f"for both{simulations}. At equal minutes the second run's net is the latest it kept within the smaller of",
        "both totals, or within `--minutes`, and the first run's is its latest with no more minutes than that one. The",
        "score is the first's, with a 95 % interval over pairs. A verdict is on the nets that played, no later ones.",
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


def _minutes_until(run: RunResult, mode: RatingMode) -> str | None:
    if not run.matches:
        return None
    point = measured.reached(run, mode, paper.ELO)
    if point is None:
        return "never" if iterations_of(run.history) >= run.config.iterations else "not yet"
    return f"{minutes_text(point.minutes)} (iteration {point.iteration})"


def _metric(name: str, digits: int) -> Callable[[RunResult], str | None]:
    def of(run: RunResult) -> str | None:
        found = measured.first_and_last(run, name)
        return None if found is None else _from_to(found, digits)

    return of


def _from_to(pair: tuple[float, float], digits: int) -> str:
    return f"{pair[0]:.{digits}f} → {pair[1]:.{digits}f}"


def _optional(share: Interval | None) -> str | None:
    return None if share is None else percent(share)
