"""`--set path=value` and config.json: every type, the nearest name, and nothing half changed."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardwright.errors import BoardwrightError, RunError
from boardwright.learn.run.settings import apply, from_json, to_json
from boardwright.nets.config import NetConfig


@dataclass(frozen=True, kw_only=True)
class Rate:
    peak: float = 1e-2
    warmup: int = 0
    steps: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Learner:
    rate: Rate = field(default_factory=Rate)
    batch: int = 1024
    clip: float | None = None
    average: bool = False


@dataclass(frozen=True, kw_only=True)
class Gating:
    games: int = 400
    score: float = 0.55


@dataclass(frozen=True, kw_only=True)
class Stage:
    simulations: int
    until: int | None = None


@dataclass(frozen=True, kw_only=True)
class Search:
    kind: Literal["gumbel", "puct"] = "gumbel"
    simulations: int = 32
    considered: int = 16
    shape: tuple[int, int] = (1, 2)
    note: str | None = None
    stages: tuple[Stage, ...] = ()

    def __post_init__(self) -> None:
        if self.considered > self.simulations:
            raise RunError(f"considered {self.considered} is more than simulations {self.simulations}")


@dataclass(frozen=True, kw_only=True)
class Config:
    name: str
    net: NetConfig = field(default_factory=NetConfig)
    search: Search = field(default_factory=Search)
    learner: Learner = field(default_factory=Learner)
    gating: Gating | None = None


PRESET = Config(name="test")
LAST = Stage(simulations=64)


@pytest.mark.parametrize(
    ("assignment", "expected"),
    [
        ("net.blocks=8", 8),
        ("net.policy=dense", "dense"),
        ("net.auxiliary=ownership, margin", ("ownership", "margin")),
        ("net.auxiliary=", ()),
        ('net.auxiliary=["plies"]', ("plies",)),
        ("search.simulations = 64 ", 64),
        ("search.shape=3,4", (3, 4)),
        ("search.note=none", None),
        ("search.note=a=b, c", "a=b, c"),
        (
            'search.stages=[{"simulations": 16, "until": 9}, {"simulations": 64}]',
            (Stage(simulations=16, until=9), LAST),
        ),
        ("learner.rate.peak=1e-3", 1e-3),
        ("learner.rate.peak=3", 3.0),
        ("learner.rate.peak=.5", 0.5),
        ("learner.rate.warmup=-5", -5),
        ("learner.rate.steps=[[0, 0.1], [1000, 1]]", ((0, 0.1), (1000, 1.0))),
        ("learner.clip=none", None),
        ("learner.clip=2", 2.0),
        ("learner.average=on", True),
        ("learner.average=True", True),
        ("learner.average=off", False),
        ("gating.games=50", 50),
        ("gating=none", None),
        ("name=another name", "another name"),
    ],
)
def test_values_of_every_type(assignment: str, expected: Any) -> None:
    changed: Any = apply(PRESET, [assignment])
    value = changed
    for name in assignment.partition("=")[0].strip().split("."):
        value = getattr(value, name)
    assert value == expected
    assert type(value) is type(expected)
    assert from_json(Config, json.loads(json.dumps(to_json(changed)))) == changed


def test_only_named_settings_change() -> None:
    changed = apply(PRESET, ["learner.rate.peak=1", "learner.batch=8", "net.blocks=2", "net.blocks=3"])
    expected = dataclasses.replace(
        PRESET, net=NetConfig(blocks=3), learner=Learner(rate=Rate(peak=1.0), batch=8, clip=None)
    )
    assert changed == expected
    assert apply(PRESET, []) == PRESET
    assert apply(PRESET, ["gating.score=0.6"]).gating == Gating(score=0.6)
    assert apply(apply(PRESET, ["gating.score=0.6"]), ["gating=none"]).gating is None


def test_changes_are_checked_together() -> None:
    changed = apply(PRESET, ["search.considered=64", "search.simulations=64"])
    assert (changed.search.considered, changed.search.simulations) == (64, 64)
    with pytest.raises(RunError, match="considered 64 is more than simulations 32"):
        apply(PRESET, ["search.considered=64"])
    with pytest.raises(BoardwrightError, match="net option blocks: expected a whole number from 1 to 128"):
        apply(PRESET, ["net.blocks=0"])


@pytest.mark.parametrize(
    ("assignment", "complaint"),
    [
        ("net.blcks=4", "unknown setting 'net.blcks': did you mean 'net.blocks'?"),
        ("blocks=4", "unknown setting 'blocks': did you mean 'net.blocks'?"),
        ("search.batch=4", "unknown setting 'search.batch': did you mean 'learner.batch'?"),
        ("serach.simulations=4", "unknown setting 'serach': did you mean 'search'?"),
        ("learner.rate.qqqqq=4", "unknown setting 'learner.rate.qqqqq': known: learner.rate.peak, learner.rate.warmup"),
        (
            "net.blocks.deep=4",
            "setting net.blocks is not a group, so net.blocks.deep does not exist: set net.blocks itself",
        ),
        ("net=8x128", "setting net is a group: set one of net.blocks, net.width, "),
        ("net=none", "setting net is a group: set one of "),
        ("gating=on", "setting gating is a group: set one of gating.games, gating.score"),
        ("net.blocks", "--set 'net.blocks': expected path=value, such as net.blocks=4"),
        ("=4", "--set '=4': expected path=value"),
        ("net.blocks=", "setting net.blocks: expected a whole number, not ''"),
        ("net.blocks=4.5", "setting net.blocks: expected a whole number, not '4.5'"),
        ("net.blocks=٤", "setting net.blocks: expected a whole number, not '٤'"),
        ("net.blocks=99999999999999999999", "setting net.blocks: the number is too large"),
        ("net.policy=convolutional", "setting net.policy: 'convolutional' is not one of conv, planes, dense, table"),
        ("net.auxiliary=ownership,goals", "setting net.auxiliary: 'goals' is not one of ownership, margin, plies"),
        ("search.shape=1,2,3", "setting search.shape: expected 2 items, not 3"),
        ("search.stages=[{}", "setting search.stages: expected a JSON list"),
        ("search.stages=[{}]", "setting search.stages.0.simulations is missing: add it"),
        ('search.stages=[{"simulations": 1, "untl": 2}]', "unknown setting 'search.stages.0.untl': did you mean"),
        ("learner.rate.peak=fast", "setting learner.rate.peak: expected a number, not 'fast'"),
        ("learner.rate.peak=nan", "setting learner.rate.peak: expected a number, not 'nan'"),
        ("learner.rate.peak=1e999", "setting learner.rate.peak: expected a number, not inf"),
        ("learner.average=1", "setting learner.average: expected true or false, not '1'"),
        ("learner.clip=some", "setting learner.clip: expected a number, not 'some'"),
    ],
)
def test_invalid_settings_are_refused(assignment: str, complaint: str) -> None:
    with pytest.raises(BoardwrightError) as caught:
        apply(PRESET, [assignment])
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "setting (all): expected a table of settings, not []"),
        ({}, "setting name is missing"),
        ({"name": 3}, "setting name: expected a text, not 3"),
        ({"name": "x", "learner": 5}, "setting learner: expected a table of settings, not 5"),
        ({"name": "x", "learner": None}, "setting learner: expected a table of settings, not None"),
        ({"name": "x", "learner": {"bach": 5}}, "unknown setting 'learner.bach': did you mean 'learner.batch'?"),
        ({"name": "x", "learner": {"batch": True}}, "setting learner.batch: expected a whole number, not True"),
        ({"name": "x", "learner": {"batch": "5"}}, "setting learner.batch: expected a whole number, not '5'"),
        ({"name": "x", "learner": {"clip": math.nan}}, "setting learner.clip: expected a number, not nan"),
        ({"name": "x", "learner": {"rate": {"steps": [[1]]}}}, "setting learner.rate.steps.0: expected 2 items, not 1"),
    ],
)
def test_json_that_is_refused(data: Any, complaint: str) -> None:
    with pytest.raises(BoardwrightError) as caught:
        from_json(Config, data)
    assert complaint in str(caught.value)


def test_what_json_leaves_out_has_its_default() -> None:
    assert from_json(Config, {"name": "test", "learner": {"rate": {}}}) == PRESET
    assert from_json(Config, {"name": "test", "gating": {}}).gating == Gating()


FINITE = st.floats(allow_nan=False, allow_infinity=False)
INTS = st.integers(1 - 2**63, 2**63 - 1)
RATES = st.builds(Rate, peak=FINITE, warmup=INTS, steps=st.lists(st.tuples(INTS, FINITE), max_size=3).map(tuple))
STAGES = st.builds(Stage, simulations=INTS, until=st.none() | INTS)
CONFIGS = st.builds(
    Config,
    name=st.text(),
    net=st.builds(NetConfig, blocks=st.integers(1, 128), auxiliary=st.sampled_from([(), ("margin", "plies")])),
    search=st.builds(
        Search,
        kind=st.sampled_from(["gumbel", "puct"]),
        considered=st.integers(1, 32),
        note=st.none() | st.text() | st.just("none"),
        stages=st.lists(STAGES, max_size=3).map(tuple),
    ),
    learner=st.builds(Learner, rate=RATES, batch=INTS, clip=st.none() | FINITE, average=st.booleans()),
    gating=st.none() | st.builds(Gating, games=INTS, score=FINITE),
)


@given(config=CONFIGS)
def test_json_survives_a_round_trip(config: Config) -> None:
    text = json.dumps(to_json(config), allow_nan=False)
    assert from_json(Config, json.loads(text)) == config


@given(config=CONFIGS, number=INTS, rate=FINITE)
def test_listed_values_can_be_set(config: Config, number: int, rate: float) -> None:
    changed = apply(config, [f"learner.batch={number}", f"learner.rate.peak={rate!r}"])
    assert changed.learner.batch == number
    assert changed.learner.rate.peak == rate
    back = apply(changed, [f"learner.batch={config.learner.batch}", f"learner.rate.peak={config.learner.rate.peak!r}"])
    assert back == config
