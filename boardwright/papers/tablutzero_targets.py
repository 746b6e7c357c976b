"""What is wanted of the Tablut paper's runs, whether it is so, and what stands in the way of saying so. Needs no JAX.

A figure decides only where it is of what it is said to be of: of the presets as they are, by the paper's protocol and,
where minutes are compared, of minutes that can be. Otherwise it is told, with what speaks against it.
"""

from boardwright.learn.alphazero.presets import PRESETS
from boardwright.papers import tablutzero as paper
from boardwright.papers.tablutzero import MEETINGS, Meeting, training_of
from boardwright.papers.tablutzero_cells import NOT_PLAYED, NOT_RUN, elo_text, minutes_text, share_text
from boardwright.papers.tablutzero_results import Met, Results, curve, differences, measure_of_minutes, off_protocol
from boardwright.papers.verdicts import excludes_half

Target = tuple[str, str, bool | None]  # what is wanted, what came of it, whether that is enough; None: not decided

# Settings by which a run is no other: contests only measure, and are looked at by themselves.
SAME_RUN = ("seed=", "evaluation.")


def targets(results: Results) -> list[Target]:
    """Both of them: the strength of our run, and its meeting with the paper's."""
    return [_strength(results), _stronger(results)]


def objections(results: Results, meeting: Meeting) -> list[str]:
    """Why the games of a meeting decide nothing about its claim, in words; none where they do."""
    found = _quick_look(results) or [
        *_other_settings(results, meeting.first),
        *_other_settings(results, meeting.second),
    ]
    met = results.meeting(meeting)
    if met is not None and meeting.at == "equal minutes":
        found += _unequal_minutes(results, meeting, met)
    return found


def _strength(results: Results) -> Target:
    preset, most = training_of("fast").preset, f"{paper.MOST_MINUTES:g} device minutes"
    wanted = f"`{preset}` above {paper.ELO:,.0f} Elo by its whole interval, by the paper's protocol in under {most}"
    fast = results.runs.get("fast")
    points = [] if fast is None else curve(fast)
    if fast is None or not points:
        return wanted, NOT_RUN, None
    last, off = points[-1], off_protocol(fast, results.protocol)
    text = f"{elo_text(last.elo)} after {minutes_text(last.minutes)} minutes"
    against = _quick_look(results) or _other_settings(results, "fast")
    against += [f"measured with {', '.join(off)}"] if off else []
    return (
        wanted,
        _with(text, against),
        _unless(against, last.elo.low > paper.ELO and last.minutes < paper.MOST_MINUTES),
    )


def _stronger(results: Results) -> Target:
    meeting = MEETINGS[0]
    first, second = (training_of(name).preset for name in (meeting.first, meeting.second))
    wanted, met = f"`{first}` beats `{second}` at equal device minutes", results.meeting(meeting)
    if met is None:
        return wanted, NOT_PLAYED, None
    minutes = " and ".join(map(minutes_text, met.minutes))
    text = f"{share_text(met.score)} of the points after {minutes} minutes: {excludes_half(met.score)}"
    against = objections(results, meeting)
    return wanted, _with(text, against), _unless(against, met.score.low > 0.5)


def _with(text: str, against: list[str]) -> str:
    return f"{text}, but {'; '.join(against)}" if against else text


def _unless(against: list[str], is_met: bool) -> bool | None:
    return None if against else is_met


def _quick_look(results: Results) -> list[str]:
    return [] if results.protocol == paper.FULL.protocol else ["this is a quick look"]


def _other_settings(results: Results, name: str) -> list[str]:
    """In what a run is another than its folder's name says."""
    run, preset = results.runs.get(name), training_of(name).preset
    if run is None:
        return []
    changed = [change for change in differences(run.config, PRESETS[preset]) if not change.startswith(SAME_RUN)]
    return [f"`{preset}` was told {', '.join(f'`{change}`' for change in changed)}"] if changed else []


def _unequal_minutes(results: Results, meeting: Meeting, met: Met) -> list[str]:
    """Why minutes of two runs are not equal; the first may have fewer."""
    found = []
    if not met.minutes[0] <= met.minutes[1]:  # also where one is not a number
        found.append(f"`{training_of(meeting.first).preset}` had more minutes, or they are not known")
    runs = [results.runs[name] for name in (meeting.first, meeting.second) if name in results.runs]
    kinds = sorted(set().union(*(run.history.devices for run in runs)))
    if len(kinds) > 1:
        found.append(f"minutes are of {' and '.join(kinds)}")
    if len({measure_of_minutes(run.history) for run in runs}) > 1:
        found.append("only one of the runs measured its minutes without contests and checkpoints")
    return found
