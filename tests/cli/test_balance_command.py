"""`boardwright balance` around its games, which are made up here."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from planted_run import plant_net, plant_run

from boardwright.arena import balance_games
from boardwright.arena.balance import Counts, Line, Question
from boardwright.cli.balance import Options, run
from boardwright.errors import BoardwrightError

LOPSIDED = Counts(wins=(1000, 0), draws=0, plies=30_000, squared_plies=1_000_000, openings=900)
EVEN = Counts(wins=(300, 300), draws=400, plies=40_000, squared_plies=1_700_000, openings=1)


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    def made_up(question: Question, heard: object) -> Iterator[Line]:
        assert (question.games, question.simulations, question.openings) == (1000, 128, (0, 4))
        for rules in question.rules or ("wcdf",):
            for plies in question.openings:
                yield Line(rules, rules == "wcdf", plies, LOPSIDED if plies else EVEN)

    monkeypatch.setattr(balance_games, "lines", made_up)
    plant_net(plant_run(tmp_path / "run"), 1)
    return str(tmp_path / "run" / "nets" / "000001.net")


def test_lines_and_a_page(net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(Options(game="draughts", net=net, rules="wcdf,paper", out=tmp_path / "results"))
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 4
    assert printed[0].startswith("wcdf, start: black 30.0 % [27.")
    assert printed[0].endswith("not decided who is favoured")
    assert printed[3].startswith("paper (the net learned other rules), random:4: black 100.0 %")
    assert printed[3].endswith("black favoured")
    page = (tmp_path / "results" / "balance.md").read_text(encoding="utf-8")
    assert f"`boardwright balance draughts --net {net} --rules wcdf,paper --games 1000" in page
    assert page.count("\n| `wcdf` | ") == page.count("\n| `paper` † | ") == 2
    assert "† The net learned other rules" in page
    assert "more than " in page
    assert " inf" not in page
    ET.fromstring((tmp_path / "results" / "balance.svg").read_text(encoding="utf-8"))


def test_json(net: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(Options(game="draughts", net=net, json=True))
    told = json.loads(capsys.readouterr().out)
    start, after = told["lines"]
    assert (start["rules"], start["own"], start["opening"], start["favoured"]) == ("wcdf", True, "start", None)
    assert (start["score"]["mean"], start["elo"]["mean"], start["plies"]["mean"]) == (0.5, 0.0, 40.0)
    assert (after["favoured"], after["wins"], after["elo"]["mean"]) == ("black", {"black": 1000, "white": 0}, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "--games must be from 1"),
        ({"simulations": 10**6}, "--simulations must be from 1"),
        ({"openings": "ballots"}, "say start or random:1"),
        ({"rules": "wcdf,"}, "unknown rule set"),
        ({"game": "chess"}, "unknown game"),
        ({"net": "nowhere.net"}, "no such file"),
    ],
)
def test_what_cannot_be_is_said(net: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(BoardwrightError, match=message):
        run(Options(**{"game": "draughts", "net": net, **changes}))  # type: ignore[arg-type]
