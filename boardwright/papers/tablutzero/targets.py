"""Targets for the Tablut paper's runs, whether they are met, and why a figure decides nothing. Needs no JAX.

A figure decides only where it was measured on the presets as they are, by the paper's protocol and, where minutes are
compared, with minutes that can be. Otherwise it is reported together with the objections.
"""

from collections.abc import Sequence

from boardwright.learn.alphazero.config import PRESETS
from boardwright.papers.report import NOT_PLAYED, NOT_RUN, elo_text, excludes_half, minutes_text, percent
from boardwright.papers.tablutzero import claims as paper
from boardwright.papers.tablutzero import results as measured
from boardwright.papers.tablutzero.claims import PAIRINGS, RATING_MODES, TRAININGS, Pairing, RatingMode
from boardwright.papers.tablutzero.results import PairingResult, Results
from boardwright.stats.score import Interval

Target = tuple[str, str, bool | None]  # the target, our figure, whether that is enough; None: not decided

# Settings that have a name: the rest of a variant's settings is listed as it is.
SETTING_NAMES = {"net.policy=dense": "dense policy head", "learner.gradient_clip=0.0": "no gradient clipping"}


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
    found = _quick_look(results) or _other_settings(results, pairing.first) + _other_settings(results, pairing.second)
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
        return target, NOT_RUN, None
    last, off = points[-1], measured.off_protocol(fast, results.protocol)
    text = f"{elo_text(last.elo)} after {minutes_text(last.minutes)} minutes{_shortfall(last.elo)}"
    against = _quick_look(results) or _other_settings(results, "fast")
    against += [f"measured with {', '.join(off)}"] if off else []
    return _judge(target, text, against, last.elo.low > paper.ELO and last.minutes < paper.MAX_MINUTES)


def _shortfall(elo: Interval) -> str:
    """By how much a rating, or the interval of one that is high enough, falls short of the published one."""
    if elo.mean < paper.ELO:
        return f": {paper.ELO - elo.mean:,.0f} below"
    return f": the interval begins {paper.ELO - elo.low:,.0f} below" if elo.low <= paper.ELO else ""


def _stronger(results: Results) -> Target:
    pairing = PAIRINGS[0]
    first, second = (TRAININGS[name].preset for name in (pairing.first, pairing.second))
    target, match = f"`{first}` beats `{second}` at equal GPU-minutes", results.pairings.get(pairing.name)
    if match is None:
        return target, NOT_PLAYED, None
    minutes = " and ".join(map(minutes_text, match.minutes))
    text = f"{percent(match.score)} of the points after {minutes} minutes: {excludes_half(match.score)}"
    return _judge(target, text, objections(results, pairing), match.score.low > 0.5)


def _judge(target: str, text: str, against: list[str], is_met: bool) -> Target:
    """A target with our figure, not decided where something is against it."""
    return (target, f"{text}, but {'; '.join(against)}", None) if against else (target, text, is_met)


def _quick_look(results: Results) -> list[str]:
    return [] if results.protocol == paper.FULL.protocol else ["this is a quick run"]


def _other_settings(results: Results, name: str) -> list[str]:
    """In what a run differs from the preset that its folder is named after."""
    run, preset = results.runs.get(name), TRAININGS[name].preset
    if run is None:
        return []
    words = variant_text(measured.variant(run.config, PRESETS[preset]))
    return [f"this run of `{preset}` is a {words}"] if words else []


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
