"""Jobs run in parallel: order, stop and failures."""

import functools
from pathlib import Path

import parallel_job_targets
import pytest

from boardwright.errors import BoardwrightError
from boardwright.learn.run.method import RunObserver
from boardwright.papers.cathedral.claims import TRAININGS
from boardwright.papers.cathedral.runs import Work, _jobs
from boardwright.papers.parallel_jobs import Job, run_jobs
from boardwright.papers.work_folder import StoppedError


def job(folder: Path, name: str, *others: str, after: tuple[str, ...] = ()) -> Job:
    return Job(name, functools.partial(parallel_job_targets.meet, folder, name, others), after)


def endless(folder: Path, name: str) -> Job:
    return Job(name, functools.partial(parallel_job_targets.run_until_stopped, folder, name))


def test_jobs_run_in_parallel_and_in_order(tmp_path: Path) -> None:
    said: list[str] = []
    shown: list[tuple[str, int, int]] = []
    observer = RunObserver(message=said.append, progress=lambda *report: shown.append(report))
    last = job(tmp_path, "last", after=("one", "other"))
    run_jobs([last, job(tmp_path, "one", "other"), job(tmp_path, "other", "one")], at_once=2, observer=observer)
    # Each of the first two ends once the other has begun, so they ran at the same time; either may be reported first.
    words = [line.partition(",")[0] for line in said]
    for name in ("one", "other"):
        assert words.index(f"{name} is there") < words.index(f"{name}: done") < 4
    assert said[4:] == ["last is there", "last: done, 3 of 3"]
    assert shown[0] == ("runs", 0, 3)


def test_stop_request_stops_all_jobs(tmp_path: Path) -> None:
    said: list[str] = []
    observer = RunObserver(message=said.append, stopped=lambda: len(said) == 2)
    jobs = [endless(tmp_path, name) for name in ("one", "other", "third")]
    with pytest.raises(StoppedError):
        run_jobs(jobs, at_once=2, observer=observer)
    assert {path.name for path in tmp_path.iterdir()} == {"one", "one-kept", "other", "other-kept"}


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("refuses", "failing: no such game"),
        ("breaks", "failing failed, ValueError: not a number"),
        ("dies", "failing: its process was killed by signal 9"),
    ],
)
def test_failed_job_stops_the_others(tmp_path: Path, how: str, words: str) -> None:
    failing = Job("failing", functools.partial(parallel_job_targets.fail, tmp_path, "other", how))
    with pytest.raises(BoardwrightError, match=words):
        run_jobs([failing, endless(tmp_path, "other"), job(tmp_path, "third")], at_once=2, observer=RunObserver())
    assert (tmp_path / "other-kept").exists()
    assert not (tmp_path / "third").exists()


def test_runs_of_a_paper_wait_for_the_files_they_need(tmp_path: Path) -> None:
    jobs = _jobs(Work(folder=tmp_path, seeds=(0, 3), games=20, arena_games=4, quick=True))
    assert len(jobs) == 2 * len(TRAININGS)
    after = {job.name: job.after for job in jobs}
    assert (after["vae-3"], after["ppo-frozen-0"], after["dqn-0"]) == (("ppo-3",), ("vae-0",), ())
