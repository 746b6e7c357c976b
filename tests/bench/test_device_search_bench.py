"""The benchmark of the batched search plays real games, and the count of legal actions counts."""

from collections import Counter

import boardwright
from boardwright.bench import branching, device_search


def test_search_alone_and_its_share_of_a_network() -> None:
    game = boardwright.game("draughts")
    network = device_search.stub(game.num_actions)
    figures = list(device_search.measure(game, games=4, simulations=2, slots=16, evaluate=network))
    assert [figure.key for figure in figures] == ["search", "simulation", "network", "selfplay", "share"]
    by_key = {figure.key: figure.value for figure in figures}
    assert min(by_key.values()) > 0
    assert by_key["share"] == 100 * by_key["selfplay"] * 2 / by_key["network"]
    assert "16 slots" in figures[0].label


def test_branching_counts_positions() -> None:
    found = branching.Branching("random", Counter({3: 6, 10: 2}))
    assert (found.positions, found.mean, found.highest) == (8, 4.75, 10)
    assert (found.share_above(3), found.share_above(10)) == (0.25, 0)


def test_slots_hold_what_they_are_said_to() -> None:
    for name in ("draughts", "tablut"):
        game = boardwright.game(name)
        kinds = {found.kind: found for found in branching.measure(game, 1)}
        assert set(kinds) == set(branching.KINDS)
        assert max(found.highest for found in kinds.values()) <= game.max_search_actions
