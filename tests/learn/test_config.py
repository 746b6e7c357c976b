"""Settings of a run: what they come to, and one line about what cannot be."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardwright.errors import RunError
from boardwright.learn.alphazero.config import (
    LIMITS,
    MOST_STATES,
    AlphaZeroConfig,
    LeagueConfig,
    ReplayConfig,
    SearchConfig,
    SelfPlayConfig,
)
from boardwright.learn.run.settings import apply, from_json, to_json

PLAIN = AlphaZeroConfig(game="draughts")


def test_every_number_has_limits_and_plain_settings_keep_them() -> None:
    """A number that is not among LIMITS could be anything."""
    bounded = {"search.simulations"} | set(LIMITS)
    for name, value in to_json(PLAIN).items():
        parts = {name: value} if not isinstance(value, dict) else {f"{name}.{key}": v for key, v in value.items()}
        for path, number in parts.items():
            if isinstance(number, int | float) and not path.startswith("net."):
                assert path in bounded


@pytest.mark.parametrize("path", list(LIMITS))
def test_limits_hold(path: str) -> None:
    least, most = LIMITS[path]
    group, _, name = path.rpartition(".")

    def changed(value: float) -> AlphaZeroConfig:
        if not group:
            return dataclasses.replace(PLAIN, **{name: value})
        return dataclasses.replace(PLAIN, **{group: dataclasses.replace(getattr(PLAIN, group), **{name: value})})

    for beyond in (math.nextafter(least, -math.inf), math.nextafter(most, math.inf), math.nan):
        with pytest.raises(RunError) as caught:
            changed(beyond)
        assert str(caught.value).startswith(f"setting {path}: ")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("assignments", "complaint"),
    [
        (["search.simulations="], "setting search.simulations: expected one number or several"),
        (["search.simulations=16,0"], "setting search.simulations: expected one number or several"),
        (["league.share=0.5", "selfplay.steps=9"], "setting selfplay.steps: 9 is odd, and a league moves by turns"),
        (["gating.games=7"], "setting gating.games: 7 is odd"),
        (["evaluation.games=9"], "setting evaluation.games: 9 is odd"),
        (
            ["league.share=0.5", "league.nets=4", "selfplay.games=3"],
            "setting league.nets: 4 past selves need as many games, 3 are played: lower it, or raise selfplay.games",
        ),
        (
            ["replay.iterations=10000", "selfplay.games=65536"],
            f"iterations of 4194304 states are more than {MOST_STATES}",
        ),
        (["replay.states=5", "selfplay.games=1048576"], f"1 iterations of 67108864 states are more than {MOST_STATES}"),
    ],
)
def test_contradictions(assignments: list[str], complaint: str) -> None:
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


def test_the_window_by_iterations_or_by_states() -> None:
    def window(**replay: Any) -> int:
        selfplay = SelfPlayConfig(games=10, steps=20)
        return AlphaZeroConfig(game="draughts", selfplay=selfplay, replay=ReplayConfig(**replay)).window

    assert window(iterations=5) == 5
    assert window(states=1000) == 5
    assert window(states=1199) == 5
    assert window(states=3) == 1


def test_a_config_comes_back_from_its_file() -> None:
    config = apply(PLAIN, ["search.simulations=16,64", "replay.states=5000", "net.auxiliary=plies", "rules=paper"])
    assert from_json(AlphaZeroConfig, json.loads(json.dumps(to_json(config)))) == config
