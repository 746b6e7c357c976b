"""Forced escapes, held to a slow search that says the same, and to positions of games that were lost by one."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import boardwright
from boardwright.games.base import ONGOING

ATTACKERS, DEFENDERS = 0, 1


def sharp_positions(game: Any, games: int, seed: int) -> Iterator[Any]:
    """Positions of games in which greedy and random moves alternate; defenders are to move, no path is open."""
    rng = random.Random(seed)
    for _ in range(games):
        core = game.engine.start()
        while core.result == ONGOING:
            if core.role_to_move == DEFENDERS and not core.victory_path().kind:
                yield core
            core = core.play(rng.choice(core.greedy_actions(True) if rng.random() < 0.3 else core.legal_actions()))


def plain_escape(game: Any, core: Any, threats: int) -> bool:
    """A path that is open, or a move that threatens one and after which every reply leads to such a position."""
    if core.result != ONGOING or core.victory_path().kind:
        return core.result in (DEFENDERS, ONGOING)
    if threats == 0:
        return False
    for action in core.legal_actions():
        after = core.play(action)
        if after.result == DEFENDERS:
            return True
        again = game.engine.setup(after.board(), DEFENDERS, after.quiet, after.plies)
        if after.result != ONGOING or after.king_can_be_captured() or not again.victory_path().kind:
            continue
        if all(plain_escape(game, after.play(reply), threats - 1) for reply in after.legal_actions()):
            return True
    return False


@pytest.mark.parametrize("rules", ["mcgill", "tablutzero", "saami"])
def test_it_agrees_with_a_plain_search(rules: str) -> None:
    game = boardwright.game("tablut", rules)
    found: Counter[int] = Counter()
    for core in sharp_positions(game, games=12, seed=1):
        for threats in (1, 2):
            escapes = core.forced_escape(threats)
            assert escapes == plain_escape(game, core, threats), (threats, game.position_text(core))
            found[threats] += escapes
    assert 0 < found[1] < found[2]


# The attackers' last move of a lost game, and how many threats the king then needs.
LOST = {
    "/3ttt3/4t4/1t2T4/t3T1t2/tT5Tt/t1t6/2T6/2K1t4/2t3tt1/ a 1 22": ("c6-c5xb5", 2),
    "/3ttt3/tKT2T1t1/9/2T5t/1t1t2Ttt/8t/4t4/t8/4t4/ a 1 28": ("d5-f5xg5", 1),
    "/3tt2t1/4t4/5t3/t1t6/tt3T2t/2t1T3t/4T4/3Tt1K2/3ttt3/ a 3 14": ("i5-g5xf5", 4),
}


@pytest.mark.parametrize("position", LOST)
def test_lost_games(position: str) -> None:
    """The king's men are given up for it, so no path is open before."""
    game = boardwright.game("tablut", "mcgill")
    before = game.position(position)
    move, threats = LOST[position]
    core: Any = before.play(move).core
    assert [core.forced_escape(number) for number in range(threats + 1)] == [False] * threats + [True]


def test_open_path_needs_no_threat_and_attackers_have_none() -> None:
    game = boardwright.game("tablut", "mcgill")
    open_path: Any = game.position("/9/9/9/4t4/K8/2Tt5/9/4T4/9/ d 0 0").core
    assert open_path.forced_escape(0)
    start: Any = game.start().core
    assert start.role_to_move == ATTACKERS
    assert not start.forced_escape(3)
