"""The Tablut paper's results as text: published and ours, what differs, and what follows."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from boardwright import __version__
from boardwright.arena.balance import fields
from boardwright.games.registry import game_class
from boardwright.learn.alphazero.config import PRESETS, AlphaZeroConfig
from boardwright.learn.run import settings
from boardwright.papers import balance_page
from boardwright.papers import report as parts
from boardwright.papers.report import Rows
from boardwright.papers.tablutzero import claims as paper
from boardwright.papers.tablutzero import results as measured
from boardwright.papers.tablutzero.charts import charts
from boardwright.papers.tablutzero.claims import PAIRINGS, RATING_MODES, TRAININGS, RatingMode
from boardwright.papers.tablutzero.results import Results, RunResult, curve, iterations_of, variant
from boardwright.papers.tablutzero.runs import Work
from boardwright.papers.tablutzero.targets import objections, targets, variant_text
from boardwright.stats.score import Interval
from boardwright.views.chart import Chart, short


def page(results: Results, work: Work, command: str) -> tuple[str, dict[str, Chart]]:
    """The page and its charts by name of a file."""
    drawn, devices = charts(results), " and ".join(results.games_on)
    games = f"head-to-head and balance games played on {devices}" if devices else "no head-to-head or balance games"
    words = {True: "met", False: "**not met**", None: parts.OPEN}
    judged = [(target, ours, words[met]) for target, ours, met in targets(results)]
    note = parts.quick_note("small nets, few games, little training", "says nothing about the paper")
    text = parts.fill_template(
        __file__,
        command=command,
        setting=f"{games}, boardwright {__version__}",
        note=note if work.quick else "",
        targets=parts.table([("target", "ours", "verdict"), *judged]),
        ours=_figures(results, quick=work.quick),
        runs=parts.table(_runs(results, quick=work.quick)),
        paper=paper,
        protocol=results.protocol,
        simulations=next((f" ({match.simulations} per move)" for match in results.pairings.values()), ""),
        pairings=parts.table(_pairings(results)),
        pictures=parts.pictures(name for name in drawn if name != "tablutzero-balance"),
        balance=_balance(results),
    )
    return text, drawn


def summary(results: Results) -> list[str]:
    """Lines for the terminal: the targets."""
    words = {True: "met", False: "NOT MET", None: parts.OPEN}
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


def _figures(results: Results, *, quick: bool) -> dict[str, str]:
    """By name of a row of the page, the cells of the runs that were made."""
    presets = zip(TRAININGS, _presets(quick=quick), strict=True)
    made = [(results.runs[name], TRAININGS[name], preset) for name, preset in presets if name in results.runs]

    def cells(figure: Callable[[RunResult], str | None]) -> str:
        return " | ".join(figure(run) or parts.UNKNOWN for run, _, _ in made)

    found = {
        "presets": " | ".join(f"ours: `{training.preset}`" for _, training, _ in made),
        "line": " | ".join("---" for _ in made),
        "settings": " | ".join(variant_text(variant(run.config, preset)) or "as the preset" for run, _, preset in made),
        "iterations": cells(lambda run: f"{iterations_of(run.history)} of {run.config.iterations}"),
        "frames": cells(lambda run: short(float(f"{measured.frames_at(run.history, iterations_of(run.history)):.3g}"))),
        "devices": cells(lambda run: ", ".join(run.history.devices)),
        "minutes": cells(lambda run: parts.minutes_text(measured.total_minutes(run.history))),
        "entropy": cells(lambda run: _from_to(measured.first_and_last(run, "selfplay/entropy"), 2)),
        "pieces": cells(lambda run: _from_to(measured.first_and_last(run, "selfplay/pieces_left"), 1)),
        "attackers": cells(lambda run: _percent(measured.selfplay_attackers(run))),
    }
    for mode in RATING_MODES:
        found[f"elo {mode.command}"] = cells(partial(_last_elo, mode))
        found[f"until {mode.command}"] = cells(partial(_minutes_until, mode))
    for role, name in enumerate(("attackers", "defenders")):
        for part, when in enumerate(("early", "late")):
            found[f"{when} {name}"] = cells(partial(_wins, role, part))
    return found


def _last_elo(mode: RatingMode, run: RunResult) -> str | None:
    points = curve(run, mode)
    return parts.elo_text(points[-1].elo) if points else None


def _minutes_until(mode: RatingMode, run: RunResult) -> str | None:
    """When a run reached the published rating."""
    if not run.matches:
        return None
    point = measured.first_net_above(run, mode, paper.ELO)
    if point is None:
        return "never" if iterations_of(run.history) >= run.config.iterations else "not yet"
    return f"{parts.minutes_text(point.minutes)} (iteration {point.iteration})"


def _from_to(pair: tuple[float, float] | None, digits: int) -> str | None:
    return None if pair is None else f"{pair[0]:.{digits}f} → {pair[1]:.{digits}f}"


def _wins(role: int, part: int, run: RunResult) -> str | None:
    """Wins against past checkpoints in the early or late part of a run; a stopped run may not have reached it."""
    share, done = measured.early_and_late_wins(run, role)[part], iterations_of(run.history)
    if share is None and done < run.config.iterations:
        return f"{parts.UNKNOWN} (run stopped at iteration {done})"
    return _percent(share)


def _percent(share: Interval | None) -> str | None:
    return None if share is None else parts.percent(share)


def _runs(results: Results, *, quick: bool) -> Rows:
    usual = "the preset for a quick run" if quick else "the preset"
    rows: Rows = [("preset", "what it is", f"settings that differ from {usual}", "evaluation games")]
    for (name, training), preset in zip(TRAININGS.items(), _presets(quick=quick), strict=True):
        run = results.runs.get(name)
        if run is None:
            rows.append((f"`{training.preset}`", training.words, parts.NOT_RUN, ""))
            continue
        changed = ", ".join(f"`{change}`" for change in measured.differences(run.config, preset))
        words = variant_text(variant(run.config, preset))
        off = measured.off_protocol(run, results.protocol)
        when = "played again after the training" if run.played_again else "while it trained"
        evaluation = f"{when}, with {', '.join(off)}" if off else f"by the protocol, {when}"
        cell = f"{words} ({changed})" if words else changed or "none"
        rows.append((f"`{training.preset}`", training.words, cell, evaluation if run.matches else "none yet"))
    return rows


def _presets(*, quick: bool) -> list[AlphaZeroConfig]:
    """The settings that each run should have."""
    changes = paper.QUICK_SETTINGS if quick else ()
    return [settings.apply(PRESETS[training.preset], changes) for training in TRAININGS.values()]


def _pairings(results: Results) -> Rows:
    rows: Rows = [("", "nets", "GPU-minutes", "games", "pairs with 0, ½, 1, 1½, 2 points", "score", "", "verdict")]
    for pairing in PAIRINGS:
        match = results.pairings.get(pairing.name)
        names = f"{TRAININGS[pairing.first].preset} – {TRAININGS[pairing.second].preset}, {pairing.at}"
        if match is None:
            rows.append((names, parts.NOT_PLAYED, *[""] * 6))
            continue
        against = objections(results, pairing)
        verdict = f"**{parts.OPEN}**: {'; '.join(against)}" if against else f"**{parts.is_more(match.score, 0.5)}**"
        rows.append(
            (
                names,
                " – ".join(f"iteration {number}" for number in match.iterations),
                " – ".join(f"{minutes:.1f}" for minutes in match.minutes),
                f"{match.games:,}",
                ", ".join(map(str, match.pairs)),
                parts.percent(match.score),
                parts.excludes_half(match.score),
                f"{pairing.claim}: {verdict}",
            )
        )
    return rows


def _balance(results: Results) -> str:
    found = results.balance
    if found is None:
        return "Not played: there are no nets among the runs given."
    return (
        "The paper saw attackers win more and more, and leaves open whether its rules favour them or defending is\n"
        f"harder to learn. The net of iteration {found.iteration} of `{TRAININGS[found.run].preset}` against itself:"
        f"\n\n{balance_page.section(found.settings, found.lines, 'tablutzero-balance.svg')}"
    )
