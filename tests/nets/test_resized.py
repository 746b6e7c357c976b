"""A net that goes to a board of another size: what it knows of a place it knows there, too."""

from pathlib import Path

import numpy as np
import pytest
import scrambled
from variations import BARE, DENSE, EVERYTHING, PATCHED, PLAIN

import boardwright
from boardwright.errors import NetError
from boardwright.games.cathedral.pieces import placements
from boardwright.nets import netfile
from boardwright.nets.config import Architecture
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.network import make_network, variables_of
from boardwright.nets.resized import resize_kernel, weights_for

LARGE, SMALL = boardwright.game("cathedral"), boardwright.game("cathedral", rules="paper")


def test_board_of_half_the_size_sums_four_cells_into_one() -> None:
    kernel = np.random.default_rng(0).normal(size=(4 * 6 * 3, 5)).astype(np.float32)
    blocks = kernel.reshape(2, 2, 3, 2, 3, 5)
    np.testing.assert_allclose(resize_kernel(kernel, (4, 6), (2, 3)), blocks.sum(axis=(1, 3)).reshape(18, 5), rtol=1e-5)
    np.testing.assert_array_equal(resize_kernel(kernel, (4, 6), (4, 6)), kernel)


@pytest.mark.parametrize("new", [(8, 8), (7, 13), (11, 9)])
def test_constant_channels_keep_their_effect(new: tuple[int, int]) -> None:
    kernel = np.random.default_rng(1).normal(size=(100 * 3, 5)).astype(np.float32)
    even = np.random.default_rng(2).normal(size=3).astype(np.float32)  # a number a channel, in every cell
    before, after = np.tile(even, 100) @ kernel, np.tile(even, new[0] * new[1]) @ resize_kernel(kernel, (10, 10), new)
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-4)


def test_a_line_keeps_its_order() -> None:
    """Three cells of a row where there were two: the one in the middle has half of each."""
    kernel = np.array([[2.0], [10.0]], np.float32)
    np.testing.assert_allclose(resize_kernel(kernel, (1, 2), (1, 3))[:, 0], [4 / 3, 4, 20 / 3], rtol=1e-5)
    np.testing.assert_allclose(resize_kernel(kernel, (2, 1), (3, 1))[:, 0], [4 / 3, 4, 20 / 3], rtol=1e-5)


@pytest.mark.parametrize("config", [PLAIN, EVERYTHING, PATCHED], ids=["plain", "everything", "patched"])
def test_only_weights_by_cell_change(config: Architecture, tmp_path: Path) -> None:
    net = netfile.read(scrambled.net_file(tmp_path, config, LARGE))
    weights = weights_for(net, SMALL)
    assert {name: weight.shape for name, weight in weights.items()} == weight_shapes(
        config, interface_of(config, SMALL)
    )
    changed = {name for name, weight in weights.items() if not np.array_equal(weight, net.weights[name])}
    heads = 2 if config.heads == "by-role" else 1  # type: ignore[union-attr]
    assert changed == {f"params/value_{head}/hidden/kernel" for head in range(heads)}
    assert weights_for(net, LARGE) is net.weights


def test_cells_far_from_the_edges_are_evaluated_equally(tmp_path: Path) -> None:
    """Of an empty board, where a net of three convolutions that do not pool sees no edge."""
    net = netfile.read(scrambled.net_file(tmp_path, PLAIN, LARGE))
    answers = []
    for game, weights in ((LARGE, net.weights), (SMALL, weights_for(net, SMALL))):
        observation = np.zeros((1, *game.observation_shape), np.float32)
        observation[..., 7:20:3] = 1  # some planes that are the same everywhere
        output = make_network(PLAIN, game).apply(variables_of(weights), observation, np.zeros(1, np.int8))
        listed = placements(game.rules.size, False)
        far = {(p.piece, p.rotation): a for a, p in enumerate(listed) if p.reference == (3, 3)}
        answers.append({way: float(output.policy_logits[0, action]) for way, action in far.items()})
    assert len(answers[0]) > 30
    assert answers[0] == pytest.approx(answers[1], rel=1e-4, abs=1e-4)


def test_nets_that_cannot_be_resized_are_refused(tmp_path: Path) -> None:
    for config, complaint in ((DENSE, "only nets with policy = conv"), (BARE, "only nets with policy = conv")):
        net = netfile.read(scrambled.net_file(tmp_path, config, LARGE))
        with pytest.raises(NetError, match=complaint):
            weights_for(net, SMALL)
    net = netfile.read(scrambled.net_file(tmp_path, PLAIN, LARGE))
    with pytest.raises(NetError, match="made for other planes than cathedral paper has"):
        weights_for(net, boardwright.game("cathedral", rules="paper", observation="paper"))
    with pytest.raises(NetError, match="made for cathedral, not tablut"):
        weights_for(net, boardwright.game("tablut"))
