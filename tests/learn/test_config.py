"""Settings of a run: what they come to, and one line about what cannot be."""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardwright.errors import RunError
from boardwright.learn.alphazero.config import (
    MAX_STATES,
    AlphaZeroConfig,
    LeagueConfig,
    ReplayConfig,
    SelfPlayConfig,
)
from boardwright.learn.dqn.config import DQNConfig
from boardwright.learn.evaluation.config import AlphaBetaConfig
from boardwright.learn.methods import PRESETS
from boardwright.learn.ppo.config import PPOConfig
from boardwright.learn.run.settings import apply, from_json, listing, to_json
from boardwright.learn.shared.config import SearchConfig
from boardwright.learn.vae.config import VaeConfig
from boardwright.setting import fields_of

PLAIN = AlphaZeroConfig(game="draughts")


BOUNDED = {field.path: field for field in fields_of(AlphaZeroConfig) if field.setting and field.setting.low is not None}


@pytest.mark.parametrize("path", [path for path in BOUNDED if not path.startswith("net.")])
def test_ranges_are_checked(path: str) -> None:
    setting = BOUNDED[path].setting
    assert setting is not None
    assert setting.low is not None
    assert setting.high is not None
    group, _, name = path.rpartition(".")

    def changed(value: Any) -> AlphaZeroConfig:
        value = (value,) if path == "search.simulations" else value
        if not group:
            return dataclasses.replace(PLAIN, **{name: value})
        return dataclasses.replace(PLAIN, **{group: dataclasses.replace(getattr(PLAIN, group), **{name: value})})

    for beyond in (math.nextafter(setting.low, -math.inf), math.nextafter(setting.high, math.inf), math.nan):
        with pytest.raises(RunError) as caught:
            changed(beyond)
        assert str(caught.value).startswith(f"setting {path}: ")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [AlphaZeroConfig, DQNConfig, PPOConfig, VaeConfig, AlphaBetaConfig])
def test_every_setting_has_a_description_and_numbers_a_range(kind: type) -> None:
    for field in fields_of(kind):
        assert field.setting is not None, field.path
        assert len(field.setting.description) > 2, field.path
        hints = {field.hint, *typing.get_args(field.hint)}
        if hints & {int, float} or typing.get_args(next(iter(typing.get_args(field.hint)), None))[:1] == (int,):
            assert field.setting.low is not None, field.path
            assert field.setting.high is not None, field.path
            assert field.setting.low < field.setting.high


@pytest.mark.parametrize("method", sorted(PRESETS))
def test_the_listing_has_all_settings_with_their_values(method: str) -> None:
    for config in PRESETS[method].values():
        rows = {row["name"]: row for row in listing(config)}

        def check(data: dict[str, Any], prefix: str, rows: dict[str, Any] = rows) -> None:
            for name, value in data.items():
                if isinstance(value, dict):
                    check(value, f"{prefix}{name}.")
                elif value is not None or f"{prefix}{name}" in rows:
                    assert rows[f"{prefix}{name}"]["value"] == value
                else:  # a group that is None
                    assert any(path.startswith(f"{prefix}{name}.") for path in rows)

        check(to_json(config), "")
        assert json.loads(json.dumps([*rows.values()])) == [*rows.values()]


@pytest.mark.parametrize(
    ("assignments", "complaint"),
    [
        (["search.simulations="], "setting search.simulations: expected at least one number"),
        (["search.simulations=16,0"], "setting search.simulations: (16, 0) is not from 1 to 16384"),
        (["league.share=0.5", "selfplay.steps=9"], "setting selfplay.steps: must be even with a league"),
        (["gating.games=7"], "setting gating.games: must be even"),
        (["evaluation.games=9"], "setting evaluation.games: must be even"),
        (
            ["league.share=0.5", "league.nets=4", "selfplay.games=3"],
            "setting league.nets: 4 past checkpoints need at least 4 games, but selfplay.games is 3: lower it or",
        ),
        (
            ["replay.iterations=10000", "selfplay.games=65536"],
            f"iterations of 4194304 states are more than {MAX_STATES}",
        ),
        (["replay.states=5", "selfplay.games=1048576"], f"1 iterations of 67108864 states are more than {MAX_STATES}"),
    ],
)
def test_contradictory_settings_are_refused(assignments: list[str], complaint: str) -> None:
    with pytest.raises(RunError) as caught:
        apply(PLAIN, assignments)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@given(games=st.integers(1, 600), share=st.floats(0, 1), nets=st.integers(1, 8))
def test_league_games_are_shared_equally(games: int, share: float, nets: int) -> None:
    """As near to the share as equal parts for every net allow; refused only where there is no game for each."""
    settings: Any = {"selfplay": SelfPlayConfig(games=games), "league": LeagueConfig(share=share, nets=nets)}
    if share > 0 and nets > games:
        with pytest.raises(RunError, match=r"setting league.nets: "):
            AlphaZeroConfig(game="draughts", **settings)
        return
    against = AlphaZeroConfig(game="draughts", **settings).league_games
    assert against % nets == 0
    assert against <= games
    assert (against == 0) == (share == 0)
    if against > nets:
        assert abs(against - share * games) <= nets


def test_simulations_rise_in_equal_shares() -> None:
    search = SearchConfig(simulations=(16, 32, 128))
    assert [search.at(iteration, 9) for iteration in range(9)] == [16] * 3 + [32] * 3 + [128] * 3
    assert [search.at(iteration, 2) for iteration in range(2)] == [16, 32]
    assert search.at(50, 9) == 128
    assert SearchConfig(simulations=(7,)).at(3, 10) == 7


def test_replay_window_by_iterations_or_states() -> None:
    def window(**replay: Any) -> int:
        selfplay = SelfPlayConfig(games=10, steps=20)
        return AlphaZeroConfig(game="draughts", selfplay=selfplay, replay=ReplayConfig(**replay)).window

    assert window(iterations=5) == 5
    assert window(states=1000) == 5
    assert window(states=1199) == 5
    assert window(states=3) == 1


def test_config_survives_a_round_trip() -> None:
    config = apply(PLAIN, ["search.simulations=16,64", "replay.states=5000", "net.auxiliary=plies", "rules=paper"])
    assert from_json(AlphaZeroConfig, json.loads(json.dumps(to_json(config)))) == config
