"""Evaluating positions for play, without JAX."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scrambled
from variations import BY_ROLE, EVERYTHING, GAMES, PLAIN

import boardwright
from boardwright.errors import NetError
from boardwright.games.base import CHANCE
from boardwright.nets.evaluator import Evaluator
from boardwright.nets.network import make_network, variables_of


@pytest.mark.parametrize("name", GAMES)
def test_positions_are_observed_by_the_mover(name: str, tmp_path: Path) -> None:
    game = boardwright.game(name)
    evaluator = Evaluator(scrambled.net_file(tmp_path, BY_ROLE, game), game=game, threads=2)
    rng = np.random.default_rng(2)
    positions = [game.start()]
    for _ in range(6):
        positions.append(positions[-1].play(int(rng.choice(positions[-1].legal_actions()))))
    logits, values = evaluator.evaluate_positions(positions)
    roles = np.array([position.role_to_move for position in positions], np.int8)
    assert set(roles) == {0, 1}
    planes = np.stack([position.observation() for position in positions])
    variables = variables_of(scrambled.weights(BY_ROLE, game))
    expected = make_network(BY_ROLE, game).apply(variables, planes, roles)
    np.testing.assert_allclose(logits, expected.policy_logits, atol=1e-4)
    np.testing.assert_allclose(values, expected.value, atol=1e-4)
    assert logits.dtype == values.dtype == np.float32


def test_no_positions_give_no_evaluations(tmp_path: Path) -> None:
    game = boardwright.game("draughts")
    logits, values = Evaluator(scrambled.net_file(tmp_path, PLAIN, game), game=game).evaluate_positions([])
    assert (logits.shape, values.shape) == ((0, 128), (0,))


def test_unusable_positions_are_refused(tmp_path: Path) -> None:
    game = boardwright.game("cathedral", {"name": "coin", "first": "coin", "size": 6})
    path = scrambled.net_file(tmp_path, PLAIN, game)
    evaluator = Evaluator(path, game=game)
    assert game.start().role_to_move == CHANCE
    with pytest.raises(NetError, match="chance is to move"):
        evaluator.evaluate_positions([game.start()])
    with pytest.raises(NetError, match="another game, rule set or observation"):
        evaluator.evaluate_positions([boardwright.game("cathedral").start()])
    with pytest.raises(NetError, match="made for cathedral, not tablut"):
        Evaluator(path, game=boardwright.game("tablut"))
    with pytest.raises(NetError, match="threads must be from 1"):
        Evaluator(path, game=game, threads=0)


PLAY = """
import sys
for name in ("jax", "flax", "ml_dtypes", *sys.argv[2:]):
    sys.modules[name] = None  # importing it fails
import pathlib, boardwright
from boardwright.nets import netfile
path = pathlib.Path(sys.argv[1])
game = netfile.game_of(netfile.read(path))
netfile.read(path, game=game)
if not sys.argv[2:]:
    del sys.modules["ml_dtypes"]  # onnx may use it
    from boardwright.nets.evaluator import Evaluator
    print(Evaluator(path, game=game).evaluate_positions([game.start()])[0].shape)
"""


@pytest.mark.parametrize("missing", [(), ("onnx", "onnxruntime")])
def test_play_imports_no_jax_and_reading_no_onnx(missing: tuple[str, ...], tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, EVERYTHING, boardwright.game("tablut"), storage="bfloat16")
    subprocess.run([sys.executable, "-c", PLAY, str(path), *missing], check=True, timeout=120)


def test_package_and_help_import_no_net_libraries() -> None:
    code = """
import sys, boardwright
from boardwright.cli.main import main
sys.argv = ["boardwright", "--help"]
try:
    main()
except SystemExit:
    pass
assert not {"onnx", "onnxruntime", "safetensors", "jax", "flax"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=120)
