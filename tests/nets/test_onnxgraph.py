"""The graph for play says what the net in JAX says."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import scrambled
from variations import COMBINATIONS, EVALUATION, EVERYTHING, PLAIN

import boardwright
from boardwright.errors import NetError
from boardwright.nets import evaluator, netfile
from boardwright.nets.config import Architecture, NetConfig
from boardwright.nets.network import make_network, variables_of


def run(graph: onnx.ModelProto, planes: np.ndarray, roles: np.ndarray) -> dict[str, np.ndarray]:
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    answers = session.run(names, {"observation": planes, "role": roles.astype(np.int32)})
    return dict(zip(names, map(np.asarray, answers), strict=True))


@pytest.mark.parametrize(("name", "config"), COMBINATIONS.values(), ids=COMBINATIONS)
def test_graph_and_jax_agree(name: str, config: Architecture, tmp_path: Path) -> None:
    """With random weights and statistics, so that folding the batch norms has something to do."""
    game = boardwright.game(name)
    storage = "bfloat16" if isinstance(config, NetConfig) and config.heads == "by-role" else "float32"
    net = netfile.read(scrambled.net_file(tmp_path, config, game, storage=storage), game=game)
    graph = evaluator.build(net)
    onnx.checker.check_model(graph, full_check=True)
    assert not any(node.op_type == "BatchNormalization" for node in graph.graph.node)
    planes, roles = scrambled.observations(game, 5)
    answers = run(graph, planes, roles)
    expected = make_network(config, game).apply(variables_of(net.weights), planes, roles)
    assert np.std(expected.policy_logits) > 0.3
    np.testing.assert_allclose(answers["policy_logits"], expected.policy_logits, atol=1e-4)
    np.testing.assert_allclose(answers["value"], expected.value, atol=1e-4)
    assert ("wdl_logits" in answers) == (isinstance(config, NetConfig) and config.value == "wdl")
    if expected.wdl_logits is not None:
        np.testing.assert_allclose(answers["wdl_logits"], expected.wdl_logits, atol=1e-4)


def test_any_number_of_positions(tmp_path: Path) -> None:
    game = boardwright.game("cathedral", "paper-6", "paper")
    graph = evaluator.build(netfile.read(scrambled.net_file(tmp_path, EVERYTHING, game)))
    planes, roles = scrambled.observations(game, 7)
    together = run(graph, planes, roles)
    for row in range(7):
        alone = run(graph, planes[row : row + 1], roles[row : row + 1])
        for name, answer in together.items():
            np.testing.assert_allclose(alone[name][0], answer[row], atol=1e-5)


def test_the_graph_runs_in_old_runtimes(tmp_path: Path) -> None:
    """onnxruntime 1.20 reads format 10 and operators 21 at most."""
    game = boardwright.game("draughts")
    graph = evaluator.build(netfile.read(scrambled.net_file(tmp_path, PLAIN, game)))
    assert graph.ir_version <= 10
    assert [opset.version <= 21 for opset in graph.opset_import] == [True]


def test_evaluation_net_has_no_onnx_graph_and_no_network(tmp_path: Path) -> None:
    game = boardwright.game("draughts", observation="paper")
    path = scrambled.net_file(tmp_path, EVALUATION, game)
    with pytest.raises(NetError, match=f"net file {path}: .* no policy: play it with alphabeta:net={path}$"):
        evaluator.build(netfile.read(path))
    with pytest.raises(NetError, match=r"net evaluation 12-5: .* no policy: play it with alphabeta:net=FILE$"):
        make_network(EVALUATION, game)
