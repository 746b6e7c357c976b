"""`boardwright balance` around its games, which are made up here."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from planted_run import plant_net, plant_run

from boardwright.arena import balance_games
from boardwright.arena.balance import BalanceSettings, Counts, Line
from boardwright.cli.balance import Options, run
from boardwright.errors import BoardwrightError
from boardwright.nets import netfile, shipped

LOPSIDED = Counts(wins=(1000, 0), draws=0, plies=30_000, squared_plies=1_000_000, openings=900)
EVEN = Counts(wins=(300, 300), draws=400, plies=40_000, squared_plies=1_700_000, openings=1)


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    def made_up(settings: BalanceSettings, on_progress: object) -> Iterator[Line]:
        assert (settings.games, settings.simulations, settings.openings) == (1000, 128, (0, 4))
        for net, game in balance_games.games_of(settings):
            is_own = not netfile.differing_rules(net, game)
            for plies in settings.openings:
                counts = LOPSIDED if plies else EVEN
                yield Line(game.rules.name, shipped.name_of(net.path), is_own, plies, counts)

    monkeypatch.setattr(balance_games, "lines", made_up)
    plant_net(plant_run(tmp_path / "run"), 1)
    return str(tmp_path / "run" / "nets" / "000001.net")


@pytest.fixture
def other(net: str) -> str:
    """One that learned `paper`."""
    path = Path(net)
    plant_net(path.parent.parent, 2, rules="paper")
    return str(path.with_name("000002.net"))


def test_lines_and_a_page(net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(Options(game="draughts", net=net, rules="wcdf,paper", out=tmp_path / "results"))
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 4
    assert printed[0].startswith("wcdf, start: black 30.0 % [27.")
    assert printed[0].endswith("undecided which side is favoured")
    assert printed[3].startswith("paper (the net was trained on other rules), random:4: black 100.0 %")
    assert printed[3].endswith("black favoured")
    page = (tmp_path / "results" / "balance.md").read_text(encoding="utf-8")
    assert f"`boardwright balance draughts --net {net} --rules wcdf,paper --games 1000" in page
    assert page.count("\n| `wcdf` | ") == page.count("\n| `paper` † | ") == 2
    assert "\n| rules | opening | black won |" in page
    assert "\nOne net plays both roles with 128 simulations per move, 1,000 games per row.\n" in page
    assert "† The net was trained on other rules" in page
    assert "more than " in page
    assert " inf" not in page
    ET.fromstring((tmp_path / "results" / "balance.svg").read_text(encoding="utf-8"))


def test_several_nets(net: str, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is asked about what it learned, and only what none learned is marked."""
    (tmp_path / "short.toml").write_text('base = "wcdf"\nmax_plies = 100')
    rules = f"paper, wcdf,{tmp_path / 'short.toml'}"
    run(Options(game="draughts", net=f"{net}, {other},{net}", rules=rules, out=tmp_path / "results"))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"paper by {other}, start: black 30.0 %")
    assert printed[4].startswith(f"short by {net} (the net was trained on other rules), start: ")
    page = (tmp_path / "results" / "balance.md").read_text(encoding="utf-8")
    assert "\n| rules | net | opening | black won |" in page
    for start in (f"| `paper` | `{other}` | ", f"| `wcdf` | `{net}` | ", f"| `short` † | `{net}` | "):
        assert page.count(f"\n{start}") == 2
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    text = " ".join(page.split())
    assert (
        "In each row the net named there plays both roles with 128 simulations per move, 1,000 games per row." in text
    )
    assert "The result depends on these nets: perfect play might favour the other role." in text
    assert "† The net was trained on other rules" in page
    assert "the same net on both sides" in (tmp_path / "results" / "balance.svg").read_text(encoding="utf-8")

    run(Options(game="draughts", net=f"{other},{net}", json=True))
    report = json.loads(capsys.readouterr().out)["lines"]
    assert [(line["rules"], line["net"], line["own"]) for line in report[::2]] == [
        ("paper", other, True),
        ("wcdf", net, True),
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("", "net '': no such file"),
        ("nowhere.net", r"net 'nowhere\.net': no such file"),
        ("tablut", r"tablut\.safetensors: made for tablut, not draughts: choose a net of draughts"),
        ("draughts-evaluation", "has no policy: play it with alphabeta:net="),
        (
            "draughts",
            r"net draughts is not used; the rule sets are played by others \(wcdf by \S+000001\.net\): leave it",
        ),
    ],
)
def test_net_that_plays_no_rule_set_is_refused(net: str, more: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BoardwrightError, match=message) as caught:
        run(Options(game="draughts", net=f"{net},{more}", out=tmp_path / "results"))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "results").exists()


def test_json_has_null_for_infinite_elo(net: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(Options(game="draughts", net=net, json=True))
    report = json.loads(capsys.readouterr().out)
    start, after = report["lines"]
    assert start["net"] == net
    assert (start["rules"], start["own"], start["opening"], start["favoured"]) == ("wcdf", True, "start", None)
    assert (start["score"]["mean"], start["elo"]["mean"], start["plies"]["mean"]) == (0.5, 0.0, 40.0)
    assert (after["favoured"], after["wins"], after["elo"]["mean"]) == ("black", {"black": 1000, "white": 0}, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "--games must be from 1"),
        ({"simulations": 10**6}, "--simulations must be from 1"),
        ({"openings": "ballots"}, "expected start or random:1"),
        ({"rules": "wcdf,"}, "unknown rule set"),
        ({"game": "chess"}, "unknown game"),
        ({"net": "nowhere.net"}, "no such file"),
    ],
)
def test_impossible_options_are_refused(net: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(BoardwrightError, match=message):
        run(Options(**{"game": "draughts", "net": net, **changes}))  # type: ignore[arg-type]
