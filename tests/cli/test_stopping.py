"""When a run stops: its time is up, or a signal arrives, also while no Python code runs."""

import os
import signal
import subprocess
import sys

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


IN_NATIVE_CODE = """
import hashlib
from boardwright.cli import stopping

stopping.GRACE_SECONDS = 0.1
with stopping.stop_on_signal():
    print("begun", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # minutes in one call
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_answered_during_a_long_native_call(number: signal.Signals) -> None:
    command = [sys.executable, "-c", IN_NATIVE_CODE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == "begun\n"
            process.send_signal(number)
            assert process.stderr.readline() == "\n"
            assert "stopping once this step is saved" in process.stderr.readline()
            process.send_signal(number)
            assert process.wait(timeout=60) == stopping.EXIT_STATUS
        finally:
            process.kill()


def test_second_signal_interrupts_python_code(capsys: pytest.CaptureFixture[str]) -> None:
    def signal_itself() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with stopping.stop_on_signal() as stop:
        signal_itself()
        assert stop.wait(60)
        with pytest.raises(KeyboardInterrupt):
            signal_itself()
    assert signal.getsignal(signal.SIGINT) is before
    assert "stopping once this step is saved" in capsys.readouterr().err
