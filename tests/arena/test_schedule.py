"""The schedule: pairs with the roles swapped, seeds of their own, the same however it is taken."""

from collections import Counter
from itertools import islice

import pytest

from boardwright.arena.event import check_even
from boardwright.errors import BoardwrightError


def test_pairs_share_opening_and_chance_and_swap_roles(event) -> None:
    games = list(islice(event("random", "mc:sims=5", game="tablut").schedule(), 40))
    assert [game.index for game in games] == list(range(40))
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.players == ("random", "mc:sims=5") == second.players[::-1]
        assert first.beginning == second.beginning
        assert first.chance_seed == second.chance_seed
    assert len({seed for game in games for seed in game.seeds}) == 80
    assert len({game.beginning for game in games}) == 20


def test_round_robin_is_scheduled_by_rounds(event) -> None:
    players = ("first-legal", "random", "mc:sims=1", "mc:sims=2")
    games = list(islice(event(*players).schedule(), 3 * 12))
    met = Counter(frozenset(game.players) for game in games)
    assert set(met.values()) == {6}
    assert len(met) == 6
    for begin in (0, 12, 24):  # each round is complete and from one opening
        assert len({game.beginning for game in games[begin : begin + 12]}) == 1
        assert Counter(frozenset(g.players) for g in games[begin : begin + 12]) == Counter(dict.fromkeys(met, 2))


def test_gauntlet_is_the_first_against_all_others(event) -> None:
    games = list(islice(event("random", "mc:sims=1", "mc:sims=2", gauntlet=True).schedule(), 8))
    assert all("random" in game.players for game in games)
    assert event("random", "a", "b", "c", gauntlet=True).pairings() == [(0, 1), (0, 2), (0, 3)]


def test_the_schedule_follows_from_the_event_alone(event) -> None:
    one, two = event("random", "first-legal"), event("random", "first-legal")
    assert list(islice(one.schedule(), 20)) == list(islice(two.schedule(), 50))[:20]
    assert one.config() == two.config()
    assert event("random", "first-legal", seed=2).config() != one.config()
    assert next(event("random", "first-legal", seed=2).schedule()) != next(one.schedule())


@pytest.mark.parametrize("games", [0, 1, 3, -2])
def test_odd_numbers_of_games_are_refused(games: int) -> None:
    with pytest.raises(BoardwrightError, match="even number"):
        check_even("--games", games)
