"""Whole runs of DQN: resuming, metrics, and every preset."""

import dataclasses
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from run_files import checkpoint_arrays

from boardwright.cli.train import _line
from boardwright.errors import RunError
from boardwright.games.registry import game_names
from boardwright.learn.dqn.config import PRESETS, DQNConfig
from boardwright.learn.dqn.method import DQN
from boardwright.learn.methods import preset
from boardwright.learn.reporting.figures import FIGURES, chart
from boardwright.learn.run import loop, settings
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import read_metrics
from boardwright.learn.shared import encoder_file
from boardwright.nets import netfile
from boardwright.nets.network import weights_of

TINY = PRESETS["cathedral-tiny"]


def test_resumed_run_is_bit_identical(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    report: dict[str, float] = {}
    loop.train(DQN(TINY), whole, RunObserver(on_iteration=lambda done, frames, scalars: report.update(scalars)))
    calls = iter(range(1000))
    method = DQN(TINY)
    while loop.train(method, parts, RunObserver(stopped=lambda: next(calls) % 6 == 5)).iteration < TINY.iterations:
        pass
    assert next(calls) > TINY.iterations * TINY.acting.steps  # it did stop
    assert checkpoint_arrays(whole) == checkpoint_arrays(parts)

    history = read_metrics(whole)
    assert history.scalars["selfplay/moves"].values.tolist() == [32.0] * 3
    assert 0 <= history.scalars["evaluation/random"].values[0] <= 1
    assert history.scalars["evaluation/random"].iterations.tolist() == [2]
    for name in ("loss/total", "loss/error", "exploration/boltzmann", "selfplay/mean_q", "learning/updates"):
        assert np.isfinite(history.scalars[name].values).all(), name
    drawn = {figure.name for figure in FIGURES if chart(figure, {"run": history})}
    assert {"against-random", "rewards", "exploration", "q-values", "td-error"} <= drawn
    assert f"Q error {report['loss/error']:.3f}" in _line(3, 3, 96, report)
    kept = netfile.read(whole / "nets" / "best.net")
    assert kept.training["method"] == "dqn"
    assert kept.config == TINY.plain


@pytest.mark.parametrize("game", [name for name in game_names() if name != "cathedral"])
def test_every_game_can_be_trained(game: str) -> None:
    dqn = DQN(preset("dqn", f"{game}-tiny", game))
    run, losses = dqn.initialise(), {}
    for step in range(3):
        run, losses = dqn.take_step(run, 0, step)
    assert all(np.isfinite(float(loss)) for loss in losses.values())
    assert int(run.learner.updates) == 2 * 4


def test_residual_net_is_dueling_and_updates_its_statistics() -> None:
    tiny = settings.apply(TINY, ["plain=none", "net.blocks=1", "net.width=4", "net.value=linear"])
    dqn = DQN(tiny)
    run = dqn.initialise()
    before = jax.device_get(run.learner.variables)
    for step in range(3):
        run, _ = dqn.take_step(run, 0, step)
    changed: Any = jax.tree.map(
        lambda old, new: bool((old != new).any()), before, jax.device_get(run.learner.variables)
    )
    assert changed["params"]["value_0"]["output"]["kernel"]
    assert changed["params"]["policy_0"]["logits"]["kernel"]
    assert changed["batch_stats"]["stem"]["norm"]["mean"]


def test_a_trained_encoder_can_be_loaded_and_frozen(tmp_path: Path) -> None:
    path = tmp_path / "some.vae"
    changes = ["plain.convolutions=[4,4]", "plain.stride=2", "plain.latent=3", f"encoder={path}", "frozen=true"]
    config = settings.apply(TINY, changes)
    assert config.plain is not None
    plain_dqn = DQN(dataclasses.replace(config, encoder=None, frozen=False))
    fresh = weights_of(plain_dqn.initialise().learner.variables)
    encoder = {name: weight + 1 for name, weight in fresh.items() if name.startswith("params/encoder/")}
    encoder_file.write(path, encoder, config=config.plain, game=plain_dqn.game, training={})
    dqn = DQN(config)
    run = dqn.initialise()
    for step in range(3):
        run, _ = dqn.take_step(run, 0, step)
    learned = weights_of(run.learner.variables)
    assert all(np.array_equal(learned[name], weight) for name, weight in encoder.items())
    assert not np.array_equal(learned["params/policy/logits/kernel"], fresh["params/policy/logits/kernel"])


def test_presets_are_the_papers() -> None:
    paper = PRESETS["cathedral-paper"]
    assert (paper.learner.updates, paper.learner.batch_size) == (10, 64)
    learned = paper.updates_per_step * paper.samples / paper.acting.games
    assert learned == 10 * 64  # transitions for every action, however many updates are made as one
    for name, config in PRESETS.items():
        assert name.startswith(config.game)
        assert settings.from_json(DQNConfig, settings.to_json(config)) == config


def test_almost_whole_ratio_is_rounded() -> None:
    """0.07 times 100 is 7.000000000000001."""
    config = settings.apply(TINY, ["learner.updates=0.07", "acting.games=100", "transitions.capacity=100"])
    assert config.updates_per_step == 7
    with pytest.raises(RunError, match="is 0, expected a whole number of at least 1"):
        settings.apply(TINY, ["learner.updates=0"])


def test_an_epsilon_is_a_probability_and_values_are_no_results() -> None:
    with pytest.raises(RunError, match=r"setting acting\.exploration_start: epsilon must be at most 1, not 2"):
        settings.apply(TINY, ["acting.exploration=epsilon", "acting.exploration_start=2"])
    with pytest.raises(RunError, match=r"setting net\.value: Q-values are sums of rewards"):
        settings.apply(TINY, ["plain=none", "net.blocks=1"])


def test_shaped_rewards_are_refused_for_sparse_games() -> None:
    with pytest.raises(RunError, match="setting rewards: draughts has"):
        DQN(dataclasses.replace(PRESETS["draughts-tiny"], rewards="shaped"))
