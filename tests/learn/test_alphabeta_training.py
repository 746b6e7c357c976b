"""Whole training runs for alpha-beta: resuming, packing, ratings and learning."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from boardwright.cli.train import _line
from boardwright.errors import RunError
from boardwright.games.registry import game
from boardwright.learn import methods
from boardwright.learn.evaluation.config import PRESETS
from boardwright.learn.evaluation.method import AlphaBetaEvaluation, play_match
from boardwright.learn.evaluation.selfplay import make_searches
from boardwright.learn.reporting.figures import FIGURES, chart
from boardwright.learn.run import arrayfile, checkpoint, loop, packing, settings
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.nets import netfile

DRAUGHTS = game("draughts", None, "paper")
TINY = PRESETS["draughts-tiny"]


@pytest.fixture(autouse=True)
def _in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight games and eight steps in a piece of work, so that tiny iterations have several."""
    monkeypatch.setattr("boardwright.learn.evaluation.method.MIN_GAMES", 1)
    monkeypatch.setattr("boardwright.learn.evaluation.method.NODES_PER_CHUNK", 8 * 40 * TINY.selfplay.nodes)
    monkeypatch.setattr("boardwright.learn.evaluation.method.MAX_STEPS", 8)


def arrays(folder: Path) -> dict[str, bytes]:
    """Every array of the last checkpoint."""
    found = checkpoint.find_checkpoints(folder / "checkpoints")
    file = arrayfile.read(found[max(found)])
    data = file.path.read_bytes()
    return {name: data[begin:end] for name, (begin, end) in file.offsets.items() if name != arrayfile.CHECKSUM}


def test_resumed_run_is_bit_identical(tmp_path: Path) -> None:
    whole, parts, report = tmp_path / "whole", tmp_path / "parts", {}
    method = AlphaBetaEvaluation(TINY)
    assert method.chunks == 3 + 4
    assert [method.progress_after(chunks) for chunks in (1, 3, 7)] == [
        ("self-play", 8, 24),
        ("self-play", 24, 24),
        ("learning", 32, 32),
    ]
    watch = RunObserver(on_iteration=lambda done, frames, scalars: report.update(scalars))
    loop.train(method, whole, watch)
    calls = iter(range(1000))
    stopping = RunObserver(stopped=lambda: next(calls) % 6 == 5)
    while loop.train(AlphaBetaEvaluation(TINY), parts, stopping).iteration < TINY.iterations:
        pass
    assert next(calls) > 30  # it did stop
    assert arrays(whole) == arrays(parts)
    nets = [netfile.read(folder / "nets" / "best.net") for folder in (whole, parts)]
    assert nets[0].config == TINY.net
    assert nets[0].training["method"] == "alphabeta"
    for name, weight in nets[0].weights.items():
        assert np.array_equal(weight, nets[1].weights[name]), name

    history, other = (read_metrics(folder) for folder in (whole, parts))
    assert history.matches == other.matches
    pairs = {(match.iteration, match.role0_net, match.role1_net) for match in history.matches}
    assert pairs == {(2, 2, 0), (2, 0, 2), (4, 4, 2), (4, 2, 4)}
    assert all(match.wins0 + match.draws + match.wins1 == 2 for match in history.matches)
    assert history.scalars["evaluation/elo"].iterations.tolist() == [0, 2, 4]
    assert history.scalars["selfplay/games"].values.tolist() == [24.0] * 4
    shares = [history.scalars[f"selfplay/{what}"].values for what in ("role0_wins", "role1_wins", "draws")]
    assert sum(shares) == pytest.approx(np.ones(4))
    assert (history.scalars["selfplay/learnable"].values < history.scalars["selfplay/moves"].values).all()
    drawn = {figure.name for figure in FIGURES if chart(figure, {"run": history})}
    assert {"elo", "outcomes", "loss-value", "plies", "search-depth", "learning-rate"} <= drawn
    assert f"value {report['loss/value']:.3f}" in _line(4, 4, 100, report)


def test_a_run_moves_to_another_machine(tmp_path: Path) -> None:
    config = settings.apply(TINY, ["iterations=2"])
    left = iter(range(9))  # the first iteration, and a piece of the second
    loop.train(AlphaBetaEvaluation(config), tmp_path / "here", RunObserver(stopped=lambda: next(left, None) is None))
    packing.pack(tmp_path / "here", tmp_path / "file", nets=1)
    packing.unpack(tmp_path / "file", tmp_path / "there")
    progress = loop.train(AlphaBetaEvaluation(config), tmp_path / "there")
    assert (progress.iteration, progress.parts) == (2, 2)
    run = checkpoint.restore(tmp_path / "there" / "checkpoints", AlphaBetaEvaluation(config).initialise())
    assert run is not None
    assert int(run.tree.learner.steps) == 2 * config.learner.steps
    first = netfile.read(tmp_path / "here" / "nets" / "000001.net").weights
    brought = netfile.read(tmp_path / "there" / "nets" / "000001.net").weights
    assert all(np.array_equal(first[name], brought[name]) for name in first)


@pytest.mark.usefixtures("careful_compiler")
def test_it_learns_that_material_matters(tmp_path: Path) -> None:
    changes = ["iterations=3", "selfplay.games=100", "replay=20000", "learner.steps=150", "evaluation.every=0"]
    config = settings.apply(TINY, changes)
    loop.train(AlphaBetaEvaluation(config), tmp_path)
    new, old = (netfile.read(tmp_path / "nets" / f"00000{done}.net").weights for done in (3, 0))
    games = dataclasses.replace(config.evaluation, games=40, nodes=100)
    scores = play_match(DRAUGHTS, make_searches(DRAUGHTS, None), new, old, games, "who is better")
    points = sum(score.points for score, _ in scores)
    assert points > 0.8 * 40


def test_method_is_registered() -> None:
    config = methods.preset("alphabeta", "draughts-tiny", "draughts")
    method = methods.make_method("alphabeta", config, lambda config: pytest.fail("needs no boards"))
    assert (method.name, method.game.observation) == ("alphabeta", "paper")


def test_missing_tables_give_a_one_line_error(tmp_path: Path) -> None:
    config = settings.apply(TINY, [f"tablebase_dir={tmp_path / 'none'}"])
    with pytest.raises(RunError, match="setting tablebase_dir: ") as error:
        loop.train(AlphaBetaEvaluation(config), tmp_path / "run")
    assert "\n" not in str(error.value)
