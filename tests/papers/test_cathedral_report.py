"""The Cathedral paper's tables, verdicts and report, on results that were made up."""

import dataclasses
import math
import re
from pathlib import Path

import pytest
from planted import calm, history, planted

from boardwright.learn.methods import PRESETS
from boardwright.learn.run.metrics import History
from boardwright.papers.cathedral import claims
from boardwright.papers.cathedral.claims import (
    CELLS,
    CURVES,
    FINDINGS,
    OWN,
    STABLE_RUN,
    TARGETS,
    TRAININGS,
    UNSTABLE_RUN,
    VARIANTS,
    Results,
    cell_of,
    fluctuation,
    targets,
    verdicts,
)
from boardwright.papers.cathedral.report import curves, page
from boardwright.papers.cathedral.runs import Work
from boardwright.papers.report import FAILS, HOLDS, OPEN, is_more, is_no_gain
from boardwright.stats.score import Interval
from boardwright.views.chart import render


@pytest.mark.parametrize(
    ("low", "high", "more", "no_gain"),
    [
        (0.55, 0.60, HOLDS, FAILS),
        (0.40, 0.45, FAILS, HOLDS),
        (0.45, 0.60, OPEN, OPEN),
        (0.49, 0.51, OPEN, HOLDS),  # as good as equal: no gain, and neither better
        (0.501, 0.51, HOLDS, FAILS),  # a small gain is one if it is certain
        (-math.inf, math.inf, OPEN, OPEN),
    ],
)
def test_verdicts_by_intervals(low: float, high: float, more: str, no_gain: str) -> None:
    estimate = Interval(0.5, low, high)
    assert is_more(estimate, 0.5) == more
    assert is_no_gain(estimate) == no_gain


def test_planted_results_give_the_right_verdicts() -> None:
    results = planted(
        boltzmann_epsilon=[0.6, 0.61, 0.59, 0.6],
        boltzmann_uniform=[0.4, 0.41, 0.39, 0.4],
        illegalfirst_baseline=[0.3, 0.31, 0.29, 0.3],
        randomfirst_baseline=[0.6, 0.61, 0.59, 0.6],
        ppopaper_random=[0.99, 0.98, 0.99, 0.98],
        dqn_ppo=[0.9, 0.2, 0.8, 0.3],
    )
    found = {decided.claim: decided.verdict for decided in verdicts(results)}
    assert list(found.values())[:6] == [HOLDS, FAILS, HOLDS, FAILS, HOLDS, OPEN]
    assert len(found) == len(FINDINGS) + 1


def test_one_seed_decides_nothing() -> None:
    alone = planted(seeds=1, boltzmann_epsilon=[0.99], dqn_ppo=[0.01])
    assert {decided.verdict for decided in verdicts(alone)} == {OPEN}


def test_stability_is_measured_late_in_training() -> None:
    steady = planted()
    swinging = dataclasses.replace(
        steady,
        histories={
            **steady.histories,
            UNSTABLE_RUN: tuple(calm(0.8, 0.1 + 0.01 * seed) for seed in range(4)),
            STABLE_RUN: tuple(calm(0.9, 0.02) for _ in range(4)),
        },
    )
    assert verdicts(swinging)[-1].verdict == HOLDS
    turned = dict(swinging.histories)
    turned[STABLE_RUN], turned[UNSTABLE_RUN] = turned[UNSTABLE_RUN], turned[STABLE_RUN]
    assert verdicts(dataclasses.replace(steady, histories=turned))[-1].verdict == FAILS
    unmeasured = {**steady.histories, UNSTABLE_RUN: tuple(History({}, ()) for _ in range(4))}
    assert verdicts(dataclasses.replace(steady, histories=unmeasured))[-1].verdict == OPEN
    # The rise at the beginning does not count.
    assert fluctuation(history([0.0, 0.5, 0.9, 0.9, 0.9, 0.9])) == pytest.approx(0.0, abs=1e-12)
    assert fluctuation(history([0.9])) is None


def test_targets_are_met_or_not() -> None:
    reached = planted(
        dqn_random=[0.97] * 4,
        ppo_random=[0.95] * 4,
        dqnbest_largestfirst=[0.6] * 4,
        dqnbest_dqn=[0.505] * 4,
    )
    found = {(target.first, target.second): met for target, _, met in targets(reached)}
    assert len(found) == len(TARGETS)
    assert found["dqn", "random"]
    assert not found["ppo", "random"]
    assert found["dqn-best", "largest-first"]
    assert not found["dqn-best", "dqn"]  # the interval does not exclude one half


def test_every_run_and_cell_is_in_the_report() -> None:
    assert len({cell.name for cell in CELLS}) == len(CELLS)
    names = list(TRAININGS)
    for cell in CELLS:
        assert cell.first in names
        assert cell.second in names or cell.arena or cell.second == "random"
    for finding in FINDINGS:
        assert cell_of(finding.first, finding.second)
    for training in TRAININGS.values():
        expected = set(re.findall(r"\{([a-z-]+)\}", " ".join(training.settings)))
        assert expected == set(training.after)
        assert all(names.index(other) < names.index(training.name) for other in training.after)  # made before
    for curve in CURVES:
        assert set(curve.runs) <= TRAININGS.keys()


def _report(results: Results, seeds: int = 4) -> str:
    work = Work(folder=Path(), seeds=tuple(range(seeds)), games=1000, arena_games=1000, quick=seeds == 1)
    return page(results, work, "boardwright paper cathedral")[0]


def test_runs_are_labelled_by_what_their_presets_change() -> None:
    for training in TRAININGS.values():
        if training.variant == OWN:
            continue
        config = PRESETS[training.method][training.preset]
        if training.method == "dqn":
            assert (training.variant == "merged updates") == (config.learner.merge > 1), training.name
        if training.method == "ppo":
            assert (training.variant == "KL limit") == (config.learner.kl_limit > 0), training.name
    longest = PRESETS["dqn"][TRAININGS["dqn"].preset]
    merged = VARIANTS["merged updates"]
    assert f"{longest.total_updates:,} gradient steps" in merged["ours"]
    assert f"{longest.total_updates * longest.learner.merge:,}" in merged["published"]


def test_no_verdict_on_a_method_that_was_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    results = planted(dqn_ppo=[0.3, 0.31, 0.29, 0.3])
    text = _report(results)
    row = next(line for line in text.splitlines() if line.startswith("| PPO scores 98 %"))
    assert row.endswith("| as published | **does not hold** |")
    row = next(line for line in text.splitlines() if line.startswith("| DQN is better than PPO"))
    label = "variant: merged updates / variant: KL limit"
    assert f"{label} | **does not hold**, for our variant; the paper's method was not run |" in row
    assert "no verdict" not in text

    variants = {name: dataclasses.replace(run, variant=run.variant or OWN) for name, run in TRAININGS.items()}
    monkeypatch.setattr(claims, "TRAININGS", variants)
    assert "* Of the paper's own methods: no verdict" in _report(results)

    published = {name: dataclasses.replace(run, variant=None) for name, run in TRAININGS.items()}
    monkeypatch.setattr(claims, "TRAININGS", published)
    text = _report(results)
    row = next(line for line in text.splitlines() if line.startswith("| DQN is better than PPO"))
    assert row.endswith("| as published | **does not hold** |")
    assert "no verdict" not in text


def test_published_columns_have_figures_of_the_paper_only() -> None:
    (row,) = [line for line in _report(planted()).splitlines() if line.startswith("| cells correct if all are")]
    assert row.endswith("| not reported |")


@pytest.mark.parametrize(
    ("seeds", "counted"),
    [
        (1, ("1 seed", "1 seed", "1 seed")),
        (3, ("3 seeds", "3 seeds", "2 seeds")),
        (6, ("6 seeds", "4 seeds", "2 seeds")),
    ],
)
def test_report_has_all_parts(seeds: int, counted: tuple[str, str, str]) -> None:
    results = planted(
        seeds=seeds,
        dqn_random=[0.97] * seeds,
        boltzmann_epsilon=[0.4, 0.5, 0.6, 0.4, 0.5, 0.6][:seeds],
        boltzmann_uniform=[0.6] * seeds,
        dqn_ppo=[0.3] * seeds,
    )
    text = _report(results, seeds)
    assert ("quick run" in text) == (seeds == 1)
    lines = text.splitlines()
    rows = [len(VARIANTS), len(FINDINGS) + 1, len(TARGETS), 5, len(TRAININGS)]
    rows += [sum(cell.table == table for cell in CELLS) for table in {cell.table for cell in CELLS}]
    assert sum(line.startswith("| ") for line in lines) == sum(2 + count for count in rows)
    (dqn,) = [line for line in lines if line.startswith("| dqn | random | 97.0")]
    assert "0.958" in dqn
    assert "2.638" in dqn
    assert "0.970" in dqn
    assert ("one seed" in dqn) == (seeds == 1)
    short = dict(line.removeprefix("* ").split(": ", 1) for line in lines if line.startswith("* "))
    assert ("Prioritised replay is better than uniform" in short.get("Holds, for our variant", "")) == (seeds > 1)
    assert short.get("Does not hold, for our variant") == ("DQN is better than PPO." if seeds > 1 else None)
    every, longest, ours = counted
    sentence = f"have {every}, `dqn` and `ppo-complete` {longest}, runs with our own settings {ours}."
    assert f"Runs that follow the paper {sentence}" in " ".join(text.split())
    assert short[f"Not decided by {every}, for our variant"].startswith("Boltzmann exploration is better")
    assert "(cathedral-dqn.svg)" in text
    assert "nan" not in text
    assert "inf" not in text


def test_curves_show_all_seeds() -> None:
    results = planted(seeds=3)
    results = dataclasses.replace(results, histories={**results.histories, "ppo": (calm(0.9), calm(0.8), calm(1.0))})
    charts = curves(results)
    assert list(charts) == [curve.name for curve in CURVES]
    for chart in charts.values():
        render(chart)
    (line,) = [line for line in charts["cathedral-ppo"].lines if line.name == "ppo"]
    assert line.xs[0] == 100
    assert (line.low[-1], line.ys[-1], line.high[-1]) == pytest.approx((0.8, 0.9, 1.0))
