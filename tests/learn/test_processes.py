"""Two processes train together over loopback, as one would alone; the first writes, and either may be stopped."""

from pathlib import Path

import pytest
from split_runs import assert_same, end_of, finish, start, start_together, stop_after_an_iteration

from boardwright.errors import RunError
from boardwright.learn import processes


def test_two_processes_do_what_one_does(tmp_path: Path) -> None:
    """Also when the second is told to stop: both do, in the same place, and go on together."""
    cache, alone, both = tmp_path / "programs", tmp_path / "alone", tmp_path / "both"
    finish(start(alone, cache, 1))
    first, second = stop_after_an_iteration(start_together(both, cache, 1), asked=1)
    assert "stopped in iteration" in first
    assert "iteration" not in second
    assert len(list((both / "checkpoints").glob("*.ckpt"))) == 1
    first, second = finish(*start_together(both, cache, 1))
    assert "2 devices of 2 processes: 4 games and 4 samples of a batch on each\n" in first
    assert "goes on in iteration" in first
    assert "iteration" not in second
    assert_same(end_of(alone), end_of(both))


def test_processes_with_other_settings_are_refused(tmp_path: Path) -> None:
    runs = start_together(tmp_path / "run", tmp_path / "programs", 1, seeds=(0, 1))
    for run in runs:
        _, error = run.communicate(timeout=300)
        assert run.returncode == 2
        assert "boardwright: the processes of this run differ in their settings" in error
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        (("node1", 2, 0), "--coordinator node1: expected HOST:PORT"),
        ((":12355", 2, 0), "--coordinator :12355: expected HOST:PORT"),
        (("node1:123456", 2, 0), "--coordinator node1:123456: expected HOST:PORT"),
        (("node1:12355", 0, 0), "--processes 0: expected how many there are"),
        (("node1:12355", 2, 2), "--process 2: expected a number from 0 to 1"),
        (("node1:12355", 2, -1), "--process -1: expected a number from 0 to 1"),
    ],
)
def test_nonsense_is_refused_before_anything_is_joined(told: tuple[str, int, int], complaint: str) -> None:
    with pytest.raises(RunError, match=complaint):
        processes.join(*told)
