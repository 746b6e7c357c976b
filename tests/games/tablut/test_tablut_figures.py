"""Figures from elsewhere that the engine must reproduce.

Perft of `tablutzero` and `mcgill` was agreed on by two other implementations. Perft of `saami` and the
random-play figures come from an independent program: plain arrays and loops, whole boards as
repetition keys, written from the rules text alone, 400,000 games with another generator.
"""

import math

import pytest

import boardwright

PERFT = {
    "tablutzero": [1, 72, 3944, 285_728, 15_951_824],
    "mcgill": [1, 72, 3944, 285_728, 15_940_512],
    "saami": [1, 80, 4400, 353_200, 19_913_864],
}


@pytest.mark.parametrize("rules", PERFT)
def test_perft(rules: str) -> None:
    start = boardwright.game("tablut", rules).start()
    assert [start.perft(depth) for depth in range(5)] == PERFT[rules]


RANDOM_PLAY = {
    # attackers win, defenders win, draw (shares), mean plies, its deviation a game, mean branching
    "tablutzero": (0.493377, 0.391170, 0.115452, 172.6658, 112.4101, 66.7325),
    "tablutzero-code": (0.521317, 0.443402, 0.035280, 183.6611, 126.8022, 66.4782),
    "mcgill": (0.149620, 0.075978, 0.774403, 92.6634, 16.9820, 68.1243),
    "saami": (0.152390, 0.807758, 0.039852, 102.4767, 57.8198, 72.8311),
}


@pytest.mark.parametrize("rules", RANDOM_PLAY)
def test_random_play(rules: str) -> None:
    *shares, plies, deviation, branching = RANDOM_PLAY[rules]
    games = 20_000
    tally = boardwright.game("tablut", rules).start().core.playouts(7, 0, games)
    for count, share in zip(tally.outcomes, shares, strict=True):
        assert abs(count / games - share) < 4 * math.sqrt(share * (1 - share) / games)
    assert abs(tally.plies / games - plies) < 4 * deviation / math.sqrt(games)
    assert abs(tally.choices / tally.plies - branching) < 0.3


def test_random_play_matches_the_public_tablutzero_engine() -> None:
    """That engine alone, 25,600 games: 52.5 and 44.0 % by role, 48.5 and 48.0 % by player.

    It draws which player attacks and rewards players; all its games replay move for move in our engine.
    1,024 games of it are reported elsewhere as 48.1 and 48.0 % wins, 3.8 % draws, 188 plies, 66.4 moves a
    ply: players' rates, so the mean of our roles is compared with those.
    """
    games = 20_000
    by_role = (0.5248, 0.4398, 0.0354)
    tally = boardwright.game("tablut", "tablutzero-code").start().core.playouts(8, 0, games)
    outcomes, plies, choices = tally.outcomes, tally.plies, tally.choices
    for count, share in zip(outcomes, by_role, strict=True):
        assert abs(count / games - share) < 4 * math.sqrt(share * (1 - share) * (1 / games + 1 / 25_600))
    seat = (outcomes[0] + outcomes[1]) / 2 / games
    error = math.sqrt(0.48 * 0.52 / 1024)
    assert abs(seat - 0.4805) < 2 * error
    assert abs(outcomes[2] / games - 0.038) < 2 * math.sqrt(0.038 * 0.962 / 1024)
    assert abs(plies / games - 188) < 2 * 127 / math.sqrt(1024)
    assert abs(choices / plies - 66.4) < 0.3


def test_playouts_of_a_series_can_be_cut_anywhere() -> None:
    core = boardwright.game("tablut").start().core
    whole = core.playouts(5, 0, 30)
    pieces = [core.playouts(5, 0, 7), core.playouts(5, 7, 13), core.playouts(5, 20, 10)]
    assert whole.plies == sum(piece.plies for piece in pieces)
    assert whole.outcomes == [sum(piece.outcomes[i] for piece in pieces) for i in range(3)]
    assert core.playouts(6, 0, 30).plies != whole.plies
