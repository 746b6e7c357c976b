"""A tiny run from end to end: the right net and head at every node, continued games, determinism."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from boardwright.learn.alphazero import config as az_config
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.alphazero.steps import TrainingState
from boardwright.learn.match.policies import replace_net
from boardwright.learn.shared.config import SearchConfig
from boardwright.nets.config import NetConfig
from boardwright.nets.network import Variables, variables_of, weights_of

GAMES, STEPS, NETS = 6, 4, 2
ALONE = GAMES - 2 * NETS
CONFIG = az_config.AlphaZeroConfig(
    game="draughts",
    iterations=3,
    net=NetConfig(blocks=1, width=4, policy_channels=2, value_channels=1, value_hidden=2, heads="by-role"),
    search=SearchConfig(simulations=(3,)),
    selfplay=az_config.SelfPlayConfig(games=GAMES, steps=STEPS, unfinished="bootstrap", opening_plies=1),
    league=az_config.LeagueConfig(share=0.67, nets=NETS),
    replay=az_config.ReplayConfig(iterations=2),
    learner=az_config.LearnerConfig(batch_size=4, steps=1, ema_decay=0.5, warmup_steps=0),
)
CERTAIN = float(np.tanh(3.0))


@pytest.fixture(scope="module")
def az() -> AlphaZero:
    assert CONFIG.league_games == 2 * NETS
    return AlphaZero(CONFIG)


def believing(variables: Variables, strength: float) -> Variables:
    """A net whose value heads both give tanh(strength) for role 0, for either mover."""
    weights = weights_of(variables)
    for role in (0, 1):
        weights[f"params/value_{role}/output/kernel"] = np.zeros((2, 1), np.float32)
        weights[f"params/value_{role}/output/bias"] = np.full(1, strength * (1 - 2 * role), np.float32)
    return variables_of(weights)


def iteration(az: AlphaZero, run: TrainingState, number: int) -> TrainingState:
    for step in range(0, STEPS, az.play_chunk):
        run = az.play(run, number, step)
    return az.settle(run, number)


def begun(az: AlphaZero) -> TrainingState:
    """The current net prefers role 0, its past checkpoints role 1, the second less."""
    run = az.initialise()
    variables = believing(run.learner.variables, 3.0)
    learner = dataclasses.replace(run.learner, averaged=variables)  # which play
    run = dataclasses.replace(run, learner=learner)
    for place in range(NETS):
        past = believing(run.learner.variables, -3.0 + place)
        run = dataclasses.replace(run, league=replace_net(run.league, place, past))
    return run


def test_every_node_is_evaluated_by_the_right_head_and_net(az: AlphaZero) -> None:
    """A wrong head anywhere in a tree, or a stand-in from another net, would not be certain of role 0."""
    run: Any = jax.device_get(iteration(az, begun(az), 0))
    row = run.replay
    learned = row.status == replay_buffer.BOOTSTRAPPED
    assert learned[:STEPS].sum() == int(run.tally.learnable) > 8
    assert not learned[STEPS:].any()
    np.testing.assert_allclose(row.value[learned], CERTAIN, atol=1e-5)
    np.testing.assert_allclose(row.result[learned], CERTAIN, atol=1e-5)
    ours = [CERTAIN] * GAMES
    theirs = [CERTAIN] * ALONE + [np.tanh(-3.0)] * 2 + [np.tanh(-2.0)] * 2
    np.testing.assert_allclose(row.value[:STEPS], [ours, theirs] * (STEPS // 2), atol=1e-5)
    states: Any = jax.vmap(jax.vmap(az.steps.learning.unpack))(jnp.asarray(row.words[:STEPS]))
    roles = np.asarray(states.current_role)[learned[:STEPS]]
    assert set(roles) == {0, 1}


def test_resume_from_any_moment_is_bit_identical(az: AlphaZero) -> None:
    run = az.next_iteration(az.learn(iteration(az, az.initialise(), 0), 0, 0)[0])
    plies = np.asarray(run.games.states.plies)
    assert plies[:ALONE].min() >= STEPS - 2  # several hops are one ply
    kept = jax.device_get(run)
    ends = []
    for start in (run, jax.tree.map(jnp.asarray, kept)):
        after, losses = az.learn(iteration(az, start, 1), 1, 0)
        assert az.has_enough(after)
        assert (np.asarray(after.games.states.plies) >= plies).all()
        ends.append(jax.device_get((after, losses)))
    assert jax.tree.all(jax.tree.map(np.array_equal, *ends))


def test_empty_replay_changes_no_weights(az: AlphaZero) -> None:
    run = az.initialise()
    before = jax.device_get(run.learner)
    after, losses = az.learn(run, 0, 0)
    changed = dataclasses.replace(after.learner, steps=jnp.int32(0))
    assert jax.tree.all(jax.tree.map(np.array_equal, before, jax.device_get(changed)))
    assert all(float(loss) == 0 for loss in losses.values())
    assert not az.has_enough(after)


def test_played_net_is_averaged_or_promoted() -> None:
    """The averaged weights, or with gating those that were promoted."""
    plain = AlphaZero(CONFIG)
    gated = AlphaZero(dataclasses.replace(CONFIG, gating=az_config.GatingConfig(games=2)))
    shapes: Any = jax.eval_shape(plain.initialise)
    assert shapes.reference is None
    assert shapes.playing is shapes.candidate is shapes.learner.averaged
    shapes = jax.eval_shape(gated.initialise)
    assert shapes.playing is shapes.reference is not None
    assert shapes.candidate is shapes.learner.averaged


@pytest.mark.parametrize(("selfplay_by", "matters"), [("reference", True), ("candidate", False)])
def test_gating_chooses_the_net_that_generates_games(selfplay_by: Any, matters: bool) -> None:
    """Games depend on the weights of the reference only where the reference plays them."""
    gating = az_config.GatingConfig(games=2, selfplay=selfplay_by)
    az = AlphaZero(dataclasses.replace(CONFIG, gating=gating, league=az_config.LeagueConfig(share=0.0)))

    def policies(reference_scale: float) -> np.ndarray:
        run = az.initialise()
        reference = jax.tree.map(lambda leaf: leaf * reference_scale, run.reference)
        played = az.play(dataclasses.replace(run, reference=reference), 0, 0)
        return np.asarray(played.replay.policy, np.float32)

    assert np.array_equal(policies(1.0), policies(3.0)) != matters


@pytest.mark.parametrize("share", [0.0, 0.67])
def test_chunks_divide_all_steps(share: float) -> None:
    """With a league, into turns of both sides."""
    for steps in (2, 12, 14, 64, 100) if share else (1, 7, 12, 64, 100):
        selfplay_config = dataclasses.replace(CONFIG.selfplay, steps=steps)
        league = dataclasses.replace(CONFIG.league, share=share)
        chunk = AlphaZero(dataclasses.replace(CONFIG, selfplay=selfplay_config, league=league)).play_chunk
        assert steps % chunk == 0
        assert chunk <= 8
        assert chunk % 2 == 0 or not share


def test_metrics_of_an_iteration() -> None:
    tally = dataclasses.replace(
        selfplay.Tally(),
        moves=jnp.int32(50),
        learnable=jnp.int32(40),
        entropy=jnp.float32(60),
        ended=jnp.asarray([3, 4, 1]),
        plies=jnp.float32(400),
        league=jnp.asarray([[1, 1, 2], [0, 0, 0]]),
        resigned=jnp.int32(2),
        audited=jnp.asarray([4, 1]),
    )
    found = selfplay.collect_metrics(tally)
    assert found["selfplay/entropy"] == 1.5
    assert [found[f"selfplay/{name}"] for name in ("role0_wins", "role1_wins", "draws")] == [3 / 8, 4 / 8, 1 / 8]
    assert found["selfplay/plies"] == 50
    assert found["league/role0_score"] == 1.5 / 4
    assert "league/role1_score" not in found
    assert found["selfplay/resigned"] == 2 / 8
    assert found["selfplay/wrongly_resigned"] == 1 / 4
    assert "selfplay/plies" not in selfplay.collect_metrics(selfplay.Tally())
