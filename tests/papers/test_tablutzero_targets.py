"""Targets of the Tablut paper: met, not met, and not decided where a figure is not of what it is said to be of."""

import dataclasses
from pathlib import Path

import pytest
from planted_tablutzero import config_of, made_up

from boardwright.learn.alphazero.config import PRESETS
from boardwright.learn.run.metrics import ON_DEVICE, History
from boardwright.papers.tablutzero.claims import ELO, FULL, PAIRINGS, QUICK, RATING_MODES
from boardwright.papers.tablutzero.report import objections, page, targets
from boardwright.papers.tablutzero.results import DEVICE_SECONDS, ITERATION_SECONDS, Results, RunResult, curve
from boardwright.papers.tablutzero.runs import Work


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Planted runs take half an hour, and twelve steps of two to one, 120 points, are enough by both rating modes."""
    return made_up(tmp_path_factory.mktemp("runs"))


def with_run(results: Results, name: str, run: RunResult) -> Results:
    return dataclasses.replace(results, runs={**results.runs, name: run})


def met_after(results: Results, first: float, second: float) -> Results:
    met = dataclasses.replace(results.pairings["fast--paper"], minutes=(first, second))
    return dataclasses.replace(results, pairings={"fast--paper": met})


def verdicts(results: Results) -> list[bool | None]:
    return [met for *_, met in targets(results)]


def report(results: Results) -> str:
    return page(results, Work(folder=Path(), runs=Path(), train=frozenset()), "boardwright paper")[0]


def test_targets_are_met_by_a_strong_run_only(good: Results, tmp_path: Path) -> None:
    assert verdicts(good) == [True, True, True]
    for (target, ours, _), mode in zip(targets(good), RATING_MODES, strict=False):
        assert f"the whole 95 % interval of its Elo above iteration 0 exceeds 1,235, by {mode.label}" in target
        assert ours.endswith("after 30.0 minutes")
    weak = made_up(tmp_path, odds=1.2, pairs=(10, 0, 75, 0, 15))
    assert verdicts(weak) == [False, False, False]
    for (_, ours, _), mode in zip(targets(weak), RATING_MODES, strict=False):
        short = ELO - curve(weak.runs["fast"], mode)[-1].elo.mean
        assert ours.endswith(f"after 30.0 minutes: {short:,.0f} below")
    assert "after 30.0 and 30.0 minutes: does not exclude 50 %" in targets(weak)[2][1]
    nothing = Results({}, {}, None, FULL.protocol)
    answers = [("not run", None), ("not run", None), ("not played", None)]
    assert [(ours, met) for _, ours, met in targets(nothing)] == answers


def test_the_whole_interval_must_be_above(tmp_path: Path) -> None:
    results = made_up(tmp_path, odds=1.822)
    elo = curve(results.runs["fast"], RATING_MODES[1])[-1].elo
    assert elo.low < ELO < elo.mean
    assert verdicts(results)[:2] == [True, False]  # the two modes are judged separately
    assert targets(results)[1][1].endswith(f": the interval begins {ELO - elo.low:,.0f} below")
    assert "| **not met** |" in report(results)


def test_quick_run_decides_nothing(good: Results) -> None:
    quick = dataclasses.replace(good, protocol=QUICK.protocol)
    assert verdicts(quick) == [None, None, None]
    assert all(ours.endswith("but this is a quick run") for _, ours, _ in targets(quick))


def test_matches_by_another_protocol_decide_nothing(good: Results) -> None:
    own = dataclasses.replace(good.runs["fast"], played_again=False)
    for _, ours, met in targets(with_run(good, "fast", own))[:2]:
        assert ours.endswith("but measured with first 5 instead of 20, simulations 32 instead of 128")
        assert met is None
    opponent = own.matches[-1].role1_net + own.matches[-1].role0_net - 60
    kept = (match for match in own.matches if match.iteration < 60 or opponent in (match.role0_net, match.role1_net))
    few = with_run(good, "fast", dataclasses.replace(good.runs["fast"], matches=tuple(kept)))
    _, ours, met = targets(few)[0]
    assert ours.endswith("but measured with opponents 1 instead of 4 at iteration 60")
    assert met is None
    assert "played again after the training, with opponents 1 instead of 4" in report(few)


@pytest.mark.parametrize(("name", "undecided"), [("fast", [None, None, None]), ("paper", [True, True, None])])
def test_a_run_of_other_settings_is_not_the_preset(good: Results, name: str, undecided: list[bool | None]) -> None:
    def output(*changes: str) -> Results:
        return with_run(good, name, dataclasses.replace(good.runs[name], config=config_of(name, *changes)))

    other = output("seed=3", "net.width=8")
    assert verdicts(other) == undecided
    assert targets(other)[2][1].endswith(f"but this run of `tablut-{name}` is a variant: `net.width=8`")
    assert f"equal GPU-minutes: **not decided**: this run of `tablut-{name}` is a variant" in report(other)
    assert verdicts(output("seed=3")) == [True, True, True]


def test_a_run_is_a_variant_once_its_preset_has_changed(good: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = config_of("paper", "net.policy=dense", "net.policy_channels=2", "learner.gradient_clip=0")
    results = with_run(good, "paper", dataclasses.replace(good.runs["paper"], config=dense))
    preset = config_of("paper", "net.policy=conv", "net.policy_channels=32", "learner.gradient_clip=1")
    monkeypatch.setitem(PRESETS, "tablut-paper", preset)
    words = "variant: dense policy head, no gradient clipping"
    changed = "`net.policy=dense`, `net.policy_channels=2`, `learner.gradient_clip=0.0`"
    page = report(results)
    assert f"| settings |  | {words} | as the preset |" in page
    assert f"| `tablut-paper` | the paper's preset | {words} ({changed}) |" in page
    assert verdicts(results) == [True, True, None]


def test_minutes_must_be_equal_or_in_favour_of_the_paper(good: Results) -> None:
    assert verdicts(met_after(good, 29.0, 30.0)) == [True, True, True]
    for first, second in ((50.0, 5.0), (float("nan"), 5.0)):
        unequal = met_after(good, first, second)
        assert verdicts(unequal) == [True, True, None]
        assert "`tablut-fast` had more minutes" in targets(unequal)[2][1]
        assert "equal GPU-minutes: **not decided**" in report(unequal)
    assert "after 50.0 and 5.0 minutes" in targets(met_after(good, 50.0, 5.0))[2][1]


def test_device_minutes_must_be_of_one_kind(good: Results) -> None:
    def trained_on(run: RunResult, devices: tuple[str, ...]) -> RunResult:
        spent = {f"{ON_DEVICE}{device}": run.history.scalars[ITERATION_SECONDS] for device in devices}
        history = dataclasses.replace(run.history, scalars={**run.history.scalars, **spent})
        return dataclasses.replace(run, history=history)

    def on(fast: tuple[str, ...], paper: tuple[str, ...]) -> Results:
        runs = {"fast": trained_on(good.runs["fast"], fast), "paper": trained_on(good.runs["paper"], paper)}
        return dataclasses.replace(good, runs=runs)

    h200, both, unknown = ("H200",), ("H200", "cpu"), ()
    assert [verdicts(on(*pair))[2] for pair in ((h200, h200), (h200, unknown), (both, h200), (both, both))] == [
        True,
        True,
        None,
        None,
    ]
    assert objections(on(("cpu",), h200), PAIRINGS[0]) == ["minutes are of H200 and cpu"]


def test_minutes_must_be_measured_alike(good: Results) -> None:
    fast = good.runs["fast"]
    scalars = {**fast.history.scalars, DEVICE_SECONDS: fast.history.scalars[ITERATION_SECONDS]}
    measured = dataclasses.replace(fast, history=History(scalars, fast.history.matches))
    (why,) = objections(with_run(good, "fast", measured), PAIRINGS[0])
    assert why.startswith("only one of the runs measured")
