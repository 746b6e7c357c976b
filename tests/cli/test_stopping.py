"""When a run's time is up."""

import pytest

from boardwright.cli import stopping
from boardwright.cli.stopping import TimeLimit
from boardwright.errors import BoardwrightError


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(stopping, "time", clock)
    return clock


def ended_at(clock: Clock, limit: TimeLimit, seconds: float) -> bool:
    clock.now = 1000 + seconds
    limit.iteration_ended()
    return limit.is_up()


def test_limit_stops_before_an_iteration_that_might_be_late(clock: Clock) -> None:
    limit = TimeLimit(10)
    ends = (300, 360, 440, 460, 479, 481)  # the first compiles, the longest of the others took 80; half of it is margin
    assert [ended_at(clock, limit, end) for end in ends] == [False, False, False, False, False, True]


@pytest.mark.parametrize(("end", "up"), [(299, False), (301, True)])
def test_time_limit_uses_the_length_of_the_first_iteration(clock: Clock, end: float, up: bool) -> None:
    assert ended_at(clock, TimeLimit(10), end) is up


def test_limit_stops_during_an_overlong_iteration(clock: Clock) -> None:
    limit = TimeLimit(1)
    clock.now += 59.9
    assert not limit.is_up()
    clock.now += 0.1
    assert limit.is_up()


def test_no_limit_never_stops(clock: Clock) -> None:
    limit = TimeLimit(None)
    assert not ended_at(clock, limit, 1e9)
    for minutes in (0.0, -1.0, float("nan")):
        with pytest.raises(BoardwrightError, match="expected more than 0"):
            TimeLimit(minutes)
