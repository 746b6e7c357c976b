"""The learner against closed forms in NumPy, on positions and images of them that the scalar engine made."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from closed_forms import CONFIG, SAMPLES, Case, as_samples, chances, expected_losses, image, log_softmax, random_cases

import boardwright
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero.config import LearnerConfig
from boardwright.learn.alphazero.learner import AlphaZeroLearner, _optimiser, as_chances
from boardwright.learn.alphazero.replay import Replay
from boardwright.learn.shared.schedules import warmup_cosine
from boardwright.learn.shared.symmetry_images import SymmetryImages
from boardwright.nets.config import NetConfig
from boardwright.nets.network import make_network, variables_of, weights_of

NET = NetConfig(blocks=1, width=4, policy_channels=4, value_channels=2, value_hidden=4)
AUXILIARY: Any = ("ownership", "margin", "plies")


def shaken(variables: Any) -> Any:
    """No weight at zero, so that each matters."""
    rng = np.random.default_rng(1)
    weights = weights_of(variables)
    return variables_of({name: weight + 0.2 * rng.random(weight.shape, np.float32) for name, weight in weights.items()})


@pytest.mark.parametrize(
    ("name", "rules", "value", "heads"),
    [
        ("tablut", None, "wdl", "by-role"),
        ("cathedral", "official-6", "scalar", "shared"),  # whose reflections exchange the sets
        ("draughts", None, "scalar", "by-role"),  # whose board is turned for Black
    ],
)
def test_losses_under_symmetries_are_those_of_the_images(name: str, rules: str | None, value: Any, heads: Any) -> None:
    game = boardwright.game(name, rules)
    net = dataclasses.replace(NET, value=value, heads=heads, auxiliary=AUXILIARY)
    network = make_network(net, game)
    learner = AlphaZeroLearner(CONFIG, game, network, 100)
    variables, cases = shaken(network.init(jax.random.key(0))), random_cases(game)
    group = game.symmetries()
    drawn = [number % len(group) for number in range(SAMPLES)]
    total, (losses, _) = jax.jit(learner.losses)(variables, as_samples(game, cases), jnp.asarray(drawn))

    symmetries = [group[number] for number in drawn]
    seen = [image(game, symmetry, case.position) for case, symmetry in zip(cases, symmetries, strict=True)]
    observation = np.stack([position.observation() for position in seen])
    role = np.array([position.role_to_move for position in seen], np.int8)
    assert set(role) == {0, 1}
    output, _ = jax.jit(network.apply_train)(variables, observation, role)
    expected = expected_losses(game, cases, symmetries, output)
    kernels = [weight for name, weight in weights_of(variables).items() if name.endswith("/kernel")]
    expected["l2"] = 1e-3 * sum(float(np.square(kernel.astype(float)).sum()) for kernel in kernels)
    expected["total"] = sum(expected.values())
    assert set(losses) == set(expected)
    for term, loss in losses.items():
        assert float(loss) == pytest.approx(expected[term], rel=2e-4), term
    assert float(total) == float(losses["total"])


def test_symmetries_are_all_rotations_or_none() -> None:
    game = boardwright.game("tablut")
    assert [SymmetryImages.of(game, augment).count for augment in ("none", "rotations", "all")] == [1, 4, 8]
    assert SymmetryImages.of(boardwright.game("draughts"), "all").count == 1
    assert np.array_equal(SymmetryImages.of(game, "none").actions[0], np.arange(game.num_actions))


def test_as_chances() -> None:
    values = np.linspace(-1, 1, 9)
    got = np.asarray(as_chances(jnp.asarray(values)))
    np.testing.assert_allclose(got, [chances(value) for value in values], atol=1e-7)
    np.testing.assert_allclose(got @ [1, 0, -1], values, atol=1e-7)


@pytest.mark.parametrize("warmup", [0, 10])
def test_the_rate_warms_up_and_falls_along_a_cosine(warmup: int) -> None:
    rate: Any = warmup_cosine(0.02, 0.001, warmup, 110)
    if warmup:
        assert [float(rate(step)) for step in (0, 5)] == pytest.approx([0, 0.01])
    assert float(rate(warmup)) == pytest.approx(0.02)
    middle = warmup + (110 - warmup) / 2
    assert float(rate(middle)) == pytest.approx((0.02 + 0.001) / 2)
    assert float(rate(110)) == float(rate(500)) == pytest.approx(0.001)


def test_a_run_shorter_than_its_warm_up_has_a_rate() -> None:
    rate: Any = warmup_cosine(0.02, 0.0, 1000, 4)
    assert [float(rate(step)) for step in range(4)] == pytest.approx([0, 0.02 / 3, 0.04 / 3, 0.02])


@pytest.mark.parametrize("kind", ["adam", "adamw"])
@pytest.mark.parametrize("clip", [0.0, 0.5])
def test_optimisers_equal_two_written_out_steps(kind: Any, clip: float) -> None:
    """Two steps, written out; only Adam with decoupled decay shrinks kernels, and neither shrinks biases."""
    config = LearnerConfig(
        optimiser=kind, gradient_clip=clip, weight_decay=0.3, lr_peak=0.1, lr_final=0.1, warmup_steps=0
    )
    optimiser = _optimiser(config, warmup_cosine(0.1, 0.1, 0, 50))
    rng = np.random.default_rng(0)
    shapes = {"kernel": (2, 3), "bias": (3,)}
    params = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    got: Any = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), params)
    state = optimiser.init(got)
    first, second = ({name: np.zeros(shape) for name, shape in shapes.items()} for _ in range(2))
    for step in (1, 2):
        gradient = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        updates, state = optimiser.update(jax.tree.map(jnp.float32, gradient), state, got)
        got = jax.tree.map(jnp.add, got, updates)
        norm = np.sqrt(sum((part**2).sum() for part in gradient.values()))
        assert norm > 0.5
        for name in shapes:
            part = gradient[name] * (clip / norm if clip else 1)
            first[name] = 0.9 * first[name] + 0.1 * part
            second[name] = 0.999 * second[name] + 0.001 * part**2
            move = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
            decay = 0.3 * params[name] if kind == "adamw" and name == "kernel" else 0
            params[name] = params[name] - 0.1 * (move + decay)
            np.testing.assert_allclose(got[name], params[name], rtol=1e-4)


def as_replay(samples: Replay) -> Replay:
    """A row of samples, all known."""
    known = samples.replace(status=jnp.full_like(samples.status, replay_buffer.KNOWN))
    return jax.tree.map(lambda field: field[None], known)


def test_small_net_overfits_a_small_replay() -> None:
    """Policy down to the entropy of its targets; averaged weights follow as they are said to."""
    game, steps = boardwright.game("draughts"), 60
    net = NetConfig(blocks=1, width=8, policy_channels=8, value_channels=4, value_hidden=16, auxiliary=("margin",))
    network = make_network(net, game)
    config = LearnerConfig(
        batch_size=16, lr_peak=0.03, warmup_steps=5, ema_decay=0.9, gradient_clip=5.0, weight_decay=0.0
    )
    functions = AlphaZeroLearner(config, game, network, steps)
    cases = random_cases(game)[:8]
    replay = as_replay(as_samples(game, cases))
    learn = jax.jit(lambda key, learner: functions.learn(key, learner, replay, 1, None))
    learner = functions.init(network.init(jax.random.key(0)))
    at_first = in_error(network.apply, learner.variables, cases)
    for step in range(steps):
        before = learner
        learner, losses = learn(jax.random.key(step), learner)
        total = sum(float(loss) for term, loss in losses.items() if term != "total")
        assert float(losses["total"]) == pytest.approx(total, rel=1e-5)
        if step in (0, 2, 50, 59):
            decay = min(0.9, (1 + step) / (10 + step))
            old, new = weights_of(before.averaged), weights_of(learner.variables)
            for name, weight in weights_of(learner.averaged).items():
                expected = decay * old[name] + (1 - decay) * new[name]
                np.testing.assert_allclose(weight, expected, rtol=1e-4, atol=1e-6)
    assert int(learner.steps) == steps
    at_last = in_error(network.apply, learner.variables, cases)
    averaged = in_error(network.apply, learner.averaged, cases)
    for what, least, most in (("policy", 0.3, 0.1), ("value", 0.3, 0.05), ("margin", 0.3, 0.1)):
        assert at_first[what] > least, what
        assert at_last[what] < most, what
        assert averaged[what] < most, what


def in_error(apply: Any, variables: Any, cases: list[Case]) -> dict[str, float]:
    """How far a net is from the targets: the policy in nats above their entropy, the others squared."""
    positions = [case.position for case in cases]
    role = np.array([position.role_to_move for position in positions], np.int8)
    output = apply(variables, np.stack([position.observation() for position in positions]), role)
    side = 1 - 2 * role
    apart = []
    for case, logits in zip(cases, np.asarray(output.policy_logits, float), strict=True):
        logs = log_softmax(logits[case.position.legal_actions()])
        apart.append(sum(share * (np.log(share) - log) for share, log in zip(case.policy, logs, strict=True) if share))
    value, margin = (side * [getattr(case, name) for case in cases] for name in ("result", "margin"))
    return {
        "policy": float(np.mean(apart)),
        "value": float(np.square(output.value - value).mean()),
        "margin": float(np.square(output.auxiliary["margin"] - margin).mean()),
    }
