"""`boardwright paper draughts` around a run that is made up here; its games and endings are played."""

import dataclasses
import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_package import plant_shipped_net

import boardwright
from boardwright.cli import paper
from boardwright.cli.paper import Options, run
from boardwright.errors import BoardwrightError
from boardwright.games.draughts.endgames.conversion import Conversion
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.run import config_file, loop
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import Metrics
from boardwright.learn.run.progress import Progress
from boardwright.nets import netfile
from boardwright.nets.config import NetConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.papers import work_folder
from boardwright.papers.draughtszero import runs as draughtszero
from boardwright.papers.draughtszero.runs import ASKED, OPPONENTS, OURS, PIECES, Results, Work, run_paper
from boardwright.papers.work_folder import StoppedError


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Runs end at once with an untrained net and something measured; the configs that were asked for."""
    asked: list[Any] = []

    def train(method: AlphaZero, folder: Path, watch: RunObserver, *, rate: Any = None) -> Progress:
        config = method.config
        asked.append(config)
        (folder / "nets").mkdir(parents=True, exist_ok=True)
        game = boardwright.game("draughts", config.rules, "paper")
        net = NetConfig(blocks=1, width=4, policy_channels=2, value_channels=1, value_hidden=2)
        shapes, rng = weight_shapes(net, interface_of(net, game)), np.random.default_rng(0)
        weights = {name: np.abs(rng.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()}
        path = folder / "nets" / "best.net"
        netfile.write(path, config=net, game=game, weights=weights, training={"method": "alphazero"})
        with Metrics(folder) as metrics:
            if len(asked) == 1:
                output = {"selfplay/games": 5, "speed/seconds": 30, "loss/policy": 2.0, "gating/score": 0.6}
                metrics.log(1, 100, output | {"gating/promoted": 1})
        return Progress(iteration=0 if watch.stopped() else config.iterations)

    monkeypatch.setattr(loop, "train", train)
    monkeypatch.setattr(paper, "cache_compilations", lambda folder: None)
    monkeypatch.setattr(draughtszero, "PIECES", (3, 4))
    return asked


def test_quick_run_and_its_repetition(tmp_path: Path, trained: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(paper="draughts", out=tmp_path, quick=True, games=2, positions=1, json=True)
    run(options)
    output = json.loads(capsys.readouterr().out)
    assert [claim["verdict"] for claim in output["claims"]].count("not decided") >= 1
    assert len(output["endings"]) == len(ASKED) * 2
    report = (tmp_path / "draughts.md").read_text(encoding="utf-8")
    assert "Made by `boardwright paper draughts --quick --games 2 --positions 1`" in report
    assert "quick run" in report
    assert "| games | about 100 | 5 | **variant** |" in report
    for differs in ("observation", "actions", "search", "self-play", "learning"):
        (row,) = [line for line in report.splitlines() if line.startswith(f"| {differs} |")]
        assert row.endswith("| **variant** |")
    assert "1: 0.60 (promoted)" in report
    assert "| residual, 1 blocks of 8 channels, value head of 32 |" in report  # the settings of this run
    ET.fromstring((tmp_path / "draughts-gating.svg").read_text(encoding="utf-8"))

    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "draughts-work").rglob("*.json")}
    assert len(before) == len(OPPONENTS) + len(ASKED) * 2
    run(options)
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert json.loads(capsys.readouterr().out) == output
    assert trained[0].iterations == 4
    with pytest.raises(BoardwrightError, match=r"\.json has results of other settings .*another folder"):
        run(dataclasses.replace(options, games=4))
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_the_folder_may_move(tmp_path: Path, trained: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is made of what was measured elsewhere; a run that has ended is not asked for its checkpoints."""
    first, second = tmp_path / "first", tmp_path / "second"
    work = Work(folder=first, quick=True, games=2, positions=1)
    results = run_paper(work, RunObserver())
    config = work.config()
    config_file.store(first / "run", "alphazero", config)
    with Metrics(first / "run") as metrics:
        metrics.log(config.iterations, 400, {"speed/seconds": 30})
    shutil.move(first, second)
    monkeypatch.setattr(loop, "train", None)
    monkeypatch.setattr(work_folder, "play", None)
    monkeypatch.setattr(draughtszero, "attempts", None)
    again = run_paper(dataclasses.replace(work, folder=second), RunObserver())
    assert again.matches == results.matches
    assert repr(again.endings) == repr(results.endings)  # means of no games are no numbers
    assert str(tmp_path) not in "".join(path.read_text() for path in second.rglob("*.json"))
    with pytest.raises(TypeError):  # of another seed it is not the same run
        run_paper(dataclasses.replace(work, folder=second, seed=1), RunObserver())


def test_stop_is_raised_once_training_has_begun(tmp_path: Path, trained: list[Any]) -> None:
    with pytest.raises(StoppedError):
        run_paper(Work(folder=tmp_path, quick=True), RunObserver(stopped=lambda: True))
    assert trained


def conversions(won: int) -> tuple[Conversion, ...]:
    return tuple(Conversion("", pieces, won, 100 - won, 0, 20.0, 18.0) for pieces in PIECES)


@pytest.mark.parametrize(
    ("wins", "plain", "tables", "verdicts"),
    [
        (90, 20, 60, ["not decided", "holds", "holds"]),  # above 0.5 against random, as the untrained net is
        (10, 80, 60, ["does not hold", "does not hold", "does not hold"]),
        (50, 50, 52, ["not decided", "not decided", "not decided"]),
    ],
)
def test_verdicts_follow_from_the_results(wins: int, plain: int, tables: int, verdicts: list[str]) -> None:
    won = dict(zip(ASKED, (0, plain, tables), strict=True))
    history: Any = None
    results = Results(
        history,
        dict.fromkeys(OPPONENTS, (wins, 0, 100 - wins)),
        {(OURS, asked): conversions(count) for asked, count in won.items()},
    )
    claims = results.claims()
    assert [one.verdict for one in claims] == verdicts
    assert all("our variant" in one.note for one in claims)
    assert ("an untrained net also scores above 0.5" in claims[0].note) == (wins >= 50)
    assert "tables as training targets were not run" in claims[2].note


def test_impossible_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BoardwrightError, match="--out FOLDER is required"):
        run(Options(paper="draughts"))
    with pytest.raises(BoardwrightError, match="--games must be even"):
        run(Options(paper="draughts", out=tmp_path, games=3))
    with pytest.raises(BoardwrightError, match="--nets is an option of draughts, not of cathedral"):
        run(Options(paper="cathedral", nets=("a",)))
    assert np.isfinite(dataclasses.astuple(conversions(3)[0].share)).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"nets": ("nope",)}, "net 'nope': no such file"),
        ({"nets": ("draughts", "tablut")}, "made for tablut"),
        ({"nets": ("draughts-evaluation",)}, "has no policy"),
        ({"nets": ("wishes.safetensors",)}, "its value is not a game result"),
        ({"tables": Path("nowhere")}, "nowhere"),
    ],
)
def test_other_nets_and_tables_are_checked_first(
    wrong: dict[str, Any], message: str, tmp_path: Path, trained: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_shipped_net(tmp_path, "wishes", "draughts", "wcdf", method="dqn")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BoardwrightError, match=message):
        run(Options(paper="draughts", out=tmp_path / "out", quick=True, **wrong))
    assert trained == []
