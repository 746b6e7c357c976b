"""The Tablut paper's results as text: published and ours, what differs, and whether our targets are met.

A figure decides only where it was measured on the presets as they are, by the paper's protocol and, where minutes are
compared, with minutes that can be. Otherwise it is reported together with the objections.
"""

import math
from collections.abc import Iterable, Sequence
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
from boardwright.papers.tablutzero.claims import PAIRINGS, RATING_MODES, TRAININGS, Pairing, RatingMode
from boardwright.papers.tablutzero.results import PairingResult, Results, RunResult, curve, iterations_of, variant
from boardwright.papers.tablutzero.runs import Work
from boardwright.views.chart import Chart, short

Target = tuple[str, str, bool | None]  # the target, our figure, whether that is enough; None: not decided

# Settings that have a name: the rest of a variant's settings is listed as it is.
SETTING_NAMES = {"net.policy=dense": "dense policy head", "learner.gradient_clip=0.0": "no gradient clipping"}


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
    runs = [run for run, _, _ in made]

    def row(cells: Iterable[str | None]) -> str:
        return " | ".join(cell or parts.UNKNOWN for cell in cells)

    def frames(run: RunResult) -> float:
        return float(f"{measured.frames_at(run.history, iterations_of(run.history)):.3g}")

    found = {
        "presets": row(f"ours: `{training.preset}`" for _, training, _ in made),
        "line": row("---" for _ in made),
        "settings": row(variant_text(variant(run.config, preset)) or "as the preset" for run, _, preset in made),
        "iterations": row(f"{iterations_of(run.history)} of {run.config.iterations}" for run in runs),
        "frames": row(short(frames(run)) for run in runs),
        "devices": row(", ".join(run.history.devices) for run in runs),
        "minutes": row(parts.minutes_text(measured.total_minutes(run.history)) for run in runs),
        "attackers": row(parts.percent(measured.selfplay_attackers(run)) for run in runs),
    }
    for name, metric, digits in (("entropy", "entropy", 2), ("pieces", "pieces_left", 1)):
        ends = [measured.first_and_last(run, f"selfplay/{metric}") for run in runs]
        found[name] = row(pair and f"{pair[0]:.{digits}f} → {pair[1]:.{digits}f}" for pair in ends)
    for mode in RATING_MODES:
        curves = [curve(run, mode) for run in runs]
        found[f"elo {mode.command}"] = row(parts.elo_text(points[-1].elo) if points else None for points in curves)
        found[f"until {mode.command}"] = row(_minutes_until(mode, run) for run in runs)
    for role, name in enumerate(("attackers", "defenders")):
        for part, when in enumerate(("early", "late")):
            found[f"{when} {name}"] = row(_wins(role, part, run) for run in runs)
    return found


def _minutes_until(mode: RatingMode, run: RunResult) -> str | None:
    """When a run reached the published rating."""
    if not run.matches:
        return None
    point = measured.first_net_above(run, mode, paper.ELO)
    if point is None:
        return "never" if iterations_of(run.history) >= run.config.iterations else "not yet"
    return f"{parts.minutes_text(point.minutes)} (iteration {point.iteration})"


def _wins(role: int, part: int, run: RunResult) -> str:
    """Wins against past checkpoints in the early or late part of a run; a stopped run may not have reached it."""
    share, done = measured.early_and_late_wins(run, role)[part], iterations_of(run.history)
    if share is None and done < run.config.iterations:
        return f"{parts.UNKNOWN} (run stopped at iteration {done})"
    return parts.percent(share)


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


def variant_text(changes: Sequence[str]) -> str:
    """What a run is that differs from its preset in these settings; empty where it does not differ."""
    has_other_head = any(change.startswith("net.policy=") for change in changes)
    named = [
        SETTING_NAMES.get(change, f"`{change}`")
        for change in changes
        if not (has_other_head and change.startswith("net.policy_channels="))  # a size of that head
    ]
    return f"variant: {', '.join(named)}" if named else ""


def targets(results: Results) -> list[Target]:
    """The strength of our run by each command of BayesElo, and its match with the paper's run."""
    return [*(_strength(results, mode) for mode in RATING_MODES), _stronger(results)]


def objections(results: Results, pairing: Pairing) -> list[str]:
    """Why the games of a pairing decide nothing about its claim, in words; empty where they do."""
    found = _departures(results, pairing.first, pairing.second)
    match = results.pairings.get(pairing.name)
    if match is not None and pairing.at == "equal minutes":
        found += _unequal_minutes(results, pairing, match)
    return found


def _strength(results: Results, mode: RatingMode) -> Target:
    preset, most = TRAININGS["fast"].preset, f"{paper.MAX_MINUTES:g} GPU-minutes"
    target = (
        f"`{preset}`: the whole 95 % interval of its Elo above iteration 0 exceeds {paper.ELO:,.0f}, by {mode.label}, "
        f"with the paper's protocol, in under {most}"
    )
    fast = results.runs.get("fast")
    points = [] if fast is None else measured.curve(fast, mode)
    if fast is None or not points:
        return target, parts.NOT_RUN, None
    last, off = points[-1], measured.off_protocol(fast, results.protocol)
    text = f"{parts.elo_text(last.elo)} after {parts.minutes_text(last.minutes)} minutes"
    if last.elo.mean < paper.ELO:
        text += f": {paper.ELO - last.elo.mean:,.0f} below"
    elif last.elo.low <= paper.ELO:
        text += f": the interval begins {paper.ELO - last.elo.low:,.0f} below"
    against = _departures(results, "fast") + ([f"measured with {', '.join(off)}"] if off else [])
    return _judge(target, text, against, last.elo.low > paper.ELO and last.minutes < paper.MAX_MINUTES)


def _stronger(results: Results) -> Target:
    pairing = PAIRINGS[0]
    first, second = (TRAININGS[name].preset for name in (pairing.first, pairing.second))
    target, match = f"`{first}` beats `{second}` at equal GPU-minutes", results.pairings.get(pairing.name)
    if match is None:
        return target, parts.NOT_PLAYED, None
    minutes = " and ".join(map(parts.minutes_text, match.minutes))
    text = f"{parts.percent(match.score)} of the points after {minutes} minutes: {parts.excludes_half(match.score)}"
    return _judge(target, text, objections(results, pairing), match.score.low > 0.5)


def _judge(target: str, text: str, against: list[str], is_met: bool) -> Target:
    """A target with our figure, not decided where something is against it."""
    return (target, f"{text}, but {'; '.join(against)}", None) if against else (target, text, is_met)


def _departures(results: Results, *names: str) -> list[str]:
    """In what some runs differ from the presets that their folders are named after, or that all are quick runs."""
    if results.protocol != paper.FULL.protocol:
        return ["this is a quick run"]
    presets = {TRAININGS[name].preset: results.runs[name].config for name in names if name in results.runs}
    words = {preset: variant_text(variant(config, PRESETS[preset])) for preset, config in presets.items()}
    return [f"this run of `{preset}` is a {text}" for preset, text in words.items() if text]


def _unequal_minutes(results: Results, pairing: Pairing, match: PairingResult) -> list[str]:
    """Why minutes of two runs are not equal; the first may have fewer."""
    found = []
    if not match.minutes[0] <= match.minutes[1]:  # also where one is not a number
        found.append(f"`{TRAININGS[pairing.first].preset}` had more minutes, or they are not known")
    runs = [results.runs[name] for name in (pairing.first, pairing.second) if name in results.runs]
    kinds = sorted(set().union(*(run.history.devices for run in runs)))
    if len(kinds) > 1:
        found.append(f"minutes are of {' and '.join(kinds)}")
    if len({measured.measure_of_minutes(run.history) for run in runs}) > 1:
        found.append("only one of the runs measured its minutes without evaluation games and checkpoints")
    return found
