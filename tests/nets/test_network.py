"""The net in JAX: shapes, the right head for each role, boards that are turned, statistics, precision."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scrambled
from variations import BY_ROLE, COMBINATIONS, EVERYTHING, GAMES, PLAIN, POOLED, TABLE

import boardwright
from boardwright.errors import NetError
from boardwright.nets.config import Architecture, NetConfig, PlainConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.modules import (
    PlainNet,
    ResidualNet,
    _pool,  # pyright: ignore[reportPrivateUsage]
    expected_result,
)
from boardwright.nets.network import make_network, variables_of, weights_of


@pytest.mark.parametrize(("name", "config"), COMBINATIONS.values(), ids=COMBINATIONS)
def test_weights_are_those_of_the_layout(name: str, config: Architecture) -> None:
    """What flax would make, without making it."""
    game = boardwright.game(name)
    interface = interface_of(config, game)
    planes, roles = jnp.zeros((1, *game.observation_shape)), jnp.zeros(1, jnp.int8)
    kind: Any = PlainNet if isinstance(config, PlainConfig) else ResidualNet
    made = jax.eval_shape(
        lambda key: kind(config, interface, jnp.float32).init(key, planes, roles, train=False), jax.random.key(0)
    )
    shapes = {"/".join(str(step.key) for step in path): leaf.shape for path, leaf in jax.tree.leaves_with_path(made)}
    assert shapes == weight_shapes(config, interface)


@pytest.mark.parametrize("name", GAMES)
def test_shapes_and_ranges(name: str) -> None:
    game = boardwright.game(name)
    network = make_network(EVERYTHING, game)
    planes, roles = scrambled.observations(game, 4)
    output = network.apply(variables_of(scrambled.weights(EVERYTHING, game)), planes > 0.5, roles)
    rows, columns, _ = game.observation_shape
    assert output.policy_logits.shape == (4, game.num_actions)
    assert output.value.shape == (4,)
    assert output.wdl_logits is not None
    assert output.wdl_logits.shape == (4, 3)
    shapes = {name: array.shape for name, array in output.auxiliary.items()}
    assert shapes == {"ownership": (4, rows, columns, 3), "margin": (4,), "plies": (4,)}
    assert (np.abs(output.value) <= 1).all()
    np.testing.assert_allclose(output.value, expected_result(output.wdl_logits))
    assert all(array.dtype == jnp.float32 for array in jax.tree.leaves(output))


def test_new_net_is_nearly_uniform() -> None:
    game = boardwright.game("draughts")
    network = make_network(NetConfig(blocks=4, width=16, value="wdl"), game)
    variables = network.init(jax.random.key(3))
    again = network.init(jax.random.key(3))
    other = network.init(jax.random.key(4))
    weights = weights_of(variables)
    assert weights.keys() == weight_shapes(network.config, network.interface).keys()
    assert all(np.array_equal(weight, weights_of(again)[name]) for name, weight in weights.items())
    assert not np.array_equal(weights["params/stem/conv/kernel"], weights_of(other)["params/stem/conv/kernel"])
    assert not any(leaf.weak_type for leaf in jax.tree.leaves(variables))  # or every step compiles twice
    kernel = weights["params/block_2/conv_1/conv/kernel"]
    assert abs(kernel.std() * np.sqrt(9 * 16) - 1) < 0.1
    position = game.start()
    output = network.apply(variables, position.observation()[None], np.array([0]))
    assert 0 < np.ptp(output.policy_logits) < 5
    assert abs(float(output.value[0])) < 0.7


@pytest.mark.parametrize("head", [0, 1])
@pytest.mark.parametrize("name", ["tablut", "draughts"])
def test_each_role_has_its_own_heads(name: str, head: int) -> None:
    """Changing a head changes the outputs of its role, sample by sample, and no others."""
    game = boardwright.game(name)
    network = make_network(BY_ROLE, game)
    planes, _ = scrambled.observations(game, 6)
    roles = np.array([0, 1, 1, 0, 1, 0], np.int8)
    before = scrambled.weights(BY_ROLE, game)
    ours = (f"policy_{head}/logits", f"value_{head}/output")
    after = {
        key: weight + 1 if key.endswith(tuple(f"{o}/bias" for o in ours)) else weight for key, weight in before.items()
    }
    first, second = (network.apply(variables_of(weights), planes, roles) for weights in (before, after))
    np.testing.assert_allclose(
        second.policy_logits - first.policy_logits,
        np.repeat((roles == head)[:, None], game.num_actions, axis=1).astype(np.float32),
        atol=1e-5,
    )
    assert ((np.asarray(second.value) != np.asarray(first.value)) == (roles == head)).all()
    assert np.array_equal(second.auxiliary["margin"], first.auxiliary["margin"])


def test_shared_heads_are_the_same_for_both_roles() -> None:
    game = boardwright.game("tablut")
    network = make_network(PLAIN, game)
    planes, roles = scrambled.observations(game, 3)
    variables = variables_of(scrambled.weights(PLAIN, game))
    first, second = (network.apply(variables, planes, who) for who in (roles, 1 - roles))
    assert np.array_equal(first.policy_logits, second.policy_logits)


@pytest.mark.parametrize(("policy", "patch"), [("conv", 1), ("dense", 1), ("conv", 2)])
def test_a_turned_board_turns_the_policy(policy: str, patch: int) -> None:
    """Black and White get the same outputs in mirrored positions."""
    game = boardwright.game("draughts", observation="paper")
    white = game.position("W:W18,24,25,28,K3:B1,6,K14")
    black = game.position("B:B15,9,8,5,K30:W32,27,K19")
    assert np.array_equal(white.observation(), black.observation())
    config = NetConfig(blocks=1, width=8, policy=policy, policy_channels=4, patch=patch)  # type: ignore[arg-type]
    network = make_network(config, game)
    variables = variables_of(scrambled.weights(config, game))
    planes, roles = np.stack([white.observation(), black.observation()]), np.array([1, 0], np.int8)
    output = network.apply(variables, planes, roles)
    turned = game.action_view(0)
    assert sorted(turned[black.legal_actions()]) == white.legal_actions()
    np.testing.assert_allclose(output.policy_logits[1], output.policy_logits[0][turned], atol=1e-6)
    assert not np.allclose(output.policy_logits[1], output.policy_logits[0])
    np.testing.assert_allclose(output.value[0], output.value[1], atol=1e-6)


@pytest.mark.parametrize("patch", [1, 2, 5])
def test_patches_survive_a_round_trip(patch: int) -> None:
    """A trunk that hands on what it reads, and a head that says the first planes of it, say what is on the board."""
    game = boardwright.game("cathedral")
    planes = game.observation_shape[2]
    config = NetConfig(blocks=1, width=planes * patch**2, patch=patch, value_hidden=4, auxiliary=("ownership",))
    weights = {name: np.zeros_like(weight) for name, weight in scrambled.weights(config, game).items()}
    for name, weight in weights.items():
        weight[...] = name.endswith(("/scale", "/var"))
    weights["params/stem/conv/kernel"][1, 1] = np.eye(config.width)
    kernel = weights["params/ownership/kernel"].reshape(patch**2, planes, patch**2, 3)
    for cell in range(patch**2):
        kernel[cell, :3, cell] = np.eye(3)
    board, roles = scrambled.observations(game, 3)
    output = make_network(config, game).apply(variables_of(weights), board, roles)
    np.testing.assert_allclose(output.auxiliary["ownership"], board[..., :3], rtol=1e-4)


def test_patches_that_do_not_divide_the_board() -> None:
    with pytest.raises(NetError, match="patch: 2 does not divide a board of 9 x 9: choose 1"):
        make_network(NetConfig(patch=2), boardwright.game("tablut"))


def test_running_statistics_converge_to_the_batch() -> None:
    game = boardwright.game("draughts")
    network = make_network(POOLED, game)
    planes, roles = scrambled.observations(game, 8)
    variables = dict(variables_of(scrambled.weights(POOLED, game)))
    train = jax.jit(network.apply_train)
    before = network.apply(variables, planes, roles)
    trained, _ = train(variables, planes, roles)
    assert not np.allclose(before.policy_logits, trained.policy_logits, atol=1e-2)
    for _ in range(120):
        _, variables["batch_stats"] = train(variables, planes, roles)
    after = network.apply(variables, planes, roles)
    np.testing.assert_allclose(after.policy_logits, trained.policy_logits, atol=2e-3)


def test_bfloat16_computes_nearly_the_same_with_float32_weights() -> None:
    game = boardwright.game("draughts")
    planes, roles = scrambled.observations(game, 4)
    variables = variables_of(scrambled.weights(POOLED, game))
    exact = jax.jit(make_network(POOLED, game).apply)(variables, planes, roles)
    network = make_network(POOLED, game, dtype=jnp.bfloat16)
    shapes = jax.eval_shape(network.apply_train, variables, planes, roles)
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(shapes))
    coarse = jax.jit(network.apply)(variables, planes, roles)
    difference = np.abs(np.asarray(exact.policy_logits) - np.asarray(coarse.policy_logits))
    assert 0 < difference.mean() < 0.05 * np.asarray(exact.policy_logits).std()


@pytest.mark.parametrize(("name", "config"), COMBINATIONS.values(), ids=COMBINATIONS)
def test_folded_net_computes_the_same(name: str, config: Architecture) -> None:
    game = boardwright.game(name)
    planes, roles = scrambled.observations(game, 4)
    variables = variables_of(scrambled.weights(config, game))
    network = make_network(config, game)
    plain = jax.jit(network.apply)(variables, planes, roles)
    folded = jax.jit(lambda *inputs: network.apply_folded(network.fold(inputs[0]), *inputs[1:]))(
        variables, planes, roles
    )
    for one, other in zip(jax.tree.leaves(plain), jax.tree.leaves(folded), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_folded_kernels_have_the_compute_dtype() -> None:
    game = boardwright.game("draughts")
    folded = make_network(PLAIN, game, dtype=jnp.bfloat16).fold(variables_of(scrambled.weights(PLAIN, game)))
    kept_whole = {
        "/".join(str(step.key) for step in path)
        for path, leaf in jax.tree.leaves_with_path(folded)
        if leaf.dtype != jnp.bfloat16
    }
    assert kept_whole == {"params/value_0/output/kernel", "params/value_0/output/bias"}


def test_variables_survive_flattening() -> None:
    weights = scrambled.weights(EVERYTHING, boardwright.game("draughts"))
    again = weights_of(variables_of(weights))
    assert again.keys() == weights.keys()
    assert all(np.array_equal(again[name], weight) for name, weight in weights.items())


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
def test_pooling_gradients_are_finite_and_reach_the_maximum(dtype: Any) -> None:
    """Also where all cells are equal, as behind a rectifier."""
    x = np.random.default_rng(0).permutation(2 * 3 * 3 * 4).reshape(2, 3, 3, 4).astype(np.float32)
    x[1, :, :, 2] = 0
    expected = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
    gradient = jax.grad(lambda x: (_pool(x)[:, 4:].astype(jnp.float32) * expected).sum())(jnp.asarray(x, dtype))
    assert gradient.dtype == dtype
    got = np.asarray(gradient, np.float32).reshape(2, 9, 4)
    highest = x.reshape(2, 9, 4) == x.max((1, 2))[:, None]
    assert (got[~highest] == 0).all()
    np.testing.assert_array_equal(got.sum(axis=1), expected)


def test_a_game_without_places_needs_a_dense_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    game = boardwright.game("draughts")
    monkeypatch.setattr(type(game), "policy_planes", lambda self: None)
    with pytest.raises(NetError, match="set the net's policy to dense"):
        make_network(PLAIN, game)
    assert interface_of(NetConfig(policy="dense"), game).policy_outputs == 128


def test_policy_of_planes_is_one_convolution_to_the_games_planes() -> None:
    """TablutZero's code: a 1x1 convolution to 32 planes with batch norm for each role, and nothing after it."""
    game = boardwright.game("tablut", "tablutzero")
    config = NetConfig(blocks=8, width=128, policy="planes", heads="by-role", value_channels=1, value_hidden=256)
    shapes = weight_shapes(config, interface_of(config, game))
    policy = {name: shape for name, shape in shapes.items() if "/policy_" in name and "/norm/" not in name}
    assert policy == {f"params/policy_{role}/project/conv/kernel": (1, 1, 128, 32) for role in (0, 1)}


def test_policy_table_has_the_papers_output_of_every_hop() -> None:
    """Each hop's logit is that of its from and to cells, found from the squares before and after it is played."""
    game = boardwright.game("draughts", "wcdf", "paper")
    network = make_network(TABLE, game)
    variables = dict(network.init(jax.random.key(0)))
    kernel, bias = (variables["params"]["policy_0"]["logits"][part] for part in ("kernel", "bias"))
    numbered = {"kernel": jnp.zeros_like(kernel), "bias": jnp.arange(bias.size, dtype=bias.dtype)}
    policy = {**variables["params"]["policy_0"], "logits": numbered}
    variables["params"] = {**variables["params"], "policy_0": policy}
    random, jumps = np.random.default_rng(1), 0
    apply = jax.jit(network.apply)
    position = game.start()
    for _ in range(300):
        if position.outcome is not None:
            position = game.start()
        role = position.role_to_move
        output = apply(variables, position.observation()[None], np.array([role]))
        for action in position.legal_actions():
            own = position.observation()[..., :2].max(-1)
            after = position.play(action)
            seen = after.observation()
            seen = seen[..., :2] if after.role_to_move == role else seen[::-1, ::-1, 2:4]
            moved = seen.max(-1) - own
            origin, target = int((moved == -1).argmax()), int((moved == 1).argmax())
            assert output.policy_logits[0, action] == 64 * origin + target
            jumps += abs(origin // 8 - target // 8) == 2
        position = position.play(int(random.choice(position.legal_actions())))
    assert jumps > 20


def test_policy_table_needs_a_game_that_has_one() -> None:
    with pytest.raises(NetError, match="tablut has no policy table: set the net's policy to dense or conv"):
        make_network(TABLE, boardwright.game("tablut"))
