"""Pages of results whose runs are published beside them are what their command makes of those."""

import shutil
from pathlib import Path

import pytest

from boardwright.cli import paper_work
from boardwright.cli.paper import Options, run

RESULTS = Path(__file__).parent.parent / "docs" / "results"


def test_the_page_of_the_tablut_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper_work, "keep_programs", lambda folder: None)  # nothing is compiled
    published = shutil.copytree(RESULTS / "tablutzero", tmp_path / "published")
    run(Options(paper="tablutzero", out=tmp_path / "out", runs=published, work=published, train="none"))
    made, kept = sorted((tmp_path / "out").iterdir()), sorted(RESULTS.glob("tablutzero*.*"))
    assert [path.name for path in made] == [path.name for path in kept]
    page = "tablutzero.md"
    assert (tmp_path / "out" / page).read_text(encoding="utf-8") == (RESULTS / page).read_text(encoding="utf-8")
