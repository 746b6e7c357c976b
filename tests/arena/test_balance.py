"""Balance: counted games against what is known of them, and a net that plays itself."""

import math
import random
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from boardwright.arena.balance import Counts, Question, count, fields, opening_name, opening_plies
from boardwright.arena.balance_games import games_of, lines
from boardwright.errors import BoardwrightError, NetError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import DRAW, ONGOING
from boardwright.learn.solo import PlaySolo, Solo, make_solo
from boardwright.nets import netfile
from boardwright.nets.config import EvaluationConfig, NetConfig
from boardwright.nets.layout import interface_of, weight_shapes

ROLES = ("attackers", "defenders")


def counted(first: int, draws: int, second: int) -> Counts:
    return Counts(wins=(first, second), draws=draws, plies=0, squared_plies=0, openings=1)


def test_games_are_counted() -> None:
    result = np.array([0, 0, 1, DRAW, ONGOING, 0])
    openings = np.array([[1, 0], [1, 0], [0, 1], [2, 2], [3, 3], [3, 4]], np.uint32)
    counts = count(result, np.array([10, 20, 30, 40, 50, 60], np.int32), openings)
    assert (counts.wins, counts.draws, counts.games, counts.openings) == ((3, 1), 2, 6, 5)
    assert counts.score.score == pytest.approx((3 + 1) / 6)
    mean, reach = counts.mean_plies
    assert mean == pytest.approx(35)
    deviation = np.std([10, 20, 30, 40, 50, 60], ddof=1)
    assert reach == pytest.approx(1.959964 * deviation / math.sqrt(6))


def test_the_advantage_in_elo() -> None:
    """Ten to one is 400 points by definition, and a game that is always won is worth more than can be said."""
    assert counted(1000, 0, 100).elo.score == pytest.approx(400)
    assert counted(100, 0, 1000).elo.score == pytest.approx(-400)
    assert counted(300, 400, 300).elo.score == pytest.approx(0)
    always = counted(1000, 0, 0).elo
    assert always.score == math.inf
    assert 800 < always.low < 1400
    told = fields(counted(1000, 0, 0), ROLES)
    assert told["elo"]["mean"] is None
    assert told["elo"]["low"] == always.low
    assert told["favoured"] == "attackers"


@pytest.mark.parametrize(
    ("first", "draws", "second", "favoured"),
    [(55, 0, 45, None), (600, 0, 400, 0), (400, 0, 600, 1), (0, 100, 0, None), (100, 0, 0, 0), (10, 980, 10, None)],
)
def test_who_is_favoured(first: int, draws: int, second: int, favoured: int | None) -> None:
    assert counted(first, draws, second).favoured == favoured


def test_intervals_cover_the_truth() -> None:
    """A game that the first role wins six times in ten and draws once."""
    chance, covered = random.Random(5), 0
    for _ in range(400):
        drawn = chance.choices((0, 1, DRAW), (0.6, 0.3, 0.1), k=100)
        score = counted(drawn.count(0), drawn.count(DRAW), drawn.count(1)).score
        covered += score.low <= 0.65 <= score.high
    assert 0.92 < covered / 400 < 0.98


def test_openings_have_names() -> None:
    assert opening_plies("start,random:2, random:12,start") == (0, 2, 12)
    assert [opening_name(plies) for plies in (0, 12)] == ["start", "random:12"]
    for wrong in ("", "random", "random:0", "random:101", "random:x", "start:1", "ballots"):
        with pytest.raises(BoardwrightError, match="say start or random:1 to random:100"):
            opening_plies(wrong)


@pytest.fixture
def tictactoe(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.GAMES, "tictactoe", "tictactoe:TicTacToe")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def plant(path: Path, game: str, rules: str | None = None, method: str = "alphazero", value: str = "scalar") -> Path:
    """A net that has learned nothing."""
    bound, config = registry.game(game, rules), NetConfig(blocks=1, width=4, policy="dense", value=value)  # type: ignore[arg-type]
    shapes, chance = weight_shapes(config, interface_of(config, bound)), np.random.default_rng(0)
    weights = {name: chance.uniform(0.1, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    netfile.write(path, config=config, game=bound, weights=weights, training={"method": method})
    return path


@pytest.mark.usefixtures("tictactoe")
def test_a_game_that_favours_one_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who begins at tic-tac-toe wins more, also who knows nothing and searches a little; games come in rounds."""
    rounds: list[int] = []  # games of each

    def counted_solo(*asked: Any, games: int, **sizes: int) -> PlaySolo:
        play = make_solo(*asked, games=games, **sizes)

        def play_counted(*told: Any) -> Generator[float, None, Solo]:
            rounds.append(games)
            return play(*told)

        return play_counted

    monkeypatch.setattr("boardwright.arena.balance_games.AT_ONCE", 64)
    monkeypatch.setattr("boardwright.arena.balance_games.make_solo", counted_solo)
    net, heard = plant(tmp_path / "toy.net", "tictactoe"), []
    question = Question(game="tictactoe", net=net, openings=(0, 2), games=150, simulations=4)
    start, after = lines(question, lambda what, done, total: heard.append((what, done, total)))
    assert rounds == [50] * 6  # three for each kind of opening
    assert (start.plies, after.plies, start.rules, start.is_own) == (0, 2, "plain", True)
    assert start.counts.games == after.counts.games == 150
    assert start.counts.openings == 1
    assert 40 < after.counts.openings <= 72
    assert start.counts.favoured == after.counts.favoured == 0
    assert 5 <= start.counts.mean_plies[0] <= 9
    assert {total for _, _, total in heard} == {150}
    assert heard[-1] == ("plain, random:2", 150, 150)


def test_nets_that_do_not_fit(tmp_path: Path) -> None:
    tablut = plant(tmp_path / "tablut.net", "tablut", "zero")
    net, games = games_of(Question(game="tablut", net=tablut, rules=("zero", "mcgill", "saami")))
    assert [bool(netfile.differing_rules(net, game)) for game in games] == [False, True, True]
    assert [game.rules.name for game in games_of(Question(game="tablut", net=tablut))[1]] == ["zero"]
    with pytest.raises(NetError, match="made for tablut, not draughts"):
        games_of(Question(game="draughts", net=tablut))
    with pytest.raises(UnknownNameError, match="mcgill"):
        games_of(Question(game="tablut", net=tablut, rules=("mcgil",)))
    cathedral = plant(tmp_path / "cathedral.net", "cathedral", "paper")
    with pytest.raises(NetError, match="other planes or actions than cathedral official has"):
        games_of(Question(game="cathedral", net=cathedral, rules=("paper", "official")))
    config, draughts = EvaluationConfig(width=4, hidden=1), registry.game("draughts")
    shapes = weight_shapes(config, interface_of(config, draughts))
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    netfile.write(tmp_path / "e.net", config=config, game=draughts, weights=weights, training={})
    with pytest.raises(NetError, match=r"e\.net: .* says nothing of moves: play it with alphabeta:net="):
        games_of(Question(game="draughts", net=tmp_path / "e.net"))
    with pytest.raises(NetError, match="does not foretell results"):
        games_of(Question(game="draughts", net=plant(tmp_path / "q.net", "draughts", method="dqn")))
