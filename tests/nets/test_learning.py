"""A tiny net can overfit 64 positions."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from variations import POOLED_BY_ROLE

import boardwright
from boardwright.nets.network import Output, make_network

CONFIG = replace(
    POOLED_BY_ROLE,
    blocks=1,
    width=16,
    pool_every=1,
    policy_channels=16,
    value_hidden=16,
    auxiliary=("ownership", "plies"),
)


@pytest.mark.usefixtures("careful_compiler")
def test_tiny_net_overfits_64_positions() -> None:
    game = boardwright.game("draughts")
    rng = np.random.default_rng(5)
    position, positions = game.start(), []
    while len(positions) < 64:
        if position.outcome is not None:
            position = game.start()
        positions.append(position)
        position = position.play(int(rng.choice(position.legal_actions())))
    planes = jnp.array([p.observation() for p in positions])
    roles = jnp.array([p.role_to_move for p in positions], jnp.int8)
    legal = jnp.array([p.legal_mask() for p in positions])
    moves = jnp.array([rng.choice(p.legal_actions()) for p in positions])
    results = jnp.array(rng.integers(0, 3, 64))
    owners = jnp.where(planes[..., 0] > 0, 0, jnp.where(planes[..., 2] > 0, 1, 2))
    plies = jnp.array(rng.random(64))
    network = make_network(CONFIG, game)

    def losses(output: Output) -> dict[str, jax.Array]:
        cross_entropy = optax.softmax_cross_entropy_with_integer_labels
        assert output.wdl_logits is not None
        return {
            "policy": cross_entropy(jnp.where(legal, output.policy_logits, -1e9), moves).mean(),
            "value": cross_entropy(output.wdl_logits, results).mean(),
            "ownership": cross_entropy(output.auxiliary["ownership"], owners).mean(),
            "plies": jnp.square(output.auxiliary["plies"] - plies).mean(),
        }

    optimiser = optax.adam(1e-2)

    @jax.jit
    def step(variables, state):
        def loss(params):
            output, statistics = network.apply_train({**variables, "params": params}, planes, roles)
            return sum(losses(output).values()), statistics

        gradients, statistics = jax.grad(loss, has_aux=True)(variables["params"])
        updates, state = optimiser.update(gradients, state)
        return {"params": optax.apply_updates(variables["params"], updates), "batch_stats": statistics}, state

    variables = dict(network.init(jax.random.key(0)))
    measured = jax.jit(lambda variables: losses(network.apply(variables, planes, roles)))
    before = measured(variables)
    state = optimiser.init(variables["params"])
    for _ in range(100):
        variables, state = step(variables, state)
    after = measured(variables)  # with the running statistics
    assert before["policy"] > 1
    assert before["value"] > 0.8
    assert after["policy"] < 0.1
    assert after["value"] < 0.1
    assert after["ownership"] < 0.1 < before["ownership"]
    assert after["plies"] < before["plies"] / 3
