"""PPO's learner: the clipped objective by hand, illegal actions out of sight, and which decisions are learned."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.games.registry import game
from boardwright.learn.ppo.config import OpponentConfig, PPOLearnerConfig
from boardwright.learn.ppo.learner import Batch, PPOLearner, clipped_objective
from boardwright.learn.ppo.method import follow, times_due
from boardwright.learn.ppo.selfplay import Decision, log_policy
from boardwright.nets.config import NetConfig, PlainConfig
from boardwright.nets.network import make_network, weights_of

DRAUGHTS = game("draughts")
PLAIN = PlainConfig(convolutions=(4,), policy_hidden=(8,), value_hidden=(8,))
CONFIG = PPOLearnerConfig(epochs=3, minibatches=2, minibatch_size=4, normalise=False)


def _batch(places: int, seed: int = 0, decided: Any = True) -> Batch:
    """Made up, with every third action legal."""
    rng = np.random.default_rng(seed)
    legal = np.zeros((places, DRAUGHTS.num_actions), bool)
    legal[:, seed % 3 :: 3] = True
    logs = np.asarray(log_policy(jnp.zeros(legal.shape), jnp.asarray(legal)))
    action = np.array([rng.choice(np.flatnonzero(row)) for row in legal], np.int32)
    decision = Decision(
        observation=jnp.asarray(rng.random((places, *DRAUGHTS.observation_shape)), jnp.float32),
        legal=jnp.asarray(legal),
        action=jnp.asarray(action),
        log_probability=jnp.asarray(logs[np.arange(places), action]),
        value=jnp.asarray(rng.normal(size=places), jnp.float32),
        role=jnp.asarray(rng.integers(0, 2, places), jnp.int8),
    )
    advantage, target = (jnp.asarray(rng.normal(size=places), jnp.float32) for _ in range(2))
    return Batch(decision, advantage, target, jnp.broadcast_to(jnp.asarray(decided), (places,)))


def _learner(config: PPOLearnerConfig = CONFIG, *, frozen: bool = False) -> Any:
    network = make_network(PLAIN, DRAUGHTS)
    return network, PPOLearner(config, network, total_steps=100, frozen=frozen)


def test_objective_is_clipped_at_the_probability_ratio() -> None:
    ratio = jnp.asarray([1.0, 1.5, 1.5, 0.5, 0.5, 1.1])
    advantage = jnp.asarray([2.0, 2.0, -2.0, 2.0, -2.0, 2.0])
    # Too far in its own favour: cut off at 1.2 and 0.8. The wrong way: all of it counts.
    expected = [2.0, 1.2 * 2, -3.0, 1.0, -0.8 * 2, 2.2]
    np.testing.assert_allclose(clipped_objective(ratio, advantage, 0.2), expected, rtol=1e-6)
    gradient = jax.grad(lambda ratio: clipped_objective(ratio, advantage, 0.2).sum())(ratio)
    assert gradient.tolist() == [2.0, 0.0, -2.0, 2.0, 0.0, 2.0]


def test_losses_by_hand() -> None:
    network, learner = _learner()
    batch = _batch(6, decided=[True, True, False, True, False, True])
    variables = network.init(jax.random.key(3))
    total, terms = learner.losses(variables, batch)
    output = network.apply(variables, batch.decision.observation, batch.decision.role)
    sums = np.zeros(5)
    for place in np.flatnonzero(batch.decided):
        logits = np.asarray(output.policy_logits[place], np.float64)[np.asarray(batch.decision.legal[place])]
        chances = np.exp(logits) / np.exp(logits).sum()
        which = np.flatnonzero(batch.decision.legal[place]).tolist().index(int(batch.decision.action[place]))
        ratio = chances[which] / np.exp(float(batch.decision.log_probability[place]))
        gain = float(batch.advantage[place])
        sums += [
            -min(ratio * gain, np.clip(ratio, 0.8, 1.2) * gain),
            (float(output.value[place]) - float(batch.target[place])) ** 2,
            -(chances * np.log(chances)).sum(),
            abs(ratio - 1) > 0.2,
            ratio - 1 - np.log(ratio),
        ]
    policy, value, entropy, clip_share, kl = sums / 4
    for name, expected in {
        "policy": policy,
        "value": value,
        "entropy": entropy,
        "clip_share": clip_share,
        "kl": kl,
        "total": policy + 0.5 * value - 0.01 * entropy,
    }.items():
        assert float(terms[name]) == pytest.approx(expected, rel=1e-4, abs=1e-6), name
    assert float(total) == float(terms["total"])


def test_advantages_are_normalised_over_decisions_alone() -> None:
    network, learner = _learner(dataclasses.replace(CONFIG, normalise=True))
    variables, batch = network.init(jax.random.key(3)), _batch(5, decided=[True, True, True, True, False])
    moved = dataclasses.replace(batch, advantage=(3.0 * batch.advantage + 7.0).at[4].set(1e6))
    for name, loss in learner.losses(variables, batch)[1].items():
        assert float(loss) == pytest.approx(float(learner.losses(variables, moved)[1][name]), rel=1e-4, abs=1e-5)


def test_illegal_actions_have_no_probability_and_no_gradient() -> None:
    legal = jnp.asarray([True, False, True])
    logits = jnp.asarray([1.0, 50.0, 2.0])
    chances = jnp.exp(log_policy(logits, legal))
    assert float(chances[1]) == 0.0
    np.testing.assert_allclose(chances.sum(), 1.0, rtol=1e-6)

    network, learner = _learner()
    batch, variables = _batch(6), network.init(jax.random.key(3))
    by_black = dataclasses.replace(batch.decision, role=jnp.zeros_like(batch.decision.role))
    batch = dataclasses.replace(batch, decision=by_black)
    of_head = jax.grad(lambda params: learner.losses({**variables, "params": params}, batch)[0])(variables["params"])
    legal_somewhere = np.asarray(batch.decision.legal).any(axis=0)
    by_action = np.asarray(of_head["policy"]["logits"]["bias"])[network.interface.places[0]]
    assert (by_action[~legal_somewhere] == 0).all()
    assert (by_action[legal_somewhere] != 0).all()


def test_epoch_visits_every_decision_exactly_once() -> None:
    _, learner = _learner()
    decided = jnp.asarray([True, False, True, True, True, False, True, True, True, True])  # eight
    places = np.asarray(learner.draw_minibatches(jax.random.key(0), decided)).reshape(3, 8)
    for epoch in places:
        assert sorted(epoch) == np.flatnonzero(decided).tolist()
    assert len({tuple(epoch) for epoch in places}) == 3
    few = decided.at[jnp.asarray([0, 2, 3])].set(False)  # five: the epoch begins again
    for epoch in np.asarray(learner.draw_minibatches(jax.random.key(0), few)).reshape(3, 8):
        assert sorted(epoch[:5]) == np.flatnonzero(few).tolist()
        assert epoch[5:].tolist() == epoch[:3].tolist()


def test_step_improves_policy_and_value() -> None:
    config = dataclasses.replace(CONFIG, actor_lr=1e-2, critic_lr=1e-2, entropy=0.0)
    network, learner = _learner(config)
    batch, state = _batch(8), learner.init(network.init(jax.random.key(3)))
    before = learner.losses(state.variables, batch)[1]
    after, _ = jax.jit(learner.learn, static_argnums=3)(state, batch, jnp.arange(8).reshape(1, 8), 1)
    report = learner.losses(after.variables, batch)[1]
    assert float(report["policy"]) < float(before["policy"])
    assert float(report["value"]) < float(before["value"])
    assert int(after.steps) == 1


def test_kl_limit_stops_an_update() -> None:
    batch, places = _batch(8), jnp.tile(jnp.arange(8), (12, 1))
    moved = {}
    for limit in (0.0, 0.02):
        config = dataclasses.replace(CONFIG, actor_lr=2e-2, kl_limit=limit)
        network, learner = _learner(config)
        state = learner.init(network.init(jax.random.key(3)))
        after, _ = jax.jit(learner.learn, static_argnums=3)(state, batch, places, 1)
        moved[limit] = int(after.steps), float(learner.losses(after.variables, batch)[1]["kl"])
    assert moved[0.0][0] == 12
    assert 0 < moved[0.02][0] < 12
    assert 0.02 < moved[0.02][1] < moved[0.0][1]  # by its last step, and no further


def test_critic_has_its_own_rate_and_a_frozen_encoder_none() -> None:
    def changed(config: PPOLearnerConfig, frozen: bool = False) -> set[str]:
        network, learner = _learner(config, frozen=frozen)
        state = learner.init(network.init(jax.random.key(3)))
        after, _ = jax.jit(learner.learn, static_argnums=3)(state, _batch(8), jnp.arange(8).reshape(1, 8), 1)
        old, new = weights_of(state.variables), weights_of(after.variables)
        return {name.split("/")[1] for name in old if (old[name] != new[name]).any()}

    assert changed(CONFIG) == {"encoder", "policy", "value"}
    assert changed(dataclasses.replace(CONFIG, critic_lr=0.0)) == {"encoder", "policy"}
    assert changed(dataclasses.replace(CONFIG, actor_lr=0.0)) == {"value"}
    assert changed(CONFIG, frozen=True) == {"policy", "value"}


def test_batch_norms_are_fixed_during_an_update() -> None:
    network = make_network(NetConfig(blocks=1, width=4, value="linear"), DRAUGHTS)
    learner = PPOLearner(CONFIG, network, total_steps=10, frozen=False)
    state, batch = learner.init(network.init(jax.random.key(3))), _batch(8)
    places = jnp.arange(8).reshape(2, 4)
    learned, _ = jax.jit(learner.learn, static_argnums=3)(state, batch, places, 1)
    same = jax.tree.map(
        lambda old, new: bool((old == new).all()), *(s.variables["batch_stats"] for s in (state, learned))
    )
    assert all(jax.tree.leaves(same))
    refreshed = jax.jit(learner.refresh)(learned, batch, places)
    same = jax.tree.map(
        lambda old, new: bool((old == new).all()), *(s.variables["batch_stats"] for s in (state, refreshed))
    )
    assert not any(jax.tree.leaves(same))


@pytest.mark.parametrize(
    ("before", "after", "soft", "full"),
    [
        (0, 9, 0, 0),
        (0, 10, 1, 0),
        (9, 10, 1, 0),
        (10, 19, 0, 0),
        (5, 47, 4, 0),
        (95, 104, 1, 1),
        (100, 199, 9, 0),
        (10, 310, 30, 3),
    ],
)
def test_the_opponents_schedule_counts_finished_games(before: int, after: int, soft: int, full: int) -> None:
    assert int(times_due(10, jnp.int32(before), jnp.int32(after))) == soft
    assert int(times_due(100, jnp.int32(before), jnp.int32(after))) == full
    assert int(times_due(0, jnp.int32(before), jnp.int32(after))) == 0
    config = OpponentConfig(soft_every=10, soft_share=0.3, copy_every=100)
    opponent, learner = {"params": jnp.asarray([0.0, 10.0])}, {"params": jnp.asarray([1.0, 20.0])}
    moved = follow(config, opponent, learner, jnp.int32(before), jnp.int32(after))["params"]
    share = 1.0 if full else 1.0 - 0.7**soft
    np.testing.assert_allclose(moved, [share, 10.0 + 10.0 * share], rtol=1e-5)
    if full:
        assert moved.tolist() == [1.0, 20.0]
