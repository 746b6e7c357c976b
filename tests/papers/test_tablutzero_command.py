"""`boardwright paper tablutzero` around its training and its games, which are made up here."""

import dataclasses
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from planted_tablutzero import made_up

from boardwright.cli import paper
from boardwright.cli.paper import Options, run
from boardwright.errors import BoardwrightError
from boardwright.learn.run.method import RunObserver
from boardwright.papers.tablutzero import runs as tablutzero_runs
from boardwright.papers.tablutzero.results import Results
from boardwright.papers.tablutzero.runs import Work


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "cache_compilations", lambda folder: None)


def test_the_report_and_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    works: list[Work] = []

    def run_paper(work: Work, watch: RunObserver) -> Results:
        works.append(work)
        watch.message("paper: the paper's run")
        return dataclasses.replace(made_up(tmp_path / f"runs{len(works)}"), protocol=work.sizes.protocol)

    monkeypatch.setattr(tablutzero_runs, "run_paper", run_paper)
    out = tmp_path / "results"
    run(Options(paper="tablutzero", out=out, runs=tmp_path, train="fast,paper", minutes=30.0))
    (work,) = works
    assert (work.runs, work.train, work.minutes) == (tmp_path, {"fast", "paper"}, 30.0)
    assert work.folder == out / "tablutzero-work"
    report = (out / "tablutzero.md").read_text(encoding="utf-8")
    assert "Made by `boardwright paper tablutzero --train fast,paper --minutes 30`" in report
    assert "| attackers win in self-play, last 10 iterations | about 65 % | 69." in report
    assert "| entropy of the policy, nats | 3.05 → 1.47 | 2.98 → 1.50 | 2.98 → 1.50 |" in report
    assert "our run is stronger at equal GPU-minutes: **holds**" in report
    for mode in ("`mm`", "`mm 1 1`"):
        assert f"\n| Elo of the last net above iteration 0, BayesElo {mode} | 1,235 (command not reported) | " in report
    assert "| GPU-minutes | not reported | 50.0 | 30.0 |" in report
    assert report.count("\n| `tablutzero` | ") == report.count("\n| `mcgill` † | ") == 2
    assert "quick run" not in report
    for name in ("elo", "elo-by-minutes", "entropy", "pieces", "attackers", "roles", "balance"):
        assert report.count(f"(tablutzero-{name}.svg)") == 1
        picture = (out / f"tablutzero-{name}.svg").read_text(encoding="utf-8")
        ET.fromstring(picture)
        assert ("published" in picture) == (name != "balance")
    printed = capsys.readouterr().out
    assert "tablut-fast beats tablut-paper at equal GPU-minutes: 94.0 % [" in printed
    assert "excludes 50 %: met" in printed

    run(Options(paper="tablutzero", out=out, quick=True, train="none", json=True))
    assert (works[1].train, works[1].quick, works[1].sizes.games) == (set(), True, 8)
    output = json.loads(capsys.readouterr().out)  # nothing else is printed
    assert set(output["runs"]) == {"paper", "fast"}
    assert output["runs"]["fast"]["minutes"] == 30.0
    fitted, fixed = (output["runs"]["fast"][key][-1] for key in ("elo", "elo_fixed_parameters"))
    assert fitted["iteration"] == fixed["iteration"] == 60
    assert fitted["elo"] < fixed["elo"]
    assert output["meetings"]["fast--paper"]["low"] > 0.5
    assert [target["met"] for target in output["targets"]] == [None, None, None]
    assert all("this is a quick run" in target["ours"] for target in output["targets"])
    assert {(line["net"], line["favoured"]) for line in output["balance"]} == {("tablut-fast 60", "attackers")}
    report = (out / "tablutzero.md").read_text(encoding="utf-8")
    assert "**This is a quick run**" in report
    assert "our run is stronger at equal GPU-minutes: **not decided**: this is a quick run" in report
    assert "holds" not in report


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"out": None}, "--out FOLDER is required"),
        ({"games": 3}, "--games must be even"),
        ({"train": "fats"}, "did you mean 'fast'"),
        ({"minutes": -1.0}, "--minutes must be from 0"),
        ({"seeds": 2}, "--seeds is an option of cathedral, not of tablutzero"),
        ({"train": "none", "runs": Path("nowhere")}, "no such folder; give the one that holds tablut-paper"),
        ({"train": "none"}, "holds none of the runs tablut-paper"),
    ],
)
def test_impossible_options_are_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(BoardwrightError, match=message):
        run(Options(**{"paper": "tablutzero", "out": tmp_path, **changes}))  # type: ignore[arg-type]
