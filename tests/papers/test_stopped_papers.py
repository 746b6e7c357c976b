"""A stopped `boardwright paper` says how to resume and writes no report."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from boardwright.cli import paper_work
from boardwright.cli.paper import Options, run
from boardwright.papers.cathedral import runs as cathedral_runs
from boardwright.papers.stopping import StoppedError
from boardwright.papers.tablutzero import matches as tablutzero_matches

PAPERS = {"cathedral": cathedral_runs, "tablutzero": tablutzero_matches}


@pytest.mark.parametrize(("paper", "module"), PAPERS.items(), ids=PAPERS)
def test_stopped_paper_says_how_to_resume(
    paper: str, module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any) -> None:
        raise StoppedError

    monkeypatch.setattr(paper_work, "keep_programs", lambda folder: None)
    monkeypatch.setattr(module, "everything", stop)
    with pytest.raises(SystemExit) as end:
        run(Options(paper=paper, out=tmp_path))
    assert end.value.code == 130
    assert "the same command goes on from here" in capsys.readouterr().err
    assert not (tmp_path / f"{paper}.md").exists()
