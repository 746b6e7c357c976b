"""Past checkpoints: the pool, the draw, and saved nets that give the same outputs."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardwright
from boardwright.errors import BoardwrightError
from boardwright.learn.run import league
from boardwright.learn.shared.config import EvaluationMatchesConfig
from boardwright.nets.config import NetConfig
from boardwright.nets.network import make_network

CONFIGS = st.builds(
    EvaluationMatchesConfig,
    first=st.integers(0, 30),
    every=st.integers(1, 9),
    pool=st.integers(1, 14),
    opponents=st.integers(1, 6),
)


@given(config=CONFIGS, iteration=st.integers(1, 300), seed=st.integers(0, 99))
def test_pool_and_its_draws(config: EvaluationMatchesConfig, iteration: int, seed: int) -> None:
    pool = league.pool(config, iteration)
    assert pool[0] == 0
    assert pool == sorted(set(pool))
    assert len(pool) <= config.pool
    earlier = list(range(iteration - config.every, 0, -config.every))
    assert set(pool[1:]) <= set(earlier)
    assert len(pool) == min(config.pool, 1 + len(earlier))
    if config.pool > 1 and earlier:
        assert pool[-1] == earlier[0]
    drawn = league.draw_opponents(config, seed, iteration)
    assert drawn == league.draw_opponents(config, seed, iteration)
    assert set(drawn) <= set(pool)
    assert len(set(drawn)) == len(drawn) == min(config.opponents, len(pool))


@given(config=CONFIGS)
def test_pools_hold_rated_nets_only(config: EvaluationMatchesConfig) -> None:
    """So that every opponent of an evaluation match has a saved net."""
    measured = [iteration for iteration in range(200) if league.is_evaluated(config, iteration)]
    first = max(config.first, 1)
    expected = [iteration for iteration in range(first, 200) if (iteration - config.first) % config.every == 0]
    assert measured == expected
    for iteration in measured:
        known = [past for past in range(1, iteration) if (iteration - past) % config.every == 0]
        assert set(league.pool(config, iteration)) <= {0, *known}


def test_every_0_disables_evaluation() -> None:
    assert not any(league.is_evaluated(EvaluationMatchesConfig(first=0, every=0), iteration) for iteration in range(50))


def test_a_thinned_pool_is_even() -> None:
    config = EvaluationMatchesConfig(first=5, every=5, pool=10)
    assert league.pool(config, 20) == [0, 5, 10, 15]
    pool = league.pool(config, 500)
    assert len(pool) == 10
    assert (pool[1], pool[-1]) == (5, 495)
    gaps = np.diff(pool[1:])
    assert gaps.max() - gaps.min() <= config.every


def test_every_net_of_the_pool_is_played() -> None:
    config = EvaluationMatchesConfig()
    met = {opponent for seed in range(60) for opponent in league.draw_opponents(config, seed, 60)}
    assert met == set(league.pool(config, 60))


def test_league_draws_any_past_checkpoint() -> None:
    assert {league.draw_past_iteration(seed, 0) for seed in range(20)} == {0}
    drawn = [league.draw_past_iteration(seed, 6) for seed in range(300)]
    assert set(drawn) == set(range(6))
    assert max(np.bincount(drawn)) < 2 * min(np.bincount(drawn))
    assert drawn == [league.draw_past_iteration(seed, 6) for seed in range(300)]


def test_nets_are_saved_in_float32_or_bfloat16(tmp_path: Path) -> None:
    game = boardwright.game("draughts")
    config = NetConfig(blocks=1, width=4, heads="by-role", value="wdl")
    variables = make_network(config, game).init(jax.random.key(4))
    short, whole = league.path_of(tmp_path, 12), tmp_path / "whole.net"
    assert short.name == "000012.net"
    league.save_net(short, variables, config=config, game=game, training={"iteration": 12})
    league.save_net(whole, variables, config=config, game=game, training={}, full_precision=True)
    exact, rounded = league.load_net(whole, game), league.load_net(short, game)
    assert jax.tree.all(jax.tree.map(np.array_equal, exact, dict(variables)))
    jax.tree.map(lambda got, kept: np.testing.assert_allclose(got, kept, rtol=2**-8), rounded, dict(variables))
    assert short.stat().st_size < 0.7 * whole.stat().st_size
    with pytest.raises(BoardwrightError):
        league.load_net(league.path_of(tmp_path, 13), game)
    with pytest.raises(BoardwrightError):
        league.load_net(short, boardwright.game("tablut"))
