"""How figures of the Tablut paper are written, in tables and in sentences."""

import math

from boardwright.papers.estimates import Estimate

NOT_RUN, NOT_PLAYED, UNKNOWN = "not run", "not played", "–"


def minutes_text(minutes: float) -> str:
    """To a tenth."""
    return f"{minutes:.1f}" if math.isfinite(minutes) else UNKNOWN


def elo_text(elo: Estimate) -> str:
    """With its interval."""
    return f"{elo.mean:,.0f} [{elo.low:,.0f}, {elo.high:,.0f}]"


def share_text(share: Estimate) -> str:
    """In per cent, with its interval."""
    return f"{100 * share.mean:.1f} % [{100 * share.low:.1f}, {100 * share.high:.1f}]"
