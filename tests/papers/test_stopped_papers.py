"""A stopped `boardwright paper` says how to resume and writes no report."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from boardwright.cli import paper as command
from boardwright.cli.paper import Options, run
from boardwright.papers.cathedral import runs as cathedral_runs
from boardwright.papers.tablutzero import runs as tablutzero_runs
from boardwright.papers.work_folder import StoppedError

PAPERS = {"cathedral": cathedral_runs, "tablutzero": tablutzero_runs}


@pytest.mark.parametrize(("paper", "module"), PAPERS.items(), ids=PAPERS)
def test_stopped_paper_says_how_to_resume(
    paper: str, module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any) -> None:
        raise StoppedError

    monkeypatch.setattr(command, "cache_compilations", lambda folder: None)
    monkeypatch.setattr(module, "run_paper", stop)
    with pytest.raises(SystemExit) as end:
        run(Options(paper=paper, out=tmp_path))
    assert end.value.code == 130
    assert "rerun the same command to resume" in capsys.readouterr().err
    assert not (tmp_path / f"{paper}.md").exists()
