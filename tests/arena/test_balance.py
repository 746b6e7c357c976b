"""Balance: counted games against what is known of them, and a net that plays itself."""

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from boardwright.arena.balance import BalanceSettings, Counts, Line, count, fields, opening_name, opening_plies
from boardwright.arena.balance_games import games_of, lines
from boardwright.errors import BoardwrightError, NetError, UnknownNameError
from boardwright.games import registry
from boardwright.games.base import DRAW, ONGOING, Game
from boardwright.learn.match import matches
from boardwright.learn.match.matches import Games
from boardwright.nets import netfile
from boardwright.nets.config import EvaluationConfig, NetConfig
from boardwright.nets.layout import interface_of, weight_shapes
from boardwright.nets.netfile import NetFile

ROLES = ("attackers", "defenders")


def counted(first: int, draws: int, second: int) -> Counts:
    return Counts(wins=(first, second), draws=draws, plies=0, squared_plies=0, openings=1)


def test_games_are_counted_by_role_and_result() -> None:
    result = np.array([0, 0, 1, DRAW, ONGOING, 0])
    openings = np.array([[1, 0], [1, 0], [0, 1], [2, 2], [3, 3], [3, 4]], np.uint32)
    counts = count(result, np.array([10, 20, 30, 40, 50, 60], np.int32), openings)
    assert (counts.wins, counts.draws, counts.games, counts.openings) == ((3, 1), 2, 6, 5)
    assert counts.score.mean == pytest.approx((3 + 1) / 6)
    mean, reach = counts.mean_plies
    assert mean == pytest.approx(35)
    deviation = np.std([10, 20, 30, 40, 50, 60], ddof=1)
    assert reach == pytest.approx(1.959964 * deviation / math.sqrt(6))


def test_advantage_in_elo() -> None:
    """Ten to one is 400 points by definition, and a game that is always won is worth more than can be said."""
    assert counted(1000, 0, 100).elo.mean == pytest.approx(400)
    assert counted(100, 0, 1000).elo.mean == pytest.approx(-400)
    assert counted(300, 400, 300).elo.mean == pytest.approx(0)
    always = counted(1000, 0, 0).elo
    assert always.mean == math.inf
    assert 800 < always.low < 1400
    row = fields(Line("tablutzero", "ours", is_own=True, plies=4, counts=counted(1000, 0, 0)), ROLES)
    assert (row["rules"], row["net"], row["own"], row["opening"]) == ("tablutzero", "ours", True, "random:4")
    assert row["elo"]["mean"] is None
    assert row["elo"]["low"] == always.low
    assert row["favoured"] == "attackers"


@pytest.mark.parametrize(
    ("first", "draws", "second", "favoured"),
    [(55, 0, 45, None), (600, 0, 400, 0), (400, 0, 600, 1), (0, 100, 0, None), (100, 0, 0, 0), (10, 980, 10, None)],
)
def test_favoured_role_follows_from_the_interval(first: int, draws: int, second: int, favoured: int | None) -> None:
    assert counted(first, draws, second).favoured == favoured


def test_intervals_cover_the_true_value() -> None:
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
    long = ("random:000000000199", f"random:{'9' * 5000}", f"random:{'0' * 5000}1")
    for wrong in ("", "random", "random:0", "random:101", "random:x", "start:1", "ballots", *long):
        with pytest.raises(BoardwrightError, match="expected start or random:1 to random:100"):
            opening_plies(wrong)


@pytest.fixture
def tictactoe(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.GAMES, "tictactoe", "tictactoe:TicTacToe")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def plant(
    path: Path,
    game: str,
    rules: str | None = None,
    method: str = "alphazero",
    observation: str | None = None,
    seed: int = 0,
) -> Path:
    """A net that has learned nothing."""
    bound, config = registry.game(game, rules, observation), NetConfig(blocks=1, width=4, policy="dense")
    shapes, chance = weight_shapes(config, interface_of(config, bound)), np.random.default_rng(seed)
    weights = {name: chance.uniform(0.1, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    netfile.write(path, config=config, game=bound, weights=weights, training={"method": method})
    return path


@pytest.mark.usefixtures("tictactoe")
def test_one_sided_game_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who begins at tic-tac-toe wins more, also who knows nothing and searches a little; games come in rounds."""
    rounds: list[int] = []  # games of each

    begin = matches._begin

    def counted_begin(*given: Any, shape: tuple[int, int, int], **options: Any) -> Any:
        rounds.append(shape[2])
        return begin(*given, shape=shape, **options)

    monkeypatch.setattr("boardwright.arena.balance_games.AT_ONCE", 64)
    monkeypatch.setattr(matches, "_begin", counted_begin)
    net, received = plant(tmp_path / "toy.net", "tictactoe"), []
    settings = BalanceSettings(game="tictactoe", nets=(net,), openings=(0, 2), games=150, simulations=4)
    start, after = lines(settings, lambda what, done, total: received.append((what, done, total)))
    assert rounds == [50] * 6  # three for each kind of opening
    assert (start.plies, after.plies, start.rules, start.net, start.is_own) == (0, 2, "plain", str(net), True)
    assert start.counts.games == after.counts.games == 150
    assert start.counts.openings == 1
    assert 40 < after.counts.openings <= 72
    assert start.counts.favoured == after.counts.favoured == 0
    assert 5 <= start.counts.mean_plies[0] <= 9
    assert {total for _, _, total in received} == {150}
    assert received[-1] == ("plain, random:2", 150, 150)


def chosen(game: str, *nets: Path, rules: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Names of rule sets, and of the nets that play them."""
    return [
        (game.rules.name, net.path.stem) for net, game in games_of(BalanceSettings(game=game, nets=nets, rules=rules))
    ]


def test_rule_set_is_played_by_the_first_net_trained_on_it(tmp_path: Path) -> None:
    zero, mcgill = (plant(tmp_path / f"{rules}.net", "tablut", rules) for rules in ("tablutzero", "mcgill"))
    assert chosen("tablut", zero) == [("tablutzero", "tablutzero")]
    assert chosen("tablut", zero, rules=("tablutzero", "mcgill")) == [
        ("tablutzero", "tablutzero"),
        ("mcgill", "tablutzero"),
    ]
    assert chosen("tablut", zero, mcgill) == [("tablutzero", "tablutzero"), ("mcgill", "mcgill")]
    assert chosen("tablut", mcgill, zero) == [("mcgill", "mcgill"), ("tablutzero", "tablutzero")]
    both = (("mcgill", "mcgill"), ("tablutzero", "tablutzero"))
    assert chosen("tablut", zero, mcgill, rules=("saami", "mcgill", "tablutzero")) == [("saami", "tablutzero"), *both]
    assert chosen("tablut", mcgill, zero, rules=("saami", "mcgill", "tablutzero")) == [("saami", "mcgill"), *both]
    (tmp_path / "same.toml").write_text('base = "mcgill"')
    renamed = ("tablutzero", str(tmp_path / "same.toml"))
    assert chosen("tablut", zero, mcgill, rules=renamed) == [("tablutzero", "tablutzero"), ("same", "mcgill")]

    again = plant(tmp_path / "again.net", "tablut", str(tmp_path / "same.toml"))
    with pytest.raises(
        NetError,
        match=r"again\.net is not used; the rule sets are played by others \(mcgill by \S+mcgill\.net\): leave",
    ):
        chosen("tablut", mcgill, again)
    with pytest.raises(
        NetError,
        match=r"tablutzero\.net is not used; the rule sets are played by others \(mcgill by \S+mcgill\.net\): leave",
    ):
        chosen("tablut", zero, mcgill, rules=("mcgill",))


def test_net_plays_with_its_own_observation(tmp_path: Path) -> None:
    """Also where the first net sees it otherwise."""
    first, second = registry.game_class("draughts").observations[:2]
    wcdf = plant(tmp_path / "wcdf.net", "draughts", "wcdf", observation=first)
    paper = plant(tmp_path / "paper.net", "draughts", "paper", observation=second)
    for nets in ((wcdf, paper), (paper, wcdf)):
        found = games_of(BalanceSettings(game="draughts", nets=nets, rules=("wcdf", "paper")))
        assert [(net.path, game.observation) for net, game in found] == [(wcdf, first), (paper, second)]


def test_lines_name_the_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it was that net's weights; the games are made up."""
    asked: list[tuple[str, float]] = []  # rules, the least weight

    def player(game: Game, *others: Any) -> Callable[[list[NetFile], int], tuple[NetFile, Game]]:
        return lambda nets, plies: (nets[0], game)

    def play(key: Any, env: Any, policies: tuple, *, openings: int, opening_plies: int, **others: Any) -> Games:
        ((net, game),) = policies
        asked.append((game.rules.name, min(float(weight.min()) for weight in net.weights.values())))
        shape = (1, 1, openings)
        nothing = np.zeros((*shape, 2), np.uint32)
        return Games(np.zeros(shape, np.int32), np.full(shape, opening_plies + 9), nothing, nothing, nothing)

    monkeypatch.setattr("boardwright.arena.balance_games.net_player", player)
    monkeypatch.setattr("boardwright.arena.balance_games.play_matches", play)
    zero = plant(tmp_path / "tablutzero.net", "tablut", "tablutzero", seed=1)
    mcgill = plant(tmp_path / "mcgill.net", "tablut", "mcgill", seed=2)
    rules = ("tablutzero", "mcgill", "saami")
    found = list(lines(BalanceSettings(game="tablut", nets=(mcgill, zero), rules=rules, openings=(4,), games=3)))
    assert [(line.rules, line.net, line.is_own, line.counts.wins) for line in found] == [
        ("tablutzero", str(zero), True, (3, 0)),
        ("mcgill", str(mcgill), True, (3, 0)),
        ("saami", str(mcgill), False, (3, 0)),
    ]
    least = {path: min(float(w.min()) for w in netfile.read(path).weights.values()) for path in (zero, mcgill)}
    assert least[zero] != least[mcgill]
    assert asked == [("tablutzero", least[zero]), ("mcgill", least[mcgill]), ("saami", least[mcgill])]


def test_nets_of_other_games_are_refused(tmp_path: Path) -> None:
    """Each of them is looked at, not only the first."""
    tablut = plant(tmp_path / "tablut.net", "tablut", "tablutzero")
    good = plant(tmp_path / "good.net", "draughts")
    with pytest.raises(NetError, match=r"tablut\.net: made for tablut, not draughts"):
        chosen("draughts", tablut)
    with pytest.raises(NetError, match=r"tablut\.net: made for tablut, not draughts"):
        chosen("draughts", good, tablut)
    with pytest.raises(UnknownNameError, match="mcgill"):
        chosen("tablut", tablut, rules=("mcgil",))
    paper, official = (plant(tmp_path / f"{rules}.net", "cathedral", rules) for rules in ("paper", "official"))
    with pytest.raises(NetError, match=r"paper\.net: made for other planes or actions than cathedral official has"):
        chosen("cathedral", paper, rules=("paper", "official"))
    assert chosen("cathedral", paper, official) == [("paper", "paper"), ("official", "official")]
    with pytest.raises(NetError, match=r"paper\.net: made for other planes or actions than cathedral official-6 has"):
        chosen("cathedral", paper, official, rules=("paper", "official", "official-6"))
    config, draughts = EvaluationConfig(width=4, hidden=1), registry.game("draughts")
    shapes = weight_shapes(config, interface_of(config, draughts))
    weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    netfile.write(tmp_path / "e.net", config=config, game=draughts, weights=weights, training={})
    with pytest.raises(NetError, match=r"e\.net': .* has no policy: play it with alphabeta:net="):
        chosen("draughts", good, tmp_path / "e.net")
    with pytest.raises(NetError, match=r"q\.net': its value is not a game result.*use dqn:net="):
        chosen("draughts", good, plant(tmp_path / "q.net", "draughts", method="dqn"))
