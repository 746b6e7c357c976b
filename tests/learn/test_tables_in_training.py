"""Endgame tables in training: games that end where they know the result, and values that are the truth."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import boardwright
from boardwright.errors import RunError
from boardwright.games.base import DRAW, ONGOING
from boardwright.learn.alphazero import replay as replay_buffer
from boardwright.learn.alphazero import selfplay
from boardwright.learn.alphazero.config import (
    PRESETS,
    AlphaZeroConfig,
    LearnerConfig,
    ReplayConfig,
    SelfPlayConfig,
)
from boardwright.learn.alphazero.learner import AlphaZeroLearner, correct_by_tables
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.alphazero.replay import KNOWN, Replay, new_replay, take
from boardwright.learn.run import config_file, settings
from boardwright.learn.shared.config import SearchConfig
from boardwright.nets.config import NetConfig
from boardwright.nets.network import make_network

GAMES = 8
NET = NetConfig(blocks=1, width=4, policy_channels=2, value_channels=1, value_hidden=2)
CONFIG = AlphaZeroConfig(
    game="draughts",
    iterations=2,
    net=NET,
    search=SearchConfig(simulations=(2,)),
    selfplay=SelfPlayConfig(games=GAMES, steps=1, adjudicate=0.5),
    replay=ReplayConfig(iterations=1),
    learner=LearnerConfig(batch_size=4, steps=1, warmup_steps=0, tablebase_weight=1.0),
)
# One capture leads to pieces that the tables know: the capturing side has more of them, the last time one of each.
FORCED = ("B:WK18,K28:BK14,K1,K3", "W:WK18,K32,K31:BK15,K1", "B:WK18,K32:BK14")
RESULTS = (1.0, -1.0, 0.0)


def test_adjudicated_share_of_games_ends_in_the_tables() -> None:
    az = AlphaZero(CONFIG)
    positions = [az.game.position(FORCED[column % 3]) for column in range(GAMES)]
    after = [position.play(position.legal_actions()[0]) for position in positions]
    winners = [az.game.proven_outcome(position.core) for position in after]
    assert [outcome and outcome.winner for outcome in winners] == [(0, 1, None)[column % 3] for column in range(GAMES)]
    assert None not in winners
    assert all(position.outcome is None for position in after)

    run = az.initialise()
    states: Any = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[az.steps.env.from_position(p) for p in positions])
    run = az.settle(az.play(dataclasses.replace(run, games=dataclasses.replace(run.games, states=states)), 0, 0), 0)
    chosen = [(column * 0.6180339887) % 1 < 0.5 for column in range(GAMES)]
    assert 0 < sum(chosen) < GAMES
    assert {column % 3 for column in range(GAMES) if chosen[column]} == {0, 1, 2}  # won, lost and drawn
    row: Any = jax.device_get(run.replay)
    assert (
        row.status[0] == replay_buffer.RESULT_ONLY
    ).tolist() == chosen  # how the board looks at the end is not known
    assert (row.status[0] == replay_buffer.OPEN).tolist() == [not one for one in chosen]
    expected = [RESULTS[column % 3] for column in range(GAMES)]
    assert row.result[0][chosen].tolist() == [result for result, one in zip(expected, chosen, strict=True) if one]
    assert np.asarray(run.games.serial).tolist() == [int(one) for one in chosen]
    report = selfplay.collect_metrics(run.tally)
    assert report["selfplay/games"] == sum(chosen)
    assert report["selfplay/adjudicated"] == 1
    _, losses = jax.eval_shape(lambda run: az.learn(run, 0, 0), run)  # with tables in their place
    assert losses["value"].shape == ()


def test_adjudicated_share_holds_per_column_and_in_total() -> None:
    def ended(number: Any, share: float) -> Any:
        nothing: Any = None
        games = selfplay.Games(nothing, jnp.full(GAMES, number), nothing, nothing, nothing, nothing)
        return selfplay._adjudicate(jnp.ones(GAMES, jnp.int8), games, share) == 1

    for share in (0.0, 0.25, 1.0):
        games = np.asarray(jax.vmap(lambda number, share=share: ended(number, share))(jnp.arange(200)))
        assert np.abs(games.mean(axis=0) - share).max() < 0.02
        assert abs(games.mean() - share) < 0.005
        # At any time: of the eight games that are under way, too.
        assert np.abs(games.sum(axis=1) - share * GAMES).max() < 2


def test_layout_changes_only_with_adjudication() -> None:
    """So that older runs can resume."""
    assert selfplay.new_endings(2, 3, 1).stopped is None
    for plain in (SelfPlayConfig(), SelfPlayConfig(audit_share=0.5)):
        assert not plain.stops_games
    for stopping in (SelfPlayConfig(resign_below=-0.9), SelfPlayConfig(adjudicate=0.1)):
        assert stopping.stops_games


def test_value_targets_are_the_proven_results() -> None:
    """Wrong results with tables give the loss of right results without."""
    game: Any = boardwright.game("draughts")
    env, learning, network = game.batch(), game.learning(), make_network(NET, game)
    texts = ("B:WK18,K27:BK14,K1", "W:WK18,K32,K31:BK15", "B:WK31:BK1", "B:W21-32:B1-12")
    states, proven = [env.from_position(game.position(text)) for text in texts], game.proven_results()
    truths = [proven.result(proven.tables, state) for state in states]
    assert [int(truth) for truth in truths] == [0, 1, DRAW, ONGOING]
    words = jnp.stack([learning.pack(state) for state in states])

    def samples(results: list[float]) -> Replay:
        empty = take(new_replay(1, 4, words=words.shape[1], slots=48, holder_words=0), jnp.arange(4))
        return empty.replace(
            words=words,
            actions=jnp.full((4, 48), -1, jnp.int16).at[:, 0].set(0),
            policy=jnp.zeros((4, 48), jnp.bfloat16).at[:, 0].set(1),
            value=jnp.asarray(results),
            result=jnp.asarray(results),
            status=jnp.full(4, KNOWN, jnp.int8),
        )

    variables = network.init(jax.random.key(0))

    def learner(share: float) -> Any:
        config = LearnerConfig(tablebase_weight=share, root_value=0.25)
        return jax.jit(AlphaZeroLearner(config, game, network, 10, proven).losses)

    plain, knowing = learner(0.0), learner(1.0)

    def value_loss(losses: Any, results: list[float]) -> float:
        return float(losses(variables, samples(results), jnp.zeros(4, jnp.int32), proven.tables)[1][0]["value"])

    wrong, right = [-1.0, 1.0, -1.0, 0.5], [1.0, -1.0, 0.0, 0.5]
    assert value_loss(knowing, wrong) == pytest.approx(value_loss(plain, right), rel=1e-6)
    assert value_loss(plain, wrong) != pytest.approx(value_loss(plain, right), rel=1e-3)
    half = correct_by_tables(samples(wrong), jnp.stack(truths), 0.5)
    assert half.result.tolist() == half.value.tolist() == [0.0, 0.0, -0.5, 0.5]


def test_settings_that_need_tables() -> None:
    tablut = dataclasses.replace(CONFIG, game="tablut")
    with pytest.raises(RunError, match=r"setting selfplay\.adjudicate: tablut has no endgame tables"):
        AlphaZero(tablut)
    with pytest.raises(RunError, match=r"setting selfplay\.adjudicate: no draughts tables in /nowhere"):
        AlphaZero(dataclasses.replace(CONFIG, tablebase_dir="/nowhere"))
    with pytest.raises(RunError, match="setting tablebase_dir: unused while"):
        AlphaZeroConfig(game="draughts", tablebase_dir="somewhere")
    assert {name for name, preset in PRESETS.items() if preset.needs_tables} == {"draughts-fast"}


def test_run_older_than_a_setting_resumes(tmp_path: Path) -> None:
    plain = dataclasses.replace(CONFIG, selfplay=SelfPlayConfig(games=GAMES), learner=LearnerConfig())
    report = config_file.contents("alphazero", plain)
    for group, name in (("selfplay", "adjudicate"), ("learner", "tablebase_weight")):
        del report[group][name]
    del report["tablebase_dir"]
    (tmp_path / config_file.NAME).write_text(json.dumps(report))
    config_file.check(tmp_path, "alphazero", plain)
    with pytest.raises(RunError, match=r"other settings \(learner.tablebase_weight is 0.0 there and 1.0 here\)"):
        config_file.check(tmp_path, "alphazero", settings.apply(plain, ["learner.tablebase_weight=1"]))
    with pytest.raises(RunError, match=r"other settings \(method is 'alphazero' there"):
        config_file.check(tmp_path, "ppo", plain)
