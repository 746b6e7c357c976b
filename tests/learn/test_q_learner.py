"""Targets and updates of Q-learning agree with closed forms and with a plain loop, also where a role moves twice."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from tictactoe import TicTacToe
from toy_game import ToyRules

from boardwright.learn.dqn import replay as replay_buffer
from boardwright.learn.dqn.config import ActingConfig, DQNConfig, QLearnerConfig, TransitionsConfig
from boardwright.learn.dqn.learner import QLearner, targets
from boardwright.learn.dqn.replay import (
    GAME_OVER,
    OTHER_ROLE,
    SAME_ROLE,
    ObservationCodec,
    Replay,
    Transition,
    pack_flags,
)
from boardwright.nets.config import PlainConfig
from boardwright.nets.network import make_network

GAME = TicTacToe(ToyRules(), "full")
HELD, BATCH = 12, 8
PLAIN = PlainConfig(convolutions=(4,), policy_hidden=(8,))
CONFIG = DQNConfig(
    game="tictactoe",
    iterations=5,
    plain=PLAIN,
    acting=ActingConfig(games=1, steps=1),
    transitions=TransitionsConfig(capacity=16, alpha=0.6, beta=0.4, priority_epsilon=0.01),
    learner=QLearnerConfig(batch_size=BATCH, updates=4, min_replay_size=1, discount=0.9, lr_peak=1e-2, lr_final=1e-2),
)


def test_targets_have_the_sign_of_the_acting_role() -> None:
    side = jnp.asarray([SAME_ROLE, OTHER_ROLE, GAME_OVER, GAME_OVER], jnp.float32)
    found = targets(jnp.asarray([1.0, 1.0, 1.0, -10.0]), side, 0.5, jnp.asarray([3.0, 3.0, 3.0, 123.0]))
    assert found.tolist() == [1 + 1.5, 1 - 1.5, 1.0, -10.0]


def test_values_of_a_chain_with_double_moves_are_its_fixed_point() -> None:
    """Role 0 acts twice, then role 1, which ends the game: returns, from the mover's side, are known."""
    rewards, sides = np.array([1.0, 2.0, 4.0]), np.array([SAME_ROLE, OTHER_ROLE, GAME_OVER], np.float32)
    q = jnp.zeros(3)
    for _ in range(3):
        after = jnp.append(q[1:], 123.0)  # what comes after the end means nothing
        q = targets(jnp.asarray(rewards), jnp.asarray(sides), 0.5, after)
    assert q.tolist() == [1 + 0.5 * (2 - 0.5 * 4), 2 - 0.5 * 4, 4.0]


def some_replay() -> Replay:
    """Transitions that mean nothing, of all three sides."""
    rng = np.random.default_rng(4)
    codec = ObservationCodec.of(GAME)

    def boards() -> jax.Array:
        cells = rng.integers(0, 3, (HELD, 3, 3))
        planes = np.stack([cells == 1, cells == 2], axis=-1).astype(np.float32)
        return jax.vmap(codec.pack)(jnp.asarray(planes))

    def masks() -> jax.Array:
        mask = rng.integers(0, 2, (HELD, 9)).astype(bool)
        mask[:, 4] = True
        return jax.vmap(pack_flags)(jnp.asarray(mask))

    replay = replay_buffer.new_replay(16, words=codec.words, legal_words=1)
    row = Transition(
        before=boards(),
        legal=masks(),
        role=jnp.arange(HELD) % 2,
        action=jnp.asarray(rng.integers(0, 9, HELD)),
        reward=jnp.asarray(rng.normal(size=HELD)),
        side=jnp.arange(HELD) % 3 - 1,
        after=boards(),
        legal_after=masks(),
    )
    return replay_buffer.add(replay, row)


def drawn_from(replay: Replay, places: jax.Array) -> Transition:
    return replay_buffer.unpack(replay.rows[places], ObservationCodec.of(GAME).words)


def plain_loop(
    config: DQNConfig,
    learner: QLearner,
    key: jax.Array,
    variables: Any,
    target: Any,
    replay: Replay,
    count: int,
) -> tuple[Any, Replay, list[float]]:
    """What `learn` does, one update after the other, with nothing asked before and draws by NumPy."""
    network = make_network(config.architecture, GAME)
    adam = optax.adam(config.learner.lr_peak)
    state, losses = adam.init(variables["params"]), []
    samples, share = config.samples, config.learner.target_share
    uniforms = np.asarray(jax.random.uniform(jax.random.split(key)[0], (count, samples)), np.float64)
    for number in range(count):
        if config.transitions.prioritised:
            weight = np.asarray(replay.weight, np.float64)
            upto = np.cumsum(weight)
            places = np.searchsorted(upto, (np.arange(samples) + uniforms[number]) / samples * upto[-1], side="right")
            beta = 0.4 + 0.6 * number / config.total_updates
            counts = (weight[places] / weight[places].min()) ** -beta
        else:
            places, counts = (uniforms[number] * HELD).astype(int), np.ones(samples)
        batch = learner.batch_of(drawn_from(replay, jnp.asarray(places)), jnp.zeros(samples, jnp.int32))

        def q_of(net: Any, observation: jax.Array, role: jax.Array) -> jax.Array:
            return network.apply(net, observation, role).policy_logits

        legal_after = np.asarray(batch.legal_after)
        online = np.where(legal_after, q_of(variables, batch.after, batch.role_after), -np.inf)
        judged = np.asarray(q_of(target, batch.after, batch.role_after))
        future = judged[np.arange(samples), online.argmax(axis=1)]
        goal = np.asarray(batch.reward) + config.learner.discount * np.asarray(batch.side) * future

        def errors_of(params: Any, batch: Any = batch, goal: Any = goal) -> jax.Array:
            q = q_of({"params": params, "batch_stats": {}}, batch.before, batch.role)
            return goal - q[jnp.arange(samples), batch.action]

        def loss(params: Any, counts: Any = counts, errors_of: Any = errors_of) -> jax.Array:
            return (counts * errors_of(params) ** 2).mean()

        errors = errors_of(variables["params"])
        losses.append(float(loss(variables["params"])))
        changes, state = adam.update(jax.grad(loss)(variables["params"]), state)
        variables = {"params": optax.apply_updates(variables["params"], changes), "batch_stats": {}}
        if config.transitions.prioritised:
            fresh = replay.weight.at[places].set((jnp.abs(errors) + 0.01) ** 0.6)
            replay = dataclasses.replace(replay, weight=fresh)
        if share:
            target = jax.tree.map(lambda old, new: (1 - share) * old + share * new, target, variables)
    return variables, replay, losses


@pytest.mark.parametrize(
    "what", ["prioritised", "uniform", "asked one by one", "soft target", "merged"]
)  # with two updates or more the target net has been asked about all of the ring before
def test_updates_equal_a_plain_loop(what: str) -> None:
    config = CONFIG
    count = 1 if what == "asked one by one" else 3
    if what == "uniform":
        config = dataclasses.replace(config, transitions=dataclasses.replace(config.transitions, prioritised=False))
    if what == "soft target":
        learning = dataclasses.replace(config.learner, target_every=0, target_share=0.1)
        config = dataclasses.replace(config, learner=learning)
    if what == "merged":
        config = dataclasses.replace(config, learner=dataclasses.replace(config.learner, merge=2))
    network = make_network(PLAIN, GAME)
    learner = QLearner(config, GAME, network, jnp.float32)
    variables, target = (network.init(jax.random.key(seed)) for seed in (1, 2))
    begin = dataclasses.replace(learner.init(variables), target=target)
    replay, key = some_replay(), jax.random.key(3)
    expected, weighed, losses = plain_loop(config, learner, key, variables, target, replay, count)
    after, replay, report = jax.jit(learner.learn, static_argnums=3)(key, begin, replay, count)
    for name, weights in jax.tree_util.tree_leaves_with_path(expected["params"]):
        found = dict(jax.tree_util.tree_leaves_with_path(after.variables["params"]))[name]
        assert np.asarray(found) == pytest.approx(np.asarray(weights), abs=1e-4), name
    assert replay.weight.tolist() == pytest.approx(weighed.weight.tolist(), abs=1e-3)
    assert float(report["total"]) == pytest.approx(np.mean(losses), rel=1e-3)
    assert int(after.updates) == count
    if what == "soft target":
        moved = jax.tree.map(lambda old, new: float(jnp.abs(old - new).max()), target, after.target)
        assert max(jax.tree.leaves(moved)) > 0
    else:
        assert jax.tree.all(jax.tree.map(lambda old, new: bool((old == new).all()), target, after.target))


def test_a_sample_may_be_seen_under_any_symmetry() -> None:
    """Observation, actions and masks turn together: an action is legal in the image where it was before."""
    config = dataclasses.replace(CONFIG, learner=dataclasses.replace(CONFIG.learner, augment="all"))
    learner = QLearner(config, GAME, make_network(PLAIN, GAME), jnp.float32)
    drawn = drawn_from(some_replay(), jnp.arange(8))
    plain, turned = (learner.batch_of(drawn, symmetry) for symmetry in (jnp.zeros(8, jnp.int32), jnp.arange(8)))
    for row, symmetry in enumerate(GAME.symmetries()):
        action = int(symmetry.actions[int(plain.action[row])])
        assert int(turned.action[row]) == action
        for before, after in ((plain.legal, turned.legal), (plain.legal_after, turned.legal_after)):
            assert after[row][symmetry.actions].tolist() == before[row].tolist()
        cell, place = int(plain.action[row]), action
        assert turned.before[row].reshape(9, 2)[place].tolist() == (plain.before[row].reshape(9, 2)[cell].tolist())
