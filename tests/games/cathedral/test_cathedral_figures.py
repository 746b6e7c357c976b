"""Published figures: the numbering of the actions, perft, and random play."""

import hashlib
import math
import time

import pytest

import boardwright
from boardwright.games.cathedral import pieces

NUMBERING = {6: (857, "3e5fa7f5336358da"), 8: (1753, "a39a67b5618d5c61"), 10: (2969, "7b3a88618ba2c9ac")}
PERFT = {
    "paper-6": [1, 48, 21_468, 7_051_928],
    "paper": [1, 120, 146_908, 151_315_544],
    "paper-10": [1, 224, 518_332, 1_078_171_096],
    "official-6": [1, 48, 21_468, 7_056_576],
    "official-8": [1, 120, 146_908, 151_327_352],
    "official": [1, 224, 518_332, 1_078_178_480],
}
RANDOM_PLAY = {  # light (who places the cathedral) wins, dark wins, draw, mean plies, mean branching
    "paper-10": (0.292, 0.540, 0.168, 23.8, 621),
    "paper": (0.320, 0.585, 0.095, 18.5, 315),
}


@pytest.mark.parametrize("size", NUMBERING)
def test_action_numbering(size: int) -> None:
    listed = pieces.placements(size, False)
    lines = [f"{placement.piece}:{sum(1 << cell for cell in placement.cells):x}" for placement in listed]
    assert (len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]) == NUMBERING[size]


@pytest.mark.parametrize("a", range(6, 11))
def test_placements_of_every_piece(a: int) -> None:
    b, c, d = a - 1, a - 2, a - 3
    counts = [a * a, a * a, 2 * a * b, 2 * a * b, 4 * b * b, 4 * b * b, 2 * a * c, b * b, 4 * b * c, 2 * b * c]
    counts += [4 * c * c, c * c, 4 * b * c, 4 * c * c, 4 * c * d]
    for mirrored in (False, True):
        listed = [placement.piece for placement in pieces.placements(a, mirrored)]
        assert listed == sorted(listed)  # so that a piece has the same range of numbers on both sides
        assert [listed.count(piece) for piece in range(15)] == counts


def test_both_engines_number_actions_identically() -> None:
    game = boardwright.game("cathedral", "paper")
    assert game.num_actions == 1753
    cathedral = [action for action, p in enumerate(pieces.placements(8, False)) if p.piece == pieces.CATHEDRAL]
    assert game.start().legal_actions() == cathedral


def test_piece_sizes_are_those_of_the_set() -> None:
    assert pieces.SIZES == (1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6)
    assert sum(pieces.SIZES[: pieces.BUILDINGS]) == 47


@pytest.mark.parametrize("rules", PERFT)
def test_perft(rules: str) -> None:
    start = boardwright.game("cathedral", rules).start()
    assert [start.perft(depth) for depth in range(4)] == PERFT[rules]


@pytest.mark.parametrize("rules", RANDOM_PLAY)
def test_random_play(rules: str) -> None:
    """Within the sampling error of 200,000 games there and here, and what the figures are rounded to."""
    *shares, plies, branching = RANDOM_PLAY[rules]
    games, began = 200_000, time.process_time()
    tally = boardwright.game("cathedral", rules).start().core.playouts(11, 0, games)
    assert time.process_time() - began < 60
    for count, share in zip(tally.outcomes, shares, strict=True):
        assert abs(count / games - share) < 4 * math.sqrt(2 * share * (1 - share) / games) + 0.0005
    assert abs(tally.plies / games - plies) < 0.1
    assert abs(tally.choices / tally.plies - branching) < 2


def test_the_paper_counts_draws_as_half_a_win() -> None:
    """Its 37.5 % for the first player, on ten by ten cells."""
    games = 200_000
    light, _, draws = boardwright.game("cathedral", "paper-10").start().core.playouts(12, 0, games).outcomes
    assert abs((light + draws / 2) / games - 0.375) < 0.005


def test_the_coin_makes_the_sides_equal() -> None:
    games = 200_000
    rules = {"base": "paper", "first": "coin"}
    light, dark, _ = boardwright.game("cathedral", rules).start().core.playouts(13, 0, games).outcomes
    assert abs(light - dark) < 4 * math.sqrt(games)
