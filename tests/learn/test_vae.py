"""The auto-encoder: losses agree with closed forms, boards are learned, and the encoder serves other nets."""

import dataclasses
import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.arena.positions import boards_of_games
from boardwright.errors import NetError, RunError
from boardwright.games.registry import game
from boardwright.learn.run import settings
from boardwright.learn.run.loop import train
from boardwright.learn.run.metrics import read_metrics
from boardwright.learn.shared import encoder_file
from boardwright.learn.shared.boards import Boards, unpack
from boardwright.learn.vae.config import PRESETS
from boardwright.learn.vae.learner import cross_entropy, divergence, draw_codes, measure
from boardwright.learn.vae.method import VAE
from boardwright.nets.config import PlainConfig
from boardwright.nets.network import make_network, variables_of, weights_of
from boardwright.nets.vae import Vae, weights_of_vae

CATHEDRAL = game("cathedral", "paper-6", "paper")
TINY = PRESETS["cathedral-tiny"]


@pytest.fixture(scope="module")
def some() -> Boards:
    return boards_of_games(CATHEDRAL, ("random",), 8, seed=0)


def test_divergence_is_the_integral() -> None:
    mean, log_variance = (
        jnp.array([[0.0, 0.0], [1.0, -0.5], [0.3, 2.0]]),
        jnp.array([[0.0, 0.0], [0.0, -1.0], [1.0, 0.5]]),
    )
    found = divergence(mean, log_variance)
    assert found[0] == 0.0
    # By hand: half of (1 + 1 - 1 - 0) and of (1/e + 1/4 - 1 + 1).
    assert found[1] == pytest.approx(0.5 + 0.5 * (math.exp(-1) + 0.25), rel=1e-6)
    many = 200_000
    codes = draw_codes(jax.random.key(1), jnp.repeat(mean, many, axis=0), jnp.repeat(log_variance, many, axis=0))
    codes = codes.reshape(3, many, 2)
    log_of_it = -0.5 * (jnp.square(codes - mean[:, None]) / jnp.exp(log_variance)[:, None] + log_variance[:, None])
    log_of_prior = -0.5 * jnp.square(codes)
    estimate = (log_of_it - log_of_prior).sum(axis=2)
    error = estimate.std(axis=1) / math.sqrt(many)
    assert (abs(estimate.mean(axis=1) - found) <= 5 * error + 1e-6).all()


def test_cross_entropy_of_a_board_by_hand() -> None:
    chances = np.array([[0.9, 0.2, 0.5], [0.5, 0.5, 0.5]])
    boards = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    found = cross_entropy(jnp.log(chances / (1 - chances)), jnp.asarray(boards))
    assert found[0] == pytest.approx(-math.log(0.9) - math.log(0.8) - math.log(0.5), rel=1e-6)
    assert found[1] == pytest.approx(3 * math.log(2), rel=1e-6)
    assert np.isfinite(cross_entropy(jnp.full((1, 2), 1e4), jnp.zeros((1, 2)))).all()


def test_reconstruction_rates_count_cells(some: Boards) -> None:
    """Of an auto-encoder whose answers are known: always empty but for the first plane."""
    bits = some.bits[:50]
    seen = np.asarray(unpack(bits, some.shape))
    first_plane = jnp.where(jnp.arange(5) == 0, 1.0, -1.0)
    known: Any = Vae(TINY.encoder.as_plain(), some.shape)
    known.encode = lambda variables, boards: (jnp.zeros((len(boards), 4)), jnp.zeros((len(boards), 4)))
    known.decode = lambda variables, codes: jnp.broadcast_to(first_plane, (len(codes), *some.shape))
    measured = measure(known, {}, jnp.asarray(bits), jax.random.key(0))
    assert measured["all_zeros"] == pytest.approx((seen == 0).mean())
    assert measured["reconstruction"] == pytest.approx((seen == (np.arange(5) == 0)).mean())
    assert measured["occupied"] == pytest.approx(seen[..., 0].sum() / seen.sum())
    assert measured["kl"] == 0
    sigmoid = 1 / (1 + math.exp(-1.0))
    right = (seen == (np.arange(5) == 0)).sum()
    by_hand = -(right * math.log(sigmoid) + (seen.size - right) * math.log(1 - sigmoid)) / len(bits)
    assert measured["bce"] == pytest.approx(by_hand, rel=1e-5)


def test_evaluation_in_blocks_counts_every_board_once(some: Boards, monkeypatch: pytest.MonkeyPatch) -> None:
    vae = Vae(TINY.encoder.as_plain(), some.shape)
    variables, bits = vae.init(jax.random.key(0)), jnp.asarray(some.bits[:50])
    whole = measure(vae, variables, bits, jax.random.key(0))
    monkeypatch.setattr("boardwright.learn.vae.learner.MEASURED_AT_ONCE", 16)
    blocks = measure(vae, variables, bits, jax.random.key(0))
    assert blocks["kl"] == pytest.approx(whole["kl"], rel=1e-5)
    assert blocks["reconstruction"] == pytest.approx(whole["reconstruction"])
    assert blocks["bce"] == pytest.approx(whole["bce"], rel=0.1)  # codes are drawn again


@pytest.mark.parametrize(("rules", "observation"), [("paper-6", "paper"), ("paper", "paper"), ("paper-10", "full")])
def test_the_encoder_gives_a_plain_net_the_same_code(rules: str, observation: str) -> None:
    bound = game("cathedral", rules, observation)
    boards = boards_of_games(bound, ("random",), 2, seed=0)
    seen = unpack(boards.bits, boards.shape)
    config = TINY.encoder.as_plain()
    vae = Vae(config, boards.shape)
    variables = vae.init(jax.random.key(3))
    mean, _ = vae.encode(variables, seen)
    assert vae.decode(variables, mean).shape == seen.shape
    # A net whose first value unit repeats a number of the code shows it.
    plain = dataclasses.replace(config, policy_hidden=(8,), value_hidden=())
    network = make_network(plain, bound)
    weights = weights_of(network.init(jax.random.key(4)))
    encoder = {name: weight for name, weight in weights_of_vae(variables).items() if name.startswith("params/encoder/")}
    assert {name for name in weights if name.startswith("params/encoder/")} == set(encoder)
    for number in range(config.latent):
        probe = {
            **weights,
            **encoder,
            "params/value/output/kernel": np.eye(config.latent, dtype=np.float32)[:, [number]],
        }
        value = network.apply(variables_of(probe), seen, jnp.zeros(len(seen), jnp.int8)).value
        assert np.allclose(value, mean[:, number], atol=1e-5)


@pytest.mark.usefixtures("careful_compiler")
def test_few_boards_are_overfitted(some: Boards, tmp_path: Path) -> None:
    """32 boards, many times in each of two games, in another order, so that those held back are those learned."""
    places = np.flatnonzero(some.plies > 2)[:32]
    assert len(np.unique(some.bits[places], axis=0)) == 32
    bits = np.concatenate([some.bits[places]] * 64 + [some.bits[places[::-1]]] * 64)
    numbers = np.repeat(np.array([0, 1], np.int32), len(bits) // 2)
    nothing = np.zeros(len(bits), np.int32)
    sizes = ["encoder.convolutions=[16,32]", "encoder.hidden=128", "encoder.latent=8"]
    config = settings.apply(TINY, ["iterations=15", "batch_size=32", "lr=2e-3", *sizes])
    train(VAE(config, Boards(some.shape, bits, numbers, nothing, nothing)), tmp_path / "run")
    report = {name: series.values for name, series in read_metrics(tmp_path / "run").scalars.items()}
    first, last = ({name: values[place] for name, values in report.items()} for place in (0, -1))
    assert last["validation/reconstruction"] > 0.99 > last["validation/all_zeros"] + 0.05
    assert last["validation/occupied"] > 0.97
    assert last["validation/loss"] == pytest.approx(last["validation/bce"] + last["validation/kl"])
    # To distinguish 32 boards takes log 32 nats, so no loss can be lower; it comes near.
    assert math.log(32) < last["validation/loss"] < math.log(32) + 6 < 0.2 * first["validation/loss"]


def test_encoder_file_checks_that_it_fits(some: Boards, tmp_path: Path) -> None:
    vae = Vae(TINY.encoder.as_plain(), some.shape)
    path = tmp_path / "some.vae"
    weights = weights_of_vae(vae.init(jax.random.key(0)))
    encoder_file.write(path, weights, config=vae.config, game=CATHEDRAL, training={"method": "vae"})
    file = encoder_file.read(path)
    assert all(np.array_equal(file.weights[name], weights[name]) for name in file.weights)
    assert set(file.weights) == {name for name in weights if name.startswith("params/encoder/")}
    file.check_fits(TINY.encoder.as_plain(), CATHEDRAL)
    with pytest.raises(NetError, match="its latent is 4, the net's 0"):
        file.check_fits(PlainConfig(convolutions=(4, 8), stride=2, encoder_hidden=(16,)), CATHEDRAL)
    with pytest.raises(NetError, match=r"its observation is paper of \(6, 6, 5\)"):
        file.check_fits(TINY.encoder.as_plain(), game("cathedral", "paper", "paper"))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(NetError, match=r"damaged.*give the .vae file of a VAE training run"):
        encoder_file.read(path)
    with pytest.raises(NetError, match=r"give the .vae file of a VAE training run"):
        encoder_file.read(tmp_path / "none.vae")


def test_boards_of_another_game_are_refused(some: Boards) -> None:
    with pytest.raises(RunError, match=r"boards of \(6, 6, 5\) are not of cathedral: expected \(8, 8, 5\)"):
        VAE(dataclasses.replace(TINY, rules="paper"), some)
