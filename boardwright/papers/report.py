"""Parts that the pages of papers share: head, tables, pictures, intervals as text, and verdicts on claims."""

import math
from collections.abc import Sequence

from boardwright.stats.score import Interval

Rows = list[tuple[str, ...]]
HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
NOT_RUN, NOT_PLAYED, NOT_REPORTED, UNKNOWN = "not run", "not played", "not reported", "–"
GAIN = 0.02  # of the score: a change that brings less is called no gain
NO_EVIDENCE = "is no evidence for or against the paper."


def table(rows: Rows) -> list[str]:
    """Lines of a Markdown table; the first row is its head."""
    head, *lines = rows
    return ["| " + " | ".join(cells) + " |" for cells in (head, ("---",) * len(head), *lines)]


def head(title: str, command: str, setting: str, *, quick: str = "", limits: str = NO_EVIDENCE) -> list[str]:
    """The first lines of a page; `quick` says what is small in a quick look, and is empty otherwise."""
    parts = [f"# {title}", "", f"Made by `{command}`: {setting}.", ""]
    if quick:
        parts += [f"**This is a quick look**: {quick}. It shows that everything works, and", limits, ""]
    return parts


def pictures(names: Sequence[str]) -> list[str]:
    """Lines that show pictures, by the names of their files."""
    return [line for name in names for line in (f"![{name.removesuffix('.svg').replace('-', ' ')}]({name})", "")]


def minutes_text(minutes: float) -> str:
    """Minutes to a tenth."""
    return f"{minutes:.1f}" if math.isfinite(minutes) else UNKNOWN


def elo_text(elo: Interval) -> str:
    """Elo points with their interval."""
    return f"{elo.mean:,.0f} [{elo.low:,.0f}, {elo.high:,.0f}]"


def percent(share: Interval) -> str:
    """A share in per cent with its interval."""
    return f"{100 * share.mean:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def is_more(figure: Interval, than: float) -> str:
    """The verdict on the claim that a figure is greater."""
    if figure.low > than:
        return HOLDS
    return FAILS if figure.high < than else OPEN


def excludes_half(score: Interval) -> str:
    """Whether an interval decides who is stronger, in words."""
    return "excludes 50 %" if score.low > 0.5 or score.high < 0.5 else "does not exclude 50 %"


def is_no_gain(score: Interval, margin: float = GAIN) -> str:
    """The verdict on the claim that a change brings nothing: its score against the old state is at most one half.

    No number of games shows that two are exactly equal, so it is enough that a gain of `margin` is excluded.
    """
    if score.low > 0.5:
        return FAILS
    return HOLDS if score.high < 0.5 + margin else OPEN
