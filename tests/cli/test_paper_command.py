"""`boardwright paper`: every table is played, compared and stored, and a stopped run resumes."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from boardwright.papers.tablut_heuristics import report
from boardwright.papers.tablut_heuristics.claims import SIDES, TARGETS, Count


def paper(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "boardwright"), "paper", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_targets_are_met_from_their_bounds_on() -> None:
    assert TARGETS["wins at least 96 %"](Count(wins=96, losses=4))
    assert not TARGETS["wins at least 96 %"](Count(wins=95, draws=5))
    assert TARGETS["no loss"](Count(draws=5))
    assert not TARGETS["no loss"](Count(wins=9, losses=1))
    assert TARGETS["more wins than losses"](Count(wins=2, losses=1, draws=9))
    assert not TARGETS["more wins than losses"](Count(wins=2, losses=2, draws=9))


def test_page_names_figures_without_a_target_that_differ_from_the_paper() -> None:
    published = [(side, side.paper) for side in SIDES]
    assert "outside our interval" not in report.page(published, "", "")
    beaten = Count(wins=10, plies=9.0)
    ours = [(side, beaten if (side.player, side.role) == ("mc-expanded", 0) else count) for side, count in published]
    text = report.page(ours, "", "")
    assert "`mc-expanded` as attackers in table IV (10 of 10 games won, in the paper 0 of 10)." in text


def test_every_table_row_is_played_reported_and_stored(tmp_path: Path) -> None:
    options = ["tablut-heuristics", "--games", "1", "--time", "1ms", "--db", str(tmp_path / "games.db")]
    first = paper(*options, "--out", str(tmp_path / "results"), "--json")
    assert (first.returncode, first.stderr) == (0, "")
    sides = json.loads(first.stdout)["sides"]
    assert len(sides) == len(SIDES)
    assert all(side["wins"] + side["losses"] + side["draws"] == side["games"] == 1 for side in sides)

    again = paper(*options)  # takes the games from the database, so the same results
    assert again.returncode == 0
    lines = again.stdout.splitlines()
    assert len(lines) == 1 + len(SIDES)
    for line, side in zip(lines[1:], sides, strict=True):
        assert f"{side['wins']}-{side['losses']}-{side['draws']}" in line
        assert (side["met"] is None) == ("met" not in line.lower().split(": ")[-1])

    report = (tmp_path / "results" / "tablut-heuristics.md").read_text(encoding="utf-8")
    assert report.count("\n| ") == 2 + len(SIDES)
    assert "(tablut-heuristics.svg)" in report
    picture = ET.fromstring((tmp_path / "results" / "tablut-heuristics.svg").read_text(encoding="utf-8"))
    assert len(picture) > 3 * len(SIDES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tablut-heuristic"], "did you mean 'tablut-heuristics'?"),
        (["tablut-heuristics", "--games", "0"], "--games must be from 1"),
        (["tablut-heuristics", "--time", "soon"], "--time must be like 2s or 500ms"),
        (["tablut-heuristics", "--out", "/dev/null/results"], "Not a directory"),
        (
            ["tablut-heuristics", "--quick"],
            "--quick is an option of cathedral, tablutzero and draughts, not of tablut-heuristics: leave it out",
        ),
        (["tablut-heuristics", "--seeds", "2"], "--seeds is an option of cathedral, not of tablut-heuristics"),
        (["cathedral", "--time", "1s"], "--time is an option of tablut-heuristics, not of cathedral"),
        (["cathedral", "--quick"], "--out FOLDER is required, for the report and the runs"),
        (["cathedral", "--out", "{folder}", "--games", "3"], "--games must be even"),
        (["cathedral", "--out", "{folder}", "--games", "0"], "--games must be from 2"),
        (["cathedral", "--out", "{folder}", "--seeds", "0"], "--seeds must be from 1"),
        (["cathedral", "--out", "{folder}", "--at-once", "0"], "--at-once must be from 1"),
        (["tablutzero", "--at-once", "2"], "--at-once is an option of cathedral, not of tablutzero"),
        (["cathedral", "--out", "{folder}", "--work", "/dev/null/x"], "--work /dev/null/x: Not a directory"),
    ],
)
def test_bad_arguments_are_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = paper(*(argument.format(folder=tmp_path) for argument in arguments))
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
