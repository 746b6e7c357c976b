"""Plain nets and linear values: arithmetic, and what becomes of a net from its first weights to its file."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scrambled
from variations import BARE, CRITIC, ENCODED, LINEAR, PLAIN

import boardwright
from boardwright.nets import netfile
from boardwright.nets.config import NetConfig, PlainConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.modules import Output, q_values
from boardwright.nets.network import make_network, variables_of, weights_of

CATHEDRAL = boardwright.game("cathedral", "paper-6", "paper")


def dense(x: np.ndarray, weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    return x @ weights[f"params/{name}/kernel"] + weights[f"params/{name}/bias"]


def test_the_arithmetic_by_hand() -> None:
    """Convolution by convolution with loops, padded by one on every side, every second cell."""
    planes, roles = scrambled.observations(CATHEDRAL, 2)
    weights = scrambled.weights(ENCODED, CATHEDRAL)
    x = planes
    for number in range(2):
        kernel, bias = (weights[f"params/encoder/conv_{number}/{part}"] for part in ("kernel", "bias"))
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        size = (x.shape[1] + 1) // 2
        x = np.zeros((2, size, size, kernel.shape[3]))
        for row in range(size):
            for column in range(size):
                window = padded[:, 2 * row : 2 * row + 3, 2 * column : 2 * column + 3]
                x[:, row, column] = np.tensordot(window, kernel, 3) + bias
        x = np.maximum(x, 0)
    assert x.shape == (2, 2, 2, 5)
    encoded = dense(np.maximum(dense(x.reshape(2, -1), weights, "encoder/hidden_0"), 0), weights, "encoder/latent")
    assert (encoded < 0).any()  # so that a rectifier there would show
    policy = dense(np.maximum(dense(encoded, weights, "policy/hidden_0"), 0), weights, "policy/logits")
    value = np.maximum(dense(encoded, weights, "value/hidden_0"), 0)
    value = dense(np.maximum(dense(value, weights, "value/hidden_1"), 0), weights, "value/output")[:, 0]
    output = make_network(ENCODED, CATHEDRAL).apply(variables_of(weights), planes, roles)
    np.testing.assert_allclose(output.policy_logits, policy, atol=1e-4)
    np.testing.assert_allclose(output.value, value, atol=1e-4)


def test_the_papers_nets() -> None:
    """Its DQN's and its VAE's encoder, on its board."""
    game = boardwright.game("cathedral", "paper", "paper")
    shapes = weight_shapes(PlainConfig(), interface_of(PlainConfig(), game))
    kernels = [shape for name, shape in shapes.items() if name.endswith("kernel")]
    convolutions = [(3, 3, 5, 32), (3, 3, 32, 64), (3, 3, 64, 64), (3, 3, 64, 128)]
    assert kernels == [*convolutions, (8 * 8 * 128, 1024), (1024, 2048), (2048, game.num_actions)]
    vae = PlainConfig(convolutions=(32, 64), stride=2, encoder_hidden=(128,), latent=32, policy_hidden=())
    shapes = weight_shapes(vae, interface_of(vae, game))
    encoder = {name: shape for name, shape in shapes.items() if name.startswith("params/encoder/")}
    assert encoder["params/encoder/hidden_0/kernel"] == (2 * 2 * 64, 128)
    assert encoder["params/encoder/latent/kernel"] == (128, 32)
    assert len(encoder) == 8


def test_a_linear_value_is_the_scalar_before_its_tanh() -> None:
    planes, roles = scrambled.observations(CATHEDRAL, 4)
    weights = scrambled.weights(LINEAR, CATHEDRAL)
    for head in (0, 1):
        weights[f"params/value_{head}/output/kernel"] *= 4
    scalar = NetConfig(blocks=1, width=8, policy_channels=4, heads="by-role", value_hidden=8)
    unbounded, bounded = (
        np.asarray(make_network(config, CATHEDRAL).apply(variables_of(weights), planes, roles).value)
        for config in (LINEAR, scalar)
    )
    assert np.abs(unbounded).max() > 1
    np.testing.assert_allclose(np.tanh(unbounded), bounded, atol=1e-6)


@pytest.mark.parametrize("config", [BARE, CRITIC], ids=["bare", "critic"])
def test_trained_and_folded(config: PlainConfig) -> None:
    """Nothing is normalised: there are no statistics, and folding only casts."""
    planes, roles = scrambled.observations(CATHEDRAL, 4)
    network = make_network(config, CATHEDRAL)
    variables = network.init(jax.random.key(0))
    output, statistics = network.apply_train(variables, planes, roles)
    assert jax.tree.structure({"params": variables["params"], "batch_stats": statistics}) == jax.tree.structure(
        variables
    )
    plain = network.apply(variables, planes, roles)
    assert np.array_equal(output.policy_logits, plain.policy_logits)
    assert (np.asarray(output.value) == 0).all() == (config.value_hidden is None)
    coarse = make_network(config, CATHEDRAL, dtype=jnp.bfloat16)
    folded = coarse.fold(variables)
    whole = {
        "/".join(str(step.key) for step in path[1:-1])
        for path, leaf in jax.tree.leaves_with_path(folded)
        if leaf.dtype == jnp.float32
    }
    assert whole == {"policy/logits"} | ({"value/output"} if config.has_value else set())
    answers = coarse.apply_folded(folded, planes, roles)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(answers))
    difference = np.abs(np.asarray(answers.policy_logits - plain.policy_logits))
    assert 0 < difference.max() < 0.05 * np.ptp(plain.policy_logits)


def test_a_new_net_keeps_the_scale_of_what_it_reads() -> None:
    """However deep it is, and without norms."""
    config = PlainConfig(convolutions=(32,) * 6, policy_hidden=(256,) * 6, value_hidden=(256,))
    network = make_network(config, CATHEDRAL)
    planes, roles = scrambled.observations(CATHEDRAL, 16)
    output = network.apply(network.init(jax.random.key(1)), planes, roles)
    read = np.sqrt(np.square(planes).mean())
    said = float(jnp.sqrt(jnp.square(output.policy_logits).mean()))
    assert 0.1 * read < said < 0.5 * read  # an answer has a tenth of the variance


def test_plain_net_file_survives_a_round_trip(tmp_path: Path) -> None:
    path = scrambled.net_file(tmp_path, ENCODED, CATHEDRAL)
    net = netfile.read(path, game=CATHEDRAL)
    assert net.config == ENCODED
    weights = scrambled.weights(ENCODED, CATHEDRAL)
    assert all(np.array_equal(net.weights[key], weight) for key, weight in weights.items())
    again = weights_of(variables_of(net.weights))
    assert again.keys() == weights.keys()
    with pytest.raises(netfile.NetError, match="not those of a plain 4-6 net of cathedral"):
        netfile.write(path, config=BARE, game=CATHEDRAL, weights=weights, training={})
    data = scrambled.net_file(tmp_path, PLAIN, CATHEDRAL).read_bytes()
    assert b'"kind' not in data.replace(b"\\", b"")


def test_values_of_actions() -> None:
    output = Output(jnp.array([[1.0, 2, 6, 9], [3, 3, 3, 3], [5, 0, 0, 1]]), jnp.array([10.0, 20, 30]), None, {})
    legal = jnp.array([[True, False, True, True], [False, True, False, False], [False] * 4])
    assert np.array_equal(q_values(output, legal, dueling=False), output.policy_logits)
    expected = [[10 + 1 - 16 / 3, 10 + 2 - 16 / 3, 10 + 6 - 16 / 3, 10 + 9 - 16 / 3], [20] * 4, [35, 30, 30, 31]]
    np.testing.assert_allclose(q_values(output, legal, dueling=True), expected, rtol=1e-6)
