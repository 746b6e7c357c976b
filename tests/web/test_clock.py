"""Clocks: what is left to whom, and how long a player may think so that its time lasts."""

import pytest

from boardwright.agents.base import Limit
from boardwright.records.live import ClockState
from boardwright.web.play.clock import Clock, time_for


def clock(first: float, second: float, increment: float = 0.0) -> Clock:
    return Clock(state=ClockState(base=60, increment=increment, remaining=(first, second)))


def test_only_the_clock_of_the_mover_runs() -> None:
    running = clock(10, 20).start(1, now=100.0)
    assert running.remaining(103.0) == (10, 17)
    assert running.remaining(1000.0) == (10, 0)
    assert running.stop(103.0).remaining(500.0) == (10, 17)


def test_a_move_adds_its_increment() -> None:
    moved = clock(10, 20, increment=2).start(0, now=0.0).after_move(0, now=4.0)
    assert moved.remaining(99.0) == (8, 20)
    assert moved.running is None


def test_undone_move_loses_its_increment() -> None:
    """Chance moves add no time; the time that was spent stays spent."""
    back = clock(10, 20, increment=2).start(0, now=0.0).after_undo([0, None, 1, 1], now=3.0)
    assert back.remaining(99.0) == (5, 16)
    assert back.running is None


@pytest.mark.parametrize("left", [0.1, 1.0, 30.0, 3000.0])
@pytest.mark.parametrize("increment", [0.0, 5.0])
@pytest.mark.parametrize("spec", ["alphabeta", "alphabeta:depth=30", "mc:time=10s", "mc:sims=1000000"])
def test_player_is_stopped_before_its_flag_falls(left: float, increment: float, spec: str) -> None:
    limit, latest = time_for(spec, clock(left, left, increment), 0, 0.0, 60.0)
    assert 0 < latest <= min(60.0, 0.9 * left)
    assert limit == Limit() or (limit.seconds is not None and limit.seconds <= min(60.0, 0.8 * left))
    if spec == "mc:time=10s":
        assert limit.seconds is not None
        assert limit.seconds <= 10.0


def test_player_without_a_clock_has_its_own_limit() -> None:
    assert time_for("alphabeta:time=1s", None, 0, 0.0, 60.0) == (Limit(), 60.0)
