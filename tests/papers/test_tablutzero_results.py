"""Figures of the Tablut paper from runs whose truth is known."""

import shutil
from pathlib import Path

import pytest
from planted_tablutzero import SECONDS, config_of, plant

from boardwright.errors import RunError
from boardwright.learn.run.metrics import History, Match, Metrics
from boardwright.papers.tablutzero import results
from boardwright.papers.tablutzero.claims import FULL, PAIRINGS, QUICK, QUICK_SETTINGS, RATING_MODES, TRAININGS
from boardwright.papers.tablutzero.report import variant_text
from boardwright.papers.tablutzero.results import DEVICE_SECONDS, PairingResult, RunResult
from boardwright.papers.tablutzero.runs import net_at


def test_odds_of_ten_are_400_elo(tmp_path: Path) -> None:
    run = results.read_run(plant(tmp_path, "paper", odds=10.0))
    fixed, fitted = RATING_MODES
    points = results.curve(run, fitted)
    assert [point.iteration for point in points] == list(range(0, 101, 5))
    assert points[0].elo.mean == 0
    for point in points[1:]:
        assert point.elo.mean == pytest.approx(400, abs=6)
        assert point.elo.low < point.elo.mean < point.elo.high
        assert (point.frames, point.minutes) == (1000 * point.iteration, point.iteration * SECONDS / 60)
    first = results.first_net_above(run, fitted, 300)
    assert first is not None
    assert (first.iteration, first.minutes) == (5, 2.5)  # which was an opponent, 15 iterations later
    assert results.first_net_above(run, fitted, 500) is None
    assert results.first_net_above(run, fixed, 300) is not None
    assert (
        results.curve(run, fixed)[-1].elo != points[-1].elo
    )  # there are no draws, which fixed parameters do not expect


def test_metrics_of_runs(tmp_path: Path) -> None:
    run = results.read_run(plant(tmp_path, "paper", done=90))
    assert results.iterations_of(run.history) == 90
    assert results.frames_at(run.history, 90) == 90_000
    assert results.first_and_last(run, "selfplay/entropy") == pytest.approx((2.985, 1.65))
    assert results.first_and_last(run, "selfplay/nothing") is None
    attackers = results.selfplay_attackers(run)
    assert attackers is not None
    assert attackers.mean == pytest.approx(0.5 + 0.2 * 0.855)  # the mean of iterations 81 to 90
    assert attackers.high - attackers.low == pytest.approx(2 * 1.96 * (0.671 * 0.329 / 1000) ** 0.5, rel=0.02)


def test_device_minutes(tmp_path: Path) -> None:
    folder = plant(tmp_path, "fast", done=10)
    history = results.read_run(folder).history
    assert (results.minutes_at(history, 0), results.minutes_at(history, 4), results.total_minutes(history)) == (
        0.0,
        2.0,
        5.0,
    )
    with Metrics(folder) as metrics:  # a run that was resumed knows better than its iterations do
        for iteration in range(1, 11):
            metrics.log(iteration, 1000 * iteration, {DEVICE_SECONDS: 60.0 * iteration})
    history = results.read_run(folder).history
    assert (results.minutes_at(history, 0), results.minutes_at(history, 4), results.total_minutes(history)) == (
        0.0,
        4.0,
        10.0,
    )
    nets = {number: Path() for number in (0, 2, 5, 10)}
    chosen = [net_at(nets, history, minutes) for minutes in (0.0, 1.9, 2.0, 4.99, 5.0, 9.0, 10.0, 99.0)]
    assert chosen == [0, 0, 2, 2, 5, 5, 10, 10]
    assert net_at({5: Path()}, history, 4.0) is None


def test_device_minutes_of_a_run_from_an_older_version(tmp_path: Path) -> None:
    """Resumed from an old checkpoint, it lacks the device seconds before it."""
    folder = plant(tmp_path, "fast", done=10)
    with Metrics(folder) as metrics:
        for iteration in range(6, 11):
            metrics.log(iteration, 1000 * iteration, {DEVICE_SECONDS: 7.0 * (iteration - 5)})
    history = results.read_run(folder).history
    assert [results.minutes_at(history, iteration) for iteration in (0, 4, 10)] == [0.0, 2.0, 5.0]


def test_wins_by_role() -> None:
    """Of those who were evaluated, not of their opponents; the turn is at 75 % of 100 iterations."""
    matches = (
        Match(60, 60, 0, 70, 10, 20, 0),
        Match(60, 0, 60, 40, 0, 60, 0),
        Match(75, 75, 60, 80, 0, 20, 0),
        Match(100, 100, 75, 86, 4, 10, 0),
        Match(100, 75, 100, 48, 0, 52, 0),
    )
    run = RunResult(config_of("paper"), read_nothing(), matches)
    assert results.wins_as(run, 0) == [(60, 70, 100), (75, 80, 100), (100, 86, 100)]
    assert results.wins_as(run, 1) == [(60, 60, 100), (100, 52, 100)]
    (early, late), (early_defenders, late_defenders) = (results.early_and_late_wins(run, role) for role in (0, 1))
    assert early is not None
    assert late is not None
    assert early_defenders is not None
    assert late_defenders is not None
    assert (early.mean, late.mean, early_defenders.mean, late_defenders.mean) == pytest.approx((0.75, 0.86, 0.6, 0.52))
    assert results.early_and_late_wins(RunResult(config_of("paper"), read_nothing(), matches[:1]), 1) == (None, None)


def read_nothing() -> History:
    return History({}, ())


def test_match_is_judged_by_pairs() -> None:
    """Won once and lost once from every opening is certain to be even; the same games in other pairs are not."""

    def met(*pairs: int) -> PairingResult:
        return PairingResult((10, 20), (5.0, 5.0), (50, 50), (0, 0), (50, 50), pairs, 128)

    even, wild = met(0, 0, 100, 0, 0).score, met(50, 0, 0, 0, 50).score
    assert even.mean == wild.mean == 0.5
    assert even.high - even.low < 0.25 * (wild.high - wild.low)
    assert met(0, 1, 60, 0, 39).score.low > 0.5
    assert met(0, 1, 60, 0, 39).games == 200


def test_differences_are_reported(tmp_path: Path) -> None:
    config = config_of("fast", "evaluation.simulations=64", "seed=3")
    assert results.differences(config, config_of("fast")) == ["seed=3", "evaluation.simulations=64"]
    assert results.variant(config, config_of("fast")) == []
    other = config_of("fast", "rules=mcgill", "search.simulations=[8, 9]", "net.policy=dense")
    assert config_of("fast", *results.differences(other, config_of("fast"))) == other
    assert results.differences(config_of("fast"), other)[0] == "rules=none"
    dense = config_of("fast", "net.policy=dense", "net.policy_channels=2", "learner.gradient_clip=0", "seed=3")
    assert variant_text(results.variant(dense, config_of("fast"))) == "variant: dense policy head, no gradient clipping"
    few = config_of("fast", "net.policy_channels=2", "net.width=8")
    assert variant_text(results.variant(few, config_of("fast"))) == "variant: `net.width=8`, `net.policy_channels=2`"
    assert variant_text([]) == ""
    paper, fast = (RunResult(config_of(name), read_nothing(), ()) for name in ("paper", "fast"))
    assert results.off_protocol(paper, FULL.protocol) == []  # all of the paper's own runs are measured by it
    assert results.off_protocol(fast, FULL.protocol) == ["first 5 instead of 20", "simulations 32 instead of 128"]
    assert results.off_protocol(RunResult(fast.config, read_nothing(), (), played_again=True), FULL.protocol) == []


def test_missing_opponents_are_reported() -> None:
    """Each is met in both roles; before iteration 3 there are only three nets."""

    def evaluations(iteration: int, opponents: int) -> tuple[Match, ...]:
        pairs = [((iteration, other), (other, iteration)) for other in range(opponents)]
        return tuple(Match(iteration, *sides, 10, 0, 10, 0) for pair in pairs for sides in pair)

    played = (*evaluations(20, 4), *evaluations(25, 2), *evaluations(30, 1))
    expected = ["opponents 2 instead of 4 at iteration 25", "opponents 1 instead of 4 at iteration 30"]
    again = RunResult(config_of("fast"), read_nothing(), played, played_again=True)
    assert results.off_protocol(again, FULL.protocol) == expected
    assert results.off_protocol(RunResult(config_of("paper"), read_nothing(), played), FULL.protocol) == expected
    early = RunResult(config_of("paper"), read_nothing(), evaluations(3, 3), played_again=True)
    assert results.off_protocol(early, FULL.protocol) == []


def test_other_folders_are_refused(tmp_path: Path) -> None:
    folder = plant(tmp_path, "paper", done=1)
    (folder / "config.json").write_text('{"method": "dqn"}')
    with pytest.raises(RunError, match="a run of dqn"):
        results.read_run(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(RunError, match=r"config\.json cannot be read"):
        results.read_run(folder)
    shutil.rmtree(folder)
    with pytest.raises(RunError, match="cannot be read"):
        results.read_run(folder)


def test_quick_run_completes_all_stages() -> None:
    for training in TRAININGS.values():
        config = config_of(training.name, *QUICK_SETTINGS)
        assert config.evaluation == QUICK.protocol
        assert config.rules in (None, "tablutzero")
        assert (config.league_games > 0) == (training.name in ("paper", "fast"))
    assert {pairing.name for pairing in PAIRINGS} == {"fast--paper", "paper--augment", "augment--baseline"}
