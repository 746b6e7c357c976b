"""`boardwright paper cathedral` around its training and its games, which are made up here."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from planted import planted

from boardwright.cli import paper
from boardwright.cli.paper import Options, run
from boardwright.learn.run.method import RunObserver
from boardwright.papers.cathedral import runs as cathedral_runs
from boardwright.papers.cathedral.claims import CURVES, FINDINGS, TARGETS, Results
from boardwright.papers.cathedral.runs import Work


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "cache_compilations", lambda folder: None)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Work]:
    works: list[Work] = []

    def run_paper(work: Work, watch: RunObserver) -> Results:
        works.append(work)
        watch.message("dqn, seed 0")
        return planted(len(work.seeds), dqn_ppo=[0.7 + 0.01 * seed for seed in range(len(work.seeds))])

    monkeypatch.setattr(cathedral_runs, "run_paper", run_paper)
    return works


def test_the_report_and_its_pictures_are_written(
    tmp_path: Path, asked: list[Work], capsys: pytest.CaptureFixture[str]
) -> None:
    run(Options(paper="cathedral", out=tmp_path / "results", seeds=3, seed=7))
    (work,) = asked
    assert (work.seeds, work.games, work.arena_games, work.quick) == ((7, 8, 9), 10_000, 1_000, False)
    assert work.folder == tmp_path / "results" / "cathedral-work"
    report = (tmp_path / "results" / "cathedral.md").read_text(encoding="utf-8")
    assert "Made by `boardwright paper cathedral --seed 7 --seeds 3`" in report
    for curve in CURVES:
        assert f"({curve.name}.svg)" in report
        ET.fromstring((tmp_path / "results" / f"{curve.name}.svg").read_text(encoding="utf-8"))
    printed = capsys.readouterr().out
    assert "dqn, seed 0" in printed
    assert "DQN is better than PPO: holds, for our variant; the paper's method was not run" in printed


def test_quick_run_writes_a_report(tmp_path: Path, asked: list[Work], capsys: pytest.CaptureFixture[str]) -> None:
    work_folder = tmp_path / "elsewhere"
    run(Options(paper="cathedral", out=tmp_path, work=work_folder, quick=True, json=True))
    (work,) = asked
    assert (work.seeds, work.games, work.quick, work.folder) == ((0,), 200, True, work_folder)
    fields = json.loads(capsys.readouterr().out)  # nothing else is printed
    assert len(fields["findings"]) == len(FINDINGS) + 1
    assert {finding["verdict"] for finding in fields["findings"]} == {"not decided"}
    variants = {finding["claim"] for finding in fields["findings"] if "was not run" in finding["note"]}
    assert {finding["claim"] for finding in fields["findings"]} - variants == {"PPO scores 98 % against random moves"}
    assert len(fields["targets"]) == len(TARGETS)
    assert "quick run" in (tmp_path / "cathedral.md").read_text(encoding="utf-8")
