"""Every write, sync, rename and creation of a file fails in turn, and nothing acknowledged is lost.

As SQLite tests itself: the n-th call of a scenario fails, with an error or after half a write, or is the last before
the process is killed or the power is cut. What was acknowledged must be there, whole, and the work can be repeated.
"""

import importlib.util
from collections.abc import Callable

import pytest
from sizes import size

Run = Callable[..., dict[str, int]]

SCENARIOS = {  # a fault at each n-th call, and how many faults at least
    "records": (9, 10),
    "new_records": (29, 30),
    "live": (61, 25),
    "training": (47, 40),
    "packs": (29, 25),
    "files": (31, 15),
}
KINDS = 7  # of faults


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_nothing_acknowledged_is_lost(scenario: str, run_trials: Run) -> None:
    every, least = SCENARIOS[scenario]
    counts = run_trials("trials.py", f"scenario_{scenario}", str(size(every, full=1)))
    print(scenario, counts)
    assert len(counts) == KINDS
    assert sum(counts.values()) >= least


@pytest.mark.parametrize(("scenario", "whose"), [("records", "sqlite"), ("live", "sqlite"), ("records", "python")])
def test_nothing_acknowledged_is_lost_without_memory(scenario: str, whose: str, run_trials: Run) -> None:
    if whose == "python" and importlib.util.find_spec("_testcapi") is None:
        pytest.skip("this Python has no module that makes allocations fail")
    factor = size(130, full=103) / 100
    counts = run_trials("allocations.py", f"scenario_{scenario}", str(factor), whose)
    print(scenario, counts)
    assert counts[whose] >= 10
