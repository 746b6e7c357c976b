"""How figures of the Tablut paper are written, in tables and in sentences."""

import math
from collections.abc import Sequence

from boardwright.stats.score import Interval

NOT_RUN, NOT_PLAYED, NOT_REPORTED, UNKNOWN = "not run", "not played", "not reported", "–"

# Settings that have a name: the rest of a variant's settings is listed as it is.
SETTING_NAMES = {"net.policy=dense": "dense policy head", "learner.gradient_clip=0.0": "no gradient clipping"}


def minutes_text(minutes: float) -> str:
    """To a tenth."""
    return f"{minutes:.1f}" if math.isfinite(minutes) else UNKNOWN


def elo_text(elo: Interval) -> str:
    """With its interval."""
    return f"{elo.mean:,.0f} [{elo.low:,.0f}, {elo.high:,.0f}]"


def variant_text(changes: Sequence[str]) -> str:
    """What a run is that differs from its preset in these settings; empty where it does not differ."""
    has_other_head = any(change.startswith("net.policy=") for change in changes)
    named = [
        SETTING_NAMES.get(change, f"`{change}`")
        for change in changes
        if not (has_other_head and change.startswith("net.policy_channels="))  # a size of that head
    ]
    return f"variant: {', '.join(named)}" if named else ""


def share_text(share: Interval) -> str:
    """In per cent, with its interval."""
    return f"{100 * share.mean:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"
