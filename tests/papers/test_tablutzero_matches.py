"""Training and games for the Tablut paper: what is done, what is kept, and that nothing is done twice."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
from planted_tablutzero import SECONDS, plant

from boardwright.arena.balance import BalanceSettings, Counts, Line
from boardwright.errors import BoardwrightError
from boardwright.learn.alphazero.method import AlphaZero
from boardwright.learn.match.matches import MatchResult
from boardwright.learn.run import league, loop
from boardwright.learn.run.method import RunObserver
from boardwright.learn.run.metrics import Metrics
from boardwright.learn.run.progress import Progress
from boardwright.papers.tablutzero import runs as tablutzero_runs
from boardwright.papers.tablutzero.claims import FULL, RATING_MODES, TRAININGS
from boardwright.papers.tablutzero.report import page
from boardwright.papers.tablutzero.results import curve, read_run
from boardwright.papers.tablutzero.runs import Work, run_paper, train_run
from boardwright.papers.work_folder import StoppedError

COUNTS = Counts(wins=(70, 20), draws=10, plies=9000, squared_plies=900_000, openings=100)


def some_work(tmp_path: Path, *train: str, **changes: Any) -> Work:
    return Work(folder=tmp_path / "work", runs=tmp_path / "runs", train=frozenset(train), **changes)


def put_nets(folder: Path, iterations: list[int]) -> None:
    """Files that differ in name and bytes only."""
    (folder / "nets").mkdir(exist_ok=True)
    for number in iterations:
        (folder / "nets" / f"{number:06d}.net").write_bytes(f"{folder.name} {number}".encode())


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is asked for, instead of playing it: the later net wins nine games of ten."""
    asked: list[Any] = []

    def play_nets(challenger: str, others: list[str], *, games: int, on_share: Any, **sizes: int) -> list[MatchResult]:
        asked.append((challenger, others, games, sizes["simulations"], sizes["opening_plies"]))
        on_share(1.0)
        half = games // 2
        won = round(0.9 * half)
        sides = ((won, won), (0, 0), (half - won, half - won), (50, 50))
        return [MatchResult(*sides, pairs=(half - won, 0, 0, 0, won)) for _ in others]

    def lines(settings: BalanceSettings, on_share: Any) -> Iterator[Line]:
        (net,) = settings.nets
        asked.append((net.read_text(), settings.rules, settings.games))
        for rules in settings.rules:
            yield from (Line(rules, str(net), rules == "tablutzero", plies, COUNTS) for plies in (0, 4))

    monkeypatch.setattr(tablutzero_runs, "play_nets", play_nets)
    monkeypatch.setattr(tablutzero_runs, "lines", lines)
    monkeypatch.setattr(tablutzero_runs.netfile, "read", lambda path: path.read_text())
    return asked


def test_settings_and_metrics_are_enough(tmp_path: Path, played: list[Any]) -> None:
    """Two of four runs, made elsewhere, without a net, one of them unfinished."""
    plant(tmp_path / "runs", "paper", done=60, odds=100.0)
    plant(tmp_path / "runs", "fast", odds=2000.0)
    results = run_paper(
        some_work(tmp_path, "paper", "fast"), RunObserver()
    )  # no checkpoint to resume from, so nothing is trained
    assert (set(results.runs), results.pairings, results.balance, played) == ({"paper", "fast"}, {}, None, [])
    assert results.games_on == ()
    text = page(results, some_work(tmp_path), "boardwright paper")[0]
    (iterations,) = [line for line in text.splitlines() if line.startswith("| iterations |")]
    assert iterations == "| iterations | 100 | 60 of 100 | 60 of 60 |"
    fixed, fitted = [line for line in text.splitlines() if line.startswith("| Elo of the last net above iteration 0,")]
    assert fixed.count("|") == fitted.count("|") == 5
    assert "while it trained, with first 5 instead of 20, simulations 32 instead of 128" in text
    assert text.count("| not played |") == 4  # a target, and all matches
    assert "Not played: there are no nets among the runs given." in text
    assert "nan" not in text


def test_run_stopped_before_its_first_match_has_no_rating(tmp_path: Path, played: list[Any]) -> None:
    plant(tmp_path / "runs", "paper", done=10, odds=100.0)
    results = run_paper(some_work(tmp_path), RunObserver())
    text = page(results, some_work(tmp_path), "boardwright paper")[0]
    for mode in ("mm", "mm 1 1"):
        row = f"| GPU-minutes until 1,235 Elo by `{mode}` | not reported | – |"
        assert row in text.splitlines()
    assert "| `tablut-paper` | the paper's preset | none | none yet |" in text
    assert played == []


def test_finished_run_says_never_and_unfinished_not_yet(tmp_path: Path, played: list[Any]) -> None:
    plant(tmp_path / "runs", "paper", done=60, odds=100.0)
    plant(tmp_path / "runs", "augment", odds=100.0)
    results = run_paper(some_work(tmp_path), RunObserver())
    text = page(results, some_work(tmp_path), "boardwright paper")[0]
    for mode in ("mm", "mm 1 1"):
        row = f"| GPU-minutes until 1,235 Elo by `{mode}` | not reported | not yet | never |"
        assert row in text.splitlines()


def test_matches_are_played_once_and_saved(tmp_path: Path, played: list[Any]) -> None:
    paper = plant(tmp_path / "runs", "paper")
    fast = plant(tmp_path / "runs", "fast", done=40)  # of half a minute each
    put_nets(paper, list(range(101)))
    put_nets(fast, list(range(41)))
    first = run_paper(some_work(tmp_path), RunObserver())
    evaluations, final_match, balance = played[:-5], played[-5], played[-4:]
    assert [challenger for challenger, *_ in evaluations] == [f"tablut-fast {n}" for n in range(20, 41, 5)]
    for (_, others, *sizes), number in zip(evaluations, range(20, 41, 5), strict=True):
        drawn = league.draw_opponents(FULL.protocol, 0, number)
        assert others == [f"tablut-fast {other}" for other in drawn]
        assert sizes == [128, 128, 2]
    assert final_match == ("tablut-fast 40", ["tablut-paper 40"], 1000, 128, 4)  # 20 minutes each
    assert balance == [("tablut-fast 40", (rules,), 1000) for rules in FULL.balance_rules]
    rated = {point.iteration: point.elo.mean for point in curve(first.runs["fast"], RATING_MODES[1])}
    assert rated[20] < rated[40]
    assert first.runs["fast"].played_again
    assert not first.runs["paper"].played_again
    met = first.pairings["fast--paper"]
    assert met.minutes == (40 * SECONDS / 60, 40 * SECONDS / 60)
    assert met.score.mean == pytest.approx(0.9)
    assert met.score.low > 0.5

    played.clear()
    assert run_paper(some_work(tmp_path), RunObserver(stopped=lambda: True)).pairings == first.pairings
    for folder in (paper, fast):  # nets are gone, what they played is not
        shutil.rmtree(folder / "nets")
    again = run_paper(some_work(tmp_path), RunObserver())
    assert (again.pairings, again.runs["fast"].matches) == (first.pairings, first.runs["fast"].matches)
    assert again.games_on == first.games_on == (jax.devices()[0].device_kind,)
    assert again.balance is not None
    assert first.balance is not None
    assert (again.balance.run, again.balance.lines) == ("fast", first.balance.lines)
    assert [line.rules for line in first.balance.lines[::2]] == list(FULL.balance_rules)
    assert {line.net for line in first.balance.lines} == {"tablut-fast 40"}
    assert str(tmp_path) not in (tmp_path / "work" / "matches" / "balance-tablutzero.json").read_text()
    assert played == []


def test_packed_run_is_rated_by_its_remaining_nets(tmp_path: Path, played: list[Any]) -> None:
    fast = plant(tmp_path / "runs", "fast")
    put_nets(fast, [0, 7, 25, 41, 60])
    results = run_paper(some_work(tmp_path), RunObserver())
    evaluations = [(challenger, others) for challenger, others, *rest in played if len(rest) == 3]
    assert [challenger for challenger, _ in evaluations] == ["tablut-fast 25", "tablut-fast 60"]
    assert evaluations[0][1] == ["tablut-fast 0", "tablut-fast 7"]  # all that were before it
    assert set(evaluations[1][1]) == {f"tablut-fast {number}" for number in (0, 7, 25, 41)}
    assert [point.iteration for point in curve(results.runs["fast"], RATING_MODES[1])] == [0, 7, 25, 41, 60]
    played.clear()
    shutil.rmtree(tmp_path / "work")
    (fast / "nets" / "000000.net").unlink()  # no anchor at 0
    assert not run_paper(some_work(tmp_path), RunObserver()).runs["fast"].played_again
    assert league.nearest([5, 10, 15], [0, 9, 11]) == [0, 9, 11]
    assert league.nearest([10], [8, 12]) == [8]
    assert league.nearest([3, 4], [4]) == [4]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"games": 20}, ("tablut-fast 8", ["tablut-paper 8"], 20, 128, 4)),
        ({"games": 20, "minutes": 3.9}, ("tablut-fast 4", ["tablut-paper 4"], 20, 128, 4)),
    ],
)
def test_games_and_minutes_follow_settings(
    tmp_path: Path, played: list[Any], changes: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    for name in ("paper", "fast"):
        put_nets(plant(tmp_path / "runs", name, done=10), [0, 4, 8])
    run_paper(some_work(tmp_path, **changes), RunObserver())
    assert expected in played


def test_other_nets_are_played_again_but_other_settings_refused(tmp_path: Path, played: list[Any]) -> None:
    """What is kept may have taken hours."""
    for name in ("paper", "fast"):
        put_nets(plant(tmp_path / "runs", name, done=20), [0, 5, 10, 15, 20])
    run_paper(some_work(tmp_path), RunObserver())
    first = list(played)
    assert [len(asked) for asked in first] == [5, 5, 3, 3, 3, 3]  # the protocol, a match and the balance
    matches = tmp_path / "work" / "matches"
    kept = {path: path.read_bytes() for path in matches.iterdir()}
    played.clear()
    for changes in ({"games": 20}, {"minutes": 3.9}, {"seed": 1}):
        with pytest.raises(BoardwrightError, match=r"\.json has results of other settings .*another folder"):
            run_paper(some_work(tmp_path, **changes), RunObserver())
    assert {path: path.read_bytes() for path in matches.iterdir()} == kept
    run_paper(some_work(tmp_path), RunObserver())
    assert played == []
    (tmp_path / "runs" / "tablut-fast" / "nets" / "000020.net").write_bytes(b"changed")
    run_paper(some_work(tmp_path), RunObserver())
    assert {asked[0] for asked in played} == {"changed"}
    played.clear()
    (matches / "fast--paper.json").write_text("{")  # damaged
    with pytest.raises(StoppedError):
        run_paper(some_work(tmp_path), RunObserver(stopped=lambda: True))
    assert played == []
    assert json.loads((matches / "balance-saami.json").read_text())["played"]["run"] == "fast"


def test_first_net_has_at_most_the_minutes_of_the_second(tmp_path: Path, played: list[Any]) -> None:
    """Runs that travelled kept nets of other moments; half a minute an iteration."""
    paper, fast = plant(tmp_path / "runs", "paper"), plant(tmp_path / "runs", "fast")
    put_nets(paper, [0, 10, 75, 100])
    put_nets(fast, [0, 7, 9, 50, 60])
    for minutes, nets in ((None, (9, 10)), (1000.0, (9, 10)), (4.9, (0, 0))):
        met = run_paper(some_work(tmp_path, minutes=minutes), RunObserver()).pairings["fast--paper"]
        shutil.rmtree(tmp_path / "work")
        assert met.iterations == nets
        assert met.minutes == (nets[0] / 2, nets[1] / 2)
    (paper / "nets" / "000060.net").write_bytes(b"just in time")
    assert run_paper(some_work(tmp_path), RunObserver()).pairings["fast--paper"].iterations == (60, 60)


def test_a_run_that_was_killed_is_trained_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def train(method: AlphaZero, folder: Path, watch: RunObserver) -> Progress:
        asked.append(folder.name)
        return Progress(iteration=method.config.iterations)

    monkeypatch.setattr(loop, "train", train)
    plant(tmp_path / "runs", "paper", done=0)  # before its first checkpoint
    train_run(some_work(tmp_path, "paper"), TRAININGS["paper"], RunObserver())
    assert asked == ["tablut-paper"]
    fast = plant(tmp_path / "runs", "fast", "iterations=4", done=3)
    with Metrics(fast) as metrics:
        metrics.log(4, 4000, {"selfplay/games": 100})  # in the evaluation after its last iteration
    (fast / "checkpoints").mkdir()
    (fast / "checkpoints" / "3000007.ckpt").write_bytes(b"")
    train_run(some_work(tmp_path, "fast"), TRAININGS["fast"], RunObserver())
    assert asked == ["tablut-paper", "tablut-fast"]
    with Metrics(fast) as metrics:
        metrics.log(4, 4000, {"speed/seconds": 30.0})  # and after that
    train_run(some_work(tmp_path, "fast"), TRAININGS["fast"], RunObserver())
    assert asked == ["tablut-paper", "tablut-fast"]


def test_runs_are_trained_resumed_or_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def train(method: AlphaZero, folder: Path, watch: RunObserver) -> Progress:
        asked.append((folder.name, method.config.iterations))
        if watch.stopped():
            return Progress(iteration=1)
        shutil.rmtree(folder)
        plant(tmp_path / "runs", "paper" if folder.name == "tablut-paper" else "fast", "iterations=4")
        return Progress(iteration=method.config.iterations)

    monkeypatch.setattr(loop, "train", train)
    paper, fast = TRAININGS["paper"], TRAININGS["fast"]
    assert train_run(some_work(tmp_path, "fast"), paper, RunObserver()) is None  # not requested
    with pytest.raises(StoppedError):
        train_run(some_work(tmp_path, "paper", quick=True), paper, RunObserver(stopped=lambda: True))
    found = train_run(some_work(tmp_path, "paper", quick=True), paper, RunObserver())
    assert found is not None
    assert asked == [("tablut-paper", 4)] * 2
    asked.clear()
    train_run(some_work(tmp_path, "paper", quick=True), paper, RunObserver())  # finished
    folder = plant(tmp_path / "runs", "fast", "seed=7", done=3)
    half = train_run(some_work(tmp_path, "fast"), fast, RunObserver())  # no checkpoint to resume from
    assert half is not None
    assert asked == []
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "3000000.ckpt").write_bytes(b"")
    train_run(some_work(tmp_path, "fast"), fast, RunObserver())
    assert asked == [("tablut-fast", 60)]
    assert read_run(folder).config.iterations == 4
    assert set(TRAININGS) == {"paper", "augment", "baseline", "fast"}
