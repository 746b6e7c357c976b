"""A trained encoder takes the place of a net's own, and stays as it is where it is frozen."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from boardwright.errors import RunError
from boardwright.games.registry import game
from boardwright.learn.shared.encoder_file import frozen_mask, with_encoder
from boardwright.nets.config import NetConfig, PlainConfig
from boardwright.nets.network import make_network, weights_of

PLAIN = PlainConfig(convolutions=(4,), stride=2, encoder_hidden=(6,), latent=3, policy_hidden=(5,), value_hidden=(5,))
CATHEDRAL = game("cathedral", "paper-6", "paper")


def _encoder(seed: int) -> dict[str, np.ndarray]:
    weights = weights_of(make_network(PLAIN, CATHEDRAL).init(jax.random.key(seed)))
    return {name: weight for name, weight in weights.items() if name.startswith("params/encoder/")}


def test_encoder_replaces_the_nets_own_and_nothing_else() -> None:
    variables, encoder = make_network(PLAIN, CATHEDRAL).init(jax.random.key(1)), _encoder(2)
    before, after = weights_of(variables), weights_of(with_encoder(variables, encoder))
    assert {*after} == {*before}
    for name, weight in after.items():
        assert (weight == (encoder if name in encoder else before)[name]).all()
    assert any((before[name] != encoder[name]).any() for name in encoder)


def test_encoder_that_does_not_fit_is_refused() -> None:
    variables, encoder = make_network(PLAIN, CATHEDRAL).init(jax.random.key(1)), _encoder(2)
    wrong = {**encoder, "params/encoder/latent/kernel": np.zeros((6, 4), np.float32)}
    with pytest.raises(RunError, match=r"encoder/latent/kernel is \(6, 4\) in the file and \(6, 3\) in the net"):
        with_encoder(variables, wrong)
    with pytest.raises(RunError, match="encoder/latent/bias is missing in the file"):
        with_encoder(variables, {name: weight for name, weight in encoder.items() if not name.endswith("latent/bias")})
    residual = make_network(NetConfig(blocks=1, width=4), CATHEDRAL).init(jax.random.key(1))
    with pytest.raises(RunError, match="a residual net has no encoder"):
        with_encoder(residual, encoder)


def test_mask_freezes_the_encoder_only() -> None:
    params = make_network(PLAIN, CATHEDRAL).init(jax.random.key(1))["params"]
    optimiser = optax.chain(optax.masked(optax.set_to_zero(), frozen_mask), optax.adam(0.1))
    updates: Any
    updates, _ = optimiser.update(jax.tree.map(jnp.ones_like, params), optimiser.init(params), params)
    assert all((leaf == 0).all() for leaf in jax.tree.leaves(updates["encoder"]))
    assert all((leaf != 0).all() for head in ("policy", "value") for leaf in jax.tree.leaves(updates[head]))
