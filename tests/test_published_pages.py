"""Pages of results equal what their command makes of the published runs."""

from pathlib import Path
from typing import Any

import pytest

from boardwright.arena import ladder_file
from boardwright.cli import ladder
from boardwright.cli import paper as command
from boardwright.cli.paper import Options, run

RESULTS = Path(__file__).parent.parent / "docs" / "results"


@pytest.mark.parametrize(
    ("paper", "options"),
    [
        ("tablutzero", {"train": "none", "minutes": 8.0}),
        ("cathedral", {"seeds": 12}),
        ("draughts", {}),
    ],
)
def test_page_is_generated_from_its_results(
    paper: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "cache_compilations", lambda folder: None)  # nothing is compiled
    monkeypatch.chdir(tmp_path)
    run(Options(paper=paper, out=Path("out"), work=RESULTS / "data" / f"{paper}.tar.xz", **options))
    made, kept = sorted(Path("out").iterdir()), sorted(RESULTS.glob(f"{paper}*.*"))
    assert [path.name for path in made] == [path.name for path in kept]
    page = f"{paper}.md"
    assert Path("out", page).read_text(encoding="utf-8") == (RESULTS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("ratings", sorted(ladder_file.FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_ladder_page_is_made_from_the_shipped_ratings(ratings: Path, tmp_path: Path) -> None:
    rated = ladder_file.read(ratings)
    page = tmp_path / "page.md"
    ladder.run(ladder.Options(game=rated.game, rules=rated.rules, out=page))
    assert page.read_text(encoding="utf-8") == (RESULTS / f"ladder-{ratings.stem}.md").read_text(encoding="utf-8")
