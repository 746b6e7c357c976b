"""The public API: what `import boardwright` offers, used as the docs show it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import smallest_run

import boardwright
from boardwright.agents.players import make_agent
from boardwright.nets.evaluator import Evaluator
from boardwright.nets.shipped import find
from boardwright.stats.bayeselo import rate
from boardwright.stats.pairings import Encounter


def run_python(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("name", [name for name in boardwright.__all__ if not name.startswith("__")])
def test_public_name_exists_and_is_documented(name: str) -> None:
    assert getattr(boardwright, name).__doc__


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = boardwright.nothing  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_the_package_loads_no_engine_and_no_jax() -> None:
    code = "import sys, boardwright; print({'jax', 'numpy', 'boardwright._core'} & set(sys.modules))"
    assert run_python("-c", code) == "set()\n"


def test_public_names_work_after_every_import() -> None:
    """No package of ours may replace a public function by a module of the same name."""
    code = (
        "import pkgutil, importlib, boardwright\n"
        "for info in pkgutil.iter_modules(boardwright.__path__, 'boardwright.'):\n"
        "    if not info.name.endswith('__main__'): importlib.import_module(info.name)\n"
        "print([name for name in boardwright.__all__ if name.islower() and name not in ('adapters', '__version__')"
        " and not callable(getattr(boardwright, name))])"
    )
    assert run_python("-c", code) == "[]\n"


def test_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "boardwright", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"boardwright {boardwright.__version__}\n"


def test_search_takes_a_win() -> None:
    """Black captures the last white piece."""
    position = boardwright.game("draughts").position("B:W18:B14,K1")
    choice = boardwright.search(position, "alphabeta", boardwright.Limit(depth=4))
    assert choice.action in position.legal_actions()
    assert choice.value == 1.0


def test_evaluate_agrees_with_the_evaluator() -> None:
    net = boardwright.load_net("tablut")
    start = net.game.start()
    (found,) = boardwright.evaluate(net, [start])
    logits, values = Evaluator(find("tablut"), game=net.game).evaluate_positions([start])
    legal = start.legal_actions()
    expected = np.exp(logits[0, legal]) / np.exp(logits[0, legal]).sum()
    assert list(found.policy) == [net.game.action_text(start.core, action) for action in legal]
    np.testing.assert_allclose(list(found.policy.values()), expected, rtol=1e-5)
    assert found.value == pytest.approx(values[0])


def test_evaluate_refuses_a_finished_game() -> None:
    net = boardwright.load_net("draughts")
    lost = net.game.position("B:W18:B")
    with pytest.raises(boardwright.BoardwrightError, match="the game is over"):
        boardwright.evaluate(net, [lost])


def test_match_counts_every_game_once_and_resumes(tmp_path: Path) -> None:
    game = boardwright.game("draughts")
    database = tmp_path / "games.sqlite"
    first = boardwright.match(game, "alphabeta:depth=2", "random", games=4, database=database)
    assert first.score.games == sum(side.games for side in first.by_role) == len(first.games) == 4
    assert first.score.wins >= 3
    assert first.interval.low < first.interval.mean <= first.interval.high
    again = boardwright.match(game, "alphabeta:depth=2", "random", games=4, database=database)
    assert again.score == first.score
    with pytest.raises(boardwright.BoardwrightError, match="even number"):
        boardwright.match(game, "random", "random", games=3)


def test_rate_is_bayeselo() -> None:
    games = [("a", "b", "first")] * 3 + [("b", "a", "draw")] * 2
    expected = rate([Encounter("a", "b", 0)] * 3 + [Encounter("b", "a", 2)] * 2)
    assert boardwright.rate(games).ratings == expected.ratings
    fixed = boardwright.rate(games, fixed_parameters=True)
    assert (fixed.advantage, fixed.draw) == pytest.approx((32.8, 97.3))
    with pytest.raises(boardwright.BoardwrightError, match="result 'won': expected one of first, second, draw"):
        boardwright.rate([("a", "b", "won")])


def test_agent_is_the_player_of_its_spec() -> None:
    game = boardwright.game("tablut")
    made = boardwright.agent("alphabeta:depth=1", game)
    other = make_agent("alphabeta:depth=1", game)
    start = game.start()
    assert made.choose(start, boardwright.Limit()).action == other.choose(start, boardwright.Limit()).action
    made.close()
    other.close()


def test_train_makes_a_net_that_plays(tmp_path: Path) -> None:
    settings = {**smallest_run.SETTINGS, "iterations": 1}
    net = boardwright.train("alphazero", "draughts", tmp_path / "run", preset=smallest_run.PRESET, settings=settings)
    assert boardwright.load_net(net).net.training["iteration"] == 1
    with pytest.raises(boardwright.BoardwrightError, match="unknown method 'sarsa'; choose one of"):
        boardwright.train("sarsa", "draughts", tmp_path / "other")
