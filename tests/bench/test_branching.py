"""The count of legal actions counts, and says how many slots a search needs."""

from collections import Counter

import boardwright
from boardwright.bench import branching


def test_branching_counts_positions() -> None:
    found = branching.Branching("random", Counter({3: 6, 10: 2}))
    assert (found.positions, found.mean, found.highest) == (8, 4.75, 10)
    assert (found.share_above(3), found.share_above(10)) == (0.25, 0)


def test_slots_hold_all_legal_moves_of_played_positions() -> None:
    for name in ("draughts", "tablut"):
        game = boardwright.game(name)
        kinds = {found.kind: found for found in branching.measure(game, 1)}
        assert set(kinds) == set(branching.KINDS)
        assert max(found.highest for found in kinds.values()) <= game.max_search_actions
