"""Victory paths and threats, compared with exact search and the plain engine: no win is claimed falsely."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sizes import size

import boardwright
from boardwright._core import TablutPosition
from boardwright.games.base import ONGOING
from boardwright.games.tablut import board as b

NONE, ESCAPE, CLEAR_EDGE, SAFE_EDGE, SAFE_EDGE_WITH_CAPTURE = range(5)
PLIES = {ESCAPE: 1, CLEAR_EDGE: 3, SAFE_EDGE: 3, SAFE_EDGE_WITH_CAPTURE: 5}
ATTACKERS, DEFENDERS = 0, 1
SPECIAL = {*b.CORNERS, b.THRONE}
INNER = [square for square in range(b.SQUARES) if square not in SPECIAL]
OUTER = [square for square in INNER if square // 9 in (0, 1, 7, 8) or square % 9 in (0, 1, 7, 8)]


def sparse_positions(game: Any, rng: random.Random, count: int) -> Iterator[Any]:
    """Few pieces, the king mostly near an edge, sometimes just before a ply limit; defenders to move."""
    for _ in range(count):
        board = np.zeros(b.SQUARES, np.int8)
        king = rng.choice(OUTER if rng.random() < 0.7 else INNER)
        attackers, defenders = rng.randint(1, 12), rng.randint(0, 5)
        others = rng.sample([square for square in INNER if square != king], attackers + defenders)
        board[king] = b.KING
        board[others[:attackers]] = b.ATTACKER
        board[others[attackers:]] = b.DEFENDER
        late = rng.random() < 0.1
        quiet, plies = (rng.randint(94, 99), rng.randint(94, 99)) if late else (0, 0)
        core = game.engine.setup(board, DEFENDERS, quiet, plies)
        if core.result == ONGOING:
            yield core


def played_positions(game: Any, rng: random.Random, games: int) -> Iterator[Any]:
    """Every position of random games in which defenders are to move, with the past behind it."""
    for _ in range(games):
        core = game.engine.start()
        while core.result == ONGOING:
            if core.role_to_move == DEFENDERS:
                yield core
            core = core.play(rng.choice(core.legal_actions()))


@pytest.mark.parametrize("rules", ["mcgill", "tablutzero"])
def test_every_path_is_a_forced_win_and_is_followed_to_its_end(rules: str) -> None:
    game, rng = boardwright.game("tablut", rules), random.Random(1)
    found: Counter[int] = Counter()
    for positions in (
        sparse_positions(game, rng, size(1000, full=3000)),
        played_positions(game, rng, size(20, full=40)),
    ):
        for core in positions:
            path = core.victory_path()
            kind, action = path.kind, path.action
            found[kind] += 1
            if kind == NONE:
                assert action == -1
                continue
            after = core.play(action)
            if kind == ESCAPE:
                assert after.result == DEFENDERS
                continue
            assert after.forced_win(DEFENDERS, PLIES[kind] - 1), game.position_text(core)
            for reply in rng.sample(after.legal_actions(), min(8, after.count_actions())):
                further = after.play(reply)
                assert further.result == DEFENDERS or PLIES[further.victory_path().kind] <= PLIES[kind] - 2
    for kind in (NONE, ESCAPE, CLEAR_EDGE, SAFE_EDGE, SAFE_EDGE_WITH_CAPTURE):
        assert found[kind] >= size(5, full=15), found


@pytest.mark.parametrize("rules", ["mcgill", "tablutzero"])
def test_few_quick_wins_are_missed(rules: str) -> None:
    """Nine of ten wins in three plies are paths; the rest begin with a man's move or more than one threat."""
    game, rng = boardwright.game("tablut", rules), random.Random(2)
    wins = paths = 0
    for core in sparse_positions(game, rng, 500):
        kind = core.victory_path().kind
        if kind != ESCAPE and core.forced_win(DEFENDERS, 3):
            wins += 1
            paths += kind in (CLEAR_EDGE, SAFE_EDGE)
    assert wins > 100
    assert paths >= 0.9 * wins


def squares_position(attackers: str, defenders: str, king: str) -> Any:
    board = np.zeros(b.SQUARES, np.int8)
    for names, piece in ((attackers, b.ATTACKER), (defenders, b.DEFENDER), (king, b.KING)):
        for name in names.split():
            board[b.square_number(name)] = piece
    return boardwright.game("tablut", "mcgill").engine.setup(board, DEFENDERS, 0, 0)  # type: ignore[attr-defined]


# Attackers, defenders, king, what is found, his first move. His own men leave him only the way up.
CASES = {
    "a corner in reach": ("h2", "a4 b5", "a5", ESCAPE, "a5-a9"),
    "figure 5, an empty edge": ("b2 f2", "c6 e6 d5", "d6", CLEAR_EDGE, "d6-d9"),
    "figure 6, no attacker can step between": ("f9 h2", "c6 e6 d5", "d6", SAFE_EDGE, "d6-d9"),
    "an attacker can": ("f9 c8", "c6 e6 d5", "d6", NONE, None),
    "figure 7, the blocker is taken against the corner": ("f9 b2", "c6 e6 d5", "d6", SAFE_EDGE_WITH_CAPTURE, "d6-d9"),
    "another behind the blocker": ("f9 b2 b3", "c6 e6 d5", "d6", NONE, None),
    "too near to take the blocker": ("f9 b7", "b6 d6 c5", "c6", NONE, None),
    "lost next to the corner": ("f9 h2", "a6 c6 b5", "b6", NONE, None),
    "safe next to the corner": ("f9 h2", "a6 c6 b5 d9", "b6", SAFE_EDGE, "b6-b9"),
    "his own capture opens the way": ("b9 f9 h2", "b6 d6 c5", "c6", SAFE_EDGE, "c6-c9xb9"),
}


@pytest.mark.parametrize("case", CASES)
def test_path_is_found_exactly_where_the_win_is_forced(case: str) -> None:
    attackers, defenders, king, kind, move = CASES[case]
    core = squares_position(attackers, defenders, king)
    path = core.victory_path()
    assert path.kind == kind
    assert (boardwright.game("tablut", "mcgill").action_text(core, path.action) if path.kind else None) == move
    assert core.forced_win(DEFENDERS, PLIES.get(kind, 3)) == (kind != NONE)


def test_edge_escape_knows_two_ways_and_the_unblockable_one() -> None:
    """Where every edge is an escape, a king with two open lines wins; soundness is all that is asked."""
    game, rng = boardwright.game("tablut", "saami"), random.Random(3)
    found: Counter[int] = Counter()
    for core in played_positions(game, rng, 150):
        path = core.victory_path()
        kind, action = path.kind, path.action
        found[kind] += 1
        assert kind != SAFE_EDGE_WITH_CAPTURE
        if kind != NONE:
            assert core.play(action).forced_win(DEFENDERS, PLIES[kind] - 1)
    assert found[ESCAPE] > 25


def test_attackers_to_move_have_no_path() -> None:
    path = boardwright.game("tablut").start().core_as(TablutPosition).victory_path()
    assert (path.kind, path.action) == (NONE, -1)


@pytest.mark.parametrize("rules", ["mcgill", "tablutzero", "saami"])
def test_threats_are_the_possible_captures(rules: str) -> None:
    game, rng = boardwright.game("tablut", rules), random.Random(4)
    dangers = 0
    for core in [*sparse_positions(game, rng, 150), *played_positions(game, rng, 4)]:
        before = core.board()
        for mover in (ATTACKERS, DEFENDERS):
            side = game.engine.setup(before, mover, 0, 0)  # type: ignore[attr-defined]
            taken: set[int] = set()
            king_falls = False
            for action in side.legal_actions():
                after = side.play(action).board()
                enemy = b.DEFENDER if mover == ATTACKERS else b.ATTACKER
                taken |= set(np.flatnonzero((before == enemy) & (after != enemy)).tolist())
                king_falls |= mover == ATTACKERS and not (after == b.KING).any()
            if side.result != ONGOING:
                continue
            assert set(side.threatened(1 - mover)) == taken
            if mover == ATTACKERS:
                assert side.king_can_be_captured() == king_falls
                dangers += king_falls
    assert dangers > 5 or rules == "saami"
