"""Parts that the pages of papers share: templates, tables, pictures, intervals as text, and verdicts on claims."""

import math
from collections.abc import Iterable
from pathlib import Path

from boardwright.stats.score import Interval

Rows = list[tuple[str, ...]]
HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
NOT_RUN, NOT_PLAYED, NOT_REPORTED, UNKNOWN = "not run", "not played", "not reported", "–"
GAIN = 0.02  # of the score: a change that brings less is called no gain


def fill_template(module: str, name: str = "page.md", **fields: object) -> str:
    """The text of a template next to a module, by default its page in Markdown, with its `{fields}` filled in."""
    return Path(module).with_name(name).read_text(encoding="utf-8").format(**fields)


def quick_note(small: str, says: str = "is no evidence for or against the paper") -> str:
    """A paragraph about a quick run: what is small in it, and what follows."""
    return f"\n**This is a quick run**: {small}. It shows that everything works, and\n{says}.\n"


def table(rows: Rows) -> str:
    """A Markdown table; the first row is its head."""
    head, *lines = rows
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ("---",) * len(head), *lines))


def pictures(names: Iterable[str]) -> str:
    """Paragraphs that show charts, by their names."""
    return "\n\n".join(f"![{name.replace('-', ' ')}]({name}.svg)" for name in names)


def minutes_text(minutes: float) -> str:
    """Minutes to a tenth."""
    return f"{minutes:.1f}" if math.isfinite(minutes) else UNKNOWN


def elo_text(elo: Interval) -> str:
    """Elo points with their interval."""
    return f"{elo.mean:,.0f} [{elo.low:,.0f}, {elo.high:,.0f}]"


def percent(share: Interval | None) -> str:
    """A share in per cent with its interval; a dash without one."""
    if share is None:
        return UNKNOWN
    return f"{100 * share.mean:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def is_more(figure: Interval, than: float) -> str:
    """The verdict on the claim that a figure is greater."""
    if figure.low > than:
        return HOLDS
    return FAILS if figure.high < than else OPEN


def is_no_gain(score: Interval) -> str:
    """The verdict on the claim that a change brings nothing: its score against the old state is at most one half.

    No number of games shows that two are exactly equal, so it is enough that a gain of `GAIN` is excluded.
    """
    if score.low > 0.5:
        return FAILS
    return HOLDS if score.high < 0.5 + GAIN else OPEN


def excludes_half(score: Interval) -> str:
    """Whether an interval decides who is stronger, in words."""
    return "excludes 50 %" if score.low > 0.5 or score.high < 0.5 else "does not exclude 50 %"
