"""The field of a game by rule set, who of it meets whom, and ratings that ship."""

import json
from pathlib import Path
from typing import Any

import pytest
from planted_package import PLAIN, plant_ratings, plant_shipped_net

import boardwright
from boardwright.agents.players import make_agent
from boardwright.arena import ladder, ladder_file
from boardwright.arena.ladder_file import LadderFileError
from boardwright.games.declarations import LadderRow
from boardwright.nets import shipped
from boardwright.stats.bayeselo import Rating, rate
from boardwright.stats.pairings import Encounter, condense, groups

ROWS = [LadderRow(letter) for letter in "gcaebdf"]


def rungs(rows: list[LadderRow]) -> dict[str, str]:
    return {row.spec: row.label for row in rows if row.label is not None}


@pytest.mark.parametrize("name", boardwright.game_names())
def test_every_rule_set_has_a_ladder_of_working_players(name: str) -> None:
    for rules in boardwright.game(name).rule_sets():
        game = boardwright.game(name, rules)
        rows = ladder.rows_of(game, {})
        assert rows[0].spec == ladder.ANCHOR
        assert 6 <= len(rungs(rows)) <= 10
        assert len(rungs(rows)) < len(rows) == len({row.spec for row in rows})
        assert len(set(rungs(rows).values())) == len(rungs(rows))
        assert "alphabeta:time=1s" in rungs(rows)
        for row in rows:
            make_agent(row.spec, game).close()


def test_players_of_one_game_are_in_its_ladder_only() -> None:
    fields = {
        name: {row.spec for row in ladder.rows_of(boardwright.game(name), {})} for name in boardwright.game_names()
    }
    assert {"largest-first", "greedy-mobility", "alphabeta:dynamic=on"} <= fields["cathedral"]
    assert "alphabeta:dynamic=on" not in fields["tablut"] | fields["draughts"]  # they know no such option
    assert {"heuristic", "heuristic-mc:sims=10000"} <= fields["tablut"] - fields["draughts"]


@pytest.fixture
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Nets that ship: of Tablut by each method, of two rule sets, and of another game."""
    folder = tmp_path / "data"
    monkeypatch.setattr(shipped, "FOLDER", folder)
    plant_shipped_net(folder, "hnefi", "tablut", "tablutzero", method="alphazero")
    plant_shipped_net(folder, "laps", "tablut", "saami", method="alphazero")
    plant_shipped_net(folder, "q", "tablut", "tablutzero", method="dqn")
    plant_shipped_net(folder, "gradient", "tablut", "tablutzero", method="ppo")
    plant_shipped_net(folder, "mute", "tablut", "tablutzero", method="other", config=PLAIN)
    plant_shipped_net(folder, "checkers", "draughts", method="alphazero")
    return ladder.shipped_nets()


def with_nets(rules: str, nets: dict[str, Any]) -> list[LadderRow]:
    return [row for row in ladder.rows_of(boardwright.game("tablut", rules), nets) if "net=" in row.spec]


def test_net_has_ladder_rows_only_under_its_own_rules(nets: dict[str, Any]) -> None:
    rows = with_nets("tablutzero", nets)
    assert {row.spec: row.label for row in rows} == {
        "dqn:net=q": "q net, Q-values only (no search)",
        "ppo:net=gradient": "gradient net, policy only (no search)",
        "net:net=hnefi": "hnefi net, policy only (no search)",
        "net:net=mute": "mute net, policy only (no search)",
        "alphazero:net=hnefi,sims=16": None,
        "alphazero:net=hnefi,sims=100": "hnefi net, 100 simulations",
        "alphazero:net=hnefi,sims=400": "hnefi net, 400 simulations",
    }
    assert {row.spec.partition("net=")[2].partition(",")[0] for row in with_nets("saami", nets)} == {"laps"}
    assert with_nets("mcgill", nets) == []
    for row in rows:
        make_agent(row.spec, boardwright.game("tablut", "tablutzero")).close()


def test_net_of_unknown_rules_is_in_no_ladder(nets: dict[str, Any]) -> None:
    nets["hnefi"].rules["from_the_future"] = 3
    assert not any("hnefi" in row.spec for row in with_nets("tablutzero", nets))


@pytest.mark.parametrize("apart", [1, 2, 3, 10])
def test_pairs_are_within_apart_places(apart: int) -> None:
    pairs = ladder.near_pairs(ROWS, apart)
    places = {row.spec: place for place, row in enumerate(ROWS)}
    assert len(set(pairs)) == len(pairs)
    assert all(first < second for first, second in pairs)
    met = {frozenset(pair) for pair in pairs}
    expected = {frozenset((a, b)) for a in places for b in places if 0 < abs(places[a] - places[b]) <= apart}
    assert met == expected
    assert len(groups(condense(Encounter(*pair, 2) for pair in pairs))) == 1


def test_a_pair_stays_the_same_when_the_order_changes() -> None:
    assert set(ladder.near_pairs(ROWS, 6)) == set(ladder.near_pairs(ROWS[::-1], 6))


def test_ratings_are_relative_to_random() -> None:
    games = [("random", "a", 1), ("a", "random", 0), ("a", "b", 2), ("b", "a", 0), ("random", "a", 0)]
    ratings = rate(Encounter(*game) for game in games)
    anchored = ladder.from_anchor(ratings)
    assert [rating.name for rating in anchored] == ["b", "a", "random"]
    assert anchored[-1].elo == 0
    shift = -ratings.ratings[-1].elo
    differences = [one.elo - other.elo for one, other in zip(anchored, ratings.ratings, strict=True)]
    assert differences == pytest.approx([differences[0]] * 3, abs=1)
    for one, other in zip(anchored, ratings.ratings, strict=True):
        assert (one.elo, one.plus, one.minus) == tuple(map(round, (one.elo, one.plus, one.minus)))
        low, high = other.elo - other.minus, other.elo + other.plus
        assert (one.elo - one.minus, one.elo + one.plus) == pytest.approx((low + shift, high + shift), abs=0.5)


def test_rows_are_sorted_by_rating_with_unrated_ones_in_place() -> None:
    def order(**elo: float) -> str:
        rated = [Rating(spec, points, 1.0, 1.0, 1) for spec, points in elo.items()]
        return "".join(row.spec for row in ladder.by_strength(ROWS, rated))

    assert order() == "gcaebdf"
    assert order(**{spec: ord(spec) for spec in "gcaebdf"}) == "abcdefg"
    assert order(g=0.0, c=300.0, e=100.0) == "gebdfca"  # a follows c; b, d and f follow e


RATINGS = {"random": 0.0, "greedy": 420.0, "alphabeta:depth=1": 900.0}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder in the place of the one where ratings are that ship."""
    monkeypatch.setattr(ladder_file, "FOLDER", tmp_path / "ratings")
    return tmp_path / "ratings"


def test_written_ratings_are_read_back(folder: Path) -> None:
    plant_ratings(folder, "tablut", "saami", RATINGS)
    rated = ladder_file.shipped_ratings(boardwright.game("tablut", "saami"))
    assert rated is not None
    assert {rating.name: rating.elo for rating in rated.players} == RATINGS
    assert (rated.machine, rated.date, rated.games) == ("a made-up machine", "2025-01-31", 100)
    assert (rated.advantage, rated.draw) == (20.5, 80.0)
    assert (rated.command, rated.doubts) == ("boardwright ladder made up", ("three games were dreamt",))
    assert ladder_file.shipped_ratings(boardwright.game("tablut", "tablutzero")) is None


def test_custom_rules_have_no_ratings(folder: Path) -> None:
    plant_ratings(folder, "tablut", "tablutzero", RATINGS)
    own = boardwright.game("tablut", {"base": "tablutzero", "name": "tablutzero", "max_plies": 77})
    assert ladder_file.path_of(own) is None
    assert ladder_file.shipped_ratings(own) is None


def changed(**values: Any) -> Any:
    return lambda report: report.update(values)


def of_random(**values: Any) -> Any:
    return lambda report: report["players"][-1].update(values)


DAMAGE = {
    "another game": changed(game="draughts"),
    "a number as text": changed(advantage="20"),
    "doubts that are no texts": changed(doubts=[1]),
    "no number": changed(draw=float("nan")),
    "half a game": changed(games=1.5),
    "unknown": changed(colour="red"),
    "missing": lambda report: report.pop("machine"),
    "no players": lambda report: report.pop("players"),
    "players of another form": changed(players={"random": 0}),
    "a player too many": lambda report: report["players"].append(report["players"][0]),
    "a player without games": lambda report: report["players"][0].pop("games"),
    "an interval upside down": of_random(plus=-1.0),
    "another zero": of_random(elo=1.0),
    "no zero": of_random(spec="randm"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_one_line(folder: Path, damage: Any) -> None:
    path = plant_ratings(folder, "tablut", "tablutzero", RATINGS)
    report = json.loads(path.read_text())
    damage(report)
    path.write_text(json.dumps(report))
    with pytest.raises(LadderFileError, match=r"^ratings .*tablut-tablutzero\.json: .*measure it again") as caught:
        ladder_file.shipped_ratings(boardwright.game("tablut"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 100_000, b" " * (1 << 21)])
def test_invalid_rating_file_is_one_line(folder: Path, data: bytes) -> None:
    plant_ratings(folder, "tablut", "tablutzero", RATINGS).write_bytes(data)
    with pytest.raises(LadderFileError, match="measure it again"):
        ladder_file.shipped_ratings(boardwright.game("tablut"))
