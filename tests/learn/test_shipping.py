"""Nets that ship: what they say of themselves, and that they play as the net they were made of."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import boardwright
from boardwright.agents.base import Limit
from boardwright.agents.players import make_agent
from boardwright.cli import nets as nets_command
from boardwright.cli import ship as ship_command
from boardwright.errors import BoardwrightError
from boardwright.learn.reporting import shipping
from boardwright.learn.run import league
from boardwright.learn.run.metrics import History, Metrics
from boardwright.nets import netfile, shipped
from boardwright.nets.config import NetConfig
from boardwright.nets.evaluator import Evaluator
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.network import variables_of

GAME = boardwright.game("draughts")
NET = NetConfig(blocks=4, width=32, value="wdl", pool_every=2)
SETTINGS = {"iterations": 20, "net": {"blocks": 4}, "search": {"simulations": [16, 32]}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder: nets of iterations 0, 10 and 20, measured, with 3 seconds of a device an iteration."""
    folder, random = tmp_path_factory.mktemp("run"), np.random.default_rng(0)
    (folder / "nets").mkdir()
    weights = {}
    for name, shape in weight_shapes(NET, interface_of(NET, GAME)).items():
        width = 1 / np.sqrt(np.prod(shape[:-1])) if name.endswith("/kernel") else 0.3
        weights[name] = random.normal(0, width, shape) + name.endswith(("/scale", "/var"))
        weights[name] = np.abs(weights[name]) if name.endswith("/var") else weights[name]
    variables = variables_of({name: weight.astype(np.float32) for name, weight in weights.items()})
    with Metrics(folder) as metrics:
        for iteration in range(1, 21):
            metrics.log(iteration, 100 * iteration, {"time/device_seconds": 3.0 * iteration})
        for iteration in (0, 10, 20):
            elo = 30.0 * iteration
            report = {"evaluation/elo": elo, "evaluation/elo_low": elo - 5, "evaluation/elo_high": elo + 5}
            metrics.log(iteration, 100 * iteration, report)
            training = {"method": "alphazero", "iteration": iteration, "frames": 100 * iteration, "config": SETTINGS}
            training["devices"] = ["NVIDIA H200"]
            about = {"config": NET, "game": GAME, "training": training}
            league.save_net(league.path_of(folder / "nets", iteration), variables, **about)
            league.save_net(folder / "nets" / "best.net", variables, full_precision=True, **about)
    return folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder in the place of the one where nets are that ship."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "data")
    return tmp_path / "data"


def test_a_shipped_net_plays_by_its_name_and_is_listed(
    run: Path, package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ship_command.run(ship_command.Options(run=run, name="checkers"))
    ship_command.run(ship_command.Options(run=run, name="checkers-early", iteration=10))
    assert [path.name for path in sorted(package.iterdir())] == ["checkers-early.safetensors", "checkers.safetensors"]
    assert make_agent("alphazero:net=checkers,sims=4", GAME).choose(GAME.start(), Limit()).nodes >= 4
    capsys.readouterr()
    nets_command.run(nets_command.Options())
    size = f"{(package / 'checkers.safetensors').stat().st_size / 1e6:.2f} MB"
    assert capsys.readouterr().out.splitlines() == [
        f"checkers: draughts wcdf, 4x32, {size}, 2,000 frames, 1 minutes, Elo 600",
        f"checkers-early: draughts wcdf, 4x32, {size}, 1,000 frames, 0.5 minutes, Elo 300",
    ]
    nets_command.run(nets_command.Options(net="checkers-early"))
    report = capsys.readouterr().out.splitlines()
    assert "Elo after iteration 10 (1,000 frames): 300, 95 % interval 295 to 305" in report
    assert "devices: NVIDIA H200" in report
    assert "setting search.simulations: 16, 32" in report
    nets_command.run(nets_command.Options(net=str(run / "nets" / "best.net"), json=True))
    (only,) = json.loads(capsys.readouterr().out)["nets"]
    assert (only["game"], only["rules"], only["training"]["frames"]) == ("draughts", "wcdf", 2000)


def test_shipped_net_names_its_run(run: Path, package: Path) -> None:
    report = netfile.read(shipping.ship(run, "checkers", iteration=10)).training
    assert report["config"] == SETTINGS
    assert (report["iteration"], report["frames"], report["device_minutes"]) == (10, 1000, 0.5)
    assert report["elo"] == [
        {"iteration": 0, "frames": 0, "elo": 0.0, "low": -5.0, "high": 5.0},
        {"iteration": 10, "frames": 1000, "elo": 300.0, "low": 295.0, "high": 305.0},
    ]
    assert re.fullmatch(r"[0-9a-f]{40}\+?", report["commit"]) if (shipping.SOURCE / ".git").exists() else True
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", report["shipped"])
    assert package.is_dir()


def test_bfloat16_net_evaluates_nearly_the_same(run: Path, package: Path) -> None:
    """Of positions of a game: probabilities, and values from -1 to 1, within 0.005."""
    whole, short = run / "nets" / "best.net", shipping.ship(run, "checkers")
    assert short.stat().st_size < 0.6 * whole.stat().st_size
    random, position, positions = np.random.default_rng(1), GAME.start(), []
    while position.outcome is None and len(positions) < 40:
        positions.append(position)
        position = position.play(int(random.choice(position.legal_actions())))
    (logits, values), (short_logits, short_values) = (
        Evaluator(path, game=GAME).evaluate_positions(positions) for path in (whole, short)
    )
    np.testing.assert_allclose(_shares(short_logits), _shares(logits), atol=0.005)
    np.testing.assert_allclose(short_values, values, atol=0.005)
    assert values.std() > 0.02  # it distinguishes positions


def _shares(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def test_unusable_nets_are_not_shipped(run: Path, package: Path, tmp_path: Path) -> None:
    for name in ("Checkers", "../checkers", "", "-"):
        with pytest.raises(BoardwrightError, match="expected small letters"):
            shipping.ship(run, name)
    with pytest.raises(BoardwrightError, match="holds no net of iteration 12: the nearest is that of 10"):
        shipping.ship(run, "checkers", iteration=12)
    with pytest.raises(BoardwrightError, match="is not a run folder"):
        shipping.ship(tmp_path, "checkers")
    (tmp_path / "file").touch()
    with pytest.raises(BoardwrightError, match="cannot write into"):
        shipping.ship(run, "checkers", folder=tmp_path / "file")
    assert not package.exists()


def test_net_replaces_only_one_of_the_same_game_and_rules(run: Path, package: Path) -> None:
    shipping.ship(run, "checkers", iteration=10)
    path = shipping.ship(run, "checkers")
    assert netfile.read(path).training["iteration"] == 20
    for name, others in (("go", boardwright.game("tablut")), ("quick", boardwright.game("draughts", "paper"))):
        taken = package / f"{name}.safetensors"
        weights = {
            name: np.ones(shape, np.float32) for name, shape in weight_shapes(NET, interface_of(NET, others)).items()
        }
        netfile.write(taken, config=NET, game=others, weights=weights, training={})
        before = taken.read_bytes()
        with pytest.raises(BoardwrightError, match=r"is a net of another game or other rules: choose another name"):
            shipping.ship(run, name)
        assert taken.read_bytes() == before


def test_shipped_net_has_no_file_paths() -> None:
    report = {"game": "draughts", "tablebase_dir": "/home/user/tables-5", "initial": "/home/user/first.net"}
    public = shipping.provenance({"iteration": 20, "config": report}, History({}, ()))["config"]
    assert public == {"game": "draughts", "tablebase_dir": "tables-5", "initial": "first.net"}
    without = {"iteration": 20, "config": {"game": "tablut", "tables": None}}
    assert shipping.provenance(without, History({}, ()))["config"] == without["config"]
