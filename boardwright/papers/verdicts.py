"""Whether what a paper says holds, by the interval of a figure."""

from boardwright.stats.score import Interval

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
GAIN = 0.02  # of the score: a change that brings less is called no gain


def is_more(figure: Interval, than: float) -> str:
    """On the claim that a figure is greater."""
    if figure.low > than:
        return HOLDS
    return FAILS if figure.high < than else OPEN


def excludes_half(score: Interval) -> str:
    """Whether an interval decides who is stronger, in words."""
    return "excludes 50 %" if score.low > 0.5 or score.high < 0.5 else "does not exclude 50 %"


def is_no_gain(score: Interval, margin: float = GAIN) -> str:
    """On the claim that a change brings nothing: its score against what was before is at most one half.

    Were both alike, no number of games could show it exactly; so it is enough that a gain of `margin` is excluded.
    """
    if score.low > 0.5:
        return FAILS
    return HOLDS if score.high < 0.5 + margin else OPEN
